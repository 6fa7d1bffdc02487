"""The reasoning node on a memory in its own process: services, actions and failures."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Pose
from visualization_msgs.msg import MarkerArray

from scenemind.config import SceneMindConfig
from scenemind.memory import Correction, Edit, Memory, MemorySnapshot
from scenemind.reasoning import Query, Router
from scenemind_interfaces import action, srv
from scenemind_interfaces.msg import Answer, Error, SceneObjectArray
from scenemind_ros.conversions import box_to_msg, object_from_msg, stamp_ns
from scenemind_ros.qos import LATCHED, REQUESTS
from scenemind_ros.reasoning.memory_access import PinnedMemory
from scenemind_ros.reasoning_node import ReasoningNode

from .goal import Goal
from .graph import TIMEOUT_S, RosGraph, wait_for

REASONER = "/reasoning_node"
CHAIRS = "How many chairs are there?"
STARTS = ["Is there a", "Where is the", "How big is the", "What colour is the", "What is near the"]


class GatedMemory(PinnedMemory):
    """A real memory whose readers wait until the gate is open."""

    def __init__(self, memory: Memory, closed_for: int = 1) -> None:
        """`closed_for` readers have to wait; later ones pass."""
        super().__init__(memory)
        self.gate = threading.Event()
        self._tickets = iter(range(closed_for))

    def snapshot(self) -> MemorySnapshot:
        if next(self._tickets, None) is not None:
            assert self.gate.wait(TIMEOUT_S)
        return super().snapshot()


class Room(NamedTuple):
    graph: RosGraph
    memory: Memory


@pytest.fixture
def memory(stored_room: Path, tmp_path: Path) -> Iterator[Memory]:
    copy = shutil.copytree(stored_room, tmp_path / "room")
    with Memory.open(copy, SceneMindConfig()) as memory:
        yield memory


@pytest.fixture
def room(graph: RosGraph, memory: Memory) -> Room:
    graph.add(ReasoningNode, {}, memory=memory)
    return Room(graph, memory)


def chairs_in(memory: Memory) -> dict[int, Any]:
    return {i: o for i, o in memory.snapshot().objects.items() if o.label == "chair"}


def test_an_answer_comes_with_objects_boxes_and_images(room: Room) -> None:
    chairs = chairs_in(room.memory)
    response = room.graph.call(srv.Ask, f"{REASONER}/ask", question=CHAIRS)
    assert response.success, response.error
    answer = response.answer
    assert str(len(chairs)) in answer.text
    assert set(answer.object_ids) == set(chairs)
    for object_id, box in zip(answer.object_ids, answer.boxes, strict=True):
        assert box == box_to_msg(chairs[object_id].box)
    assert (answer.question, answer.method) == (CHAIRS, "symbolic")
    assert stamp_ns(answer.header.stamp) == room.memory.snapshot().stamp_ns
    assert answer.header.frame_id == "map"
    assert response.evidence
    assert all(bytes(frame.image.data[:2]) == b"\xff\xd8" for frame in response.evidence)
    assert all(set(frame.object_ids) & set(chairs) for frame in response.evidence)


def test_grounding_gives_the_object_that_stands_there(room: Room) -> None:
    (fridge,) = [o for o in room.memory.snapshot().objects.values() if o.label == "refrigerator"]
    response = room.graph.call(srv.Ground, f"{REASONER}/ground", query="the refrigerator")
    assert response.success, response.error
    assert object_from_msg(response.objects[0]).box == fridge.box
    assert response.objects[0].id == fridge.object_id
    assert response.reasoning
    assert response.method == "symbolic"


def test_a_phrase_is_grounded_from_where_somebody_says_they_stand(room: Room) -> None:
    where = "I stand at the refrigerator and face the wall"
    asked = {"query": "the chair on my left", "situation": where}
    same = Router(room.memory).ground(Query(asked["query"], where))
    assert same.objects
    response = room.graph.call(srv.Ground, f"{REASONER}/ground", **asked)
    _, result = Goal(room.graph, action.Ground, f"{REASONER}/ground", **asked).result()
    for found in (response, result):
        assert [thing.id for thing in found.objects] == [one.object_id for one in same.objects]


def test_action_gives_feedback_and_the_answer_of_the_service(room: Room) -> None:
    goal = Goal(room.graph, action.Ask, f"{REASONER}/ask", question=CHAIRS)
    status, result = goal.result()
    assert status == GoalStatus.STATUS_SUCCEEDED
    asked = room.graph.call(srv.Ask, f"{REASONER}/ask", question=CHAIRS)
    assert result.answer.text == asked.answer.text
    wait_for(lambda: len(goal.feedback) == 2, "feedback of both steps")
    assert [(step.step, step.stage) for step in goal.feedback] == [(1, "reason"), (2, "answer")]
    assert goal.feedback[-1].partial_reasoning
    assert [f.frame_id for f in goal.feedback[-1].evidence] == [f.frame_id for f in result.evidence]
    assert not any(frame.image.data for frame in goal.feedback[-1].evidence)


def test_a_phrase_that_fits_nothing_aborts_its_goal_with_the_reason(room: Room) -> None:
    goal = Goal(room.graph, action.Ground, f"{REASONER}/ground", query="the elephant")
    status, result = goal.result()
    assert status == GoalStatus.STATUS_ABORTED
    assert not result.success
    assert result.error.code == Error.NOT_FOUND
    assert "elephant" in result.error.message


def test_a_correction_changes_the_next_answer_and_undo_takes_it_back(room: Room) -> None:
    chair = min(chairs_in(room.memory))

    def align(text: str, **fields: Any) -> Any:
        return room.graph.call(srv.Align, f"{REASONER}/align", instruction=text, **fields)

    def is_there_a_throne() -> bool:
        question = "Is there a throne?"
        answer = room.graph.call(srv.Ask, f"{REASONER}/ask", question=question).answer
        return list(answer.object_ids) == [chair]

    assert not is_there_a_throne()
    done = align("this is a throne", marked_object_ids=[chair])
    assert done.success, done.error
    (edit,) = done.edits
    assert (edit.kind, list(edit.object_ids), edit.value) == ("rename", [chair], "throne")
    assert edit.reason == "this is a throne"
    assert done.revision == room.memory.snapshot().revision
    assert is_there_a_throne()
    assert align("undo that").success
    assert not is_there_a_throne()


UNTURNED = Pose()
UNTURNED.orientation.w = 0.0


@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        (srv.Ask, {"question": "  "}, Error.INVALID_REQUEST),
        (srv.Ask, {"question": CHAIRS, "method": "guess"}, Error.INVALID_REQUEST),
        (srv.Ask, {"question": CHAIRS, "method": "vadar"}, Error.METHOD_UNAVAILABLE),
        (srv.Ask, {"question": "chair " * 500}, Error.INVALID_REQUEST),
        (
            srv.Ask,
            {"question": CHAIRS, "viewpoint": UNTURNED, "has_viewpoint": True},
            Error.INVALID_REQUEST,
        ),
        (srv.Ask, {"question": "What is this?", "marked_object_ids": [999]}, Error.MEMORY_REFUSED),
        (srv.Ask, {"question": CHAIRS, "timeout": Duration(sec=-1)}, Error.INVALID_REQUEST),
        (srv.Ground, {"query": ""}, Error.INVALID_REQUEST),
        (srv.Ground, {"query": "the unicorn"}, Error.NOT_FOUND),
        (srv.Ground, {"query": "the chair", "method": "no such"}, Error.INVALID_REQUEST),
        (srv.Align, {"instruction": ""}, Error.INVALID_REQUEST),
        (srv.Align, {"instruction": "this is a cup"}, Error.NOT_FOUND),
        (srv.Align, {"instruction": "the chair is a throne"}, Error.AMBIGUOUS),
    ],
)
def test_a_wrong_request_gets_a_code_and_a_sentence(
    room: Room, kind: Any, fields: dict[str, Any], code: int
) -> None:
    response = room.graph.call(kind, f"{REASONER}/{kind.__name__.lower()}", **fields)
    assert not response.success
    assert response.error.code == code, response.error.message
    assert response.error.message
    if kind is srv.Ask:
        assert response.answer.error == response.error
        assert response.answer.question == fields["question"]


def test_empty_memory_is_a_failure_of_its_own(graph: RosGraph) -> None:
    with Memory.create(None, SceneMindConfig()) as memory:
        graph.add(ReasoningNode, {}, memory=memory)
        response = graph.call(srv.Ask, f"{REASONER}/ask", question=CHAIRS)
    assert response.error.code == Error.EMPTY_MEMORY


def test_a_cancelled_goal_ends_while_its_work_still_hangs(graph: RosGraph, memory: Memory) -> None:
    gated = GatedMemory(memory)
    graph.add(ReasoningNode, {}, memory=gated)
    goal = Goal(graph, action.Ask, f"{REASONER}/ask", question=CHAIRS)
    wait_for(lambda: goal.feedback, "the first feedback")
    goal.cancel()
    status, result = goal.result()
    assert status == GoalStatus.STATUS_CANCELED
    assert result.error.code == Error.CANCELLED
    assert not gated.gate.is_set()
    gated.gate.set()
    assert graph.call(srv.Ask, f"{REASONER}/ask", question=CHAIRS).success


def test_a_timeout_holds_while_the_memory_hangs(graph: RosGraph, memory: Memory) -> None:
    gated = GatedMemory(memory)
    graph.add(ReasoningNode, {}, memory=gated)
    soon = Duration(nanosec=50_000_000)
    response = graph.call(srv.Ask, f"{REASONER}/ask", question=CHAIRS, timeout=soon)
    assert response.error.code == Error.TIMEOUT
    assert not gated.gate.is_set()
    gated.gate.set()


def test_a_correction_keeps_its_time_while_the_journal_hangs(
    graph: RosGraph, memory: Memory
) -> None:
    class HangingJournal(PinnedMemory):
        """A journal that can be written and whose reading waits."""

        gate = threading.Event()

        def corrections(self) -> list[Correction]:
            assert self.gate.wait(TIMEOUT_S)
            return super().corrections()

    hanging = HangingJournal(memory)
    alone = {"timeout_s": 0.5, "parallel_requests": 1, "waiting_requests": 0}
    graph.add(ReasoningNode, alone, memory=hanging)
    chair = min(chairs_in(memory))
    response = graph.call(srv.Align, f"{REASONER}/align", instruction=f"object {chair} is a stool")
    assert response.error.code == Error.TIMEOUT, response.error
    late = graph.call(srv.Ask, f"{REASONER}/ask", question=CHAIRS)
    assert late.error.code == Error.TIMEOUT
    assert "no place was free within 0.5 s" in late.error.message, "it holds its place"
    hanging.gate.set()


def test_callers_do_not_wait_for_each_other(graph: RosGraph, memory: Memory) -> None:
    gated = GatedMemory(memory)
    graph.add(ReasoningNode, {}, memory=gated)
    slow = Goal(graph, action.Ask, f"{REASONER}/ask", question=CHAIRS)
    wait_for(lambda: slow.feedback, "the slow one to begin")
    assert graph.call(srv.Ask, f"{REASONER}/ask", question="Is there a chair?").success
    gated.gate.set()
    assert slow.result()[0] == GoalStatus.STATUS_SUCCEEDED


def test_more_callers_than_may_wait_are_refused(graph: RosGraph, memory: Memory) -> None:
    gated = GatedMemory(memory)
    graph.add(ReasoningNode, {"parallel_requests": 1, "waiting_requests": 1}, memory=gated)
    first = Goal(graph, action.Ask, f"{REASONER}/ask", question=CHAIRS)
    wait_for(lambda: first.feedback, "the first one to begin")
    second = Goal(graph, action.Ask, f"{REASONER}/ask", question="Is there a chair?")
    wait_for(lambda: second.feedback, "the second one to wait")
    third = graph.call(srv.Ask, f"{REASONER}/ask", question="Is there a table?")
    assert third.error.code == Error.BUSY
    assert "waiting_requests" in third.error.message
    gated.gate.set()
    assert first.result()[0] == second.result()[0] == GoalStatus.STATUS_SUCCEEDED


def test_waiting_callers_with_the_same_question_share_its_answer(
    graph: RosGraph, memory: Memory
) -> None:
    class Counted(GatedMemory):
        asked = 0

        def snapshot(self) -> MemorySnapshot:
            Counted.asked += 1
            return super().snapshot()

    gated = Counted(memory)
    graph.add(ReasoningNode, {"parallel_requests": 1}, memory=gated)
    first = Goal(graph, action.Ask, f"{REASONER}/ask", question="Is there a table?")
    wait_for(lambda: first.feedback, "the first one to begin")
    goals = [Goal(graph, action.Ask, f"{REASONER}/ask", question=CHAIRS) for _ in range(3)]
    wait_for(lambda: all(goal.feedback for goal in goals), "three others to wait")
    goals[0].cancel()
    assert goals[0].result()[0] == GoalStatus.STATUS_CANCELED
    gated.gate.set()
    answers = [goal.result() for goal in goals[1:]]
    assert [status for status, _ in answers] == [GoalStatus.STATUS_SUCCEEDED] * 2
    assert answers[0][1].answer.text == answers[1][1].answer.text
    assert first.result()[0] == GoalStatus.STATUS_SUCCEEDED
    assert Counted.asked == 2


def test_pictures_are_left_out_on_request(room: Room) -> None:
    with_pictures = room.graph.call(srv.Ask, f"{REASONER}/ask", question=CHAIRS)
    without = room.graph.call(srv.Ask, f"{REASONER}/ask", question=CHAIRS, evidence_images=False)
    assert [frame.frame_id for frame in without.evidence] == [
        frame.frame_id for frame in with_pictures.evidence
    ]
    assert not any(frame.image.data for frame in without.evidence)


def test_a_node_without_a_free_place_says_so(graph: RosGraph, memory: Memory) -> None:
    gated = GatedMemory(memory)
    heard = graph.listen(DiagnosticArray, "/diagnostics")
    graph.add(ReasoningNode, {"parallel_requests": 1}, memory=gated)

    def is_told(level: bytes) -> bool:
        of_requests = [s for a in heard for s in a.status if s.name.endswith("requests")]
        return bool(of_requests) and of_requests[-1].level == level

    wait_for(lambda: is_told(DiagnosticStatus.OK), "a free place")
    questions = (CHAIRS, "Is there a chair?")
    goals = [Goal(graph, action.Ask, f"{REASONER}/ask", question=text) for text in questions]
    wait_for(lambda: is_told(DiagnosticStatus.WARN), "the warning", 5.0)
    gated.gate.set()
    assert all(goal.result()[0] == GoalStatus.STATUS_SUCCEEDED for goal in goals)
    wait_for(lambda: is_told(DiagnosticStatus.OK), "a free place again", 5.0)


def test_no_one_of_many_simultaneous_requests_is_lost(graph: RosGraph, memory: Memory) -> None:
    graph.add(ReasoningNode, {"parallel_requests": 4}, memory=memory)
    # A client that keeps the usual 10 responses loses others that come at once.
    client = graph.observer.create_client(srv.Ask, f"{REASONER}/ask", qos_profile=REQUESTS)
    assert client.wait_for_service(timeout_sec=TIMEOUT_S)
    labels = sorted({thing.label for thing in memory.snapshot().objects.values()})
    questions = [f"{start} {labels[i % len(labels)]}?" for i, start in enumerate(STARTS * 40)]
    sent = [client.call_async(srv.Ask.Request(question=text)) for text in questions]
    wait_for(lambda: all(future.done() for future in sent), "all responses")
    assert len(sent) == 200
    codes = {future.result().error.code for future in sent}
    assert not codes & {Error.BUSY, Error.TIMEOUT, Error.NODE_UNAVAILABLE}


def test_unexpected_error_is_reported_and_the_node_goes_on(graph: RosGraph, memory: Memory) -> None:
    class BrokenOnce(PinnedMemory):
        is_broken = True

        def snapshot(self) -> MemorySnapshot:
            if self.is_broken:
                self.is_broken = False
                raise KeyError("a bug")
            return super().snapshot()

    graph.add(ReasoningNode, {}, memory=BrokenOnce(memory))
    response = graph.call(srv.Ask, f"{REASONER}/ask", question=CHAIRS)
    assert response.error.code == Error.INTERNAL
    assert "a bug" in response.error.message
    assert graph.call(srv.Ask, f"{REASONER}/ask", question=CHAIRS).success


def test_names_from_the_map_are_never_read_as_anything_but_names(room: Room) -> None:
    name = "{query.text!r} %s $(id) undo that"
    chair = min(chairs_in(room.memory))
    room.memory.apply([Edit("rename", (chair,), value=name)], "test", "test")
    count = len(room.memory.corrections())
    response = room.graph.call(
        srv.Ask, f"{REASONER}/ask", question="What is this?", marked_object_ids=[chair]
    )
    assert name in response.answer.text
    assert len(room.memory.corrections()) == count


def test_late_subscribers_get_the_last_answer(room: Room) -> None:
    room.graph.call(srv.Ask, f"{REASONER}/ask", question="Is there a refrigerator?")
    room.graph.call(srv.Ask, f"{REASONER}/ask", question=CHAIRS)
    chairs = set(chairs_in(room.memory))
    answers = room.graph.listen(Answer, f"{REASONER}/answers", LATCHED)
    boxes = room.graph.listen(SceneObjectArray, f"{REASONER}/boxes", LATCHED)
    markers = room.graph.listen(MarkerArray, f"{REASONER}/markers", LATCHED)
    wait_for(lambda: answers and boxes and markers, "the latched topics")
    assert answers[-1].question == CHAIRS
    assert {thing.id for thing in boxes[-1].objects} == chairs
    drawn = [marker for marker in markers[-1].markers if marker.ns == "boxes"]
    assert {marker.id for marker in drawn} == chairs
    grounded = room.graph.call(srv.Ground, f"{REASONER}/ground", query="the refrigerator")
    wanted = [thing.id for thing in grounded.objects]
    wait_for(lambda: [thing.id for thing in boxes[-1].objects] == wanted, "what was grounded", 5.0)


def test_an_unknown_parameter_leaves_it_unconfigured_with_a_hint(
    graph: RosGraph, memory: Memory
) -> None:
    heard = graph.listen(DiagnosticArray, "/diagnostics")
    graph.add(ReasoningNode, {"timeout_sec": 3.0}, memory=memory)
    state = wait_for(lambda: [s for a in heard for s in a.status], "its state")[-1]
    assert (state.name, state.level) == ("reasoning_node: state", DiagnosticStatus.ERROR)
    assert "stays unconfigured: reasoning_node has no parameter timeout_sec" in state.message
    assert "did you mean timeout_s?" in state.message


def test_similar_objects_are_shown_before_they_are_corrected_too(room: Room) -> None:
    chairs = chairs_in(room.memory)
    alike = {
        i: [s.object_id for s in room.memory.find_similar(Edit("confirm", (i,)))] for i in chairs
    }
    first, other = next((i, ids[0]) for i, ids in alike.items() if ids)

    def align(sentence: str) -> Any:
        return room.graph.call(srv.Align, f"{REASONER}/align", instruction=sentence)

    assert align(f"object {first} is a stool").success
    preview = align("the same goes for the similar ones")
    assert not preview.success
    assert not preview.edits
    assert "are similar" in preview.error.message
    assert "If so, say it of objects" in preview.error.message
    done = align(f"yes, object {other} too")
    assert [list(entry.object_ids) for entry in done.edits] == [[other]]
    labels = {i: o.label for i, o in room.memory.snapshot().objects.items()}
    assert (labels[first], labels[other]) == ("stool", "stool")


def test_the_past_is_asked_in_words(room: Room) -> None:
    response = room.graph.call(srv.Ask, f"{REASONER}/ask", question="What changed since 1 s ago?")
    assert response.success, response.error
    assert "before the newest frame" in response.answer.text
