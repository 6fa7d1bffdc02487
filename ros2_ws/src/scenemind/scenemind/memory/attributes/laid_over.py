"""Attributes that a model or a person said, laid over others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scenemind.memory.attributes.lazy import LazyAttributes, possible_names


class LaidOver(LazyAttributes):
    """What was said wins; the rest is as it is below.

    What was said one after the other is one layer, however often people correct a thing.

    Attributes:
        below: what is laid over.
        said: all that was said since.
    """

    below: Mapping[str, str]
    said: Mapping[str, str | None]

    def __init__(self, below: Mapping[str, str], said: Mapping[str, str | None]) -> None:
        """
        Args:
            below, said: neither is looked at before somebody reads this one, but for words that
                are known. None in `said` takes an attribute away.
        """
        super().__init__()
        if isinstance(below, LaidOver) and isinstance(said, dict) and isinstance(below.said, dict):
            said = {**below.said, **said}
            below = below.below
        self.below, self.said = below, said

    def possible_names(self) -> Iterable[str]:
        return dict.fromkeys((*possible_names(self.below), *possible_names(self.said)))

    def _find(self, name: str) -> str | None:
        return self.said[name] if name in self.said else self.below.get(name)
