"""Blocking calls of services and action goals, with a time limit."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as StillRunning
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any

import rclpy
from builtin_interfaces.msg import Duration
from rcl_interfaces.srv import GetParameters
from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from typing_extensions import Self

from scenemind_interfaces import action, srv
from scenemind_interfaces.msg import Error
from scenemind_ros.errors import RosError
from scenemind_ros.qos import REQUESTS
from scenemind_ros.run_node import SpinThread

_log = logging.getLogger(__name__)
_POLL_S = 0.02


# Services that only read: a request may be sent again without doing anything twice.
_READING = frozenset(
    (
        srv.GetSceneGraph,
        srv.GetMemTree,
        srv.GetKeyFrames,
        srv.GetFrameIndex,
        srv.GetChanges,
        srv.SelectKeyFrames,
        srv.FindObjects,
        srv.GetApproachPose,
        srv.FindSimilar,
        srv.ListCorrections,
        srv.ExportCorrections,
        srv.QueryObjects,
        srv.QueryRelations,
        srv.MarkObject,
        srv.Relate,
        srv.WhereWas,
        GetParameters,
    )
)
AGAIN_S = 5.0
"""Time after which a request that only reads is sent again. DDS loses a response to a client that
the node has not discovered yet: a fresh client, on a machine with much to do."""


def call_service(
    client: Client[Any, Any], request: Any, timeout_s: float, *, once: bool = False
) -> Any:
    """The response message, successful or not.

    The response arrives through the executor of the client's node: calling this from a callback
    blocks one of its threads, and there must be another one. A request that only reads is sent
    again every `AGAIN_S`, with a warning; the first response counts.

    Args:
        once: never send it again: a model may be asked for the response.

    Raises:
        RosError: NODE_UNAVAILABLE when no node offers the service, TIMEOUT without a response.
    """
    deadline = time.monotonic() + timeout_s
    wait_for_service(client, timeout_s)
    again_s = AGAIN_S if client.srv_type in _READING and not once else math.inf
    responses: SimpleQueue[Any] = SimpleQueue()
    pending: list[Any] = []
    try:
        while True:
            pending.append(client.call_async(request))
            pending[-1].add_done_callback(responses.put)
            left_s = max(_POLL_S, deadline - time.monotonic())
            try:
                return responses.get(timeout=min(again_s, left_s)).result()
            except Empty:
                if left_s <= again_s:
                    late = f"{client.srv_name} gave no response within {timeout_s:g} s"
                    raise RosError(late, Error.TIMEOUT) from None
                _log.warning(
                    "no response from %s in %g s: sending the request again",
                    client.srv_name,
                    again_s,
                )
    finally:
        for sent in pending:
            client.remove_pending_request(sent)


def wait_for_service(client: Client[Any, Any], timeout_s: float) -> None:
    """Wait until a node offers the service; raises RosError (NODE_UNAVAILABLE) if none does."""
    deadline = time.monotonic() + timeout_s
    while not client.service_is_ready():
        if time.monotonic() > deadline or not client.context.ok():
            node = client.srv_name.rpartition("/")[0]
            raise RosError(
                f"no node offers {client.srv_name}: is {node} running (`scenemind up`), configured,"
                " and on this ROS_DOMAIN_ID?",
                Error.NODE_UNAVAILABLE,
            )
        time.sleep(_POLL_S)


OnFeedback = Callable[[Any], None]
"""Callback for each feedback message, on the thread of the client's node; should return soon."""
# Time for a node to report the outcome of a cancelled goal: it may be in the middle of a write.
_CONFIRMING_S = 10.0


class PendingGoal:
    """A goal, sent on creation. Thread-safe."""

    def __init__(
        self,
        client: ActionClient[Any, Any, Any],
        goal: Any,
        on_feedback: OnFeedback | None,
        executor: Executor,
    ) -> None:
        """Send a goal.

        Args:
            on_feedback: None: nobody listens.
            executor: what spins the client's node, on one thread. It sends the goal:
                `send_goal_async` (rclpy 9.1) replaces the future that waits for the acceptance, and
                loses an acceptance that another thread takes in between.
        """
        self._lock = threading.Lock()  # guards the two below
        self._handle: Any = None
        self._cancelled: Future[None] = Future()
        self._result: Future[Any] = Future()
        hear = None if on_feedback is None else lambda message: on_feedback(message.feedback)

        def send() -> None:
            try:
                sent = client.send_goal_async(goal, feedback_callback=hear)
            except (_rclpy.RCLError, _rclpy.InvalidHandle) as error:
                lost = RosError(f"the goal was not sent: {error}", Error.NODE_UNAVAILABLE)
                self._result.set_exception(lost)
            else:
                sent.add_done_callback(self._hear_accepted)

        executor.create_task(send)

    def cancel(self) -> None:
        """Ask the node to cancel the goal, which the result reports; returns at once."""
        with self._lock:
            if self._cancelled.done():
                return
            self._cancelled.set_result(None)
            if self._handle is not None:
                self._handle.cancel_goal_async()

    def result(self, timeout_s: float) -> Any:
        """The result message, successful or not.

        Raises:
            RosError: TIMEOUT without a result; the time is shorter after a cancel;
                NODE_UNAVAILABLE if the node rejects the goal.
        """
        deadline = time.monotonic() + timeout_s
        wait((self._result, self._cancelled), timeout_s, FIRST_COMPLETED)
        left_s, late = max(0.0, deadline - time.monotonic()), f"no result within {timeout_s:g} s"
        if self._cancelled.done():
            left_s = min(left_s, _CONFIRMING_S)
            late = (
                "it was cancelled, but the node has not confirmed that: is it running?"
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
    """Wait until a node offers the action; raises RosError (NODE_UNAVAILABLE) if none does."""
    deadline = time.monotonic() + timeout_s
    while not client.server_is_ready():
        if time.monotonic() > deadline:
            raise RosError(
                f"no node offers the action {name}: is it running, and on this ROS_DOMAIN_ID?",
                Error.NODE_UNAVAILABLE,
            )
        time.sleep(_POLL_S)


_ON_THE_WAY_S = 1.0  # in addition to the node's own time limit
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
        "get_approach_pose": srv.GetApproachPose,
    },
    "reasoning": {
        "ask": srv.Ask,
        "ground": srv.Ground,
        "align": srv.Align,
        "select_key_frames": srv.SelectKeyFrames,
        "get_approach_pose": srv.GetApproachPose,
    },
}
# Default name of the reasoning node.
_ACTIONS: dict[str, Any] = {"ask": action.Ask, "ground": action.Ground, "align": action.Align}


class ServiceCaller:
    """Service calls by service type; see `SceneMindClient`."""

    def __init__(
        self,
        node_name: str = "scenemind_client",
        *,
        mapping_node: str = "mapping_node",
        reasoning_node: str = "reasoning_node",
        namespace: str = "",
        timeout_s: float = 60.0,
    ) -> None:
        """Connect to the nodes.

        Args:
            mapping_node, reasoning_node: names in the namespace, or full names.
            namespace: of the robot, such as /r1.
            timeout_s: limit of one answer.
        """
        self._timeout_s = timeout_s
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = Node(node_name, context=self._context, namespace=namespace or None)
        self._group = ReentrantCallbackGroup()
        self._names = {
            owner: self._node.resolve_service_name(name)
            for owner, name in {"mapping": mapping_node, "reasoning": reasoning_node}.items()
        }
        self._clients = {
            (owner, kind): self._node.create_client(
                kind,
                f"{self._names[owner]}/{name}",
                qos_profile=REQUESTS,
                callback_group=self._group,
            )
            for owner, services in _SERVICES.items()
            for name, kind in services.items()
        }
        # Before the node spins: its executor would see an action client that is not complete yet.
        self._goals: dict[Any, ActionClient[Any, Any, Any]] = {
            kind: ActionClient(
                self._node,
                kind,
                f"{self._names['reasoning']}/{name}",
                callback_group=self._group,
            )
            for name, kind in _ACTIONS.items()
        }
        # The last to be created: DDS announces clients in this order, so a node that responds to
        # these knows all others.
        self._greetings = {
            owner: self._node.create_client(
                GetParameters, f"{name}/get_parameters", callback_group=self._group
            )
            for owner, name in self._names.items()
        }
        self._executor = SingleThreadedExecutor(context=self._context)
        self._thread = SpinThread(self._node, self._executor)

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
        """Leave the graph; may be called again."""
        self._thread.close()
        for client in self._goals.values():
            if client in self._node.waitables:  # unless it was closed before
                client.destroy()
        self._node.destroy_node()
        self._context.try_shutdown()

    def wait_ready(self, timeout_s: float, *, reasoning: bool = True) -> None:
        """Wait until both nodes offer their services; raises RosError otherwise.

        Args:
            reasoning: False: the mapping node is enough.
        """
        deadline = time.monotonic() + timeout_s
        for (owner, _), client in self._clients.items():
            if reasoning or owner != "reasoning":
                wait_for_service(client, max(0.0, deadline - time.monotonic()))

    def fetch(self, kind: Any, **fields: Any) -> Any:
        """Call a service as in `call`; raises RosError with the node's message on failure."""
        response = self.call(kind, **fields)
        if not response.success:
            raise RosError(response.error.message, response.error.code)
        return response

    def call(
        self, kind: Any, timeout_s: float | None = None, *, of: str = "", **fields: Any
    ) -> Any:
        """The response, successful or not.

        Args:
            of: mapping or reasoning, if both nodes offer the service; empty: mapping.
        """
        owner = of or _owner_of(kind)
        client = self._clients[owner, kind]
        wait_for_service(client, self._timeout_s)
        once = owner == "reasoning"
        if once or kind not in _READING:
            self._greet(owner)
        limit_s = (self._timeout_s if timeout_s is None else timeout_s) + _ON_THE_WAY_S
        return call_service(client, kind.Request(**fields), limit_s, once=once)

    def send_goal(self, kind: Any, on_feedback: OnFeedback | None, **fields: Any) -> PendingGoal:
        """Send a goal to an action of the reasoning node: Ask, Ground or Align."""
        client = self._goals[kind]
        name = next(name for name, known in _ACTIONS.items() if known is kind)
        wait_for_action(client, f"{self._names['reasoning']}/{name}", self._timeout_s)
        self._greet("reasoning")
        return PendingGoal(client, kind.Goal(**fields), on_feedback, self._executor)

    def _greet(self, owner: str) -> None:
        """Wait until the node knows this process's clients, for a request that is sent once."""
        call_service(self._greetings[owner], GetParameters.Request(), self._timeout_s)

    def limit(self, timeout_s: float | None) -> Duration:
        """The time field of a request; None: the node's own limit."""
        seconds, fraction = divmod(self._timeout_s if timeout_s is None else timeout_s, 1.0)
        return Duration(sec=int(seconds), nanosec=int(fraction * 1e9))


def _owner_of(kind: Any) -> str:
    return next(owner for owner, services in _SERVICES.items() if kind in services.values())
