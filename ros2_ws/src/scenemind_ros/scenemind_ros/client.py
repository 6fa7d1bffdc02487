"""SceneMind for planners and scripts: plain calls that block until the answer is there."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import rclpy
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Pose
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from typing_extensions import Self

from scenemind_interfaces import srv
from scenemind_interfaces.msg import Correction, KeyFrame, SceneGraph
from scenemind_ros.errors import RosError
from scenemind_ros.service_call import call_service, wait_for_service
from scenemind_ros.spin_thread import SpinThread

_ON_THE_WAY_S = 1.0  # beside the time that a node may take to answer
_EMBEDDING_S = 600.0

_SERVICES: dict[str, dict[str, Any]] = {
    "mapping": {
        "get_scene_graph": srv.GetSceneGraph,
        "get_mem_tree": srv.GetMemTree,
        "select_key_frames": srv.SelectKeyFrames,
        "undo_correction": srv.UndoCorrection,
        "list_corrections": srv.ListCorrections,
        "set_vocabulary": srv.SetVocabulary,
    },
    "reasoning": {"ask": srv.Ask, "ground": srv.Ground, "align": srv.Align},
}


class SceneMindClient:
    """Calls the services of running nodes.

    It has a ROS context and a thread of its own, so it works in any program, whether that uses
    rclpy or not, also within callbacks of other nodes::

        with SceneMindClient() as scenemind:
            scenemind.wait_ready(30.0)
            answer = scenemind.ask("how many chairs are there?").answer.text

    What answers people (`ask`, `ground`, `align`, `undo`, `set_vocabulary`) returns the service's
    response, which carries `success` and `error`. The others return what they fetch. All raise
    RosError when a node is not there (NODE_UNAVAILABLE) or does not respond in time (TIMEOUT).
    """

    def __init__(
        self,
        node_name: str = "scenemind_client",
        *,
        mapping_node: str = "/mapping_node",
        reasoning_node: str = "/reasoning_node",
        timeout_s: float = 30.0,
    ) -> None:
        """`timeout_s` is what one answer may take. Names of nodes are full ones."""
        self._timeout_s = timeout_s
        seconds, fraction = divmod(timeout_s, 1.0)
        self._limit = Duration(sec=int(seconds), nanosec=int(fraction * 1e9))
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = Node(node_name, context=self._context)
        group = ReentrantCallbackGroup()
        owners = {"mapping": mapping_node, "reasoning": reasoning_node}
        self._clients = {
            kind: self._node.create_client(kind, f"{owners[owner]}/{name}", callback_group=group)
            for owner, services in _SERVICES.items()
            for name, kind in services.items()
        }
        executor = SingleThreadedExecutor(context=self._context)
        self._thread = SpinThread(self._node, executor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the graph; harmless when done twice."""
        self._thread.close()
        self._node.destroy_node()
        self._context.try_shutdown()

    def wait_ready(self, timeout_s: float) -> None:
        """Return when both nodes offer their services; raises RosError when they do not."""
        deadline = time.monotonic() + timeout_s
        for client in self._clients.values():
            wait_for_service(client, max(0.0, deadline - time.monotonic()))

    def ask(
        self,
        question: str,
        *,
        situation: str = "",
        viewpoint: Pose | None = None,
        marked_object_ids: Sequence[int] = (),
        method: str = "auto",
    ) -> srv.Ask.Response:
        """The answer to a question; `viewpoint` is the asking agent's head (x forward, z up)."""
        return self._call(
            srv.Ask,
            question=question,
            situation=situation,
            marked_object_ids=list(marked_object_ids),
            method=method,
            timeout=self._limit,
            **_viewpoint(viewpoint),
        )

    def ground(
        self,
        query: str,
        *,
        viewpoint: Pose | None = None,
        marked_object_ids: Sequence[int] = (),
        method: str = "auto",
    ) -> srv.Ground.Response:
        """The objects that a phrase means, best first."""
        return self._call(
            srv.Ground,
            query=query,
            marked_object_ids=list(marked_object_ids),
            method=method,
            timeout=self._limit,
            **_viewpoint(viewpoint),
        )

    def align(
        self, instruction: str, *, marked_object_ids: Sequence[int] = ()
    ) -> srv.Align.Response:
        """Correct the memory in plain words."""
        return self._call(
            srv.Align, instruction=instruction, marked_object_ids=list(marked_object_ids)
        )

    def undo(self, correction_id: int = -1) -> srv.UndoCorrection.Response:
        """Take back one correction, the newest that stands when no id is given."""
        return self._call(srv.UndoCorrection, correction_id=correction_id)

    def corrections(self, *, include_undone: bool = False) -> list[Correction]:
        """The journal, oldest first."""
        response = self._fetch(srv.ListCorrections, include_undone=include_undone)
        return list(response.corrections)

    def set_vocabulary(
        self, labels: Sequence[str], *, timeout_s: float = _EMBEDDING_S
    ) -> srv.SetVocabulary.Response:
        """Let an open-vocabulary detector look for these; the response has what it looks for now.

        New words may take minutes: the text encoder is loaded, and the first time fetched.
        """
        return self._call(srv.SetVocabulary, timeout_s, labels=list(labels))

    def scene_graph(self) -> SceneGraph:
        """What is there now, and how it stands."""
        return self._fetch(srv.GetSceneGraph).scene_graph

    def mem_tree_json(self, token_budget: int = 8000) -> srv.GetMemTree.Response:
        """What was seen where, as text for a language model; see `json` and `json_reading`."""
        return self._fetch(srv.GetMemTree, token_budget=token_budget, only_json=True)

    def key_frames(
        self,
        question: str = "",
        *,
        object_ids: Sequence[int] = (),
        cue_object_ids: Sequence[int] = (),
        location_ids: Sequence[int] = (),
        count: int = 3,
    ) -> list[KeyFrame]:
        """Stored images that show the objects, or those that a question names; best first.

        With cues or locations, such as a language model picks them from `mem_tree_json`, one image
        a location, as MemTree3D selects.
        """
        response = self._fetch(
            srv.SelectKeyFrames,
            question=question,
            object_ids=list(object_ids),
            cue_object_ids=list(cue_object_ids),
            location_ids=list(location_ids),
            k=count,
        )
        return list(response.key_frames)

    def _fetch(self, kind: Any, **fields: Any) -> Any:
        response = self._call(kind, **fields)
        if not response.success:
            raise RosError(response.error.message, response.error.code)
        return response

    def _call(self, kind: Any, timeout_s: float | None = None, **fields: Any) -> Any:
        client = self._clients[kind]
        wait_for_service(client, self._timeout_s)
        limit_s = self._timeout_s if timeout_s is None else timeout_s
        return call_service(client, kind.Request(**fields), limit_s + _ON_THE_WAY_S)


def _viewpoint(pose: Pose | None) -> dict[str, Any]:
    return {} if pose is None else {"viewpoint": pose, "has_viewpoint": True}
