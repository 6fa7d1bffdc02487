"""Indexes of made-up films, a line a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scenemind.geometry import PinholeCamera
from scenemind.memory import FrameIndex

CAMERA = PinholeCamera(160, 120, 130.0, 130.0, 79.5, 59.5)


class Seen(NamedTuple):
    """A detection: of a square, halfway down the picture."""

    label: str
    object_id: int = 0
    score: float = 0.9
    side_px: float = 40.0
    x_px: float = 80.0


class Shot(NamedTuple):
    """A frame, from x along the way, turned by so much about z."""

    x: float
    seen: tuple[Seen, ...] = ()
    location: int = 0
    turn_rad: float = 0.0


def index_of(shots: Sequence[Shot]) -> FrameIndex:
    """Frames 10, 20, 30, ... of these."""
    labels = list(dict.fromkeys(seen.label for shot in shots for seen in shot.seen))
    flat = [(row, seen) for row, shot in enumerate(shots) for seen in shot.seen]
    half = np.array([seen.side_px / 2 for _, seen in flat], np.float32)
    x = np.array([seen.x_px for _, seen in flat], np.float32)
    numbers = 10 * np.arange(1, len(shots) + 1, dtype=np.int32)
    return FrameIndex(
        frame_numbers=numbers,
        stamps_ns=numbers.astype(np.int64),
        location_ids=np.array([shot.location for shot in shots], np.int32),
        world_T_camera=np.array([_pose(shot) for shot in shots]).reshape(-1, 4, 4),
        camera_indices=np.zeros(len(shots), np.int32),
        cameras=(CAMERA,),
        detection_frames=np.array([row for row, _ in flat], np.int32),
        detection_labels=np.array([labels.index(seen.label) for _, seen in flat], np.int32),
        detection_objects=np.array([seen.object_id for _, seen in flat], np.int32),
        detection_scores=np.array([seen.score for _, seen in flat], np.float32),
        detection_boxes_px=np.column_stack((x - half, 60 - half, x + half, 60 + half)),
        labels=tuple(labels),
    )


def _pose(shot: Shot) -> np.ndarray:
    pose = np.eye(4)
    c, s = np.cos(shot.turn_rad), np.sin(shot.turn_rad)
    pose[:2, :2] = (c, -s), (s, c)
    pose[0, 3] = shot.x
    return pose
