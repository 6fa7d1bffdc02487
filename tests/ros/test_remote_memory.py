"""Reasoning on the memory of a mapping node in another process."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rclpy.node import Node

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory, SceneMemoryError
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.errors import RosError
from scenemind_ros.reasoning.pinned_memory import PinnedMemory
from scenemind_ros.reasoning.remote_memory import RemoteMemory
from scenemind_ros.reasoning_node import ReasoningNode
from scenemind_ros.service_call import wait_for_service
from tests.chat_server import ChatServer
from tests.unit.memory.index_rows import assert_same_index

from .graph import NODE, SIMULATED, TIMEOUT_S, RosGraph
from .processes import Process, ros_arguments
from .scripted_model import ANSWER, MADE_OF, asking, look

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


def test_its_tree_and_frames_are_those_of_the_other_process(
    remote: RemoteMemory, stored_room: Path
) -> None:
    with Memory.open(stored_room, SceneMindConfig()) as memory:
        objects = list(memory.snapshot().objects)
        keys, cues = objects[:2], objects[2:4]
        for budget in (300, 8000):
            text = memory.tree_json(budget)
            clutter = float(np.float32(text.clutter_level))  # as it travels
            assert remote.tree_json(budget) == replace(text, clutter_level=clutter)
        numbers = memory.stored_frames()
        assert list(remote.stored_frames()) == numbers
        here, there = memory.key_frame(numbers[5]), remote.key_frame(numbers[5])
        assert (there.jpeg, there.boxes_px.keys()) == (here.jpeg, here.boxes_px.keys())
        assert remote.key_frame(numbers[5], keys).boxes_px.keys() <= set(keys)
        for asked in (
            (keys, cues, 3, None),
            (keys, (), 2, None),
            (keys, cues, 3, [1]),
            ((), (), 2, [0]),
        ):
            wanted = memory.select_key_frames(*asked)
            found = remote.select_key_frames(*asked)
            assert [f.frame_number for f in found] == [f.frame_number for f in wanted] != []
            assert [f.score for f in found] == pytest.approx([f.score for f in wanted])
            assert [f.location_id for f in found] == [f.location_id for f in wanted]
    assert remote.select_key_frames(keys, cues, 3, []) == []
    assert remote.select_key_frames([], [], 3) == []


def test_the_text_of_the_tree_is_fetched_again_when_the_map_has_changed(
    remote: RemoteMemory,
) -> None:
    object_id = min(remote.snapshot().objects)
    before = remote.tree_json()
    assert remote.tree_json() is before
    remote.apply([Edit("rename", (object_id,), value="throne")], "me", "because")
    remote.snapshot()
    after = remote.tree_json()
    assert "throne" in after.text
    assert "throne" not in before.text


def test_its_index_and_depth_are_those_of_the_other_process(
    remote: RemoteMemory, stored_room: Path
) -> None:
    with Memory.open(stored_room, SceneMindConfig()) as memory:
        assert_same_index(remote.frame_index(), memory.frame_index())
        assert len(memory.frame_index()) > 10
        for number in memory.stored_frames()[:3]:
            here, there = memory.depth_image(number), remote.depth_image(number)
            assert (there.every_px, there.camera) == (here.every_px, here.camera)
            np.testing.assert_array_equal(there.depth_m, here.depth_m)


def test_the_index_is_fetched_again_when_the_map_has_changed(remote: RemoteMemory) -> None:
    first, second, *_ = remote.snapshot().objects
    before = remote.frame_index()
    assert remote.frame_index() is before
    remote.apply([Edit("merge", (first, second))], "me", "because")
    assert second in remote.frame_index().detection_objects
    remote.snapshot()
    after = remote.frame_index()
    was_second = before.is_of([second])
    assert was_second.any()
    assert set(after.detection_objects[was_second].tolist()) == {first}
    np.testing.assert_array_equal(after.frame_numbers, before.frame_numbers)


def test_one_request_sees_one_index(remote: RemoteMemory) -> None:
    first, second, *_ = remote.snapshot().objects
    pinned = PinnedMemory(remote)
    index = pinned.frame_index()
    remote.apply([Edit("merge", (first, second))], "me", "because")
    remote.snapshot()
    assert pinned.frame_index() is index
    assert PinnedMemory(remote).frame_index() is not index
    number = int(index.frame_numbers[0])
    assert pinned.depth_image(number).every_px == remote.depth_image(number).every_px


def test_depth_that_is_not_stored_is_refused(
    remote: RemoteMemory, memories: Path, mapping: Process
) -> None:
    numbers = list(remote.stored_frames())
    frames = memories / "current" / "frames"
    (frames / f"{numbers[0]:06d}.png").unlink()
    (frames / f"{numbers[1]:06d}.png").write_bytes(b"no depth")
    for number in numbers[:2]:
        with pytest.raises(SceneMemoryError, match=f"frame {number} has no depth"):
            remote.depth_image(number)
        assert remote.key_frame(number).jpeg
    mapping.wait_for_line(f"frame {numbers[1]} cannot be read")


def test_a_frame_that_is_not_stored_is_refused(remote: RemoteMemory) -> None:
    for ask in (remote.key_frame, remote.depth_image):
        with pytest.raises(SceneMemoryError, match="123456"):
            ask(123456)
    with pytest.raises(SceneMemoryError, match="token budget"):
        remote.tree_json(0)


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


def test_a_model_sees_the_frames_of_the_other_process(graph: RosGraph, mapping: Process) -> None:
    mapping.wait_for_line("memory /")
    with ChatServer(look()) as server:
        graph.add(ReasoningNode, asking(server.endpoint))
        response = graph.call(srv.Ask, ASK, question=MADE_OF, method="memtree")
        uniform = graph.call(
            srv.SelectKeyFrames,
            "/reasoning_node/select_key_frames",
            question=MADE_OF,
            k=3,
            selector="uniform",
        )
    assert response.success, response.error
    assert (response.answer.text, response.answer.method) == (ANSWER["answer"], "memtree")
    assert [len(request.pictures) for request in server.requests] == [0, 1]
    assert bytes(response.evidence[0].image.data[:2]) == b"\xff\xd8"
    assert set(response.evidence[0].object_ids) & set(response.answer.object_ids)
    assert len(uniform.key_frames) == 3


def test_nobody_there_is_said_by_the_deadline(graph: RosGraph) -> None:
    memory = RemoteMemory(graph.observer, "/nobody", timeout_s=0.1)
    with pytest.raises(RosError, match="nobody offers /nobody/get_scene_graph") as caught:
        memory.snapshot()
    assert caught.value.code == Error.NODE_UNAVAILABLE
    with pytest.raises(SceneMemoryError, match="nobody offers"):
        memory.key_frames_of([1], 1)


class Silent(Node):
    """A mapping node that writes what it is told to, and is long about it."""

    def __init__(self, **options: Any) -> None:
        super().__init__("mapping_node", **options)
        self.released = threading.Event()
        self.create_service(srv.ApplyCorrections, "~/apply_corrections", self._apply)

    def _apply(self, _: Any, response: Any) -> Any:
        assert self.released.wait(TIMEOUT_S)
        return response


def test_of_a_write_without_a_response_it_is_said_that_it_may_be_done(graph: RosGraph) -> None:
    node = graph.add(Silent, {})
    remote = RemoteMemory(graph.observer, NODE, 0.2)
    wait_for_service(remote._clients[srv.ApplyCorrections], TIMEOUT_S)
    with pytest.raises(RosError, match=r"may be done all the same.*ListCorrections") as caught:
        remote.apply([Edit("rename", (1,), value="stool")], "Ada", "it is a stool")
    node.released.set()
    assert caught.value.code == Error.TIMEOUT
