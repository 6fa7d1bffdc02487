"""Words and pictures in one space, from two towers that are loaded when they are needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.protocols import TextEncoder


class ImageEncoder(Protocol):
    """The half of an `ImageTextEncoder` that sees."""

    def encode(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """(N, dimension) of unit length, of pictures (H, W, 3) RGB."""
        ...


class PairedEncoder:
    """An `ImageTextEncoder`; may be used from several threads."""

    def __init__(self, texts: TextEncoder, build_images: Callable[[], ImageEncoder]) -> None:
        """Args: build_images: makes the image tower of the same model, at the first picture."""
        self._texts = texts
        self._build_images = build_images
        self._images: ImageEncoder | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._texts.name

    @property
    def dimension(self) -> int:
        return self._texts.dimension

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `ImageTextEncoder`."""
        return self._texts.encode(texts)

    def encode_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """See `ImageTextEncoder`."""
        with self._lock:
            if self._images is None:
                self._images = self._build_images()
            return self._images.encode(images)
