"""Attributes that are computed one by one, when somebody reads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping

from scenemind.memory.types import MapObject

# Found from all points of an object: too slow for who reads those of thousands of objects.
_SLOW = frozenset(("shape", "orientation"))


class LazyAttributes(Mapping[str, str], ABC):
    """Name -> value, constant; each is computed at the first look at it, and kept.

    An object in view is another value in every frame, and hardly anybody reads it.
    """

    def __init__(self) -> None:
        self._found: dict[str, str | None] = {}

    @abstractmethod
    def possible_names(self) -> Iterable[str]:
        """All that there may be, without finding out; each once."""

    @abstractmethod
    def _find(self, name: str) -> str | None:
        """The value of an attribute; None: it has none of that name."""

    def __getitem__(self, name: str) -> str:
        if name not in self._found:
            self._found[name] = self._find(name)
        value = self._found[name]
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.possible_names() if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))


def possible_names(attributes: Mapping[str, str] | Mapping[str, str | None]) -> Iterable[str]:
    """All names that there may be, without computing anything."""
    return attributes.possible_names() if isinstance(attributes, LazyAttributes) else attributes


def quick_attributes(thing: MapObject) -> Mapping[str, str]:
    """Those of an object without what takes long to find, for who reads those of thousands of
    objects; but with all that a person said."""
    attributes = thing.attributes
    # Who said what is looked at only where people spoke: it may take as long to find.
    sources = thing.attribute_sources if thing.corrected else {}
    names = [
        name
        for name in possible_names(attributes)
        if name not in _SLOW or sources.get(name) == "user"
    ]
    return {name: attributes[name] for name in names if name in attributes}
