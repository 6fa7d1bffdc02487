"""Finding an object again by where it stood and what it was, when its id says nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from scenemind.geometry import Box3D
from scenemind.memory.objects.association import compare_boxes
from scenemind.memory.types import MapObject, ObjectAnchor, StructurePlane

# Boxes that share this much of their union are one thing whatever the labels say.
SAME_BOX_IOU = 0.5
# Of one label they are one thing when their centres are this near, as a share of their mean
# diagonal and as far as a rebuilt map drifts, and the shorter diagonal has this share.
MOST_OFFSET = 0.5
DRIFT_M = 0.1
LEAST_SIZE_RATIO = 0.5
# The best place must be this much better than the second to be the one.
CLEARLY_BETTER = 0.2
# A floor, wall or ceiling of a rebuilt map is the one that lies so near to where it was, turned by
# so little; another one that is hardly farther off may be it as well.
PLANE_OFF_M = 0.25
PLANE_TURN = math.radians(15.0)
PLANE_CLEARLY_M = 0.05


@dataclass(frozen=True, slots=True)
class Place:
    """The object that stands where an anchor was.

    Attributes:
        score: in (0, 1]; 1: exactly the same box.
        rivals: other objects that may be it as well, best first; none: it is the one.
    """

    object_id: int
    score: float
    rivals: tuple[int, ...] = ()


def likely(anchor: ObjectAnchor, things: Iterable[MapObject]) -> dict[int, float]:
    """Ids of the things that may be the one that was anchored -> how likely, in (0, 1]."""
    near = [thing for thing in things if are_near(anchor.box, thing.box, 2.0 * DRIFT_M)]
    if not near:
        return {}
    bounds = np.array([thing.box.extent() for thing in near])
    at = np.broadcast_to(np.array(anchor.box.extent()), bounds.shape)
    compared = compare_boxes(at, bounds)
    name = anchor.label.casefold()
    labels = [thing.perceived_label.casefold() == name for thing in near]
    diagonal_m = np.linalg.norm(at[:, 3:] - at[:, :3], axis=1)
    limit = MOST_OFFSET + DRIFT_M / np.maximum(diagonal_m, DRIFT_M)
    is_near = (compared.offset <= limit) & (compared.size_ratio >= LEAST_SIZE_RATIO)
    able = (np.array(labels) & is_near) | (compared.iou >= SAME_BOX_IOU)
    closeness = np.clip(1.0 - compared.offset / limit, 0.0, 1.0)
    scores = np.clip((compared.iou + closeness * compared.size_ratio) / 2.0, 1e-6, 1.0)
    return {
        thing.object_id: score
        for thing, score, is_able in zip(near, scores.tolist(), able, strict=True)
        if is_able
    }


def find_place(anchor: ObjectAnchor, things: Iterable[MapObject]) -> Place | None:
    """The thing that stands where the anchor was; None where nothing like it does."""
    scores = likely(anchor, things)
    if not scores:
        return None
    best, *others = sorted(scores, key=lambda object_id: (-scores[object_id], object_id))
    rivals = tuple(i for i in others if scores[i] > scores[best] - CLEARLY_BETTER)
    return Place(best, scores[best], rivals)


def find_plane(anchor: ObjectAnchor, planes: Iterable[StructurePlane]) -> Place | None:
    """The floor, wall or ceiling that lies where the anchored one did; None where none does."""
    distances = {
        plane.plane_id: _off_plane_m(anchor.box, plane.box)
        for plane in planes
        if plane.kind == anchor.label and _overlap(anchor.box, plane.box)
    }
    able = sorted((off, i) for i, off in distances.items() if off <= PLANE_OFF_M)
    if not able:
        return None
    (best_m, best), *others = able
    rivals = tuple(i for off, i in others if off - best_m < PLANE_CLEARLY_M)
    return Place(best, 1.0 - best_m / (2.0 * PLANE_OFF_M), rivals)


def are_near(a: Box3D, b: Box3D, margin_m: float) -> bool:
    """Whether the spheres around two boxes, one of them grown by a margin, touch: cheap."""
    reach_m = (math.hypot(*a.size) + math.hypot(*b.size)) / 2.0
    return math.dist(a.center, b.center) <= reach_m + margin_m


def _overlap(a: Box3D, b: Box3D) -> bool:
    """Whether two planes are turned alike and one of them has the middle of the other."""
    turn = abs(a.yaw - b.yaw) % math.pi
    if min(turn, math.pi - turn) > PLANE_TURN:
        return False
    middles = np.array((a.center, b.center))
    return bool(b.contains(middles[:1], PLANE_OFF_M)[0] or a.contains(middles[1:], PLANE_OFF_M)[0])


def _off_plane_m(a: Box3D, b: Box3D) -> float:
    """How far the middle of a plane is from another plane, across it."""
    x, y, z = np.subtract(a.center, b.center)
    c, s = math.cos(b.yaw), math.sin(b.yaw)
    return float(abs((c * x + s * y, c * y - s * x, z)[int(np.argmin(b.size))]))
