"""Running nodes as those who answer and correct."""

from __future__ import annotations

import time
from typing import Any

from scenemind.memory import MemoryAccess, SceneMemoryError
from scenemind.reasoning import Alignment, Answer, Asking, Query
from scenemind_interfaces.action import Ask
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import (
    answer_from_msg,
    failure_from_msg,
    key_frame_from_msg,
    usage_from_msg,
)
from scenemind_ros.errors import RosError

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
            result = self._result(query, method, asking)
            return answer_from_msg(result, query, self._memory.snapshot().objects)
        except RosError as error:
            raise SceneMemoryError(str(error)) from error

    def align(self, query: Query, by: str, asking: Asking | None = None) -> Alignment:  # noqa: ARG002
        """As `Router.align`; the node says who speaks."""
        start = time.perf_counter()
        allowance = (asking or Asking()).allowance
        try:
            response = self._client.align(
                query.text,
                marked_object_ids=query.marked_object_ids,
                dialogue_id=query.dialogue_id,
                timeout_s=allowance.left_s,
            )
            failure = failure_from_msg(response.error)
        except RosError as error:
            raise SceneMemoryError(str(error)) from error
        return Alignment(
            query,
            response.response if failure is None else failure.text,
            tuple(int(edit.id) for edit in response.edits),
            tuple(int(object_id) for object_id in response.object_ids),
            time.perf_counter() - start,
            failure,
            response.method,
            tuple(response.steps),
            usage_from_msg(response.usage),
        )

    def _result(self, query: Query, method: str, asking: Asking) -> Any:
        def hear(feedback: Ask.Feedback) -> None:
            frames = tuple(map(key_frame_from_msg, feedback.evidence))
            asking.report(feedback.stage, feedback.partial_reasoning, frames)

        timeout_s = asking.allowance.left_s
        goal = self._client.start_asking(
            query.text,
            situation=query.situation,
            marked_object_ids=query.marked_object_ids,
            method=method,
            policy=query.policy,
            dialogue_id=query.dialogue_id,
            timeout_s=timeout_s,
            on_feedback=hear,
        )
        with asking.allowance.waking(goal.cancel):
            return goal.result(timeout_s + _FINISHING_S)
