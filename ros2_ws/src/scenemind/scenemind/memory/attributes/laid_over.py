"""Attributes that a model or a person said, laid over others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scenemind.memory.attributes.lazy import LazyAttributes, possible_names


class LaidOver(LazyAttributes):
    """What was said wins; the rest is as it is below."""

    def __init__(self, below: Mapping[str, str], said: Mapping[str, str | None]) -> None:
        """
        Args:
            below, said: neither is looked at before somebody reads this one. None in `said` takes
                an attribute away.
        """
        super().__init__()
        self._below, self._said = below, said

    def possible_names(self) -> Iterable[str]:
        return dict.fromkeys((*possible_names(self._below), *possible_names(self._said)))

    def _find(self, name: str) -> str | None:
        return self._said[name] if name in self._said else self._below.get(name)
