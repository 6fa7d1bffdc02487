"""Entries whose objects perception lost and found again under new ids.

A deletion also hides what is newly detected in its place: the same reflection or passer-by. What
perception calls the same stays hidden. What it calls otherwise is hidden while it was seen few
times, or from one direction only, as a reflection may be, and shows from then on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from scenemind.memory.graph.corrections.places import are_near, find_place, likely
from scenemind.memory.types import Correction, MapObject, ObjectAnchor

_log = logging.getLogger(__name__)

# A new detection of what was deleted looks like it from its first views on; what grew into its
# place later is something else.
YOUNG_OBSERVATIONS = 30
BESIDE_M = 0.5
# Sectors of the compass of which at least two are not neighbours: a second direction.
FIRM_DIRECTIONS = 3


def bystanders(deleted: Sequence[MapObject], things: Mapping[int, MapObject]) -> list[MapObject]:
    """Newer things beside what somebody deletes: who deletes only one has told them apart, so they
    are no new detections of it."""
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
    """A deletion that speaks of new detections, too, and no longer of what turned out to be
    another thing; None: it speaks of the same as before.

    Args:
        changed: objects that are new, or differ from when they were last compared.
    """
    named = [a for a in entry.anchors if a.object_id in entry.edit.object_ids]
    others = _turned_out_others(entry, named, changed)
    known = {*entry.edit.object_ids, *(anchor.object_id for anchor in entry.anchors)}
    added: list[int] = []
    for anchor in named:
        young = [t for t in changed if _is_new(t, anchor) and t.object_id not in known]
        found = likely(anchor, young)
        known.update(found)
        added += found
    if not added and not others:
        return None
    if added:
        _log.info("objects %s stay deleted by correction %d", added, entry.correction_id)
    ids = tuple(i for i in (*entry.edit.object_ids, *added) if i not in others)
    return replace(entry, edit=replace(entry.edit, object_ids=ids))


def found_again(lost: Iterable[ObjectAnchor], things: Iterable[MapObject]) -> dict[int, int]:
    """Lost id -> id of the one thing that stands where it was.

    Args:
        things: those that no entry speaks of.
    """
    free = {thing.object_id: thing for thing in things}
    found: dict[int, int] = {}
    for anchor in lost:
        place = find_place(anchor, free.values())
        if place is not None and not place.rivals:
            found[anchor.object_id] = place.object_id
            del free[place.object_id]
            _log.info("object %d was found again as %d", anchor.object_id, place.object_id)
    return found


def _turned_out_others(
    entry: Correction, named: Sequence[ObjectAnchor], changed: Sequence[MapObject]
) -> set[int]:
    """Of what was hidden as new detections: what is firmly seen by now, and called otherwise."""
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
        _log.info("objects %s are not what correction %d deletes", others, entry.correction_id)
    return others


def _is_new(thing: MapObject, anchor: ObjectAnchor) -> bool:
    """It came after the anchored one, and not from another place."""
    is_young = thing.observation_count <= YOUNG_OBSERVATIONS and not thing.stays
    return is_young and thing.object_id > anchor.object_id
