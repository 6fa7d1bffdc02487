"""How a map compares with the room that it was made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from scenemind.geometry import Box3D, Pose, iou_3d
from scenemind.simulation.room import Room


class MappedObject(Protocol):
    """What a map says of one object; `memory.MapObject` is one."""

    @property
    def object_id(self) -> int: ...
    @property
    def label(self) -> str: ...
    @property
    def box(self) -> Box3D: ...


@dataclass(frozen=True, slots=True)
class Match:
    """One real object and the map's object for it; None and 0 where the map has none."""

    instance_id: int
    label: str
    object_id: int | None
    object_label: str | None
    iou: float


@dataclass(frozen=True, slots=True)
class MatchTable:
    """The whole comparison.

    Attributes:
        matches: one row for each object of the room, in order of instance ids.
        unmatched: ids of map objects that stand for no real one.
        duplicates: those of them that carry the label of, and overlap, a real object that has
            a better partner already.
    """

    matches: tuple[Match, ...]
    unmatched: tuple[int, ...]
    duplicates: tuple[int, ...]

    @property
    def instance_of(self) -> Mapping[int, int]:
        """Map object id -> instance id, for matched ones."""
        return {m.object_id: m.instance_id for m in self.matches if m.object_id is not None}


def match_objects(
    map_objects: Iterable[MappedObject], room: Room, world_T_map: Pose | None = None
) -> MatchTable:
    """One-to-one by 3D IoU, best sum (Hungarian method); labels do not count.

    Args:
        map_objects: boxes in the map's frame.
        room: where objects were moved, as it is at the moment (`SimulatedSequence.room_at`).
        world_T_map: where the map's frame stands in the room, upright; None where it is the
            room's own. For a map made with drifting odometry, what has drifted until then
            (`SimulatedSequence.world_T_odometry`): else the drift is measured and not the map.
    """
    mapped = list(map_objects)
    real = room.objects
    boxes = [m.box if world_T_map is None else _moved(m.box, world_T_map) for m in mapped]
    iou = np.array([[iou_3d(r.box, box) for box in boxes] for r in real])
    iou = iou.reshape(len(real), len(mapped))
    rows, columns = linear_sum_assignment(iou, maximize=True)
    partner = {int(r): int(c) for r, c in zip(rows, columns, strict=True) if iou[r, c] > 0.0}
    matches = []
    for row, item in enumerate(real):
        column = partner.get(row)
        found = None if column is None else mapped[column]
        matches.append(
            Match(
                item.instance_id,
                item.label,
                None if found is None else found.object_id,
                None if found is None else found.label,
                0.0 if column is None else float(iou[row, column]),
            )
        )
    spare = sorted(set(range(len(mapped))) - set(partner.values()))
    duplicates = [
        c
        for c in spare
        if any(iou[r, c] > 0.0 and real[r].label == mapped[c].label for r in partner)
    ]
    return MatchTable(
        tuple(matches),
        tuple(mapped[c].object_id for c in spare),
        tuple(mapped[c].object_id for c in duplicates),
    )


def _moved(box: Box3D, world_T_map: Pose) -> Box3D:
    x, y, z = world_T_map.transform(np.array(box.center)).tolist()
    turn = float(np.arctan2(world_T_map.rotation[1, 0], world_T_map.rotation[0, 0]))
    return Box3D((x, y, z), box.size, box.yaw + turn)


class VisibilityCounter:
    """Counts the frames that show an object well while a sequence goes by."""

    def __init__(self, room: Room, min_pixels: int = 400) -> None:
        last_id = max((item.instance_id for item in room.objects), default=0)
        self._frames: NDArray[np.int64] = np.zeros(last_id + 1, dtype=np.int64)
        self._min_pixels = min_pixels

    def add(self, instances: NDArray[np.int32]) -> None:
        """One instance image (H, W)."""
        counts = np.bincount(instances.ravel(), minlength=len(self._frames))
        self._frames += counts >= self._min_pixels

    def seen(self, min_frames: int) -> frozenset[int]:
        """Instance ids of the objects that at least so many frames showed."""
        return frozenset((np.flatnonzero(self._frames[1:] >= min_frames) + 1).tolist())
