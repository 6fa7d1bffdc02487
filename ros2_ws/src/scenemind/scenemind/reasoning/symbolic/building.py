"""Floors, walls and ceilings, as things that questions can refer to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, gaps_m
from scenemind.memory import MapObject, StructurePlane
from scenemind.memory.graph.relations.columns import Bounds, Scores
from scenemind.memory.graph.verification.common_sense import sense_of
from scenemind.memory.types import StructureKind
from scenemind.words.english import normal

# Distances to a face are measured to points on it, so far apart at most, and no more than these.
_STEP_M, _MOST_STEPS = 0.25, 40


def find_kind(noun: str) -> StructureKind | None:
    """Which part of the building a noun names ("walls", "ground"); None: none."""
    return sense_of(normal(noun)).structure if noun else None


def as_thing(plane: StructurePlane) -> MapObject:
    """What relations can be asked about: of the plane's id, with points on its face."""
    return MapObject(
        plane.plane_id,
        plane.kind,
        plane.kind,
        {},
        1.0,
        plane.box,
        _points_on(plane.box),
        0,
        0,
        0,
        (),
        known_yaw_box=plane.box,
    )


def gaps_to_turned_m(bounds: Bounds, box: Box3D) -> Scores:
    """Distances (N,) between boxes (N, 6) and one that is turned about z, such as a wall.

    The boxes are taken as wide as they look along the turned one's sides.
    """
    c, s = np.cos(box.yaw), np.sin(box.yaw)
    half = (bounds[:, 3:5] - bounds[:, :2]) / 2.0
    offset = (bounds[:, 3:] + bounds[:, :3]) / 2.0 - np.asarray(box.center)
    centers = np.column_stack(
        (offset[:, 0] * c + offset[:, 1] * s, offset[:, 1] * c - offset[:, 0] * s, offset[:, 2])
    )
    halves = np.column_stack(
        (
            half[:, 0] * abs(c) + half[:, 1] * abs(s),
            half[:, 0] * abs(s) + half[:, 1] * abs(c),
            (bounds[:, 5] - bounds[:, 2]) / 2.0,
        )
    )
    reach = np.asarray(box.size) / 2.0
    return gaps_m(centers - halves, centers + halves, -reach, reach)


def _points_on(box: Box3D) -> NDArray[np.float32]:
    """(M, 3) on a grid over the box: one layer across its thin side."""
    axes = [_ticks(side, thin=side == min(box.size)) for side in box.size]
    local = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    c, s = np.cos(box.yaw), np.sin(box.yaw)
    turned = local @ np.array([(c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)])
    points = (turned + np.asarray(box.center)).astype(np.float32)
    points.flags.writeable = False
    return points


def _ticks(side_m: float, *, thin: bool) -> NDArray[np.float64]:
    if thin:
        return np.zeros(1)
    count = min(int(np.ceil(side_m / _STEP_M)) + 1, _MOST_STEPS)
    return np.linspace(-side_m / 2.0, side_m / 2.0, count)
