"""A hand-made run to report on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np

from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory import KeyFrame, LocationNode, MapObject, MemorySnapshot, Relation
from scenemind.report.content import Run

CAMERA = PinholeCamera(640, 480, 500.0, 500.0, 319.5, 239.5)


def make_object(
    object_id: int,
    label: str,
    center: tuple[float, float, float],
    size: tuple[float, float, float] = (0.4, 0.4, 0.8),
) -> MapObject:
    return MapObject(
        object_id=object_id,
        label=label,
        perceived_label=label,
        attributes={"color": "red"},
        confidence=0.9,
        box=Box3D(center, size),
        points=np.zeros((0, 3), np.float32),
        first_seen_ns=0,
        last_seen_ns=10,
        observation_count=7,
        track_ids=(object_id,),
    )


def make_key_frame(
    boxes_px: Mapping[int, tuple[float, float, float, float]], shade: int = 200
) -> KeyFrame:
    """A plain grey picture."""
    _, jpeg = cv2.imencode(".jpg", np.full((480, 640, 3), shade, np.uint8))
    return KeyFrame(
        frame_number=5,
        stamp_ns=1,
        location_id=0,
        camera=CAMERA,
        world_T_camera=Pose.identity(),
        jpeg=jpeg.tobytes(),
        boxes_px=boxes_px,
    )


def make_run(
    objects: Sequence[MapObject] = (), relations: Sequence[Relation] = (), **more: Any
) -> Run:
    """A run along x with one location at its start; `more` replaces fields of the `Run`."""
    path = np.array([(x, 0.0, 1.0) for x in np.linspace(0.0, 2.0, 5)], dtype=np.float32)
    location = LocationNode(0, Pose.identity(), 0, 10, (0, 9), ())
    values: dict[str, Any] = {
        "sequence": "made room",
        "detector": "made detector",
        "is_simulated": False,
        "frames": 10,
        "dropped": {},
        "snapshot": MemorySnapshot(
            1, 10, {obj.object_id: obj for obj in objects}, tuple(relations), Pose.identity()
        ),
        "path": path,
        "locations": (location,),
    }
    return Run(**values | more)
