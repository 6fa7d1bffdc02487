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
from scenemind_ros.calls import wait_for_service
from scenemind_ros.errors import RosError
from scenemind_ros.reasoning.memory_access import PinnedMemory, RemoteMemory
from scenemind_ros.reasoning_node import ReasoningNode
from tests.chat_server import ChatServer
from tests.unit.memory.index_rows import assert_same_index

from .graph import NODE, SIMULATED, TIMEOUT_S, RosGraph
from .processes import Process, ros_arguments
from .scripted_model import ANSWER, MADE_OF, asking, look

ASK = "/reasoning_node/ask"
CHAIRS = "How many chairs are there?"


@pytest.fixture(scope="module")
def memories(stored_room: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with the stored room as the memory `current`."""
    root = tmp_path_factory.mktemp("memories")
    shutil.copytree(stored_room, root / "current")
    return root


@pytest.fixture(scope="module")
def mapping(memories: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """One process for all tests, which the last one ends; corrections are undone after each."""
    parameters = SIMULATED | {"memory.root": str(memories)}
    folder = tmp_path_factory.mktemp("log")
    process = Process(folder, "scenemind_ros.mapping_node", *ros_arguments(parameters))
    yield process
    process.close()


@pytest.fixture
def graph() -> Iterator[RosGraph]:
    graph = RosGraph(hears_processes=True)
    yield graph
    graph.close()


@pytest.fixture
def remote(graph: RosGraph, mapping: Process) -> Iterator[RemoteMemory]:
    mapping.wait_for_line("memory /")
    remote = RemoteMemory(graph.observer, NODE, TIMEOUT_S)
    yield remote
    while any(not correction.undone for correction in remote.corrections()):
        remote.undo()


def test_remote_memory_equals_that_of_the_other_process(
    remote: RemoteMemory, stored_room: Path
) -> None:
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
        assert thing.alternatives == pytest.approx(known.alternatives, abs=1e-6)
        assert thing.measured_share == pytest.approx(known.measured_share, abs=1e-6)
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
            clutter = float(np.float32(text.clutter_level))  # as sent in messages
            assert remote.tree_json(budget) == replace(text, clutter_level=clutter)
        assert remote.visits() == memory.visits() != ()
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
    images = [memories / "current" / "frames" / f"{number:06d}.png" for number in numbers[:2]]
    stored = [image.read_bytes() for image in images]
    images[0].unlink()
    images[1].write_bytes(b"no depth")
    for number in numbers[:2]:
        with pytest.raises(SceneMemoryError, match=f"frame {number} has no depth"):
            remote.depth_image(number)
        assert remote.key_frame(number).jpeg
    mapping.wait_for_line(f"frame {numbers[1]} cannot be read")
    for image, content in zip(images, stored, strict=True):
        image.write_bytes(content)


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
    (noted,) = remote.apply([Edit("confirm", (object_id,))], "me", "because")
    (undone,) = remote.undo(written.correction_id)
    assert (undone.correction_id, undone.undone) == (written.correction_id, True)
    assert remote.snapshot().objects[object_id].label == label
    assert [entry.correction_id for entry in remote.undo()] == [noted.correction_id]
    assert [entry.undone for entry in remote.corrections()[-2:]] == [True, True]
    (redone,) = remote.redo(written.correction_id)
    assert (redone.correction_id, redone.undone) == (written.correction_id, False)
    assert [entry.correction_id for entry in remote.redo()] == [noted.correction_id]
    assert remote.snapshot().objects[object_id].label == "throne"


def test_what_one_sentence_wrote_is_undone_and_redone_as_one(remote: RemoteMemory) -> None:
    one, other = sorted(remote.snapshot().objects)[:2]
    edits = [Edit("rename", (i,), value="throne") for i in (one, other)]
    written = [entry.correction_id for entry in remote.apply(edits, "me", "both are thrones")]
    assert [(e.correction_id, e.undone) for e in remote.undo()] == [(i, True) for i in written]
    assert [(e.correction_id, e.undone) for e in remote.redo()] == [(i, False) for i in written]
    assert [e.correction_id for e in remote.undo(*written)] == written


def test_a_refusal_is_an_error_as_of_a_local_memory(remote: RemoteMemory) -> None:
    with pytest.raises(SceneMemoryError, match="there is no object 9999"):
        remote.apply([Edit("delete_object", (9999,))], "me", "because")
    with pytest.raises(SceneMemoryError, match="no correction to undo"):
        remote.undo()


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


def test_missing_node_is_an_error_by_the_deadline(graph: RosGraph) -> None:
    memory = RemoteMemory(graph.observer, "/nobody", timeout_s=0.1)
    with pytest.raises(RosError, match="no node offers /nobody/get_scene_graph") as caught:
        memory.snapshot()
    assert caught.value.code == Error.NODE_UNAVAILABLE
    with pytest.raises(SceneMemoryError, match="no node offers"):
        memory.key_frames_of([1], 1)


WRITING = {
    srv.ApplyCorrections: "apply_corrections",
    srv.UndoCorrection: "undo_correction",
    srv.RedoCorrection: "redo_correction",
}


class Silent(Node):
    """A mapping node that writes corrections slowly."""

    def __init__(self, **options: Any) -> None:
        super().__init__("silent_node", **options)
        self.released = threading.Event()
        for kind, name in WRITING.items():
            self.create_service(kind, f"~/{name}", self._write)

    def _write(self, _: Any, response: Any) -> Any:
        assert self.released.wait(TIMEOUT_S)
        return response


def test_error_of_a_write_without_a_response_says_that_it_may_be_done(graph: RosGraph) -> None:
    node = graph.add(Silent, {})
    remote = RemoteMemory(graph.observer, "/silent_node", 0.2)
    for kind in WRITING:
        wait_for_service(remote._clients[kind], TIMEOUT_S)
    for write in (
        lambda: remote.apply([Edit("rename", (1,), value="stool")], "Ada", "it is a stool"),
        remote.undo,
        remote.redo,
    ):
        with pytest.raises(RosError, match=r"may be done all the same.*ListCorrections") as caught:
            write()
        assert caught.value.code == Error.TIMEOUT
    node.released.set()


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
