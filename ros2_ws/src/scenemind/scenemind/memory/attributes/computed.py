"""The attributes that are computed of an object from its pixels and its points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.attributes.colors import color_words
from scenemind.memory.attributes.form import Form
from scenemind.memory.attributes.form_words import FormWords
from scenemind.memory.attributes.lazy import LazyAttributes
from scenemind.memory.attributes.orientation import orientation_name
from scenemind.memory.attributes.sizes import relative_size
from scenemind.memory.types import MapObject
from scenemind.perception.color_names import COLOR_NAMES

# The finest detail of a surface whose voxels are not known: as `ObjectMapConfig.voxel_m` has it.
_DETAIL_M = 0.03


class ComputedAttributes(LazyAttributes):
    """Such as color -> "black and red"; what cannot be told is missing.

    `color`, `size` (small, medium, large), `dimensions` (length x width x height of the yaw box),
    `relative_size` ("large for a cup"), `shape`, `orientation` (upright, leaning, lying) and
    `long_side`, the direction of the longer horizontal side, from the world's x to its y.
    """

    def __init__(self, label: str, colors: NDArray[np.float64], of_form: FormWords) -> None:
        """
        Args:
            colors: (24,), how many pixels bear each of `COLOR_NAMES`; must not change afterwards.
        """
        self._label, self._colors, self._of_form = label, colors, of_form

    def quick(self) -> Mapping[str, str]:
        """Colour and sizes."""
        sizes = {
            "size": self._of_form.size,
            "relative_size": relative_size(self._label, self._of_form.form.yaw_box),
        }
        pairs = {"color": self._color(), **sizes}.items()
        return {name: value for name, value in pairs if value is not None}

    def _computed(self) -> Iterator[tuple[str, str | None]]:
        yield "color", self._color()
        yield from _form_words(self._label, self._of_form)

    def _color(self) -> str | None:
        return color_words(dict(zip(COLOR_NAMES, self._colors.tolist(), strict=True)))


class FormAnew(LazyAttributes):
    """An object's attributes after a person gave it another label or form: of what it is a part
    of, or a larger whole.

    What the form says is computed anew; what a model or a person said stays, and so does the
    colour. An object that came without its points keeps what it has.
    """

    def __init__(self, thing: MapObject) -> None:
        """
        Args:
            thing: with its new label, points and box, and with its old attributes.
        """
        self._thing = thing

    def _computed(self) -> Iterable[tuple[str, str | None]]:
        thing = self._thing
        if len(thing.points) == 0:
            return thing.attributes.items()
        form = FormWords(Form(thing.points, thing.box, _DETAIL_M))
        said = thing.attribute_sources
        anew = {k: word for k, word in _form_words(thing.label, form) if k not in said}
        return {**thing.attributes, **anew}.items()


def _form_words(label: str, words: FormWords) -> Iterator[tuple[str, str | None]]:
    """What the form says; `label` is what it is taken for."""
    yield "size", words.size
    yield "dimensions", words.dimensions
    yield "relative_size", relative_size(label, words.form.yaw_box)
    yield "shape", words.shape
    yield "orientation", orientation_name(words.form, label)
    yield "long_side", words.long_side
