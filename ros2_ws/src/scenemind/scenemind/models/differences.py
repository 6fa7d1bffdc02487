"""How two texts differ, in few words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_SHOWN_PLACES = 3
_SHOWN_CHARACTERS = 160
# Of what is the same before the first difference.
_BEFORE = 40


def likeness(a: Sequence[str], b: Sequence[str]) -> tuple[float, float]:
    """Of two texts in lines, to compare with others: the share of common lines, then how much the
    rest has in common."""
    lines_a, lines_b = Counter(a), Counter(b)
    common = (lines_a & lines_b).total()
    rest_a = "\n".join((lines_a - lines_b).elements())
    rest_b = "\n".join((lines_b - lines_a).elements())
    matcher = SequenceMatcher(None, rest_a, rest_b, autojunk=False)
    return 2.0 * common / max(len(a) + len(b), 1), matcher.quick_ratio()


def difference(before: Sequence[str], after: Sequence[str]) -> str:
    """The first places where two texts in lines differ: `- before` and `+ after`."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    changes = [
        (" ".join(before[a0:a1]), " ".join(after[b0:b1]))
        for kind, a0, a1, b0, b1 in matcher.get_opcodes()
        if kind != "equal"
    ]
    lines = [line for change in changes[:_SHOWN_PLACES] for line in _shown(*change)]
    if len(changes) > _SHOWN_PLACES:
        lines.append(f"and at {len(changes) - _SHOWN_PLACES} places more")
    return "\n".join(lines)


def _shown(before: str, after: str) -> Iterator[str]:
    pairs = enumerate(zip(before, after, strict=False))
    first = next((i for i, (a, b) in pairs if a != b), min(len(before), len(after)))
    start = max(0, first - _BEFORE)
    for mark, text in (("-", before), ("+", after)):
        head = "..." if start and text else ""
        cut = text[start : start + _SHOWN_CHARACTERS]
        tail = "..." if len(text) > start + _SHOWN_CHARACTERS else ""
        yield f"{mark} {head}{cut}{tail}"
