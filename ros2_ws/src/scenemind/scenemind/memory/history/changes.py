"""What is different between two moments of one memory.

An object is compared with itself by its id: perception gives a thing that was moved its old id, if
it looks the same and was seen to have left. What was not seen to have left, and yet was not seen
again where the camera looked, is missing; if a lookalike appeared elsewhere, it was moved there. A
thing that is known only since the second moment was added if its place had been in the picture
before; otherwise it is merely new to the map.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scenemind.memory.history.lookalikes import one_to_one, pairs_alike
from scenemind.memory.history.place_at import PlaceAt, find_place
from scenemind.memory.history.scene_change import (
    ChangeKind,
    SceneChange,
    SceneChanges,
    looked_at,
)
from scenemind.memory.history.views import CameraViews
from scenemind.memory.history.visits import TimeSpan
from scenemind.memory.types import MapObject, MemorySnapshot

# Less is the map's own inaccuracy.
LEAST_MOVE_M = 0.15


def find_changes(
    scene: MemorySnapshot,
    before: TimeSpan,
    after: TimeSpan,
    views_before: CameraViews,
    views_after: CameraViews,
) -> SceneChanges:
    """Compare the end of one stretch of time with the end of a later one.

    Args:
        scene: of now; what was learned after the second moment counts for nothing.
        views_before: of the camera up to the end of the first.
        views_after: of the camera in the second.
    """
    changes: list[SceneChange] = []
    not_seen: list[MapObject] = []
    appeared: list[MapObject] = []
    unchanged = 0
    for thing, was, now in _compared(scene, before.last_ns, after.last_ns):
        if was is None or was.knowledge == "gone":
            if now.knowledge != "gone":
                appeared.append(replace(thing, box=now.box, here_since_ns=now.first_seen_ns))
        elif now.knowledge == "gone":
            changes.append(_removed(thing, now))
        elif was.first_seen_ns != now.first_seen_ns:
            change = _moved(thing, was, now)
            changes += [change] if _is_far(change) else []
            unchanged += not _is_far(change)
        elif now.last_seen_ns < after.first_ns:
            not_seen.append(replace(thing, box=now.box, last_seen_ns=now.last_seen_ns))
        else:
            unchanged += 1
    missing, unseen = _looked_for(not_seen, views_after)
    found = {p.after.object_id: p.before for p in one_to_one(pairs_alike(missing, appeared))}
    changes += _arrivals(appeared, found, before, views_before)
    found_ids = {thing.object_id for thing in found.values()}
    changes += (_missing(thing, after) for thing in missing if thing.object_id not in found_ids)
    return SceneChanges.of(changes, unchanged, unseen)


def _compared(
    scene: MemorySnapshot, first_ns: int, second_ns: int
) -> Iterator[tuple[MapObject, PlaceAt | None, PlaceAt]]:
    """All that is known at the second moment, with where it was at both."""
    for things, is_gone in ((scene.objects, False), (scene.gone, True)):
        for thing in things.values():
            now = find_place(thing, second_ns, is_gone=is_gone)
            if now is not None:
                yield thing, find_place(thing, first_ns, is_gone=is_gone), now


def _looked_for(
    not_seen: Sequence[MapObject], views: CameraViews
) -> tuple[list[MapObject], list[int]]:
    """What should have been seen, and the ids of what could not be."""
    was_looked_at = list(zip(not_seen, looked_at(not_seen, views), strict=True))
    missing = [thing for thing, looked in was_looked_at if looked]
    return missing, [thing.object_id for thing, looked in was_looked_at if not looked]


def _arrivals(
    appeared: Sequence[MapObject],
    found: dict[int, MapObject],
    before: TimeSpan,
    views: CameraViews,
) -> Iterator[SceneChange]:
    """Args: found: id of what appeared -> the missing thing that it is."""
    for thing, looked in zip(appeared, looked_at(appeared, views), strict=True):
        since_ns = thing.here_since_ns or thing.first_seen_ns
        names = thing.object_id, thing.label
        old = found.get(thing.object_id)
        if old is not None:
            between_ns = (old.last_seen_ns, since_ns)
            yield SceneChange("moved", *names, old.box, thing.box, between_ns, old.object_id)
        else:
            kind: ChangeKind = "added" if looked else "new"
            yield SceneChange(kind, *names, None, thing.box, (before.last_ns, since_ns))


def _removed(thing: MapObject, now: PlaceAt) -> SceneChange:
    between_ns = (now.last_seen_ns, now.last_seen_ns if now.gone_ns is None else now.gone_ns)
    names = thing.object_id, thing.label
    return SceneChange("removed", *names, now.box, None, between_ns, thing.object_id)


def _missing(thing: MapObject, after: TimeSpan) -> SceneChange:
    between_ns = (thing.last_seen_ns, after.last_ns)
    names = thing.object_id, thing.label
    return SceneChange("missing", *names, thing.box, None, between_ns, thing.object_id)


def _moved(thing: MapObject, was: PlaceAt, now: PlaceAt) -> SceneChange:
    found_ns = now.first_seen_ns if was.gone_ns is None else min(now.first_seen_ns, was.gone_ns)
    between_ns = (was.last_seen_ns, found_ns)
    names = thing.object_id, thing.label
    return SceneChange("moved", *names, was.box, now.box, between_ns, thing.object_id)


def _is_far(change: SceneChange) -> bool:
    return (change.distance_m or 0.0) >= LEAST_MOVE_M
