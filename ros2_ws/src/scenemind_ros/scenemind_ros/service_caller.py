"""A ROS context with clients of SceneMind's services, for programs of any kind."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

import rclpy
from builtin_interfaces.msg import Duration
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from typing_extensions import Self

from scenemind_interfaces import srv
from scenemind_ros.errors import RosError
from scenemind_ros.service_call import call_service, wait_for_service
from scenemind_ros.spin_thread import SpinThread

_ON_THE_WAY_S = 1.0  # beside the time that a node may take to answer

_SERVICES: dict[str, dict[str, Any]] = {
    "mapping": {
        "get_scene_graph": srv.GetSceneGraph,
        "get_mem_tree": srv.GetMemTree,
        "select_key_frames": srv.SelectKeyFrames,
        "find_objects": srv.FindObjects,
        "relate": srv.Relate,
        "query_relations": srv.QueryRelations,
        "get_changes": srv.GetChanges,
        "where_was": srv.WhereWas,
        "apply_corrections": srv.ApplyCorrections,
        "undo_correction": srv.UndoCorrection,
        "redo_correction": srv.RedoCorrection,
        "list_corrections": srv.ListCorrections,
        "find_similar": srv.FindSimilar,
        "export_corrections": srv.ExportCorrections,
        "import_corrections": srv.ImportCorrections,
        "set_vocabulary": srv.SetVocabulary,
    },
    "reasoning": {"ask": srv.Ask, "ground": srv.Ground, "align": srv.Align},
}


class ServiceCaller:
    """Calls by the type of the service; see `SceneMindClient`."""

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

    def wait_ready(self, timeout_s: float, *, reasoning: bool = True) -> None:
        """Return when both nodes offer their services; raises RosError when they do not.

        Args:
            reasoning: False: the mapping node is enough.
        """
        deadline = time.monotonic() + timeout_s
        for kind, client in self._clients.items():
            if reasoning or kind not in _SERVICES["reasoning"].values():
                wait_for_service(client, max(0.0, deadline - time.monotonic()))

    def fetch(self, kind: Any, **fields: Any) -> Any:
        """The response; raises RosError with what the node said where it did not succeed."""
        response = self.call(kind, **fields)
        if not response.success:
            raise RosError(response.error.message, response.error.code)
        return response

    def call(self, kind: Any, timeout_s: float | None = None, **fields: Any) -> Any:
        """The response, whether it succeeded or not."""
        client = self._clients[kind]
        wait_for_service(client, self._timeout_s)
        limit_s = self._timeout_s if timeout_s is None else timeout_s
        return call_service(client, kind.Request(**fields), limit_s + _ON_THE_WAY_S)
