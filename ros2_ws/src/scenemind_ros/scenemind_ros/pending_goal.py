"""A goal of an action, for threads that no executor needs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as StillRunning
from typing import Any

from rclpy.action import ActionClient

from scenemind_interfaces.msg import Error
from scenemind_ros.errors import RosError

OnFeedback = Callable[[Any], None]
"""Hears each feedback message, on the thread of the client's node; should return soon."""

_POLL_S = 0.02
# For a node to say what became of a goal that was cancelled: it may be amid a write.
_CONFIRMING_S = 10.0


class PendingGoal:
    """Sent when it is made. Thread-safe."""

    def __init__(
        self, client: ActionClient[Any, Any, Any], goal: Any, on_feedback: OnFeedback | None
    ) -> None:
        self._lock = threading.Lock()  # of the two below
        self._handle: Any = None
        self._cancelled: Future[None] = Future()
        self._result: Future[Any] = Future()
        hear = None if on_feedback is None else lambda message: on_feedback(message.feedback)
        client.send_goal_async(goal, feedback_callback=hear).add_done_callback(self._hear_accepted)

    def cancel(self) -> None:
        """Ask the node to give it up, which its result will say; returns at once."""
        with self._lock:
            if self._cancelled.done():
                return
            self._cancelled.set_result(None)
            if self._handle is not None:
                self._handle.cancel_goal_async()

    def result(self, timeout_s: float) -> Any:
        """The result's message, whether it succeeded or not.

        Raises:
            RosError: TIMEOUT when none came, in a shorter time where it was cancelled;
                NODE_UNAVAILABLE when the node does not take the goal.
        """
        deadline = time.monotonic() + timeout_s
        wait((self._result, self._cancelled), timeout_s, FIRST_COMPLETED)
        left_s, late = max(0.0, deadline - time.monotonic()), f"no result within {timeout_s:g} s"
        if self._cancelled.done():
            left_s = min(left_s, _CONFIRMING_S)
            late = (
                "it was cancelled, but the node has not said that it gave up: is it running?"
                " ListCorrections says whether anything was written"
            )
        try:
            return self._result.result(left_s)
        except StillRunning:
            raise RosError(late, Error.TIMEOUT) from None

    def _hear_accepted(self, sent: Any) -> None:
        handle = sent.result()
        if not handle.accepted:
            refused = RosError("the node does not take the goal", Error.NODE_UNAVAILABLE)
            self._result.set_exception(refused)
            return
        with self._lock:
            self._handle = handle
            if self._cancelled.done():
                handle.cancel_goal_async()
        handle.get_result_async().add_done_callback(self._hear_result)

    def _hear_result(self, done: Any) -> None:
        self._result.set_result(done.result().result)


def wait_for_action(client: ActionClient[Any, Any, Any], name: str, timeout_s: float) -> None:
    """Return when somebody offers it; raises RosError (NODE_UNAVAILABLE) when nobody does."""
    deadline = time.monotonic() + timeout_s
    while not client.server_is_ready():
        if time.monotonic() > deadline:
            raise RosError(
                f"nobody offers the action {name}: is the node running, and on this ROS_DOMAIN_ID?",
                Error.NODE_UNAVAILABLE,
            )
        time.sleep(_POLL_S)
