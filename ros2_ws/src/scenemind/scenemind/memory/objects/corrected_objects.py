"""Objects after poses were corrected, made on copies while mapping goes on.

What takes time needs no lock: a copy of each object moves as the frames that saw it. Then the
copies follow the map: views that an object has got since are fused into its copy too, moved, until
the copies take the objects' places. A copy whose object was changed by anything else, such as a
merge, is of no use, and is made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.frame_corrections import FrameCorrections, moved_box, moved_points
from scenemind.memory.frames_first import give_way
from scenemind.memory.objects.map_entry import CorrectedEntry, MapEntry, View, fuse_views
from scenemind.memory.objects.plausible_labels import WallPlanes
from scenemind.memory.types import MapObject
from scenemind.perception.types import Observation

Mark = tuple[object, ...]
"""See `MapEntry.mark`."""


@dataclass(frozen=True, slots=True, eq=False)
class FrozenEntry:
    """An object at one moment: the live one, a mark of its state, and a copy.

    Attributes:
        frame: number of the last frame that was mapped.
    """

    entry: MapEntry
    mark: Mark
    copy: MapEntry
    frame: int


@dataclass(frozen=True, slots=True, eq=False)
class SeenFrame:
    """What one frame added to the map.

    Attributes:
        entries: the objects that it showed, each once. before, after: their marks.
        observations: each with the place of its object among the entries, and whether it doubles
            another one, of which only the label counts.
    """

    view: View
    entries: Sequence[MapEntry]
    before: Sequence[Mark]
    after: Sequence[Mark]
    observations: Sequence[tuple[int, Observation, bool]]


class CorrectedObject:
    """An object after poses were corrected.

    Attributes:
        found: None: nothing of it moves. value: as it is then; None: to be made.
    """

    __slots__ = ("_mark", "found", "frozen", "value")

    def __init__(
        self, frozen: FrozenEntry, found: CorrectedEntry | None, value: MapObject | None
    ) -> None:
        self.frozen, self.found, self.value = frozen, found, value
        self._mark = frozen.mark

    def is_of(self, entry: MapEntry) -> bool:
        """True if it has all that the object has."""
        return self.frozen.entry is entry and self._mark == entry.mark()

    def can_follow(self, entry: MapEntry, before: Mark, newest: NDArray[np.float64]) -> bool:
        """True if it has all that the object had before a view, and another one can be added."""
        if self.frozen.entry is not entry or self._mark != before:
            return False
        if self.found is None:
            return bool((newest == np.eye(4)).all())
        return self.found.newest is not None

    def note(self, after: Mark) -> None:
        """Note that a view was added."""
        self._mark, self.value = after, None


def corrected_objects(
    frozen: Iterable[FrozenEntry],
    corrections: FrameCorrections,
    walls: WallPlanes | None,
    floor_z: float | None,
) -> list[CorrectedObject]:
    """Objects after poses were corrected; it takes most of the time and needs no lock.

    Args:
        walls: where they are then; None: make no values. floor_z: the floor then.
    """
    frozen = list(frozen)
    stretches = [[stretch.frames for stretch in one.copy.stretches] for one in frozen]
    frames = np.array([each for own in stretches for each in own], np.int64).reshape(-1, 2)
    matrices = corrections.of_stretches(frames[:, 0], frames[:, 1])
    done, end = [], 0
    for one, own in zip(frozen, stretches, strict=True):
        give_way()
        start, end = end, end + len(own)
        found, value = one.copy.corrected(corrections, matrices[start:end]), None
        now, parts = (one.copy, ()) if found is None else (found.entry, found.parts)
        for entry in (now, *parts):
            entry.stand_on(floor_z)
            _ = entry.box  # kept, so that it is not made under the lock
        if walls is not None and now.confirmed and now.gone_ns is None:
            value = now.to_object(walls)
        done.append(CorrectedObject(one, found, value))
    return done


def follow(
    objects: Mapping[int, CorrectedObject], frames: Iterable[SeenFrame], newest: NDArray[np.float64]
) -> set[int]:
    """Add to corrected objects what frames added to the map since; needs no lock.

    Args:
        objects: by id. newest: (4, 4), the correction of new frames.

    Returns:
        Ids of objects that cannot follow, or that are new: to be made again.
    """
    late: set[int] = set()
    for frame in frames:
        follows: list[CorrectedObject | None] = []
        for entry, before in zip(frame.entries, frame.before, strict=True):
            done = objects.get(entry.object_id)
            if done is not None and frame.view.number <= done.frozen.frame:
                done = None  # it has this view
            elif done is None or not done.can_follow(entry, before, newest):
                late.add(entry.object_id)
                done = None
            follows.append(done)
        view = frame.view
        place = newest[:3, :3] @ view.viewer + newest[:3, 3]
        view = replace(view, viewer=place)
        fused: tuple[list[MapEntry], list[Observation]] = ([], [])
        doubles = []
        for row, observation, is_double in frame.observations:
            done = follows[row]
            if done is None or done.found is None or done.found.newest is None:
                continue
            own = _moved(observation, newest)
            if is_double:
                doubles.append((done.found.newest, own))
            else:
                fused[0].append(done.found.newest)
                fused[1].append(own)
        fuse_views(*fused, view)
        for copy, own in doubles:
            copy.vote(own, view)
        for done, after in zip(follows, frame.after, strict=True):
            if done is not None:
                done.note(after)
    return late


def _moved(observation: Observation, matrix: NDArray[np.float64]) -> Observation:
    """An observation in the corrected world."""
    points = moved_points(observation.points, matrix)
    if observation.from_picture or not len(points):
        box = Box3D.from_bounds(*moved_box(observation.box, matrix).bounds())
    else:
        box = Box3D.from_bounds(points.min(axis=0), points.max(axis=0))
    return replace(observation, points=points, box=box)
