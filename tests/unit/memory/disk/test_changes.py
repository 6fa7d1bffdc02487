"""Changes that wait to be written while the disk fails."""

from __future__ import annotations

from itertools import count

import pytest

from scenemind.config import DepthConfig, ObjectMapConfig, StoreConfig, TreeConfig
from scenemind.geometry import Pose
from scenemind.memory.descriptions import ObjectNotes
from scenemind.memory.disk import changes
from scenemind.memory.disk.changes import ChangeSources, FrameRecord, PendingChanges
from scenemind.memory.disk.retention import Retention
from scenemind.memory.graph.corrections import CorrectionsJournal
from scenemind.memory.objects.object_map import ObjectMap
from scenemind.memory.occupancy.occupancy_map import OccupancyMap
from scenemind.memory.structure.structure_map import StructureMap
from scenemind.memory.tree.best_views import BestViews
from scenemind.memory.tree.mem_tree import MemTree
from tests.unit.memory import walk


@pytest.fixture
def pending(monkeypatch: pytest.MonkeyPatch) -> PendingChanges:
    """Of an empty memory, with room for three frames."""
    monkeypatch.setattr(changes, "_MAX_WAITING_FRAMES", 3)
    views = BestViews(2)
    sources = ChangeSources(
        CorrectionsJournal(count(1).__next__),
        MemTree(TreeConfig()),
        ObjectMap(ObjectMapConfig()),
        views,
        Retention(StoreConfig(), views),
        ObjectNotes(lambda _: ""),
        ObjectNotes(lambda _: ""),
        StructureMap(DepthConfig()),
        OccupancyMap(DepthConfig()),
    )
    return PendingChanges(sources)


def frame(number: int) -> FrameRecord:
    return FrameRecord(number, number, 0, walk.CAMERA, Pose.identity(), True)


def test_beyond_the_room_the_oldest_frames_are_dropped_and_counted(pending: PendingChanges) -> None:
    for number in range(3):
        pending.add_frame(frame(number))
    assert pending.lost_frames == 0
    failed = pending.take()
    pending.add_frame(frame(3))
    pending.give_back(failed)
    assert [record.number for record in pending.take().frames] == [1, 2, 3]
    assert pending.lost_frames == 1
    assert not pending.take()


def test_objects_that_could_not_be_removed_are_removed_later(pending: PendingChanges) -> None:
    pending.add_objects([], [7])
    failed = pending.take()
    pending.add_objects([], [8])
    pending.give_back(failed)
    assert pending.take().removed_objects == {7, 8}
