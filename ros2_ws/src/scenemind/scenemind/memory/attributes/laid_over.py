"""Attributes that a model or a person said, laid over others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scenemind.memory.attributes.lazy import LazyAttributes, quick_attributes


class LaidOver(LazyAttributes):
    """What was said wins; the rest is as it is below."""

    def __init__(self, below: Mapping[str, str], said: Mapping[str, str | None]) -> None:
        """
        Args:
            below, said: neither is looked at before somebody reads this one. None in `said` takes
                an attribute away.
        """
        self._below, self._said = below, said

    def _computed(self) -> Iterable[tuple[str, str | None]]:
        return {**self._below, **self._said}.items()

    def quick(self) -> Mapping[str, str]:
        pairs = {**quick_attributes(self._below), **self._said}.items()
        return {name: value for name, value in pairs if value is not None}
