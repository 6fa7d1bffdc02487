"""The attributes that are computed of an object from its pixels and its points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.attributes.colors import color_words
from scenemind.memory.attributes.form import Form
from scenemind.memory.attributes.form_words import OF_FORM, FormWords
from scenemind.memory.attributes.laid_over import LaidOver
from scenemind.memory.attributes.lazy import LazyAttributes, possible_names
from scenemind.memory.types import MapObject
from scenemind.perception.color_names import COLOR_NAMES

# The finest detail of a surface whose voxels are not known: as `ObjectMapConfig.voxel_m` has it.
_DETAIL_M = 0.03


class ComputedAttributes(LazyAttributes):
    """Such as color -> "black and red"; what cannot be told is missing.

    `color`, and what the form says: `size` (small, medium, large), `dimensions` (length x width x
    height of the yaw box), `relative_size` ("large for a cup"), `shape`, `orientation` (upright,
    leaning, lying) and `long_side`, the direction of the longer horizontal side, from the world's
    x to its y.
    """

    def __init__(self, label: str, colors: NDArray[np.float64], of_form: FormWords) -> None:
        """
        Args:
            colors: (24,), how many pixels bear each of `COLOR_NAMES`; must not change afterwards.
        """
        super().__init__()
        self._label, self._colors, self._of_form = label, colors, of_form

    def possible_names(self) -> Iterable[str]:
        return ("color", *OF_FORM)

    def _find(self, name: str) -> str | None:
        if name == "color":
            return color_words(dict(zip(COLOR_NAMES, self._colors.tolist(), strict=True)))
        return self._of_form.find(name, self._label)


class FormAnew(LazyAttributes):
    """An object's attributes after a person gave it another label or form: of what it is a part
    of, or a larger whole.

    What the form says is computed anew; what a model or a person said stays, and so does the
    colour. An object that came without its points keeps what it has.

    Of what was found anew before, only what still counts is kept, however often people correct a
    thing.
    """

    def __init__(self, thing: MapObject) -> None:
        """
        Args:
            thing: with its new label, points and box, and with its old attributes.
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

    def _beneath(self, attributes: Mapping[str, str], said: Set[str]) -> Mapping[str, str]:
        """These attributes without those found anew before that this one finds, or that were
        said since."""
        if isinstance(attributes, LaidOver) and isinstance(attributes.said, dict):
            below = self._beneath(attributes.below, said | attributes.said.keys())
            return attributes if below is attributes.below else LaidOver(below, attributes.said)
        if isinstance(attributes, FormAnew) and self._replaces(attributes, said):
            return self._beneath(attributes._below, said)
        return attributes

    def _replaces(self, before: FormAnew, said: Set[str]) -> bool:
        if self._has_points is not before._has_points:
            return not before._has_points
        return self._sources is before._sources or all(
            name in said or name not in self._sources or name in before._sources for name in OF_FORM
        )
