"""From an image through a network to detections: fit, run, decode, suppress, assemble masks.

Masks are assembled from prototypes (YOLACT, Bolya et al. 2019), inside the boxes only.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.perception.backends.heads import (
    Candidates,
    Head,
    best_first,
    non_maximum_suppression,
    recognise_head,
)
from scenemind.perception.backends.runtimes import Network
from scenemind.perception.types import BoxMask, Detections

_BORDER = 114  # the grey that YOLO networks are trained with
_STRIDE = 32  # of their coarsest level
_MAX_CANDIDATES = 1000  # bounds suppression when a scene is crowded


@dataclass(frozen=True, slots=True, eq=False)
class ClassSelection:
    """Classes that a detector returns; replaced as a whole when the vocabulary changes.

    Attributes:
        names: class names by class id.
        wanted: (len(names),) bool, classes to keep.
        texts: (1, slots, D) float32, for networks with words as an input.
    """

    names: tuple[str, ...]
    wanted: NDArray[np.bool_]
    texts: NDArray[np.float32] | None = None

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(name for name, keep in zip(self.names, self.wanted, strict=True) if keep)


class DetectionPipeline:
    """A network with its head: fit the image, run, decode, suppress duplicates, assemble masks."""

    def __init__(self, network: Network, config: DetectorConfig) -> None:
        """Run the network once, to recognise its head and to warm it up.

        Raises:
            PerceptionError: the head is unknown, or the network fails.
        """
        self._network = network
        self._config = config
        self._head = self._recognise()
        self.stage_ms: dict[str, float] = {}

    @property
    def head(self) -> Head:
        return self._head

    def detect(self, image: NDArray[np.uint8], looked_for: ClassSelection) -> Detections:
        """Detections in an RGB image (H, W, 3), best first.

        Raises:
            PerceptionError: the network failed.
        """
        start = time.perf_counter()
        size = (image.shape[1], image.shape[0])
        letterbox = Letterbox.fit(size, self._input_size(size), centered=self._head.centered)
        blob = self._blob(letterbox.apply(image))
        prepared = time.perf_counter()
        outputs = self._network.run(blob, looked_for.texts)
        ran = time.perf_counter()
        detections = self._read(outputs, letterbox, looked_for)
        ends = (prepared - start, ran - prepared, time.perf_counter() - ran)
        self.stage_ms = dict(zip(("pre", "network", "post"), (1e3 * s for s in ends), strict=True))
        return detections

    def _read(
        self,
        outputs: Sequence[NDArray[np.float32]],
        letterbox: Letterbox,
        looked_for: ClassSelection,
    ) -> Detections:
        found = self._head.decode(outputs, letterbox.input_size, self._config.min_score)
        found = self._thin_out(_known(found, looked_for.wanted))
        boxes = letterbox.to_image(found.boxes_px)
        seen = (boxes[:, 2:] - boxes[:, :2]).min(axis=1, initial=np.inf) >= 1.0
        found, boxes = found.select(seen), boxes[seen]
        masks = (
            assemble_masks(outputs[1][0], found.coefficients, boxes, letterbox)
            if self._head.has_masks
            else (None,) * len(found)
        )
        labels = tuple(looked_for.names[i] for i in found.class_ids)
        return Detections(labels, found.scores, boxes, masks)

    def _thin_out(self, found: Candidates) -> Candidates:
        limit = self._config.max_detections
        if not self._head.overlaps:
            return best_first(found, limit)
        return non_maximum_suppression(
            best_first(found, _MAX_CANDIDATES), self._config.nms_iou, limit
        )

    def _recognise(self) -> Head:
        longest = self._config.input_size
        width, height = size = self._input_size((longest, longest))
        words, texts = None, None
        if self._network.texts_shape is not None:
            slots, dimension = self._network.texts_shape
            words = slots or 1
            texts = np.full((1, words, dimension), dimension**-0.5, np.float32)
        outputs = self._network.run(np.zeros((1, 3, height, width), np.float32), texts)
        return recognise_head([o.shape for o in outputs], size, self._network.metadata, words)

    def _input_size(self, image_size: tuple[int, int]) -> tuple[int, int]:
        return self._network.fixed_size or input_size_for(image_size, self._config.input_size)

    def _blob(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        blob: NDArray[np.float32] = cv2.dnn.blobFromImage(
            image, scalefactor=self._head.pixel_scale, swapRB=self._head.takes_bgr
        )
        return blob


def _known(found: Candidates, wanted: NDArray[np.bool_]) -> Candidates:
    """Candidates of wanted classes; slots beyond the vocabulary are dropped."""
    named = found.class_ids < len(wanted)
    named[named] = wanted[found.class_ids[named]]
    return found if named.all() else found.select(named)


@dataclass(frozen=True, slots=True)
class Letterbox:
    """Map from image pixels to network-input pixels: `input = image * scale + pad`, per axis.

    Pixels are areas (the image spans 0..width), as in detectors.
    """

    image_size: tuple[int, int]  # width, height
    input_size: tuple[int, int]
    resized: tuple[int, int]
    pad: tuple[int, int]

    @classmethod
    def fit(
        cls, image_size: tuple[int, int], input_size: tuple[int, int], *, centered: bool
    ) -> Letterbox:
        """The largest fit; the border is on both sides (`centered`), or at right and bottom."""
        ratio = min(input_size[0] / image_size[0], input_size[1] / image_size[1])
        width = min(input_size[0], max(1, round(image_size[0] * ratio)))
        height = min(input_size[1], max(1, round(image_size[1] * ratio)))
        spare = (input_size[0] - width, input_size[1] - height)
        pad = (spare[0] // 2, spare[1] // 2) if centered else (0, 0)
        return cls(image_size, input_size, (width, height), pad)

    @property
    def scale(self) -> tuple[float, float]:
        return (self.resized[0] / self.image_size[0], self.resized[1] / self.image_size[1])

    def apply(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Image (H, W, 3) as network input (h, w, 3), uint8; the same array where it fits."""
        if self.image_size == self.input_size:
            return image
        width, height = self.input_size
        canvas = np.full((height, width, 3), _BORDER, dtype=np.uint8)
        x, y = self.pad
        inside = canvas[y : y + self.resized[1], x : x + self.resized[0]]
        inside[:] = cv2.resize(image, self.resized, interpolation=cv2.INTER_LINEAR)
        return canvas

    def to_image(self, boxes_px: NDArray[np.float32]) -> NDArray[np.float32]:
        """Boxes (N, 4) of the network input in the image, clipped at its border."""
        pad = np.array(self.pad * 2, dtype=np.float32)
        scale = np.array(self.scale * 2, dtype=np.float32)
        limit = np.array(self.image_size * 2, dtype=np.float32)
        boxes: NDArray[np.float32] = np.clip((boxes_px - pad) / scale, 0.0, limit)
        return boxes


def input_size_for(image_size: tuple[int, int], longest: int) -> tuple[int, int]:
    """The smallest multiple of the networks' stride that holds the scaled image.

    Args:
        image_size: width, height.
        longest: the longer side after scaling, in pixels.
    """
    ratio = longest / max(image_size)
    return (_rounded_up(image_size[0] * ratio), _rounded_up(image_size[1] * ratio))


def _rounded_up(pixels: float) -> int:
    return _STRIDE * max(1, int(np.ceil(pixels / _STRIDE - 1e-6)))


def assemble_masks(
    prototypes: NDArray[np.float32],
    coefficients: NDArray[np.float32],
    boxes_px: NDArray[np.float32],
    letterbox: Letterbox,
) -> tuple[BoxMask, ...]:
    """One mask a box, at image resolution, cut to the box.

    Args:
        prototypes: (K, h, w), covering the network's input.
        coefficients: (N, K).
        boxes_px: (N, 4) in the image.
        letterbox: image to network input.
    """
    return tuple(
        _assemble(prototypes, weights, box, letterbox)
        for weights, box in zip(coefficients, boxes_px, strict=True)
    )


def _assemble(
    prototypes: NDArray[np.float32],
    weights: NDArray[np.float32],
    box_px: NDArray[np.float32],
    letterbox: Letterbox,
) -> BoxMask:
    _, rows, columns = prototypes.shape
    x0, y0 = np.floor(box_px[:2]).astype(int)
    x1, y1 = np.ceil(box_px[2:]).astype(int)
    # Prototype cell that holds the centre of image pixel p: p * step + start, per axis.
    cells = np.array([columns / letterbox.input_size[0], rows / letterbox.input_size[1]])
    step = np.array(letterbox.scale) * cells
    start = 0.5 * step + np.array(letterbox.pad) * cells - 0.5
    # One cell more on every side, for the interpolation.
    low = np.maximum(np.floor((x0, y0) * step + start).astype(int) - 1, 0)
    high = np.minimum(np.ceil((x1, y1) * step + start).astype(int) + 2, (columns, rows))
    window = prototypes[:, low[1] : high[1], low[0] : high[0]]
    logits = np.tensordot(weights, window, axes=1).astype(np.float32)
    shift = (x0, y0) * step + start - low
    to_cell = np.array([[step[0], 0.0, shift[0]], [0.0, step[1], shift[1]]])
    upsampled = cv2.warpAffine(
        logits,
        to_cell,
        (max(1, x1 - x0), max(1, y1 - y0)),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return BoxMask(int(x0), int(y0), upsampled > 0.0)  # a probability of 0.5 is a logit of 0
