"""The reasoning node: questions, phrases and corrections in plain words."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from rclpy.executors import MultiThreadedExecutor
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn

from scenemind.composition import Reasoner
from scenemind.config import ConfigError
from scenemind.models import ModelError
from scenemind.reasoning import make_ready
from scenemind_interfaces import action, srv
from scenemind_interfaces.msg import Error
from scenemind_ros.errors import RosError
from scenemind_ros.managed_node import ManagedNode
from scenemind_ros.parameters import MOST_REQUESTS, ReasoningParameters, read_parameters
from scenemind_ros.reasoning.memory_access import RemoteMemory, RobotMemory
from scenemind_ros.reasoning.requests import (
    AnswerPublisher,
    ReasoningDiagnostics,
    ReasoningRequests,
)
from scenemind_ros.reasoning.serving import THREADS, Handler, RequestServers, ServiceCaller
from scenemind_ros.run_node import closing_undisturbed, log_library_to, run_in_ros, spin

# In addition to one thread a caller: for cancels, refusals, timers and the mapping node's
# responses.
_SPARE_THREADS = 4
_ENDING_S = 5.0  # for what is in work when the node is cleaned up


class ReasoningNode(ManagedNode):
    """Lifecycle node that answers from a memory in this process, or from the mapping node's over
    DDS, while it is active.

    From its first configuration on its services are there in every state: while it is not active
    they say so.
    Each request blocks a thread of the executor: spin the node with `make_executor`.
    """

    def __init__(
        self,
        memory: RobotMemory | None = None,
        world_frame: Callable[[], str] | None = None,
        **node_options: object,
    ) -> None:
        """Configure and activate, unless the parameter `autostart` is false.

        Args:
            memory: None for that of the parameter `mapping_node`, in another process.
            world_frame: the frame that its positions are in; None: as the memory in another process
                says, else the parameter `map_frame`.
        """
        super().__init__("reasoning_node", ReasoningParameters, **node_options)
        log_library_to(self.get_logger(), (THREADS, threading.current_thread().name))
        self._memory = memory
        self._world_frame = world_frame
        self._remote: RemoteMemory | None = None
        self._reasoner: Reasoner | None = None
        self._requests: ReasoningRequests | None = None
        self._publisher: AnswerPublisher | None = None
        self._diagnostics: ReasoningDiagnostics | None = None
        self._is_active = self._has_servers = False
        self._servers = RequestServers(self, lambda: self._settings.camera_frame)
        self.start_by_itself()

    @property
    def is_configured(self) -> bool:
        return self._requests is not None

    def make_executor(self) -> MultiThreadedExecutor:
        """An executor with a thread for each request that is answered or waits, and spare ones.

        It starts threads as they are needed: their number holds for any configuration.
        """
        return MultiThreadedExecutor(MOST_REQUESTS + _SPARE_THREADS, context=self.context)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Read the parameters, open models and methods, find the memory. A model without its key
        fails on each call."""
        tried = self.tried(self._configure, "unconfigured", ConfigError)
        return super().on_configure(state) if tried == TransitionCallbackReturn.SUCCESS else tried

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take requests."""
        assert self._requests is not None, "only a configured node is activated"
        assert self._reasoner is not None
        self._diagnostics = ReasoningDiagnostics(
            self, self._requests, self._reasoner.models, self._settings.parallel_requests
        )
        self._is_active = True
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Refuse further requests; those in work are answered."""
        self._stop()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Cancel what is in work; close models and methods."""
        self._close(_ENDING_S)
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """As a cleanup, from any state."""
        self._close()
        return super().on_shutdown(state)

    def destroy_node(self) -> None:
        self._close()
        self._servers.close()
        super().destroy_node()

    def _to(self, name: str) -> Handler:
        """Handler of requests by a method of `ReasoningRequests`."""

        def handle(request: Any, response: Any, caller: ServiceCaller) -> None:
            requests = self._requests
            if requests is None or not self._is_active:
                raise RosError(
                    f"{self.get_name()} is not active: ros2 lifecycle get says in which state it"
                    " is, /diagnostics why",
                    Error.NODE_UNAVAILABLE,
                )
            getattr(requests, name)(request, response, caller)

        return handle

    def _configure(self) -> None:
        settings = self._settings = read_parameters(self, ReasoningParameters)
        reasoner = _open_reasoner(settings)
        memory, world_frame = self._memory, self._world_frame
        if memory is None:
            memory = self._remote = RemoteMemory(
                self, settings.mapping_node, settings.memory_timeout_s
            )
            world_frame = memory.world_frame
        if self._publisher is None:
            self._publisher = AnswerPublisher(self)
        self._reasoner = reasoner
        self._requests = ReasoningRequests(
            memory,
            reasoner,
            settings,
            self._publisher,
            world_frame or (lambda: settings.map_frame),
        )
        if not self._has_servers:
            self._offer()

    def _offer(self) -> None:
        """Services and actions, from the first configuration on: who finds them gets an answer."""
        self._servers.serve(srv.Ask, "~/ask", self._to("ask"))
        self._servers.serve(srv.Ground, "~/ground", self._to("ground"))
        self._servers.serve(srv.Align, "~/align", self._to("align"))
        choose = self._to("select_key_frames")
        self._servers.serve(srv.SelectKeyFrames, "~/select_key_frames", choose)
        stand = self._to("get_approach_pose")
        self._servers.serve(srv.GetApproachPose, "~/get_approach_pose", stand)
        self._servers.act(action.Ask, "~/ask", self._to("ask"))
        self._servers.act(action.Ground, "~/ground", self._to("ground"))
        self._servers.act(action.Align, "~/align", self._to("align"))
        self._has_servers = True

    def _stop(self) -> None:
        self._is_active = False
        if self._diagnostics is not None:
            self._diagnostics.close()
            self._diagnostics = None

    def _close(self, patience_s: float = 0.0) -> None:
        self._stop()
        if self._requests is not None and self._reasoner is not None:
            has_ended = self._requests.close(patience_s)
            self._reasoner.close()
            if self._remote is not None and has_ended:
                self._remote.close()
        self._requests = self._reasoner = self._remote = None


def _open_reasoner(parameters: ReasoningParameters) -> Reasoner:
    """Open the reasoner with its models and methods, ready for the first question.

    Raises:
        ConfigError: models or methods that cannot be used.
    """
    try:
        reasoner = Reasoner(parameters.library_settings())
    except ModelError as error:
        raise ConfigError(f"models: {error}") from error
    try:
        reasoner.methods  # noqa: B018 - made now: settings that cannot be used are errors here
        make_ready()
    except BaseException:
        reasoner.close()
        raise
    return reasoner


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run_in_ros("reasoning_node", _run, args)


def _run() -> None:
    node = ReasoningNode()
    with closing_undisturbed(node):
        spin(node, node.make_executor())


if __name__ == "__main__":
    raise SystemExit(main())
