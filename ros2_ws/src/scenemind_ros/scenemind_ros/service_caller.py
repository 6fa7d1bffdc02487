"""A ROS context with clients of SceneMind's services, for programs of any kind."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

import rclpy
from builtin_interfaces.msg import Duration
from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from typing_extensions import Self

from scenemind_interfaces import action, srv
from scenemind_ros.errors import RosError
from scenemind_ros.pending_goal import OnFeedback, PendingGoal, wait_for_action
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
    "reasoning": {
        "ask": srv.Ask,
        "ground": srv.Ground,
        "align": srv.Align,
        "select_key_frames": srv.SelectKeyFrames,
    },
}
# Of the reasoning node.
_ACTIONS: dict[str, Any] = {"ask": action.Ask, "ground": action.Ground, "align": action.Align}


class ServiceCaller:
    """Calls by the type of the service; see `SceneMindClient`."""

    def __init__(
        self,
        node_name: str = "scenemind_client",
        *,
        mapping_node: str = "/mapping_node",
        reasoning_node: str = "/reasoning_node",
        timeout_s: float = 60.0,
    ) -> None:
        """`timeout_s` is what one answer may take. Names of nodes are full ones."""
        self._timeout_s = timeout_s
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = Node(node_name, context=self._context)
        self._group = ReentrantCallbackGroup()
        self._names = {"mapping": mapping_node, "reasoning": reasoning_node}
        self._clients = {
            (owner, kind): self._node.create_client(
                kind, f"{self._names[owner]}/{name}", callback_group=self._group
            )
            for owner, services in _SERVICES.items()
            for name, kind in services.items()
        }
        # Before the node spins: an action client is seen by its executor before it is complete.
        self._goals: dict[Any, ActionClient[Any, Any, Any]] = {
            kind: ActionClient(
                self._node, kind, f"{reasoning_node}/{name}", callback_group=self._group
            )
            for name, kind in _ACTIONS.items()
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
        for client in self._goals.values():
            if client in self._node.waitables:  # not when it was closed before
                client.destroy()
        self._node.destroy_node()
        self._context.try_shutdown()

    def wait_ready(self, timeout_s: float, *, reasoning: bool = True) -> None:
        """Return when both nodes offer their services; raises RosError when they do not.

        Args:
            reasoning: False: the mapping node is enough.
        """
        deadline = time.monotonic() + timeout_s
        for (owner, _), client in self._clients.items():
            if reasoning or owner != "reasoning":
                wait_for_service(client, max(0.0, deadline - time.monotonic()))

    def fetch(self, kind: Any, **fields: Any) -> Any:
        """As `call`; raises RosError with what the node said where it did not succeed."""
        response = self.call(kind, **fields)
        if not response.success:
            raise RosError(response.error.message, response.error.code)
        return response

    def call(
        self, kind: Any, timeout_s: float | None = None, *, of: str = "", **fields: Any
    ) -> Any:
        """The response, whether it succeeded or not.

        Args:
            of: mapping or reasoning, where both nodes offer it; empty: mapping.
        """
        client = self._clients[of or _owner_of(kind), kind]
        wait_for_service(client, self._timeout_s)
        limit_s = self._timeout_s if timeout_s is None else timeout_s
        return call_service(client, kind.Request(**fields), limit_s + _ON_THE_WAY_S)

    def send_goal(self, kind: Any, on_feedback: OnFeedback | None, **fields: Any) -> PendingGoal:
        """Send a goal to an action of the reasoning node: Ask, Ground or Align."""
        client = self._goals[kind]
        name = next(name for name, known in _ACTIONS.items() if known is kind)
        wait_for_action(client, f"{self._names['reasoning']}/{name}", self._timeout_s)
        return PendingGoal(client, kind.Goal(**fields), on_feedback)

    def limit(self, timeout_s: float | None) -> Duration:
        """What a request says of its time; None: as long as every answer may take."""
        seconds, fraction = divmod(self._timeout_s if timeout_s is None else timeout_s, 1.0)
        return Duration(sec=int(seconds), nanosec=int(fraction * 1e9))


def _owner_of(kind: Any) -> str:
    return next(owner for owner, services in _SERVICES.items() if kind in services.values())
