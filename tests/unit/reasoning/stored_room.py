"""Stored frames of a room, written by hand: what each shows, in columns and as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from scenemind.geometry import Pose
from scenemind.memory import FrameIndex, KeyFrame, SceneMemoryError
from tests.unit.reasoning.scene import SmallMemory
from tests.unit.reasoning.vadar.room import CAMERA, WORLD_T_CAMERA, picture

Detected = tuple[str, int, tuple[float, float, float, float]]
"""The detector's label, the object (0: none), and the box in pixels."""
PICTURE = picture()


def index_of(
    frames: Sequence[Sequence[Detected]], poses: Sequence[Pose] = (), score: float = 0.8
) -> FrameIndex:
    """Frames 0, 1, 2 ... with these detections; all seen from one place, unless told."""
    all_poses = poses or [WORLD_T_CAMERA] * len(frames)
    rows = [(row, *found) for row, of_frame in enumerate(frames) for found in of_frame]
    labels = tuple(dict.fromkeys(label for _, label, _, _ in rows))
    numbers = np.arange(len(frames), dtype=np.int32)
    return replace(
        FrameIndex.empty(),
        frame_numbers=numbers,
        stamps_ns=numbers.astype(np.int64),
        location_ids=numbers,
        world_T_camera=np.array([pose.matrix() for pose in all_poses]).reshape(-1, 4, 4),
        camera_indices=np.zeros_like(numbers),
        cameras=(CAMERA,),
        detection_frames=np.array([row for row, _, _, _ in rows], np.int32),
        detection_labels=np.array([labels.index(label) for _, label, _, _ in rows], np.int32),
        detection_objects=np.array([i for _, _, i, _ in rows], np.int32),
        detection_scores=np.full(len(rows), score, np.float32),
        detection_boxes_px=np.array([box for _, _, _, box in rows], np.float32).reshape(-1, 4),
        labels=labels,
    )


@dataclass
class StoredRoom(SmallMemory):
    """A memory with the pictures of an index."""

    index: FrameIndex = field(default_factory=FrameIndex.empty)

    def frame_index(self) -> FrameIndex:
        return self.index

    def stored_frames(self) -> list[int]:
        return self.index.frame_numbers.tolist()

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        del object_ids
        if frame_number not in self.index.frame_numbers:
            raise SceneMemoryError(f"frame {frame_number} is not stored")
        found = self.index.detection_frames == frame_number
        ids = self.index.detection_objects[found].tolist()
        boxes = self.index.detection_boxes_px[found].tolist()
        shown = {i: (b[0], b[1], b[2], b[3]) for i, b in zip(ids, boxes, strict=True) if i}
        return KeyFrame(frame_number, frame_number, 0, CAMERA, WORLD_T_CAMERA, PICTURE, 1.0, shown)
