"""What the mapper needs from a model; `backends/` holds one file a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.types import BoxMask, Detections


class Detector(Protocol):
    """Finds objects in one frame."""

    @property
    def name(self) -> str:
        """Shown wherever results appear; a simulated detector says so here."""
        ...

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The class names that it can return."""
        ...

    def detect(self, frame: RGBDFrame) -> Detections:
        """Detections of the frame, best first.

        Raises:
            PerceptionError: the model failed on this frame; the mapper counts it and goes on.
        """
        ...


@runtime_checkable
class OpenVocabularyDetector(Detector, Protocol):
    """Finds what it is told to look for."""

    def set_vocabulary(self, classes: Sequence[str]) -> None:
        """Look for these from the next `detect` on; may be called from any thread.

        Raises:
            PerceptionError: a class cannot be looked for; the vocabulary stays as it was.
        """
        ...

    def label_similarity(self, a: str, b: str) -> float:
        """How alike two labels are to it, in [0, 1]: it may call one thing by either."""
        ...


class Segmenter(Protocol):
    """Cuts objects out of an image, given their boxes."""

    @property
    def name(self) -> str:
        """Shown wherever results appear."""
        ...

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """A mask for each of (N, 4) boxes x0, y0, x1, y1; None where it finds nothing in a box.

        Args:
            frame: where only every n-th pixel's depth is known, the others have 0 there.

        Raises:
            PerceptionError: the model cannot be had, or fails on this image.
        """
        ...


class DepthEstimator(Protocol):
    """Sees how far away things are in a plain photograph."""

    @property
    def name(self) -> str:
        """Shown wherever its depths appear."""
        ...

    def estimate(self, color: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(H, W) metres along the optical axis, of a picture (H, W, 3) RGB; 0 where unknown.

        Raises:
            PerceptionError: the model cannot be had, or fails on this picture.
        """
        ...


class ImageTextEncoder(Protocol):
    """Pictures and words to vectors that can be compared, as CLIP makes them."""

    @property
    def name(self) -> str:
        """Of the model and its weights: vectors of one name can be compared."""
        ...

    @property
    def dimension(self) -> int: ...

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, dimension) of unit length.

        Raises:
            PerceptionError: the model cannot be had; names the way out.
        """
        ...

    def encode_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """(N, dimension) of unit length, of pictures (H, W, 3) RGB of any size and shape.

        Raises:
            PerceptionError: no picture, or the model cannot be had.
        """
        ...


class TextEncoder(Protocol):
    """Words to vectors that an open-vocabulary detector compares with what it sees."""

    @property
    def name(self) -> str:
        """Of the model and its weights: vectors of one name can be compared."""
        ...

    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, dimension) of unit length.

        Raises:
            PerceptionError: the model cannot be had; names the texts and the way out.
        """
        ...
