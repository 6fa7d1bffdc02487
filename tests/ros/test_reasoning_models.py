"""The reasoning node with models: real nodes, and a scripted chat server as their endpoint."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from scenemind_interfaces import action, srv
from scenemind_interfaces.msg import Error
from scenemind_ros.reasoning_node import ReasoningNode
from tests.chat_server import ChatServer, Step, fail, say, stay_silent

from .goal import Goal
from .graph import RosGraph, wait_for
from .scripted_model import CHOICE, MADE_OF, asking, hang_on, look

ASK = "/reasoning_node/ask"
SELECT = "/reasoning_node/select_key_frames"
HOW_MANY = "How many chairs are there?"


@pytest.fixture
def memory(stored_room: Path, tmp_path: Path) -> Iterator[Memory]:
    copy = shutil.copytree(stored_room, tmp_path / "room")
    with Memory.open(copy, SceneMindConfig()) as memory:
        yield memory


def add_node(
    graph: RosGraph, memory: Memory, server: ChatServer, **parameters: object
) -> ReasoningNode:
    given = {name.replace("__", "."): value for name, value in parameters.items()}
    return graph.add(ReasoningNode, asking(server.endpoint) | given, memory=memory)


def ask(graph: RosGraph, question: str = MADE_OF, **fields: object) -> srv.Ask.Response:
    return graph.call(srv.Ask, ASK, question=question, **{"method": "memtree", **fields})


def soon(seconds: float) -> Duration:
    return Duration(nanosec=int(seconds * 1e9))


def test_answer_from_pictures_has_them_and_its_usage(graph: RosGraph, memory: Memory) -> None:
    with ChatServer(look()) as server:
        add_node(graph, memory, server)
        response = ask(graph)
    assert response.success, response.error
    answer = response.answer
    assert (answer.text, answer.method, answer.fallback) == ("It is made of wood.", "memtree", "")
    assert answer.confidence == pytest.approx(0.8)
    assert answer.usage.calls == 2
    assert answer.usage.prompt_tokens > 100
    assert answer.steps
    labels = {memory.snapshot().objects[i].label for i in answer.object_ids}
    assert labels == {"chair"}
    (frame,) = response.evidence
    sent = server.requests[-1].pictures
    assert len(sent) == 1
    assert bytes(frame.image.data) == memory.key_frame(frame.frame_id).jpeg
    assert set(frame.object_ids) & set(answer.object_ids)


def test_failure_has_the_examined_pictures(graph: RosGraph, memory: Memory) -> None:
    with ChatServer(look(seen=False, answer="")) as server:
        add_node(graph, memory, server)
        response = ask(graph, policy="strict")
    assert not response.success
    assert response.error.code == Error.NOT_FOUND
    shown = [memory.key_frame(frame.frame_id).jpeg for frame in response.evidence]
    assert [bytes(frame.image.data) for frame in response.evidence] == shown
    assert len(shown) == sum(len(request.pictures) for request in server.requests)
    assert response.answer.steps[0].startswith("tree chose the frames")
    assert "scripted looked at 1 of them: The picture shows a chair." in response.answer.steps


def test_feedback_has_stages_words_and_frames(graph: RosGraph, memory: Memory) -> None:
    with ChatServer(look()) as server:
        add_node(graph, memory, server)
        goal = Goal(graph, action.Ask, ASK, question=MADE_OF, method="memtree")
        status, result = goal.result()
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error
    wait_for(lambda: goal.feedback[-1].evidence, "the last feedback")
    stages = list(dict.fromkeys(step.stage for step in goal.feedback))
    assert stages == ["reason", "select", "look", "answer"]
    numbers = [step.step for step in goal.feedback]
    assert list(dict.fromkeys(numbers)) == [1, 2, 3, 4]
    (looked,) = [step for step in goal.feedback if step.stage == "look"]
    assert looked.partial_reasoning == CHOICE["think"]
    assert [f.frame_id for f in looked.evidence] == [f.frame_id for f in result.evidence]
    assert not looked.evidence[0].image.data


def test_program_of_a_model_is_run_and_reported(graph: RosGraph, memory: Memory) -> None:
    program = "Thought: I count.\nAction: Program\nAction Input:\n```\nprint(len(scene()))\n```"
    final = "Thought: So many.\nAction: Final Answer\nAction Input: many\nObjects: chair"
    with ChatServer(say(program), say(final)) as server:
        add_node(graph, memory, server)
        goal = Goal(graph, action.Ask, ASK, question=HOW_MANY, method="llm_tpc")
        status, result = goal.result()
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error
    assert (result.answer.text, result.answer.method) == ("many", "llm_tpc")
    assert f"observation: {len(memory.snapshot().objects)}" in result.answer.steps
    assert {memory.snapshot().objects[i].label for i in result.answer.object_ids} == {"chair"}
    stages = list(dict.fromkeys(step.stage for step in goal.feedback))
    assert {"think", "program", "observe"} <= set(stages)


def test_service_does_not_stream(graph: RosGraph, memory: Memory) -> None:
    with ChatServer(look()) as server:
        add_node(graph, memory, server)
        assert ask(graph).success
        Goal(graph, action.Ask, ASK, question=MADE_OF, method="memtree").result()
    assert [request.is_streamed for request in server.requests] == [False, False, True, True]


@pytest.mark.parametrize(("shortest_s", "bounded"), [(math.inf, True), (0.0, False)])
def test_streamed_words_are_bundled_in_the_feedback(
    graph: RosGraph,
    memory: Memory,
    monkeypatch: pytest.MonkeyPatch,
    shortest_s: float,
    bounded: bool,
) -> None:
    monkeypatch.setattr("scenemind_ros.reasoning.serving._SHORTEST_S", shortest_s)
    thought = " ".join(f"word{i}" for i in range(60))
    with ChatServer(look(think=thought)) as server:
        add_node(graph, memory, server)
        goal = Goal(graph, action.Ask, ASK, question=MADE_OF, method="memtree")
        goal.result()
    wait_for(lambda: "looked at" in goal.feedback[-1].partial_reasoning, "the last feedback")
    said = [step.partial_reasoning for step in goal.feedback if step.stage == "answer"]
    if bounded:
        assert len(said) == 2, "its begin, and its end with the frames"
    else:
        words = said[1:-1]
        assert len(words) > 2
        assert all(thought.startswith(so_far) for so_far in words)
        assert sorted(words, key=len) == words


def test_a_cancelled_goal_ends_its_call_and_frees_its_place(
    graph: RosGraph, memory: Memory
) -> None:
    with ChatServer(stay_silent) as server:
        add_node(graph, memory, server, parallel_requests=1, waiting_requests=0)
        goal = Goal(graph, action.Ask, ASK, question=MADE_OF, method="memtree")
        wait_for(lambda: server.requests, "the call of the model")
        assert ask(graph, HOW_MANY, method="symbolic").error.code == Error.BUSY
        goal.cancel()
        status, result = goal.result()
        assert (status, result.error.code) == (GoalStatus.STATUS_CANCELED, Error.CANCELLED)
        wait_for(lambda: ask(graph, HOW_MANY, method="symbolic").success, "a free place")


def test_a_second_caller_is_served_while_a_model_is_slow(graph: RosGraph, memory: Memory) -> None:
    with ChatServer(hang_on("slow?", look())) as server:
        add_node(graph, memory, server)
        slow = Goal(graph, action.Ask, ASK, question="Why so slow?", method="memtree")
        wait_for(lambda: server.requests, "the call of the model")
        assert ask(graph).answer.method == "memtree"
        assert ask(graph, HOW_MANY, method="auto").answer.method == "symbolic"
        slow.cancel()
        assert slow.result()[0] == GoalStatus.STATUS_CANCELED


@pytest.mark.parametrize(
    ("step", "timeout"), [(fail(500), soon(0.0)), (stay_silent, soon(0.3))], ids=["500", "silent"]
)
def test_fallback_answer_is_marked(
    graph: RosGraph, memory: Memory, step: Step, timeout: Duration
) -> None:
    with ChatServer(step) as server:
        add_node(graph, memory, server)
        response = ask(graph, HOW_MANY, timeout=timeout)
    assert response.success, response.error
    assert response.answer.method == "symbolic"
    assert "memtree" in response.answer.fallback


@pytest.mark.parametrize(
    ("step", "timeout", "code"),
    [
        (fail(500), soon(0.0), Error.MODEL_FAILED),
        (stay_silent, soon(0.3), Error.TIMEOUT),
        (look(seen=False, answer=""), soon(0.0), Error.NOT_FOUND),
    ],
    ids=["500", "silent", "unseen"],
)
def test_failure_without_fallback_has_its_own_code(
    graph: RosGraph, memory: Memory, step: Step, timeout: Duration, code: int
) -> None:
    with ChatServer(step) as server:
        add_node(graph, memory, server, falls_back=False)
        response = ask(graph, timeout=timeout, policy="strict")
    assert response.error.code == code, response.error.message
    assert response.answer.error == response.error
    assert response.answer.text == ""


def test_spent_budget_is_reported(graph: RosGraph, memory: Memory) -> None:
    with ChatServer(look()) as server:
        add_node(graph, memory, server, falls_back=False, models__question_tokens=1)
        response = ask(graph)
    assert response.error.code == Error.BUDGET_EXCEEDED
    assert "models.question_tokens" in response.error.message
    assert response.answer.usage.calls == 1


def test_a_policy_that_does_not_exist_is_refused(graph: RosGraph, memory: Memory) -> None:
    with ChatServer(look()) as server:
        add_node(graph, memory, server)
        response = ask(graph, policy="careless")
    assert response.error.code == Error.INVALID_REQUEST
    assert "always_answer" in response.error.message
    assert not server.requests


def test_frames_are_chosen_for_a_planner_with_reasons(graph: RosGraph, memory: Memory) -> None:
    with ChatServer(look()) as server:
        add_node(graph, memory, server)
        response = graph.call(srv.SelectKeyFrames, SELECT, question=MADE_OF, k=1)
    assert response.success, response.error
    assert response.selector == "tree"
    assert response.reasoning == CHOICE["think"]
    assert response.usage.calls == 1
    assert not server.requests[0].pictures
    objects = memory.snapshot().objects
    assert {objects[i].label for i in response.key_object_ids} == {"chair"}
    (frame,) = response.key_frames
    assert frame.location_id == 0
    assert bytes(frame.image.data[:2]) == b"\xff\xd8"


@pytest.mark.parametrize("selector", ["", "objects", "uniform"])
def test_frames_are_chosen_without_a_model_too(
    graph: RosGraph, memory: Memory, selector: str
) -> None:
    graph.add(ReasoningNode, {}, memory=memory)
    response = graph.call(srv.SelectKeyFrames, SELECT, question=MADE_OF, k=2, selector=selector)
    assert response.success, response.error
    assert len(response.key_frames) == 2
    assert response.selector == (selector or "objects")
    assert response.usage.calls == 0


@pytest.mark.parametrize(
    ("fields", "code", "says"),
    [
        ({"question": MADE_OF, "k": 33}, Error.INVALID_REQUEST, "1 to 32"),
        ({"k": 1, "object_ids": [1]}, Error.INVALID_REQUEST, "mapping node"),
        (
            {"question": MADE_OF, "k": 1, "selector": "tree"},
            Error.METHOD_UNAVAILABLE,
            "models.language.model",
        ),
        ({"question": MADE_OF, "k": 1, "selector": "luck"}, Error.INVALID_REQUEST, "uniform"),
        (
            {"question": "xyz?", "k": 1, "selector": "objects"},
            Error.NOT_FOUND,
            "no object of the map",
        ),
    ],
)
def test_frames_that_cannot_be_chosen(
    graph: RosGraph, memory: Memory, fields: dict[str, Any], code: int, says: str
) -> None:
    graph.add(ReasoningNode, {}, memory=memory)
    response = graph.call(srv.SelectKeyFrames, SELECT, **fields)
    assert not response.success
    assert response.error.code == code, response.error.message
    assert says in response.error.message


def test_diagnostics_show_the_state_of_each_model(graph: RosGraph, memory: Memory) -> None:
    heard = graph.listen(DiagnosticArray, "/diagnostics")

    def status_after(step: Step, **parameters: object) -> DiagnosticStatus:
        with ChatServer(step) as server:
            node = add_node(graph, memory, server, **parameters)
            ask(graph, HOW_MANY)
            heard.clear()
            wait_for(lambda: heard, "diagnostics")
            assert heard[-1].status[0].name == "reasoning_node: requests"
            (status,) = heard[-1].status[1:]
            graph.remove(node)
            return status

    well = status_after(look())
    values = {item.key: item.value for item in well.values}
    assert well.name == "reasoning_node: language and vision model"
    assert (well.level, well.message) == (DiagnosticStatus.OK, "ok")
    assert (values["model"], values["calls"]) == ("scripted", "1")
    assert int(values["prompt_tokens_today"]) > 100
    assert "cost_today" not in values
    ill = status_after(fail(500), models__rest_after=1)
    values = {item.key: item.value for item in ill.values}
    assert ill.level == DiagnosticStatus.WARN
    assert "left alone" in ill.message
    assert values["failed_server_failed"] == "1"


def test_node_without_a_key_answers_questions_that_need_no_model(
    graph: RosGraph, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    heard = graph.listen(DiagnosticArray, "/diagnostics")
    graph.add(ReasoningNode, {"models.language.model": "any"}, memory=memory)
    sure, asked = ask(graph, HOW_MANY, method="auto"), ask(graph, HOW_MANY)
    assert sure.success, sure.error
    assert (sure.answer.method, sure.answer.fallback) == ("symbolic", "")
    assert asked.answer.text == sure.answer.text
    assert "OPENAI_API_KEY" in asked.answer.fallback
    wait_for(lambda: heard, "diagnostics")
    (status,) = heard[-1].status[1:]
    assert status.level == DiagnosticStatus.WARN
    assert "OPENAI_API_KEY: set it" in status.message


def test_a_model_without_an_address_is_an_error_at_the_start(
    graph: RosGraph, memory: Memory
) -> None:
    parameters = {"models.language.model": "any", "models.language.endpoint": "somewhere"}
    heard = graph.listen(DiagnosticArray, "/diagnostics")
    node = graph.add(ReasoningNode, parameters, memory=memory)
    state = wait_for(lambda: [s for a in heard for s in a.status], "its state")[-1]
    assert "'somewhere' is no address" in state.message
    assert not node.is_configured


def test_a_recording_answers_in_place_of_a_model(
    graph: RosGraph, memory: Memory, tmp_path: Path
) -> None:
    tape = str(tmp_path / "tape.jsonl")
    with ChatServer(look()) as server:
        node = add_node(graph, memory, server, models__record=tape)
        recorded = ask(graph).answer
        graph.remove(node)
    add_node(graph, memory, server, models__replay=tape)  # the server is gone
    replayed = ask(graph).answer
    assert (replayed.text, replayed.method) == (recorded.text, "memtree")
    assert replayed.usage == recorded.usage
    other = ask(graph, "Is it raining?")
    assert other.error.code == Error.MODEL_FAILED
    assert "raining" in other.error.message
