"""Re-identification of objects by place and label, where ids do not tell.

It serves entries whose objects perception lost and found again under new ids. A deletion also
hides new detections in its place: the same reflection or passer-by. A detection of the same label
stays hidden. One of another label is hidden while it was seen few times, or from one direction
only, as a reflection may be, and shows from then on.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scenemind.geometry import Box3D
from scenemind.memory.objects.box_table import compare_boxes
from scenemind.memory.types import Correction, MapObject, ObjectAnchor, StructurePlane

# Boxes with at least this IoU are one thing, whatever their labels.
SAME_BOX_IOU = 0.5
# Of one label they are one thing when their centres are this near, as a share of their mean
# diagonal and as far as a rebuilt map drifts, and the shorter diagonal has this share.
MOST_OFFSET = 0.5
DRIFT_M = 0.1
LEAST_SIZE_RATIO = 0.5
# A match is unique if its score exceeds the second best one by this much.
CLEARLY_BETTER = 0.2
# A floor, wall or ceiling of a rebuilt map is the one that lies so near to where it was, turned by
# so little; another one that is hardly farther off may be it as well.
PLANE_OFF_M = 0.25
PLANE_TURN = math.radians(15.0)
PLANE_CLEARLY_M = 0.05


@dataclass(frozen=True, slots=True)
class Match:
    """The object at the place of an anchor.

    Attributes:
        score: in (0, 1]; 1: exactly the same box.
        rivals: other objects that match about as well, best first; empty: the match is unique.
    """

    object_id: int
    score: float
    rivals: tuple[int, ...] = ()


def match_scores(anchor: ObjectAnchor, things: Iterable[MapObject]) -> dict[int, float]:
    """Scores in (0, 1] of the objects that may be the anchored one, by id."""
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


def find_match(anchor: ObjectAnchor, things: Iterable[MapObject]) -> Match | None:
    """The object at the place of the anchor; None if no similar one is there."""
    scores = match_scores(anchor, things)
    if not scores:
        return None
    best, *others = sorted(scores, key=lambda object_id: (-scores[object_id], object_id))
    rivals = tuple(i for i in others if scores[i] > scores[best] - CLEARLY_BETTER)
    return Match(best, scores[best], rivals)


def find_plane_match(anchor: ObjectAnchor, planes: Iterable[StructurePlane]) -> Match | None:
    """The floor, wall or ceiling at the place of the anchored one; None without one."""
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
    return Match(best, 1.0 - best_m / (2.0 * PLANE_OFF_M), rivals)


def are_near(a: Box3D, b: Box3D, margin_m: float) -> bool:
    """True if the bounding spheres of two boxes are within a margin; a cheap test."""
    reach_m = (math.hypot(*a.size) + math.hypot(*b.size)) / 2.0
    return math.dist(a.center, b.center) <= reach_m + margin_m


def _overlap(a: Box3D, b: Box3D) -> bool:
    """True if two planes have about the same yaw and one contains the middle of the other."""
    turn = abs(a.yaw - b.yaw) % math.pi
    if min(turn, math.pi - turn) > PLANE_TURN:
        return False
    middles = np.array((a.center, b.center))
    return bool(b.contains(middles[:1], PLANE_OFF_M)[0] or a.contains(middles[1:], PLANE_OFF_M)[0])


def _off_plane_m(a: Box3D, b: Box3D) -> float:
    """Distance of the middle of a plane from another plane, across it."""
    x, y, z = np.subtract(a.center, b.center)
    c, s = math.cos(b.yaw), math.sin(b.yaw)
    return float(abs((c * x + s * y, c * y - s * x, z)[int(np.argmin(b.size))]))


_log = logging.getLogger(__name__)
# A new detection of a deleted object matches it from its first views on; an object that grows into
# its place later is another one.
YOUNG_OBSERVATIONS = 30
BESIDE_M = 0.5
# Number of compass sectors of which at least two are not neighbours: a second direction.
FIRM_DIRECTIONS = 3


def bystanders(deleted: Sequence[MapObject], things: Mapping[int, MapObject]) -> list[MapObject]:
    """Newer objects beside deleted ones. A person who deletes only one of them has distinguished
    them: they are no new detections of it."""
    deleted_ids = {thing.object_id for thing in deleted}
    newer = [
        thing
        for thing in things.values()
        if thing.object_id > min(deleted_ids) and thing.object_id not in deleted_ids
    ]
    return [
        thing
        for thing in newer
        if any(are_near(thing.box, other.box, BESIDE_M) for other in deleted)
    ]


def with_new_detections(entry: Correction, changed: Sequence[MapObject]) -> Correction | None:
    """A deletion extended to new detections of its object, without those that turned out to be
    other objects; None if it is unchanged.

    Args:
        changed: objects that are new, or differ from when they were last compared.
    """
    named = [a for a in entry.anchors if a.object_id in entry.edit.object_ids]
    others = _turned_out_others(entry, named, changed)
    known = {*entry.edit.object_ids, *(anchor.object_id for anchor in entry.anchors)}
    added: list[int] = []
    for anchor in named:
        young = [t for t in changed if _is_new(t, anchor) and t.object_id not in known]
        found = match_scores(anchor, young)
        known.update(found)
        added += found
    if not added and not others:
        return None
    if added:
        _log.info("objects %s stay deleted by correction %d", added, entry.correction_id)
    ids = tuple(i for i in (*entry.edit.object_ids, *added) if i not in others)
    return replace(entry, edit=replace(entry.edit, object_ids=ids))


def found_again(lost: Iterable[ObjectAnchor], things: Iterable[MapObject]) -> dict[int, int]:
    """Lost id -> id of the unique object at its place.

    Args:
        things: objects without entries.
    """
    free = {thing.object_id: thing for thing in things}
    found: dict[int, int] = {}
    for anchor in lost:
        place = find_match(anchor, free.values())
        if place is not None and not place.rivals:
            found[anchor.object_id] = place.object_id
            del free[place.object_id]
            _log.info("object %d was found again as %d", anchor.object_id, place.object_id)
    return found


def _turned_out_others(
    entry: Correction, named: Sequence[ObjectAnchor], changed: Sequence[MapObject]
) -> set[int]:
    """Ids of hidden detections that are well observed by now, under another label."""
    if not named:
        return set()
    hidden = set(entry.edit.object_ids).difference(anchor.object_id for anchor in named)
    labels = {anchor.label.casefold() for anchor in named}
    others = {
        thing.object_id
        for thing in changed
        if thing.object_id in hidden
        and thing.perceived_label.casefold() not in labels
        and thing.observation_count > YOUNG_OBSERVATIONS
        and thing.direction_count >= FIRM_DIRECTIONS
    }
    if others:
        _log.info(
            "objects %s do not match the object that correction %d deletes",
            others,
            entry.correction_id,
        )
    return others


def _is_new(thing: MapObject, anchor: ObjectAnchor) -> bool:
    """True for a young object that is newer than the anchored one and was never moved."""
    is_young = thing.observation_count <= YOUNG_OBSERVATIONS and not thing.stays
    return is_young and thing.object_id > anchor.object_id
