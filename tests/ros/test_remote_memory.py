"""Reasoning on the memory of a mapping node in another process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory, SceneMemoryError
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.errors import RosError
from scenemind_ros.reasoning.remote_memory import RemoteMemory
from scenemind_ros.reasoning_node import ReasoningNode

from .graph import NODE, SIMULATED, TIMEOUT_S, RosGraph
from .processes import Process, ros_arguments

ASK = "/reasoning_node/ask"
CHAIRS = "How many chairs are there?"


@pytest.fixture
def memories(stored_room: Path, tmp_path: Path) -> Path:
    """A root with the stored room as the memory `current`."""
    shutil.copytree(stored_room, tmp_path / "memories" / "current")
    return tmp_path / "memories"


@pytest.fixture
def mapping(memories: Path, tmp_path: Path) -> Iterator[Process]:
    parameters = SIMULATED | {"memory.root": str(memories)}
    process = Process(tmp_path, "scenemind_ros.mapping_node", *ros_arguments(parameters))
    yield process
    process.close()


@pytest.fixture
def graph() -> Iterator[RosGraph]:
    graph = RosGraph(hears_processes=True)
    yield graph
    graph.close()


@pytest.fixture
def remote(graph: RosGraph, mapping: Process) -> RemoteMemory:
    mapping.wait_for_line("memory /")
    return RemoteMemory(graph.observer, NODE, TIMEOUT_S)


def test_it_is_the_memory_of_the_other_process(remote: RemoteMemory, stored_room: Path) -> None:
    with Memory.open(stored_room, SceneMindConfig()) as memory:
        snapshot = memory.snapshot()
        ids = list(snapshot.objects)[:3]
        frames = memory.key_frames_of(ids, 3)
    there = remote.snapshot()
    assert there.objects.keys() == snapshot.objects.keys()
    for thing, known in zip(there.objects.values(), snapshot.objects.values(), strict=True):
        assert (thing.label, thing.attributes) == (known.label, known.attributes)
        assert thing.box == known.box
        np.testing.assert_allclose(thing.yaw_box.corners(), known.yaw_box.corners(), atol=1e-6)
        assert thing.stays == known.stays
        assert thing.confidence == pytest.approx(known.confidence, abs=1e-6)
        assert len(thing.points) == 0, "points do not travel"
    assert [(r.subject_id, r.predicate, r.object_id) for r in there.relations] == [
        (r.subject_id, r.predicate, r.object_id) for r in snapshot.relations
    ]
    assert there.gone.keys() == snapshot.gone.keys()
    assert there.stamp_ns == snapshot.stamp_ns
    assert [f.jpeg for f in remote.key_frames_of(ids, 3)] == [f.jpeg for f in frames]
    assert remote.key_frames_of([], 3) == []


def test_corrections_go_there_and_come_back(remote: RemoteMemory) -> None:
    object_id = min(remote.snapshot().objects)
    label = remote.snapshot().objects[object_id].label
    (written,) = remote.apply([Edit("rename", (object_id,), value="throne")], "me", "because")
    assert (written.edit.value, written.by, written.reason) == ("throne", "me", "because")
    assert remote.snapshot().objects[object_id].label == "throne"
    undone = remote.undo()
    assert undone.correction_id == written.correction_id
    assert undone.undone
    assert remote.snapshot().objects[object_id].label == label
    assert [c.undone for c in remote.corrections()] == [True]


def test_a_refusal_is_an_error_as_of_a_local_memory(remote: RemoteMemory) -> None:
    with pytest.raises(SceneMemoryError, match="there is no object 9999"):
        remote.apply([Edit("delete_object", (9999,))], "me", "because")
    with pytest.raises(SceneMemoryError, match="no correction to undo"):
        remote.undo()


def test_questions_are_answered_until_the_mapping_node_is_gone(
    graph: RosGraph, mapping: Process
) -> None:
    mapping.wait_for_line("memory /")
    graph.add(ReasoningNode, {"memory_timeout_s": 3.0})
    answered = graph.call(srv.Ask, ASK, question=CHAIRS)
    assert answered.success, answered.error
    assert answered.evidence
    assert mapping.end() == 0
    refused = graph.call(srv.Ask, ASK, question=CHAIRS)
    assert refused.error.code == Error.NODE_UNAVAILABLE, refused.error
    assert NODE in refused.error.message


def test_nobody_there_is_said_by_the_deadline(graph: RosGraph) -> None:
    memory = RemoteMemory(graph.observer, "/nobody", timeout_s=0.1)
    with pytest.raises(RosError, match="nobody offers /nobody/get_scene_graph") as caught:
        memory.snapshot()
    assert caught.value.code == Error.NODE_UNAVAILABLE
    with pytest.raises(SceneMemoryError, match="nobody offers"):
        memory.key_frames_of([1], 1)
