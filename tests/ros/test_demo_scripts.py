"""Questions of the demo: answerable on every map, with wrong answers detected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.geometry import Pose
from scenemind.mapping import Mapper
from scenemind.memory import Memory, MemorySnapshot
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.reasoning import Query, Router
from scenemind.simulation import Sensors, SimulatedSequence, simulate
from scenemind_ros.demo.script import (
    Reply,
    Request,
    correction_requests,
    recorded_requests,
    seen_objects,
    simulated_requests,
)

CONFIG = SceneMindConfig()


@pytest.fixture(scope="module")
def sequence() -> SimulatedSequence:
    return simulate(2, 60, Sensors(320, 240))


@pytest.fixture(scope="module")
def memory(sequence: SimulatedSequence) -> Iterator[Memory]:
    with Memory.create(None, CONFIG) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names, min_pixels=15), memory, CONFIG)
        for frame in read_sequence(sequence):
            mapper.process(frame)
        yield memory


def put(request: Request, memory: Memory) -> Reply:
    """The replies of the nodes, made in this process."""
    router, query = Router(memory), Query(request.text)
    if request.kind == "undo":
        return Reply(True, memory.undo()[0].reason)
    if request.kind == "align":
        done = router.align(query, "a test")
        return Reply(done.failure is None, done.response, done.object_ids)
    if request.kind == "ground":
        found = router.ground(query)
        ids = tuple(obj.object_id for obj in found.objects)
        return Reply(found.failure is None, found.reasoning, ids)
    answer = router.ask(query)
    ids = tuple(obj.object_id for obj in answer.objects)
    return Reply(answer.failure is None, answer.text, ids)


def test_questions_about_a_real_room_can_be_answered(memory: Memory) -> None:
    requests = recorded_requests(memory.snapshot())
    assert len({request.name for request in requests}) >= 8
    assert len({request.text for request in requests}) == len(requests)
    for request in requests:
        reply = put(request, memory)
        assert reply.success, (request, reply)
        assert request.is_right(reply), (request, reply)


def test_a_simulated_room_is_answered_rightly(sequence: SimulatedSequence, memory: Memory) -> None:
    seen = seen_objects(sequence, len(sequence))
    requests = simulated_requests(sequence.room, seen, memory.snapshot())
    assert all(request.expected for request in requests)
    for request in requests:
        reply = put(request, memory)
        assert reply.success, (request, reply)
        assert request.is_right(reply), (request, reply)


def test_wrong_answers_are_detected(sequence: SimulatedSequence, memory: Memory) -> None:
    seen = seen_objects(sequence, len(sequence))
    requests = simulated_requests(sequence.room, seen, memory.snapshot())
    judged = [r for r in requests if r.kind in ("ask", "ground") and r.expected != "no"]
    assert len(judged) > 8
    for request in judged:
        assert not request.is_right(Reply(True, "There is one by the elephant.", (123456,)))


def test_correction_without_effect_is_detected(memory: Memory) -> None:
    thing = next(iter(memory.snapshot().objects.values()))
    unheeded = Reply(True, f"Yes, the {thing.label} (object {thing.object_id})", ())
    still_there = Reply(True, "Yes, there is one.", (thing.object_id,))
    by_name = {r.name: r for r in correction_requests([thing])}
    assert not by_name["ask by the new name"].is_right(unheeded)
    assert not by_name["ask for the undone name"].is_right(still_there)
    assert not by_name["ask by the old name"].is_right(unheeded)


def test_an_empty_map_is_asked_too() -> None:
    nothing = MemorySnapshot(0, 0, {}, (), Pose.identity())
    assert [request.kind for request in recorded_requests(nothing)] == ["ask", "ask"]


def test_only_objects_before_the_camera_count_as_seen(sequence: SimulatedSequence) -> None:
    early, late = (set(seen_objects(sequence, frames)) for frames in (10, len(sequence)))
    assert early < late
    pixels = np.zeros(len(sequence.room.objects) + 1, dtype=np.int64)
    for frame in sequence:
        assert frame.instances is not None
        pixels += np.bincount(frame.instances.ravel(), minlength=len(pixels))
    assert all(pixels[number] > 0 for number in late)
