"""BoT-SORT as ultralytics has it, with its own settings, as a reference."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.torchvision_shim import ensure_torchvision
from scenemind.perception.types import Detections

# The values of the package's botsort.yaml.
_SETTINGS = {
    "track_high_thresh": 0.25,
    "track_low_thresh": 0.1,
    "new_track_thresh": 0.25,
    "track_buffer": 30,
    "match_thresh": 0.8,
    "fuse_score": True,
    "proximity_thresh": 0.5,
    "appearance_thresh": 0.8,
    "with_reid": False,
    "model": "auto",
}


class UltralyticsBotSort:
    """Takes detections and frames as our own tracker does.

    It gives a new track its id when it sees it the second time, and -1 before.
    """

    def __init__(self, motion: str) -> None:
        """
        Args:
            motion: `gmc_method` of the package: sparseOptFlow or none.
        """
        ensure_torchvision()
        from ultralytics.trackers.bot_sort import BOTSORT

        self._tracker: Any = BOTSORT(SimpleNamespace(**_SETTINGS, gmc_method=motion))
        self._codes: dict[str, int] = {}

    def update(self, detections: Detections, frame: RGBDFrame) -> NDArray[np.int64]:
        """Track ids (N,), -1 for none."""
        codes = self._codes
        classes = [codes.setdefault(label, len(codes)) for label in detections.labels]
        boxes = _Boxes(detections.boxes_px, detections.scores, np.array(classes, np.float32))
        rows = np.asarray(self._tracker.update(boxes, frame.color)).reshape(-1, 8)
        ids = np.full(len(detections), -1, dtype=np.int64)
        ids[rows[:, 7].astype(int)] = rows[:, 4].astype(np.int64)
        return ids


class _Boxes:
    """The part of the package's `Boxes` that its trackers read."""

    def __init__(
        self,
        xyxy: NDArray[np.float32],
        conf: NDArray[np.float32],
        cls: NDArray[np.float32],
    ) -> None:
        self.xyxy, self.conf, self.cls = xyxy, conf, cls

    @property
    def xywh(self) -> NDArray[np.float32]:
        low, high = self.xyxy[:, :2], self.xyxy[:, 2:]
        return np.concatenate(((low + high) / 2, high - low), axis=1)

    def __len__(self) -> int:
        return len(self.conf)

    def __getitem__(self, rows: NDArray[np.bool_]) -> _Boxes:
        return _Boxes(self.xyxy[rows], self.conf[rows], self.cls[rows])
