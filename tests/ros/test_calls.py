"""Calls whose response is lost, and goals that a node refuses or never answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future

from scenemind_interfaces import action, srv
from scenemind_interfaces.msg import Error
from scenemind_ros import calls
from scenemind_ros.calls import PendingGoal, ServiceCaller, call_service
from scenemind_ros.errors import RosError
from scenemind_ros.run_node import SpinThread

from .goal import client_of
from .graph import TIMEOUT_S, RosGraph, wait_for


@pytest.mark.parametrize(("owner", "is_sent_again"), [("mapping", True), ("reasoning", False)])
def test_key_frames_are_asked_for_again_where_no_model_chooses_them(
    owner: str, is_sent_again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "AGAIN_S", 0.2)
    requests, over = [], threading.Event()

    def answer_the_second(request: Any, response: Any) -> Any:
        requests.append(request)
        if len(requests) == 1:
            over.wait(TIMEOUT_S)
        response.success = True
        return response

    graph = RosGraph(hears_processes=True)
    server = Node(f"{owner}_node", context=graph.context)
    group = ReentrantCallbackGroup()
    server.create_service(
        srv.SelectKeyFrames, "~/select_key_frames", answer_the_second, callback_group=group
    )
    executor = MultiThreadedExecutor(num_threads=2, context=graph.context)
    thread = SpinThread(server, executor)
    try:
        with ServiceCaller() as caller:
            if is_sent_again:
                assert caller.call(srv.SelectKeyFrames, TIMEOUT_S, of=owner).success
            else:
                with pytest.raises(RosError, match=r"gave no response within 1\.1 s"):
                    caller.call(srv.SelectKeyFrames, 0.1, of=owner)
        assert len(requests) == 1 + is_sent_again
    finally:
        over.set()
        thread.close()
        server.destroy_node()
        graph.close()


class Unanswered:
    """A client of a node that answers no first request."""

    srv_name = "/asked"

    def __init__(self, kind: Any) -> None:
        self.srv_type = kind
        self.sent = 0

    def service_is_ready(self) -> bool:
        return True

    def call_async(self, _request: Any) -> Future[Any]:
        self.sent += 1
        response: Future[Any] = Future()
        if self.sent > 1:
            response.set_result("answered")
        return response

    def remove_pending_request(self, sent: Future[Any]) -> None:
        pass


def is_sent_again(kind: Any, **options: bool) -> bool:
    client: Any = Unanswered(kind)
    with suppress(RosError):
        assert call_service(client, kind.Request(), 0.2, **options) == "answered"
    return client.sent > 1


def test_what_writes_or_asks_a_model_is_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "AGAIN_S", 0.01)
    kinds = {kind for kind in vars(srv).values() if hasattr(kind, "Request")}
    assert {kind for kind in kinds if not is_sent_again(kind)} == {
        srv.Ask,
        srv.Ground,
        srv.Align,
        srv.ApplyCorrections,
        srv.UndoCorrection,
        srv.RedoCorrection,
        srv.ImportCorrections,
        srv.SaveMemory,
        srv.LoadMemory,
        srv.MergeMemory,
        srv.ResetMemory,
        srv.SetVocabulary,
    }
    # The reasoning node's service of this type asks a model, the mapping node's does not.
    assert not is_sent_again(srv.SelectKeyFrames, once=True)


class HeldUp(dict[bytes, Any]):
    """Where rclpy's client notes a goal's callback: after the goal has left, and before it notes
    the future that the caller waits for. A goal is accepted meanwhile, if anything can hear that.
    """

    def __init__(self, accepted: dict[bytes, Any]) -> None:
        super().__init__()
        self._accepted = accepted

    def __setitem__(self, goal_id: bytes, callback: Any) -> None:
        super().__setitem__(goal_id, callback)
        with suppress(AssertionError):
            wait_for(lambda: self._accepted, "the acceptance", timeout_s=0.5)


@contextmanager
def pending_goal(
    graph: RosGraph,
    decide: Callable[[action.Align.Goal], GoalResponse],
    *,
    holds_up: bool = False,
) -> Iterator[PendingGoal]:
    """A goal of a node that works until it is cancelled."""
    over = threading.Event()

    def execute(goal: ServerGoalHandle) -> Any:
        while not goal.is_cancel_requested and not over.is_set():
            time.sleep(0.01)
        if goal.is_cancel_requested:
            goal.canceled()
        return action.Align.Result(error=Error(code=Error.CANCELLED))

    node = Node("server", context=graph.context)
    server = ActionServer(
        node,
        action.Align,
        "/align",
        execute,
        callback_group=ReentrantCallbackGroup(),
        goal_callback=decide,
        cancel_callback=lambda _: CancelResponse.ACCEPT,
    )
    thread = SpinThread(node, MultiThreadedExecutor(num_threads=3, context=graph.context))
    client = client_of(graph, action.Align, "/align")
    assert client.wait_for_server(TIMEOUT_S)
    if holds_up:
        client._feedback_callbacks = HeldUp(client._goal_handles)
    executor = graph.observer.executor
    assert executor is not None
    try:
        yield PendingGoal(client, action.Align.Goal(), lambda _: None, executor)
    finally:
        over.set()
        thread.close()
        server.destroy()
        node.destroy_node()


def test_a_goal_is_cancelled_that_was_not_accepted_yet(graph: RosGraph) -> None:
    may_accept = threading.Event()

    def accept(_goal: action.Align.Goal) -> GoalResponse:
        assert may_accept.wait(TIMEOUT_S)
        return GoalResponse.ACCEPT

    with pending_goal(graph, accept) as goal:
        goal.cancel()
        may_accept.set()
        assert goal.result(TIMEOUT_S).error.code == Error.CANCELLED


def test_an_acceptance_is_heard_that_comes_while_the_goal_is_being_sent(graph: RosGraph) -> None:
    with pending_goal(graph, lambda _: GoalResponse.ACCEPT, holds_up=True) as goal:
        goal.cancel()
        assert goal.result(5.0).error.code == Error.CANCELLED


def test_a_goal_that_the_node_refuses_has_no_result(graph: RosGraph) -> None:
    with (
        pending_goal(graph, lambda _: GoalResponse.REJECT) as goal,
        pytest.raises(RosError, match="does not take the goal") as caught,
    ):
        goal.result(TIMEOUT_S)
    assert caught.value.code == Error.NODE_UNAVAILABLE


def test_a_fraction_of_a_second_is_a_limit() -> None:
    with ServiceCaller(timeout_s=2.25) as caller:
        limits = [caller.limit(seconds) for seconds in (0.5, None, 3.0)]
    assert [(limit.sec, limit.nanosec) for limit in limits] == [
        (0, 500_000_000),
        (2, 250_000_000),
        (3, 0),
    ]


def test_cancelling_does_not_wait_for_a_node_that_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "_CONFIRMING_S", 0.1)
    with ServiceCaller() as caller:
        goal = PendingGoal(caller._goals[action.Align], action.Align.Goal(), None, caller._executor)
        with pytest.raises(RosError, match=r"no result within 0\.1 s"):
            goal.result(0.1)
        goal.cancel()
        goal.cancel()
        with pytest.raises(RosError, match=r"cancelled, but .* ListCorrections") as caught:
            goal.result(TIMEOUT_S)
        assert caught.value.code == Error.TIMEOUT
