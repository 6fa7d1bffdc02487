"""Attributes that are computed when somebody reads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property


class LazyAttributes(Mapping[str, str], ABC):
    """Name -> value, constant; nothing is computed before the first look.

    An object in view is another value in every frame, and hardly anybody reads it.
    """

    @abstractmethod
    def _computed(self) -> Iterable[tuple[str, str | None]]:
        """Names with their values; None: it has no such attribute."""

    @cached_property
    def _all(self) -> dict[str, str]:
        return {name: value for name, value in self._computed() if value is not None}

    def quick(self) -> Mapping[str, str]:
        """Without what takes long to find, for who reads those of thousands of objects."""
        return self

    def __getitem__(self, name: str) -> str:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return repr(self._all)


def quick_attributes(attributes: Mapping[str, str]) -> Mapping[str, str]:
    """Those that are found at once, of attributes of any kind; see `LazyAttributes.quick`."""
    return attributes.quick() if isinstance(attributes, LazyAttributes) else attributes
