"""Nodes of MemTree3D, and frames that are kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
class DepthImage:
    """Depth as it is stored of a key frame.

    Attributes:
        depth_m: (h, w) float32, metres along the optical axis; 0: not measured.
        every_px: pixel (u, v) here is pixel (every_px u, every_px v) of the colour image.
        camera: of this image.
    """

    depth_m: NDArray[np.float32]
    every_px: int
    camera: PinholeCamera


@dataclass(frozen=True, slots=True, eq=False)
class FrameIndex:
    """All stored frames and what was detected in them, as columns; no images.

    Attributes:
        frame_numbers: (N,) int32, oldest first.
        stamps_ns: (N,) int64. location_ids: (N,) int32.
        world_T_camera: (N, 4, 4) float64.
        camera_indices: (N,) int32, rows of `cameras`.
        detection_frames: (M,) int32, rows of the columns above, never falling.
        detection_labels: (M,) int32, rows of `labels`: what the detector said.
        detection_objects: (M,) int32, ids of the objects that are there, as people see them;
            0: of none of these.
        detection_scores: (M,) float32, in [0, 1].
        detection_boxes_px: (M, 4) float32, x0, y0, x1, y1.
    """

    frame_numbers: NDArray[np.int32]
    stamps_ns: NDArray[np.int64]
    location_ids: NDArray[np.int32]
    world_T_camera: NDArray[np.float64]
    camera_indices: NDArray[np.int32]
    cameras: tuple[PinholeCamera, ...]
    detection_frames: NDArray[np.int32]
    detection_labels: NDArray[np.int32]
    detection_objects: NDArray[np.int32]
    detection_scores: NDArray[np.float32]
    detection_boxes_px: NDArray[np.float32]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.frame_numbers)

    @classmethod
    def empty(cls) -> FrameIndex:
        """Of no frames."""
        number, stamp, score = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.float32)
        return cls(
            frame_numbers=number,
            stamps_ns=stamp,
            location_ids=number,
            world_T_camera=np.zeros((0, 4, 4)),
            camera_indices=number,
            cameras=(),
            detection_frames=number,
            detection_labels=number,
            detection_objects=number,
            detection_scores=score,
            detection_boxes_px=np.zeros((0, 4), np.float32),
            labels=(),
        )

    def is_called(self, labels: Collection[str]) -> NDArray[np.bool_]:
        """(M,) bool: the detections that the detector called one of these."""
        wanted = np.array([label in labels for label in self.labels], np.bool_)
        return wanted[self.detection_labels]

    def is_of(self, object_ids: Collection[int]) -> NDArray[np.bool_]:
        """(M,) bool: the detections of these objects."""
        return np.isin(self.detection_objects, list(object_ids))


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
