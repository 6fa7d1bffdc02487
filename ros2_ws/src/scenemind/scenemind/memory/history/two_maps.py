"""What is different between two maps of one place, which share a world frame but no ids.

Objects are matched by geometry. First those at one place: boxes that overlap, with labels that
mean the same, or, where boxes are nearly equal, with other labels (renamed). Of the rest, a thing
of the earlier map that has a lookalike in the later one was moved there. What is left over is
missing, or was added, if the other map's camera had its place in the picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.history.changes import LEAST_MOVE_M
from scenemind.memory.history.lookalikes import Pair, one_to_one, pairs_alike, same_kind
from scenemind.memory.history.scene_change import (
    ChangeKind,
    SceneChange,
    SceneChanges,
    looked_at,
)
from scenemind.memory.history.views import CameraViews
from scenemind.memory.objects.association import BoxTable, compare_boxes
from scenemind.memory.types import MapObject, MemorySnapshot

# 3D IoU from which boxes are at one place; other labels need more.
_SAME_PLACE, _SAME_BOX = 0.25, 0.5
# Further apart than by this in its own place, a thing was pushed; less is how the maps differ.
_PUSHED_M = 2.0 * LEAST_MOVE_M


def compare_maps(
    before: MemorySnapshot,
    after: MemorySnapshot,
    views_before: CameraViews,
    views_after: CameraViews,
) -> SceneChanges:
    """Compare two maps of one place.

    Args:
        views_before, views_after: of all that each map's camera saw.
    """
    in_place = one_to_one(_pairs_in_place(before.objects, after.objects))
    old, new = _left_over(before, after, in_place)
    moved = one_to_one(pairs_alike(old, new))
    changes = [change for pair in in_place for change in _changes_of(pair)]
    unchanged = len(in_place) - len(changes)
    changes += (_change("moved", pair) for pair in moved)
    old, new = _left_over(before, after, [*in_place, *moved])
    for thing, looked in zip(new, looked_at(new, views_before), strict=True):
        kind: ChangeKind = "added" if looked else "new"
        changes.append(SceneChange(kind, thing.object_id, thing.label, None, thing.box))
    unseen = []
    for thing, looked in zip(old, looked_at(old, views_after), strict=True):
        names = thing.object_id, thing.label
        if looked:
            missing = SceneChange("missing", *names, thing.box, None, earlier_id=thing.object_id)
            changes.append(missing)
        else:
            unseen.append(thing.object_id)
    return SceneChanges.of(changes, unchanged, unseen)


def _pairs_in_place(
    before: Mapping[int, MapObject], after: Mapping[int, MapObject]
) -> Iterator[Pair]:
    table = BoxTable()
    for object_id, thing in before.items():
        table.set(object_id, np.array(thing.box.extent()))
    things = list(after.values())
    extents = _extents(things)
    rows, ids, boxes = table.pairs(extents)
    iou = compare_boxes(extents[rows], boxes).iou
    for row, object_id, overlap in zip(rows.tolist(), ids.tolist(), iou.tolist(), strict=True):
        old, new = before[object_id], things[row]
        if overlap >= _SAME_PLACE and same_kind(old, new):
            yield Pair(old, new, 1.0 + overlap)
        elif overlap >= _SAME_BOX:
            yield Pair(old, new, overlap)


def _changes_of(pair: Pair) -> list[SceneChange]:
    """What is different of a thing that is where it was, or nearly."""
    if not same_kind(pair.before, pair.after):
        return [_change("renamed", pair, pair.before.label)]
    change = _change("moved", pair)
    return [change] if (change.distance_m or 0.0) >= _PUSHED_M else []


def _change(kind: ChangeKind, pair: Pair, old_label: str = "") -> SceneChange:
    return SceneChange(
        kind,
        pair.after.object_id,
        pair.after.label,
        pair.before.box,
        pair.after.box,
        earlier_id=pair.before.object_id,
        old_label=old_label,
    )


def _left_over(
    before: MemorySnapshot, after: MemorySnapshot, pairs: Iterable[Pair]
) -> tuple[list[MapObject], list[MapObject]]:
    """What is in no pair."""
    taken = [(pair.before.object_id, pair.after.object_id) for pair in pairs]
    old_ids, new_ids = {old for old, _ in taken}, {new for _, new in taken}
    return (
        [thing for i, thing in before.objects.items() if i not in old_ids],
        [thing for i, thing in after.objects.items() if i not in new_ids],
    )


def _extents(things: Iterable[MapObject]) -> NDArray[np.float64]:
    """(N, 6)."""
    return np.array([thing.box.extent() for thing in things], np.float64).reshape(-1, 6)
