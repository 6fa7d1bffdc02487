"""Comparison of a map with the simulated room: matches, duplicates and stale objects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from scenemind.geometry import Box3D, Pose, iou_3d
from scenemind.simulation.depth_noise import SimpleDepthNoise
from scenemind.simulation.room import Room
from scenemind.simulation.sequence import SimulatedSequence

_WIDTH, _HEIGHT = 160, 120  # of instance images for visibility
_MIN_PIXELS = 25  # of them; corresponds to 400 in 640x480


class MappedObject(Protocol):
    """An object of a map, such as `memory.MapObject`."""

    @property
    def object_id(self) -> int: ...
    @property
    def label(self) -> str: ...
    @property
    def box(self) -> Box3D: ...


@dataclass(frozen=True, slots=True)
class Match:
    """One real object and its match in the map; None and 0 where there is none."""

    instance_id: int
    label: str
    object_id: int | None
    object_label: str | None
    iou: float


@dataclass(frozen=True, slots=True)
class MatchTable:
    """The comparison of a map with a room.

    Attributes:
        matches: one for each object of the room, in order of instance ids.
        unmatched: ids of map objects without a match.
        duplicates: unmatched map objects that overlap a real object of the same label, which
            matches another map object.
    """

    matches: tuple[Match, ...]
    unmatched: tuple[int, ...]
    duplicates: tuple[int, ...]

    @property
    def instance_of(self) -> Mapping[int, int]:
        """Map object id -> instance id, of the matches."""
        return {m.object_id: m.instance_id for m in self.matches if m.object_id is not None}


def match_objects(
    map_objects: Iterable[MappedObject], room: Room, world_T_map: Pose | None = None
) -> MatchTable:
    """Match one-to-one with the largest sum of 3D IoUs (Hungarian method), whatever the labels.

    Args:
        map_objects: boxes in the map's frame.
        room: the room at that time (`SimulatedSequence.room_at`).
        world_T_map: pose of the map's frame in the room, upright; None: identity. For a map in
            the frame of drifting odometry, its drift at that time
            (`SimulatedSequence.world_T_odometry`): otherwise the drift would be measured.
    """
    mapped = list(map_objects)
    real = room.objects
    boxes = [m.box if world_T_map is None else _moved(m.box, world_T_map) for m in mapped]
    iou = np.array([[iou_3d(r.box, box) for box in boxes] for r in real])
    iou = iou.reshape(len(real), len(mapped))
    rows, columns = scipy.optimize.linear_sum_assignment(iou, maximize=True)
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
    """Counts the frames of a sequence that show an object well."""

    def __init__(self, room: Room, min_pixels: int = 400) -> None:
        last_id = max((item.instance_id for item in room.objects), default=0)
        self._frames: NDArray[np.int64] = np.zeros(last_id + 1, dtype=np.int64)
        self._min_pixels = min_pixels

    def add(self, instances: NDArray[np.int32]) -> None:
        """Count one instance image (H, W)."""
        counts = np.bincount(instances.ravel(), minlength=len(self._frames))
        self._frames += counts >= self._min_pixels

    def seen(self, min_frames: int) -> frozenset[int]:
        """Instance ids of the objects that at least so many frames show well."""
        return frozenset((np.flatnonzero(self._frames[1:] >= min_frames) + 1).tolist())


def places_seen_again(sequence: SimulatedSequence, min_frames: int = 5) -> frozenset[int]:
    """Instance ids of changed objects whose old places were in view afterwards: that many later
    frames would have shown them well if they had stayed."""
    as_before = replace(
        sequence,
        camera=sequence.camera.resized(_WIDTH, _HEIGHT),
        depth_noise=SimpleDepthNoise(0.0),
        changes=(),
    )
    changed_ns = {change.instance_id: change.stamp_ns for change in sequence.changes}
    frames = dict.fromkeys(changed_ns, 0)
    for frame in as_before if changed_ns else ():
        assert frame.instances is not None, "simulated frames carry instances"
        pixels = np.bincount(frame.instances.ravel(), minlength=max(changed_ns) + 1)
        for instance, stamp_ns in changed_ns.items():
            frames[instance] += frame.stamp_ns >= stamp_ns and pixels[instance] >= _MIN_PIXELS
    return frozenset(instance for instance, count in frames.items() if count >= min_frames)


def stale_objects(
    map_objects: Iterable[MappedObject],
    sequence: SimulatedSequence,
    among: Collection[int],
    min_iou: float = 0.25,
) -> tuple[int, ...]:
    """Ids of map objects at places that changed objects have left.

    Args:
        map_objects: at the end of the drive.
        among: instance ids of the changed objects to check.
    """
    left = [change.old_box for change in sequence.changes if change.instance_id in among]
    return tuple(
        item.object_id
        for item in map_objects
        if any(iou_3d(item.box, box) >= min_iou for box in left)
    )
