"""Attributes of an object, each computed at its first read: measured ones, and those above by
models or people.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Set

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.attributes.colors import color_words
from scenemind.memory.attributes.form import OF_FORM, Form, FormWords
from scenemind.memory.types import MapObject
from scenemind.perception.colors import COLOR_NAMES

# Found from all points of an object: too slow for who reads those of thousands of objects.
_SLOW = frozenset(("shape", "orientation"))


class LazyAttributes(Mapping[str, str], ABC):
    """A constant mapping name -> value that computes each value at its first read and keeps it.

    An object in view has a new value in every frame, and its attributes are read rarely.
    """

    def __init__(self) -> None:
        self._found: dict[str, str | None] = {}

    @abstractmethod
    def possible_names(self) -> Iterable[str]:
        """All possible names, each once, without computing any value."""

    @abstractmethod
    def _find(self, name: str) -> str | None:
        """The value of an attribute; None if the object has none of this name."""

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
    """All possible names, without computing any value."""
    return attributes.possible_names() if isinstance(attributes, LazyAttributes) else attributes


def quick_attributes(thing: MapObject) -> Mapping[str, str]:
    """The attributes of an object without slow ones, except those that a person set; for readers of
    thousands of objects."""
    attributes = thing.attributes
    # Sources may be slow to compute too: they are needed for corrected objects only.
    sources = thing.attribute_sources if thing.corrected else {}
    names = [
        name
        for name in possible_names(attributes)
        if name not in _SLOW or sources.get(name) == "user"
    ]
    return {name: attributes[name] for name in names if name in attributes}


class AttributeOverlay(LazyAttributes):
    """Attributes of two layers: upper ones take precedence over lower ones.

    Successive overlays with known values are joined, therefore the depth does not grow with the
    number of corrections.

    Attributes:
        below: the lower layer. above: the upper layer; None takes an attribute away.
    """

    below: Mapping[str, str]
    above: Mapping[str, str | None]

    def __init__(self, below: Mapping[str, str], above: Mapping[str, str | None]) -> None:
        """Args: below, above: neither is read before this one is, unless it is a plain dict."""
        super().__init__()
        if (
            isinstance(below, AttributeOverlay)
            and isinstance(above, dict)
            and isinstance(below.above, dict)
        ):
            above = {**below.above, **above}
            below = below.below
        self.below, self.above = below, above

    def possible_names(self) -> Iterable[str]:
        return dict.fromkeys((*possible_names(self.below), *possible_names(self.above)))

    def _find(self, name: str) -> str | None:
        return self.above[name] if name in self.above else self.below.get(name)


# The finest detail of a surface whose voxels are not known: as `ObjectMapConfig.voxel_m` has it.
_DETAIL_M = 0.03


class ComputedAttributes(LazyAttributes):
    """Measured attributes, such as color -> "black and red"; unknown ones are missing.

    They are `color` and those of the form: `size` (small, medium, large), `dimensions` (length x
    width x height of the yaw box), `relative_size` ("large for a cup"), `shape`, `orientation`
    (upright, leaning, lying) and `long_side`, the direction of the longer horizontal side, from the
    world's x to its y.
    """

    def __init__(self, label: str, colors: NDArray[np.float64], of_form: FormWords) -> None:
        """
        Args:
            colors: (24,), number of pixels of each of `COLOR_NAMES`; must not change afterwards.
        """
        super().__init__()
        self._label, self._colors, self._of_form = label, colors, of_form

    def possible_names(self) -> Iterable[str]:
        return ("color", *OF_FORM)

    def _find(self, name: str) -> str | None:
        if name == "color":
            return color_words(dict(zip(COLOR_NAMES, self._colors.tolist(), strict=True)))
        return self._of_form.find(name, self._label)


class RecomputedAttributes(LazyAttributes):
    """Attributes of an object after a correction changed its label or its points (merge, split).

    Attributes of the form are computed anew; described and corrected ones stay, and so does the
    colour. An object without points keeps all that it has. Layers of earlier recomputations that
    this one replaces are dropped, therefore the depth does not grow with the number of corrections.
    """

    def __init__(self, thing: MapObject) -> None:
        """
        Args:
            thing: has its new label, points and box, and its old attributes.
        """
        super().__init__()
        self._label, self._sources = thing.label, thing.attribute_sources
        self._has_points = len(thing.points) > 0
        self._below = self._beneath(thing.attributes, frozenset())
        self._of_form = FormWords(Form(thing.points, thing.box, _DETAIL_M))

    def possible_names(self) -> Iterable[str]:
        return dict.fromkeys((*possible_names(self._below), *OF_FORM))

    def _find(self, name: str) -> str | None:
        anew = name in OF_FORM and name not in self._sources and self._has_points
        return self._of_form.find(name, self._label) if anew else self._below.get(name)

    def _beneath(self, attributes: Mapping[str, str], above: Set[str]) -> Mapping[str, str]:
        """Attributes without the earlier recomputations that this one, or a later correction,
        replaces."""
        if isinstance(attributes, AttributeOverlay) and isinstance(attributes.above, dict):
            below = self._beneath(attributes.below, above | attributes.above.keys())
            return (
                attributes
                if below is attributes.below
                else AttributeOverlay(below, attributes.above)
            )
        if isinstance(attributes, RecomputedAttributes) and self._replaces(attributes, above):
            return self._beneath(attributes._below, above)
        return attributes

    def _replaces(self, before: RecomputedAttributes, above: Set[str]) -> bool:
        if self._has_points is not before._has_points:
            return not before._has_points
        return self._sources is before._sources or all(
            name in above or name not in self._sources or name in before._sources
            for name in OF_FORM
        )
