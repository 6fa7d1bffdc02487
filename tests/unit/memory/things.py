"""Things for the tests of the map: boxes whose visible surface is sampled at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory.types import MapObject
from scenemind.perception.colors import color_histograms, color_shares
from scenemind.perception.types import Observation

Vector = Sequence[float] | NDArray[np.floating]


def surface_points(center: Vector, size: Vector, count: int, seed: int) -> NDArray[np.float32]:
    """(count + 8, 3) float32: the corners and points on the faces of an axis-aligned cuboid."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-0.5, 0.5, (count, 3))
    face = rng.integers(0, 3, count)
    points[np.arange(count), face] = rng.choice([-0.5, 0.5], count)
    corners = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T
    unit = np.vstack((corners, points))
    return (np.asarray(center) + unit * np.asarray(size)).astype(np.float32)


def empty_frame(stamp_ns: int = 0, viewer: Vector = (0.0, 0.0, 30.0), number: int = 0) -> RGBDFrame:
    """A frame that measured nothing; by default from so high that nothing hides anything."""
    return RGBDFrame(
        number=number,
        stamp_ns=stamp_ns,
        color=np.zeros((6, 8, 3), np.uint8),
        depth_m=np.zeros((6, 8), np.float32),
        camera=PinholeCamera(8, 6, 8.0, 8.0, 3.5, 2.5),
        world_T_camera=Pose(np.eye(3), np.asarray(viewer, np.float64)),
    )


def observe(
    center: Vector,
    size: Vector = (0.5, 0.5, 0.5),
    label: str = "chair",
    track_id: int = -1,
    score: float = 0.8,
    seed: int = 0,
    truncated: bool = False,
    rgb: Vector = (200.0, 30.0, 30.0),
    count: int = 200,
) -> Observation:
    """One view of a cuboid."""
    points = surface_points(center, size, count, seed)
    pixel, owner = np.array([rgb], np.uint8), np.zeros(1, np.intp)
    return Observation(
        track_id=track_id,
        label=label,
        score=score,
        box_px=np.array((0, 0, 10, 10), np.float32),
        points=points,
        box=Box3D.from_bounds(points.min(axis=0), points.max(axis=0)),
        color_shares=color_shares(pixel, owner, 1)[0],
        pixel_count=1000,
        truncated=truncated,
        appearance=color_histograms(pixel, owner, 1)[0],
        sigma_m=0.002,
    )


def thing(object_id: int, label: str, center: Vector, size: Vector, yaw: float = 0.0) -> MapObject:
    """A map object that is only a box with a name."""
    x, y, z = (float(v) for v in center)
    dx, dy, dz = (float(v) for v in size)
    return MapObject(
        object_id=object_id,
        label=label,
        perceived_label=label,
        attributes={},
        confidence=0.9,
        box=Box3D((x, y, z), (dx, dy, dz), yaw),
        points=np.zeros((0, 3), np.float32),
        first_seen_ns=0,
        last_seen_ns=0,
        observation_count=5,
        track_ids=(object_id,),
    )


def solid(object_id: int, label: str, center: Vector, size: Vector) -> MapObject:
    """A thing with points of its surface."""
    points = surface_points(center, size, 100, object_id)
    return replace(thing(object_id, label, center, size), points=points)
