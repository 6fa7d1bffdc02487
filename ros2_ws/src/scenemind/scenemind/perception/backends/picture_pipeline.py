"""From a picture through a network to detections: fit, run, decode, assemble masks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.perception.backends.candidates import Candidates, best_first, suppress
from scenemind.perception.backends.letterbox import Letterbox, input_size_for
from scenemind.perception.backends.network import Network
from scenemind.perception.backends.onnx_heads import Head, recognise_head
from scenemind.perception.backends.prototype_masks import assemble_masks
from scenemind.perception.types import Detections

_MAX_CANDIDATES = 1000  # bounds suppression when a scene is crowded


@dataclass(frozen=True, slots=True, eq=False)
class LookedFor:
    """What a detector may return; replaced as a whole when the vocabulary changes.

    Attributes:
        names: class names by class id.
        wanted: (len(names),) bool, the classes that are kept.
        texts: (1, slots, D) float32, for networks with words as an input.
    """

    names: tuple[str, ...]
    wanted: NDArray[np.bool_]
    texts: NDArray[np.float32] | None = None

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(name for name, keep in zip(self.names, self.wanted, strict=True) if keep)


class PicturePipeline:
    """One network with its head and the settings of thinning out."""

    def __init__(self, network: Network, config: DetectorConfig) -> None:
        """Run the network once, which recognises its head and warms it up.

        Raises:
            PerceptionError: the head is not known, or the network fails.
        """
        self._network = network
        self._config = config
        self._head = self._recognise()
        self.stage_ms: dict[str, float] = {}

    @property
    def head(self) -> Head:
        return self._head

    def detect(self, image: NDArray[np.uint8], looked_for: LookedFor) -> Detections:
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
        self, outputs: Sequence[NDArray[np.float32]], letterbox: Letterbox, looked_for: LookedFor
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
        return suppress(best_first(found, _MAX_CANDIDATES), self._config.nms_iou, limit)

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
    """Candidates of wanted classes; slots beyond the vocabulary count for nothing."""
    named = found.class_ids < len(wanted)
    named[named] = wanted[found.class_ids[named]]
    return found if named.all() else found.select(named)
