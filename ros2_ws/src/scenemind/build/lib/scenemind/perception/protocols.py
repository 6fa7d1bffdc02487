"""Protocols of models: detectors, segmenters, depth estimators and encoders (see `backends/`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.types import BoxMask, Detections


@runtime_checkable
class Detector(Protocol):
    """Finds objects in one frame."""

    @property
    def name(self) -> str:
        """Name shown with its results; a simulated detector says so here."""
        ...

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Class names that it can return."""
        ...

    def detect(self, frame: RGBDFrame) -> Detections:
        """Detections of the frame, best first.

        Raises:
            PerceptionError: the model failed on this frame; the mapper counts it and goes on.
        """
        ...


@runtime_checkable
class OpenVocabularyDetector(Detector, Protocol):
    """A detector whose classes are set at run time."""

    def set_vocabulary(self, classes: Sequence[str]) -> None:
        """Set the classes of the next `detect`; may be called from any thread.

        Raises:
            PerceptionError: a class cannot be detected; the vocabulary is unchanged.
        """
        ...

    def label_similarity(self, a: str, b: str) -> float:
        """Similarity of two labels in [0, 1]: how easily it confuses them."""
        ...


class Segmenter(Protocol):
    """Masks of objects in an image, given their boxes."""

    @property
    def name(self) -> str:
        """Name shown with its results."""
        ...

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """A mask for each of (N, 4) boxes x0, y0, x1, y1; None where it finds nothing in a box.

        Args:
            frame: depth may be known at every n-th pixel only, with 0 at the others.

        Raises:
            PerceptionError: the model is not available, or fails on this image.
        """
        ...


class DepthEstimator(Protocol):
    """Metric depth of plain photographs."""

    @property
    def name(self) -> str:
        """Name shown with its depths."""
        ...

    def estimate(self, color: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(H, W) metres along the optical axis, of a picture (H, W, 3) RGB; 0 where unknown.

        Raises:
            PerceptionError: the model is not available, or fails on this picture.
        """
        ...


class ImageTextEncoder(Protocol):
    """Comparable vectors of pictures and words, as of CLIP."""

    @property
    def name(self) -> str:
        """Name of the model and its weights: vectors of one name are comparable."""
        ...

    @property
    def dimension(self) -> int: ...

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, dimension) of unit length.

        Raises:
            PerceptionError: the model is not available; names the remedy.
        """
        ...

    def encode_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """(N, dimension) of unit length, of pictures (H, W, 3) RGB of any size and shape.

        Raises:
            PerceptionError: no picture, or the model is not available.
        """
        ...


class TextEncoder(Protocol):
    """Vectors of words, which an open-vocabulary detector compares with image features."""

    @property
    def name(self) -> str:
        """Name of the model and its weights: vectors of one name are comparable."""
        ...

    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, dimension) of unit length.

        Raises:
            PerceptionError: the model is not available; names the texts and the remedy.
        """
        ...
