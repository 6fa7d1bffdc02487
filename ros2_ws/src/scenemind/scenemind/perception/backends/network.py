"""A network that is run on pictures, whatever runs it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.errors import PerceptionError

_IMAGE_RANK, _TEXTS_RANK = 4, 3


class Network(Protocol):
    """One image input `images` (1, 3, h, w) and perhaps one of word vectors (1, slots, D)."""

    @property
    def fixed_size(self) -> tuple[int, int] | None:
        """Width and height of the image input; None where it takes any."""
        ...

    @property
    def texts_shape(self) -> tuple[int | None, int] | None:
        """Slots (None: any number) and dimension of the word vectors; None without this input."""
        ...

    @property
    def metadata(self) -> Mapping[str, str]:
        """What the file says about itself."""
        ...

    @property
    def runtime(self) -> str:
        """What runs it and where, such as `OpenVINO, CPU bf16`."""
        ...

    def run(
        self, images: NDArray[np.float32], texts: NDArray[np.float32] | None = None
    ) -> list[NDArray[np.float32]]:
        """The outputs in the file's order, float32; they may be overwritten by the next `run`.

        Args:
            images: (1, 3, h, w).
            texts: (1, slots, D), where `texts_shape` is not None.

        Raises:
            PerceptionError: the runtime failed, such as out of memory on the accelerator.
        """
        ...


def check_inputs(path: Path, shapes: Mapping[str, tuple[int | None, ...]]) -> None:
    """An image, and perhaps word vectors, by input name; None in a shape: any number.

    Raises:
        PerceptionError: other inputs; names them.
    """
    images, *others = shapes.values() if shapes else [()]
    as_image = len(images) == _IMAGE_RANK and images[1] == 3
    as_texts = [len(texts) == _TEXTS_RANK and texts[2] is not None for texts in others]
    if not as_image or len(others) > 1 or not all(as_texts):
        raise PerceptionError(
            f"{path} takes {dict(shapes)}, not one float image (1, 3, height, width) and perhaps"
            " word vectors (1, slots, dimension): export the model without pre-processing"
        )
