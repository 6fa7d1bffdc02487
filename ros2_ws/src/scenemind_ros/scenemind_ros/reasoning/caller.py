"""Who waits for an answer: somebody who called a service, or who sent an action's goal."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from rclpy.action.server import ServerGoalHandle
from rclpy.context import Context
from rclpy.impl.implementation_singleton import rclpy_implementation

from scenemind.memory import KeyFrame
from scenemind.reasoning.method import Report, say_nothing
from scenemind_ros.conversions import evidence_to_msg

_SHORTEST_S = 0.2  # between two reports of one stage, as where a model's reply is streamed


class ServiceCaller:
    """Hears the outcome only, and cannot cancel."""

    def is_cancelled(self) -> bool:
        return False

    @property
    def report(self) -> Report:
        """Who is told what has been done so far."""
        return say_nothing

    def close(self) -> None:
        """It has the outcome: work that was given up reports to nobody."""


class GoalCaller(ServiceCaller):
    """Hears of every stage, and may cancel. Thread-safe.

    While a stage goes on, it hears a few times a second how far that is.
    """

    def __init__(
        self, goal: ServerGoalHandle, feedback: type, camera_frame: str, context: Context
    ) -> None:
        """
        Args:
            feedback: message class of the action, such as `Ask.Feedback`.
            camera_frame: frame_id of key frames.
            context: of the node.
        """
        self._goal = goal
        self._feedback: Any = feedback
        self._camera_frame = camera_frame
        self._context = context
        self._lock = threading.Lock()  # of all below
        self._stage = ""
        self._step = 0
        self._key_frames: Sequence[KeyFrame] = ()
        self._last_s = 0.0
        self._is_closed = False

    def is_cancelled(self) -> bool:
        return bool(self._goal.is_cancel_requested)

    @property
    def report(self) -> Report:
        return self._report

    def close(self) -> None:
        with self._lock:
            self._is_closed = True

    def _report(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        with self._lock:
            now_s = time.monotonic()
            is_more = stage == self._stage and not key_frames
            if self._is_closed or (is_more and now_s - self._last_s < _SHORTEST_S):
                return
            self._step += stage != self._stage
            self._stage, self._last_s = stage, now_s
            self._key_frames = key_frames or self._key_frames
            evidence = evidence_to_msg(self._key_frames, self._camera_frame, with_images=False)
            self._publish(
                self._feedback(
                    stage=stage, step=self._step, partial_reasoning=text, evidence=evidence
                )
            )

    def _publish(self, feedback: Any) -> None:
        try:
            self._goal.publish_feedback(feedback)
        except rclpy_implementation.RCLError:
            if self._context.ok():
                raise
            self._is_closed = True  # ROS has ended amid the work
