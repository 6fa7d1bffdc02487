"""`scenemind view --live`: the browser view of running nodes."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from geometry_msgs.msg import Pose as PoseMsg

from scenemind.errors import SceneMindError
from scenemind.memory import MemoryAccess, SceneMemoryError
from scenemind.models import Allowance
from scenemind.reasoning import Alignment, Answer, Asking, Grounding, Query
from scenemind.untrusted import say
from scenemind.viewer.browser_view import ViewOptions, show_view
from scenemind_ros.calls import OnFeedback, PendingGoal
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import (
    alignment_from_msg,
    answer_from_msg,
    grounding_from_msg,
    key_frame_from_msg,
    pose_to_msg,
)
from scenemind_ros.errors import RosError
from scenemind_ros.reasoning.memory_access import RemoteMemory


class NodesMemory(RemoteMemory):
    """A memory access that treats a node's absence as a memory that does not answer."""

    def _call(self, kind: Any, **fields: Any) -> Any:
        try:
            return super()._call(kind, **fields)
        except RosError as error:
            raise SceneMemoryError(str(error)) from error


class ViewingClient(SceneMindClient):
    """A client that also reads the mapping node's memory."""

    def memory(self) -> NodesMemory:
        """The memory of the mapping node."""
        return NodesMemory(self._node, self._names["mapping"], self._timeout_s)


_FINISHING_S = 1.0  # in addition to the node's own time limit


class AskedNodes:
    """Make an `Answering`; raises SceneMemoryError if the node does not answer."""

    def __init__(self, client: SceneMindClient, memory: MemoryAccess) -> None:
        self._client = client
        self._memory = memory

    def ask(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Answer:
        """`Router.ask`, with the models of the node."""
        asking = asking or Asking()
        try:
            result = self._answered(query, method, asking)
            return answer_from_msg(result, query, self._memory.snapshot().objects)
        except RosError as error:
            raise SceneMemoryError(str(error)) from error

    def ground(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Grounding:
        """`Router.ground`, with the models of the node."""
        asking = asking or Asking()
        timeout_s = asking.allowance.left_s
        try:
            goal = self._client.start_grounding(
                query.text,
                situation=query.situation,
                viewpoint=_viewpoint(query),
                marked_object_ids=query.marked_object_ids,
                method=method,
                policy=query.policy,
                dialogue_id=query.dialogue_id,
                speaker=query.by,
                timeout_s=timeout_s,
                on_feedback=_reporting(asking),
            )
            return grounding_from_msg(_result_of(goal, timeout_s, asking), query)
        except RosError as error:
            raise SceneMemoryError(str(error)) from error

    def align(self, query: Query, by: str, asking: Asking | None = None) -> Alignment:
        """`Router.align`, with the models of the node."""
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
            speaker=query.by,
            timeout_s=timeout_s,
            on_feedback=_reporting(asking),
        )
        return _result_of(goal, timeout_s, asking)


def _viewpoint(query: Query) -> PoseMsg | None:
    return None if query.viewpoint is None else pose_to_msg(query.viewpoint)


def _reporting(asking: Asking) -> OnFeedback:
    """Listener that forwards the node's progress."""

    def hear(feedback: Any) -> None:
        frames = tuple(map(key_frame_from_msg, feedback.evidence))
        asking.progress.report(feedback.stage, feedback.partial_reasoning, frames)

    return hear


def _result_of(goal: PendingGoal, timeout_s: float, asking: Asking) -> Any:
    """Cancel the goal if its caller stops waiting."""
    with asking.allowance.waking(goal.cancel):
        return goal.result(timeout_s + _FINISHING_S)


_READY_S = 5.0
_LOOK_EVERY_S = 1.0  # every reply has the whole scene graph


def main(request: str) -> int:
    """Exit status: 0 after an interrupt; 1 on failure."""
    typed = json.loads(request)
    timeout_s = float(typed.pop("timeout_s"))
    options = ViewOptions(**typed)
    try:
        with ViewingClient() as client:
            client.wait_ready(_READY_S)
            memory = client.memory()
            show_view(
                options,
                "SceneMind, live",
                memory,
                AskedNodes(client, memory),
                lambda: Asking(Allowance(timeout_s)),
                poll_s=_LOOK_EVERY_S,
            )
    except SceneMindError as error:
        say(f"scenemind: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
