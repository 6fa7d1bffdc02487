"""Attributes that a model or a person said, laid over computed ones without computing these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property


class LaidOver(Mapping[str, str]):
    """What was said wins; the rest is as it is below, and is looked at when somebody reads it."""

    def __init__(self, below: Mapping[str, str], said: Mapping[str, str | None]) -> None:
        """
        Args:
            said: name -> value; None takes the attribute away.
        """
        self._below, self._said = below, said

    def __getitem__(self, name: str) -> str:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return repr(self._all)

    @cached_property
    def _all(self) -> dict[str, str]:
        both = {**self._below, **self._said}
        return {name: value for name, value in both.items() if value is not None}
