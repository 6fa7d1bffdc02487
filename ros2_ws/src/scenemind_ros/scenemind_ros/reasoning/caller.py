"""Who waits for an answer: somebody who called a service, or who sent an action's goal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rclpy.action.server import ServerGoalHandle

from scenemind_interfaces.msg import KeyFrame


class ServiceCaller:
    """Hears the outcome only, and cannot cancel."""

    def is_cancelled(self) -> bool:
        return False

    def report(self, stage: str, reasoning: str = "", evidence: Iterable[KeyFrame] = ()) -> None:
        """What has been done so far."""


class GoalCaller(ServiceCaller):
    """Hears of every step, and may cancel."""

    def __init__(self, goal: ServerGoalHandle, feedback: type) -> None:
        """`feedback` is the message class of the action, `Ask.Feedback` or `Ground.Feedback`."""
        self._goal = goal
        self._feedback: Any = feedback
        self._step = 0

    def is_cancelled(self) -> bool:
        return bool(self._goal.is_cancel_requested)

    def report(self, stage: str, reasoning: str = "", evidence: Iterable[KeyFrame] = ()) -> None:
        self._step += 1
        self._goal.publish_feedback(
            self._feedback(
                stage=stage, step=self._step, partial_reasoning=reasoning, evidence=list(evidence)
            )
        )
