"""Values on their way out of the sandbox: how much they may be."""

from __future__ import annotations

from typing import Any

_MOST_VALUES = 20_000
_DEEPEST = 50
_MOST_CHARACTERS = 1_000_000
_MOST_BITS = 1000  # as many as a float has room for


def is_small(value: Any) -> bool:
    """Whether a value can be looked through, shown and calculated with at no cost to speak of.

    A list that holds one list twice, which holds one twice, and so on sixty times, is small in the
    sandbox, and larger than any computer for who goes through it here. So what stands in several
    places counts in each.
    """
    left, characters = _MOST_VALUES, _MOST_CHARACTERS
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, int) and one.bit_length() > _MOST_BITS:
                return False
            if isinstance(one, (str, bytes)):
                characters -= len(one)
            parts = _parts(one)
            left -= 1 + len(parts)
            if left < 0 or characters < 0:
                return False
            inner += parts
        if not inner:
            return True
        level = inner
    return False


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(value)
    return []
