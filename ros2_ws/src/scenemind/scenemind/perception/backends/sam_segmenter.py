"""Objects cut out of an image by SAM, given their boxes."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.backends.asked_boxes import check_boxes
from scenemind.perception.backends.sam_image import SamImage
from scenemind.perception.backends.sam_network import SamNetwork
from scenemind.perception.types import BoxMask

_MOST_BOXES = 16  # in one run of the decoder
_KEPT_IMAGES = 8  # their embeddings are 4 MB each


class SamSegmenter:
    """A `Segmenter`. Thread-safe: an image at a time.

    An image is encoded once, which takes nearly all of the time, also where it is asked about
    again. Of the masks that SAM offers for a box, as the box is ambiguous, the one is taken that
    SAM expects to overlap most with its thing.
    """

    def __init__(self, network: SamNetwork, title: str) -> None:
        self._network = network
        self._title = title
        self._lock = threading.Lock()  # of the network and of those below
        self._embeddings: OrderedDict[bytes, Any] = OrderedDict()

    @property
    def name(self) -> str:
        return f"{self._title} ({self._network.runtime})"

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`; depth is not looked at."""
        check_boxes(boxes_px)
        if len(boxes_px) == 0:
            return ()
        image = SamImage.fit(frame.camera.width, frame.camera.height)
        boxes = image.boxes_of(boxes_px)
        has_area = np.all(boxes[:, 2:] > boxes[:, :2], axis=1, keepdims=True)[:, 0]
        with self._lock:
            embedding = self._embedding(frame.color, image)
            logits = iter(self._decode(embedding, boxes[has_area]))
        return tuple(image.mask_of(next(logits)) if shown else None for shown in has_area)

    def _embedding(self, color: NDArray[np.uint8], image: SamImage) -> Any:
        content = hashlib.blake2b(np.ascontiguousarray(color).data, digest_size=16)
        key = content.digest() + repr(color.shape).encode()
        if key not in self._embeddings:
            self._embeddings[key] = self._network.encode(image.input_of(color))
            if len(self._embeddings) > _KEPT_IMAGES:
                self._embeddings.popitem(last=False)
        self._embeddings.move_to_end(key)
        return self._embeddings[key]

    def _decode(self, embedding: Any, boxes: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """The best mask (256, 256) of each box."""
        best: list[NDArray[np.float32]] = []
        for first in range(0, len(boxes), _MOST_BOXES):
            logits, overlaps = self._network.decode(embedding, boxes[first : first + _MOST_BOXES])
            best += list(logits[np.arange(len(logits)), overlaps.argmax(axis=1)])
        return best
