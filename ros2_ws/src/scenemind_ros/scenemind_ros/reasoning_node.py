"""The reasoning node: questions, phrases and corrections in plain words."""

from __future__ import annotations

import threading

from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node

from scenemind.config import ConfigError, ModelsConfig
from scenemind.memory import MemoryAccess
from scenemind.models import ModelError, Models, open_models
from scenemind_interfaces import action, srv
from scenemind_ros.log_bridge import log_library_to
from scenemind_ros.parameters import declare_parameters, overrides_in_words, read_parameters
from scenemind_ros.reasoning.answer_publisher import AnswerPublisher
from scenemind_ros.reasoning.bounded_work import THREADS
from scenemind_ros.reasoning.diagnostics import ReasoningDiagnostics
from scenemind_ros.reasoning.parameters import ReasoningParameters
from scenemind_ros.reasoning.remote_memory import RemoteMemory
from scenemind_ros.reasoning.requests import ReasoningRequests
from scenemind_ros.reasoning.serving import RequestServers
from scenemind_ros.run_node import closing_undisturbed, run_in_ros, spin

# Beside one thread a request: for cancels, refusals, timers and the mapping node's responses.
_SPARE_THREADS = 4


class ReasoningNode(Node):
    """Answers on a memory: one in this process, or the mapping node's over DDS.

    Requests block a thread of the executor each: spin it with `make_executor`.
    """

    def __init__(self, memory: MemoryAccess | None = None, **node_options: object) -> None:
        """`memory`: None for that of the parameter `mapping_node`, in another process.

        Raises:
            ConfigError: an unknown parameter, an impossible value, or an address or a recording
                of models that cannot be used. A model without its key fails what it is asked.
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
        self._models = _open_models(self._settings.models)
        publisher = AnswerPublisher(self, self._settings.map_frame)
        requests = ReasoningRequests(memory, self._models, self._settings, publisher)
        self._requests = requests
        self._servers = RequestServers(self, self._settings.camera_frame)
        self._servers.serve(srv.Ask, "~/ask", requests.ask)
        self._servers.serve(srv.Ground, "~/ground", requests.ground)
        self._servers.serve(srv.Align, "~/align", requests.align)
        self._servers.serve(srv.SelectKeyFrames, "~/select_key_frames", requests.select_key_frames)
        self._servers.act(action.Ask, "~/ask", requests.ask)
        self._servers.act(action.Ground, "~/ground", requests.ground)
        self._servers.act(action.Align, "~/align", requests.align)
        self._diagnostics = ReasoningDiagnostics(
            self, requests, self._models, self._settings.parallel_requests
        )

    def make_executor(self) -> MultiThreadedExecutor:
        """With a thread for each request that is answered at a time, and some to spare."""
        return MultiThreadedExecutor(
            self._settings.parallel_requests + _SPARE_THREADS, context=self.context
        )

    def destroy_node(self) -> None:
        self._diagnostics.close()
        self._requests.close()
        self._models.close()
        self._servers.close()
        super().destroy_node()


def _open_models(config: ModelsConfig) -> Models:
    try:
        return open_models(config)
    except ModelError as error:
        raise ConfigError(f"models: {error}") from error


def main(args: list[str] | None = None) -> int:
    """Until SIGINT or SIGTERM."""
    return run_in_ros("reasoning_node", _run, args)


def _run() -> None:
    node = ReasoningNode()
    with closing_undisturbed(node):
        spin(node, node.make_executor())


if __name__ == "__main__":
    raise SystemExit(main())
