"""The attributes that are computed of an object, once somebody reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.attributes.colors import color_words
from scenemind.memory.attributes.form import Form
from scenemind.memory.attributes.laid_over import LaidOver
from scenemind.memory.attributes.orientation import long_side_deg, orientation_name
from scenemind.memory.attributes.shapes import shape_name
from scenemind.memory.attributes.sizes import dimensions_text, relative_size, size_name
from scenemind.memory.types import MapObject
from scenemind.perception.color_names import COLOR_NAMES

# What the form of an object says.
OF_FORM = ("size", "dimensions", "relative_size", "shape", "orientation", "long_side")
# The finest detail of a surface whose voxels are not known: as `ObjectMapConfig.voxel_m` has it.
DETAIL_M = 0.03


class FormWords:
    """What the form alone says, which stays as long as the surface is the same."""

    def __init__(self, form: Form) -> None:
        self.form = form

    @cached_property
    def size(self) -> str:
        return size_name(self.form.yaw_box)

    @cached_property
    def dimensions(self) -> str:
        return dimensions_text(self.form.yaw_box)

    @cached_property
    def shape(self) -> str | None:
        return shape_name(self.form)

    @cached_property
    def long_side(self) -> str | None:
        degrees = long_side_deg(self.form)
        return None if degrees is None else f"{degrees} degrees"


class ComputedAttributes(Mapping[str, str]):
    """Name -> value, such as color -> "black and red"; what cannot be told is missing.

    `color`, `size` (small, medium, large), `dimensions` (length x width x height of the yaw box),
    `relative_size` ("large for a cup"), `shape`, `orientation` (upright, leaning, lying) and
    `long_side`, the direction of the longer horizontal side, from the world's x to its y.

    Nothing is computed before the first look: an object in view is another value in every frame,
    and hardly anybody reads it.
    """

    __slots__ = ("_colors", "_label", "_of_form", "_values")

    def __init__(self, label: str, colors: NDArray[np.float64], of_form: FormWords) -> None:
        """
        Args:
            colors: (24,), how many pixels bear each of `COLOR_NAMES`; must not change afterwards.
        """
        self._label, self._colors, self._of_form = label, colors, of_form
        self._values: Mapping[str, str] | None = None

    def __getitem__(self, name: str) -> str:
        return self._known()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def __repr__(self) -> str:
        return repr(dict(self._known()))

    def _known(self) -> Mapping[str, str]:
        if self._values is None:
            self._values = {k: value for k, value in self._computed() if value is not None}
        return self._values

    def _computed(self) -> Iterator[tuple[str, str | None]]:
        words = self._of_form
        counts = dict(zip(COLOR_NAMES, self._colors.tolist(), strict=True))
        yield "color", color_words(counts)
        yield "size", words.size
        yield "dimensions", words.dimensions
        yield "relative_size", relative_size(self._label, words.form.yaw_box)
        yield "shape", words.shape
        yield "orientation", orientation_name(words.form, self._label)
        yield "long_side", words.long_side


def with_form_of(thing: MapObject, points: NDArray[np.float32], box: Box3D) -> Mapping[str, str]:
    """An object's attributes after a person gave it another form: a part of it, or a larger whole.

    What its form says is computed anew; what was said of it stays, and so does its colour.

    Args:
        points: (M, 3) float32, world. box: axis-aligned, around them.
    """
    form = FormWords(Form(points, box, DETAIL_M))
    computed = ComputedAttributes(thing.label, np.zeros(len(COLOR_NAMES)), form)
    anew = [name for name in OF_FORM if name not in thing.attribute_sources]
    return LaidOver(thing.attributes, {name: computed.get(name) for name in anew})
