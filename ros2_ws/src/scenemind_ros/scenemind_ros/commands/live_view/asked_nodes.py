"""Running nodes as those who answer and correct."""

from __future__ import annotations

import time
from typing import Any

from geometry_msgs.msg import Pose as PoseMsg

from scenemind.memory import MemoryAccess, SceneMemoryError
from scenemind.reasoning import Alignment, Answer, Asking, Grounding, Query
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import (
    alignment_from_msg,
    answer_from_msg,
    grounding_from_msg,
    key_frame_from_msg,
    pose_to_msg,
)
from scenemind_ros.errors import RosError
from scenemind_ros.pending_goal import OnFeedback, PendingGoal

_FINISHING_S = 1.0  # beside the time that the node may take to answer


class AskedNodes:
    """An `Answering`. Raises SceneMemoryError where the node does not answer."""

    def __init__(self, client: SceneMindClient, memory: MemoryAccess) -> None:
        self._client = client
        self._memory = memory

    def ask(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Answer:
        """As `Router.ask`, with the models of the node."""
        asking = asking or Asking()
        try:
            result = self._answered(query, method, asking)
            return answer_from_msg(result, query, self._memory.snapshot().objects)
        except RosError as error:
            raise SceneMemoryError(str(error)) from error

    def ground(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Grounding:
        """As `Router.ground`, with the models of the node."""
        asking = asking or Asking()
        timeout_s = asking.allowance.left_s
        try:
            goal = self._client.start_grounding(
                query.text,
                viewpoint=_viewpoint(query),
                marked_object_ids=query.marked_object_ids,
                method=method,
                policy=query.policy,
                dialogue_id=query.dialogue_id,
                timeout_s=timeout_s,
                on_feedback=_reporting(asking),
            )
            return grounding_from_msg(_result_of(goal, timeout_s, asking), query)
        except RosError as error:
            raise SceneMemoryError(str(error)) from error

    def align(self, query: Query, by: str, asking: Asking | None = None) -> Alignment:
        """As `Router.align`, with the models of the node."""
        asking, start = asking or Asking(), time.perf_counter()
        timeout_s = asking.allowance.left_s
        try:
            goal = self._client.start_aligning(
                query.text,
                marked_object_ids=query.marked_object_ids,
                dialogue_id=query.dialogue_id,
                speaker=by,
                timeout_s=timeout_s,
                on_feedback=_reporting(asking),
            )
            result = _result_of(goal, timeout_s, asking)
            return alignment_from_msg(result, query, time.perf_counter() - start)
        except RosError as error:
            raise SceneMemoryError(str(error)) from error

    def _answered(self, query: Query, method: str, asking: Asking) -> Any:
        timeout_s = asking.allowance.left_s
        goal = self._client.start_asking(
            query.text,
            situation=query.situation,
            viewpoint=_viewpoint(query),
            marked_object_ids=query.marked_object_ids,
            method=method,
            policy=query.policy,
            dialogue_id=query.dialogue_id,
            timeout_s=timeout_s,
            on_feedback=_reporting(asking),
        )
        return _result_of(goal, timeout_s, asking)


def _viewpoint(query: Query) -> PoseMsg | None:
    return None if query.viewpoint is None else pose_to_msg(query.viewpoint)


def _reporting(asking: Asking) -> OnFeedback:
    """Passes on what the node says of its work."""

    def hear(feedback: Any) -> None:
        frames = tuple(map(key_frame_from_msg, feedback.evidence))
        asking.report(feedback.stage, feedback.partial_reasoning, frames)

    return hear


def _result_of(goal: PendingGoal, timeout_s: float, asking: Asking) -> Any:
    """Cancelled where nobody waits for it any more."""
    with asking.allowance.waking(goal.cancel):
        return goal.result(timeout_s + _FINISHING_S)
