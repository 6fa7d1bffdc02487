"""Goals of actions, as a test sends them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup

from .graph import TIMEOUT_S, RosGraph, wait_for


class Goal:
    """A goal that was sent to an action of the reasoning node."""

    def __init__(self, graph: RosGraph, kind: Any, name: str, **fields: Any) -> None:
        self.feedback: list[Any] = []
        client = client_of(graph, kind, name)
        assert client.wait_for_server(TIMEOUT_S)
        sent = _on_the_spinning_thread(
            graph,
            lambda: client.send_goal_async(
                kind.Goal(**fields), lambda message: self.feedback.append(message.feedback)
            ),
        )
        wait_for(sent.done, "acceptance of the goal")
        self.handle: ClientGoalHandle = sent.result()

    def cancel(self) -> None:
        cancelled = self.handle.cancel_goal_async()
        wait_for(cancelled.done, "the cancellation")
        assert cancelled.result().goals_canceling

    def result(self) -> tuple[int, Any]:
        """Status and result."""
        done = self.handle.get_result_async()
        wait_for(done.done, "the result")
        return done.result().status, done.result().result


def client_of(graph: RosGraph, kind: Any, name: str) -> ActionClient[Any, Any, Any]:
    """A client, complete before the observer's executor sees it."""
    node, group = graph.observer, ReentrantCallbackGroup()
    return _on_the_spinning_thread(
        graph, lambda: ActionClient(node, kind, name, callback_group=group)
    )


def _on_the_spinning_thread(graph: RosGraph, call: Callable[[], Any]) -> Any:
    """What a call returns on the thread of the observer, which takes no messages meanwhile."""
    executor = graph.observer.executor
    assert executor is not None
    called = executor.create_task(call)
    wait_for(called.done, "the observer's thread")
    return called.result()
