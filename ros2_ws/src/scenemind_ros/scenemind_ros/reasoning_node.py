"""The reasoning node: questions, phrases and corrections in plain words."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node

from scenemind.composition import Reasoner
from scenemind.config import ConfigError
from scenemind.models import ModelError
from scenemind_interfaces import action, srv
from scenemind_ros.parameters import (
    ReasoningParameters,
    declare_parameters,
    overrides_in_words,
    read_parameters,
)
from scenemind_ros.reasoning.memory_access import RemoteMemory, RobotMemory
from scenemind_ros.reasoning.requests import (
    AnswerPublisher,
    ReasoningDiagnostics,
    ReasoningRequests,
)
from scenemind_ros.reasoning.serving import THREADS, RequestServers
from scenemind_ros.run_node import closing_undisturbed, log_library_to, run_in_ros, spin

# In addition to one thread a caller: for cancels, refusals, timers and the mapping node's
# responses.
_SPARE_THREADS = 4


class ReasoningNode(Node):
    """Node that answers from a memory in this process, or from the mapping node's over DDS.

    Each request blocks a thread of the executor: spin the node with `make_executor`.
    """

    def __init__(
        self,
        memory: RobotMemory | None = None,
        world_frame: Callable[[], str] | None = None,
        **node_options: object,
    ) -> None:
        """
        Args:
            memory: None for that of the parameter `mapping_node`, in another process.
            world_frame: the frame that its positions are in; None: as the memory in another process
                says, else the parameter `map_frame`.

        Raises:
            ConfigError: an unknown parameter, an impossible value, or an address or a recording
                of models that cannot be used. A model without its key fails on each call.
        """
        with overrides_in_words():
            super().__init__(
                "reasoning_node",
                automatically_declare_parameters_from_overrides=True,
                **node_options,
            )
        log_library_to(self.get_logger(), (THREADS, threading.current_thread().name))
        declare_parameters(self, ReasoningParameters)
        self._settings = read_parameters(self, ReasoningParameters)
        if memory is None:
            remote = self._settings.mapping_node
            memory = RemoteMemory(self, remote, self._settings.memory_timeout_s)
            world_frame = memory.world_frame
        self._reasoner = _open_reasoner(self._settings)
        publisher = AnswerPublisher(self)
        requests = ReasoningRequests(
            memory,
            self._reasoner,
            self._settings,
            publisher,
            world_frame or (lambda: self._settings.map_frame),
        )
        self._requests = requests
        self._servers = RequestServers(self, self._settings.camera_frame)
        self._servers.serve(srv.Ask, "~/ask", requests.ask)
        self._servers.serve(srv.Ground, "~/ground", requests.ground)
        self._servers.serve(srv.Align, "~/align", requests.align)
        self._servers.serve(srv.SelectKeyFrames, "~/select_key_frames", requests.select_key_frames)
        self._servers.serve(srv.GetApproachPose, "~/get_approach_pose", requests.get_approach_pose)
        self._servers.act(action.Ask, "~/ask", requests.ask)
        self._servers.act(action.Ground, "~/ground", requests.ground)
        self._servers.act(action.Align, "~/align", requests.align)
        self._diagnostics = ReasoningDiagnostics(
            self, requests, self._reasoner.models, self._settings.parallel_requests
        )

    def make_executor(self) -> MultiThreadedExecutor:
        """An executor with a thread for each request that is answered or waits, and spare ones."""
        return MultiThreadedExecutor(
            self._settings.parallel_requests + self._settings.waiting_requests + _SPARE_THREADS,
            context=self.context,
        )

    def destroy_node(self) -> None:
        self._diagnostics.close()
        self._requests.close()
        self._reasoner.close()
        self._servers.close()
        super().destroy_node()


def _open_reasoner(parameters: ReasoningParameters) -> Reasoner:
    """Open the reasoner with its models and methods.

    Raises:
        ConfigError: models or methods that cannot be used.
    """
    try:
        reasoner = Reasoner(parameters.library_settings())
    except ModelError as error:
        raise ConfigError(f"models: {error}") from error
    try:
        reasoner.methods  # noqa: B018 - made now: settings that cannot be used are errors here
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
