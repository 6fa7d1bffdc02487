"""Detectors of the YOLO family, exported to ONNX."""

from __future__ import annotations

import difflib
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.perception.backends.candidates import best_first, suppress
from scenemind.perception.backends.letterbox import Letterbox
from scenemind.perception.backends.onnx_heads import Head, recognise_head
from scenemind.perception.backends.onnx_session import OnnxSession
from scenemind.perception.backends.prototype_masks import assemble_masks
from scenemind.perception.errors import PerceptionError
from scenemind.perception.types import Detections

_MAX_CANDIDATES = 1000  # bounds suppression when a scene is crowded
_STRIDE = 32


class OnnxDetector:
    """YOLOv8/YOLO11 heads with and without masks, their end2end exports, and YOLOX."""

    def __init__(self, config: DetectorConfig) -> None:
        """Open the model and run it once, which recognises its head and warms it up.

        Raises:
            PerceptionError: the file, its head or a wanted class is not known; says what to do.
        """
        self._config = config
        path = Path(config.weights).expanduser()
        self._session = OnnxSession(path, config.providers, config.threads)
        self._head = self._recognise()
        self._wanted = _class_ids(config.classes, self._head.class_names)
        self._name = f"{path.stem} (ONNX Runtime, {self._session.runtime})"

    @property
    def name(self) -> str:
        return self._name

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(self._head.class_names[i] for i in self._wanted)

    def detect(self, frame: RGBDFrame) -> Detections:
        """Detections of the frame's colour image, best first.

        Raises:
            PerceptionError: the model failed on this frame.
        """
        height, width = frame.color.shape[:2]
        letterbox = Letterbox.fit(
            (width, height), self._input_size(width, height), centered=self._head.centered
        )
        outputs = self._session.run(self._blob(letterbox.apply(frame.color)))
        found = self._head.decode(outputs[0][0], letterbox.input_size, self._config.min_score)
        found = found.select(np.isin(found.class_ids, self._wanted))
        found = suppress(best_first(found, _MAX_CANDIDATES), self._config.nms_iou)
        found = best_first(found, self._config.max_detections)
        boxes = letterbox.to_image(found.boxes_px)
        seen = (boxes[:, 2:] - boxes[:, :2]).min(axis=1, initial=np.inf) >= 1.0
        found, boxes = found.select(seen), boxes[seen]
        masks = (
            assemble_masks(outputs[1][0], found.coefficients, boxes, letterbox)
            if self._head.has_masks
            else (None,) * len(found)
        )
        labels = tuple(self._head.class_names[i] for i in found.class_ids)
        return Detections(labels, found.scores, boxes, masks)

    def _recognise(self) -> Head:
        size = self._input_size(self._config.input_size, self._config.input_size)
        outputs = self._session.run(np.zeros((1, 3, size[1], size[0]), dtype=np.float32))
        return recognise_head([o.shape for o in outputs], size, self._session.metadata)

    def _input_size(self, width: int, height: int) -> tuple[int, int]:
        """The file's own, or the smallest multiple of the stride that holds the scaled image."""
        if self._session.fixed_size is not None:
            return self._session.fixed_size
        ratio = self._config.input_size / max(width, height)
        return (_rounded_up(width * ratio), _rounded_up(height * ratio))

    def _blob(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        blob: NDArray[np.float32] = cv2.dnn.blobFromImage(
            image, scalefactor=self._head.pixel_scale, swapRB=self._head.takes_bgr
        )
        return blob


def _rounded_up(pixels: float) -> int:
    return _STRIDE * max(1, int(np.ceil(pixels / _STRIDE - 1e-6)))


def _class_ids(wanted: list[str], names: tuple[str, ...]) -> NDArray[np.intp]:
    """Ids of the wanted classes; of all where none is named."""
    if not wanted:
        return np.arange(len(names))
    for word in wanted:
        if word.lower() not in names:
            near = difflib.get_close_matches(word.lower(), names, n=3) or names[:10]
            raise PerceptionError(
                f"detector.classes names {word!r}, which this model does not know;"
                f" it knows {len(names)} classes, such as {', '.join(near)}"
            )
    return np.array(sorted({names.index(word.lower()) for word in wanted}))
