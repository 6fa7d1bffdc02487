"""Nodes of MemTree3D, and frames that are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, Pose


@dataclass(frozen=True, slots=True, eq=False)
class DetectionNode:
    """DetNode, the leaf of MemTree3D: one 2D detection (MemTree3D paper, section 3.1)."""

    frame_number: int
    stamp_ns: int
    score: float
    box_px: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class ObjectTracklet:
    """ObjNode: one tracklet within one location.

    Attributes:
        object_id: the map object that it fed; None while (or when) nothing was lifted from it.
        detection_count: DetNodes below it.
        best: the DetNode with the highest score.
        trajectory: (T, 3) float32, world: where the tracked object's centre was, bounded length.
    """

    track_id: int
    label: str
    object_id: int | None
    detection_count: int
    first_seen_ns: int
    last_seen_ns: int
    best: DetectionNode
    trajectory: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class LocationNode:
    """LocNode: a stretch of the camera's way (MemTree3D paper, Algorithm 1).

    Attributes:
        anchor: camera pose at which the location was opened.
        frame_numbers: first and last frame, both included.
        revisit_of: an earlier location at about the same pose, linked and never merged.
        is_open: still growing.
    """

    location_id: int
    anchor: Pose
    first_stamp_ns: int
    last_stamp_ns: int
    frame_numbers: tuple[int, int]
    tracklets: tuple[ObjectTracklet, ...]
    revisit_of: int | None = None
    is_open: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class KeyFrame:
    """A stored frame with what can be seen in it.

    Attributes:
        frame_number, stamp_ns, location_id: where it stands in the tree.
        camera, world_T_camera: for projecting into it.
        jpeg: the colour image, JPEG-encoded.
        score: how well it shows what was asked for; its scale is the selector's.
        boxes_px: object id -> detected box (x0, y0, x1, y1) in this frame.
    """

    frame_number: int
    stamp_ns: int
    location_id: int
    camera: PinholeCamera
    world_T_camera: Pose
    jpeg: bytes
    score: float = 0.0
    boxes_px: Mapping[int, tuple[float, float, float, float]] = field(default_factory=dict)
