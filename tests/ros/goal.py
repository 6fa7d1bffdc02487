"""Goals of actions, as a test sends them."""

from __future__ import annotations

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
        sent = client.send_goal_async(
            kind.Goal(**fields), lambda message: self.feedback.append(message.feedback)
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
    """A client made on its node's spinning thread, which must not see an incomplete client."""
    node = graph.observer
    assert node.executor is not None
    group = ReentrantCallbackGroup()
    made = node.executor.create_task(lambda: ActionClient(node, kind, name, callback_group=group))
    wait_for(made.done, "an action client")
    return made.result()
