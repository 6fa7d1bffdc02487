"""How well a map agrees with the room that it was made of."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from scenemind.geometry import Pose
from scenemind.memory import MapObject
from scenemind.simulation import Room, match_objects

MIN_FRAMES, MIN_PIXELS = 5, 400  # an object that was seen well: so many frames showed so much of it
MIN_IOU = 0.25


@dataclass(frozen=True, slots=True)
class RoomScore:
    """One room's counts; see `score_room`.

    Attributes:
        seen: real objects that were seen well. met: those of them that the map has.
        named: those of the met ones whose label is right.
        iou_sum: over the objects seen well, 0 for a missing one.
        mapped: map objects that count; the share of them that is met is the precision.
        duplicates: map objects that stand for a real one that has a better partner.
        left: places that things were taken from and the camera saw again. stale: map objects that
            still stand there.
    """

    seed: int
    seen: int
    met: int
    named: int
    iou_sum: float
    mapped: int
    duplicates: int
    left: int = 0
    stale: int = 0


def score_room(
    seed: int,
    room: Room,
    objects: Iterable[MapObject],
    seen: Collection[int],
    world_T_map: Pose | None = None,
) -> RoomScore:
    """Compare a map with a room.

    Args:
        seen: instance ids of what was seen well. A map object that stands for something less well
            seen counts neither for nor against precision.
        world_T_map: see `match_objects`.
    """
    mapped = list(objects)
    table = match_objects(mapped, room, world_T_map)
    of_seen = [row for row in table.matches if row.instance_id in seen]
    aside = sum(row.instance_id not in seen and row.object_id is not None for row in table.matches)
    met = [row for row in of_seen if row.iou >= MIN_IOU]
    return RoomScore(
        seed=seed,
        seen=len(of_seen),
        met=len(met),
        named=sum(row.label == row.object_label for row in met),
        iou_sum=sum(row.iou for row in of_seen),
        mapped=len(mapped) - aside,
        duplicates=len(table.duplicates),
    )


def summary(scores: Iterable[RoomScore]) -> dict[str, float]:
    """Shares over all objects of all rooms, not over rooms; 1 (duplicates: 0) of nothing."""
    rows = list(scores)
    seen, mapped = sum(s.seen for s in rows), sum(s.mapped for s in rows)
    met = sum(s.met for s in rows)
    return {
        "recall_25": met / seen if seen else 1.0,
        "precision_25": met / mapped if mapped else 1.0,
        "mean_iou": sum(s.iou_sum for s in rows) / seen if seen else 1.0,
        "duplicates": sum(s.duplicates for s in rows) / mapped if mapped else 0.0,
        "labels_right": sum(s.named for s in rows) / met if met else 1.0,
    }


def doubled(objects: Iterable[MapObject]) -> list[tuple[int, int]]:
    """Pairs of ids that look like one thing mapped twice: one label, boxes that share space.

    For recordings, whose truth nobody knows. Two chairs side by side share none of it.
    """
    found = []
    known = list(objects)
    for number, a in enumerate(known):
        for b in known[number + 1 :]:
            if a.label == b.label and _shared(a, b) > MIN_IOU:
                found.append((a.object_id, b.object_id))
    return found


def _shared(a: MapObject, b: MapObject) -> float:
    """Shared volume over the smaller box's."""
    (low_a, high_a), (low_b, high_b) = a.box.bounds(), b.box.bounds()
    sides = (high_a.clip(max=high_b) - low_a.clip(min=low_b)).clip(min=0.0)
    smaller = min(a.box.volume, b.box.volume)
    return float(sides.prod()) / smaller if smaller else 0.0
