"""The building as the memory's users see it: in snapshots, in relations, and after a restart."""

from __future__ import annotations

import pytest

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import simulate

CONFIG = SceneMindConfig()


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    """A memory of a drive through a room, closed; and its last snapshot."""
    path = tmp_path_factory.mktemp("memories") / "room"
    sequence = simulate(1, 60, 320, 240)
    with Memory.create(path, CONFIG) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, CONFIG)
        revisions = []
        for frame in read_sequence(sequence):
            mapper.process(frame)
            revisions.append(memory.snapshot().revision)
        assert revisions == sorted(revisions)
        return path, memory.snapshot()


def test_snapshot_names_floor_and_walls_by_negative_ids(driven):
    _, snapshot = driven
    kinds = [plane.kind for plane in snapshot.structure.values()]
    assert kinds == ["floor", "wall", "wall", "wall", "wall"]
    assert all(i < 0 and plane.plane_id == i for i, plane in snapshot.structure.items())
    assert not snapshot.structure.keys() & snapshot.objects.keys()


def test_things_stand_on_the_floor(driven):
    _, snapshot = driven
    (floor_id,) = [i for i, plane in snapshot.structure.items() if plane.kind == "floor"]
    standing = {
        r.subject_id for r in snapshot.relations if (r.predicate, r.object_id) == ("on", floor_id)
    }
    chairs = {i for i, thing in snapshot.objects.items() if "chair" in thing.label}
    assert chairs
    assert len(chairs & standing) >= 0.8 * len(chairs)


def test_the_building_is_there_again_after_a_restart(driven):
    path, before = driven
    with Memory.open(path, CONFIG) as memory:
        again = memory.snapshot().structure
    assert again.keys() == before.structure.keys()
    for plane_id, plane in before.structure.items():
        assert again[plane_id] == plane


def test_a_reset_memory_knows_no_building(tmp_path):
    sequence = simulate(1, 60, 160, 120)
    frames = list(read_sequence(sequence))
    with Memory.create(tmp_path / "room", CONFIG) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, CONFIG)
        for frame in frames[:20]:
            mapper.process(frame)
        assert memory.snapshot().structure
        memory.reset()
        assert not memory.snapshot().structure
