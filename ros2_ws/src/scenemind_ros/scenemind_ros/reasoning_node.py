"""The reasoning node: questions, phrases and corrections in plain words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node

from scenemind.memory import MemoryAccess
from scenemind_interfaces import action, srv
from scenemind_interfaces.msg import Error
from scenemind_ros.errors import error_of
from scenemind_ros.log_bridge import log_library_to
from scenemind_ros.parameters import declare_parameters, overrides_in_words, read_parameters
from scenemind_ros.reasoning.answer_publisher import AnswerPublisher
from scenemind_ros.reasoning.caller import GoalCaller, ServiceCaller
from scenemind_ros.reasoning.parameters import ReasoningParameters
from scenemind_ros.reasoning.remote_memory import RemoteMemory
from scenemind_ros.reasoning.requests import ReasoningRequests
from scenemind_ros.run_node import closing_undisturbed, run_in_ros, spin

Handler = Callable[[Any, Any, ServiceCaller], None]

# Beside one thread a request: for cancels, refusals and the mapping node's responses.
_SPARE_THREADS = 4


class ReasoningNode(Node):
    """Answers on a memory: one in this process, or the mapping node's over DDS.

    Requests block a thread of the executor each: spin it with `make_executor`.
    """

    def __init__(self, memory: MemoryAccess | None = None, **node_options: object) -> None:
        """`memory`: None for that of the parameter `mapping_node`, in another process.

        Raises:
            ConfigError: an unknown parameter or an impossible value.
        """
        with overrides_in_words():
            super().__init__(
                "reasoning_node",
                automatically_declare_parameters_from_overrides=True,
                **node_options,
            )
        log_library_to(self.get_logger())
        declare_parameters(self, ReasoningParameters)
        self._settings = read_parameters(self, ReasoningParameters)
        if memory is None:
            remote = self._settings.mapping_node
            memory = RemoteMemory(self, remote, self._settings.memory_timeout_s)
        publisher = AnswerPublisher(self, self._settings.map_frame)
        self._requests = ReasoningRequests(memory, self._settings, publisher)
        self._group = ReentrantCallbackGroup()
        self._serve(srv.Ask, "~/ask", self._requests.ask)
        self._serve(srv.Ground, "~/ground", self._requests.ground)
        self._serve(srv.Align, "~/align", self._requests.align)
        self._actions = [
            self._act(action.Ask, "~/ask", self._requests.ask),
            self._act(action.Ground, "~/ground", self._requests.ground),
        ]

    def make_executor(self) -> MultiThreadedExecutor:
        """With a thread for each request that is answered at a time, and some to spare."""
        return MultiThreadedExecutor(
            self._settings.parallel_requests + _SPARE_THREADS, context=self.context
        )

    def destroy_node(self) -> None:
        self._requests.close()
        for server in self._actions:
            server.destroy()
        super().destroy_node()

    def _serve(self, kind: type, name: str, handle: Handler) -> None:
        def respond(request: Any, response: Any) -> Any:
            self._handle(handle, request, response, ServiceCaller())
            return response

        self.create_service(kind, name, respond, callback_group=self._group)

    def _act(self, kind: Any, name: str, handle: Handler) -> ActionServer[Any, Any, Any]:
        def execute(goal: ServerGoalHandle) -> Any:
            result = kind.Result()
            self._handle(handle, goal.request, result, GoalCaller(goal, kind.Feedback))
            if result.success:
                goal.succeed()
            elif result.error.code == Error.CANCELLED:
                goal.canceled()
            else:
                goal.abort()
            return result

        return ActionServer(
            self,
            kind,
            name,
            execute,
            callback_group=self._group,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def _handle(self, handle: Handler, request: Any, response: Any, caller: ServiceCaller) -> None:
        """A request never ends the node: what goes wrong becomes an error code."""
        try:
            handle(request, response, caller)
        except Exception as failure:  # noqa: BLE001 - the edge of the node: answered, bugs logged
            response.success = False
            response.error = error_of(failure, self.get_logger())
            if hasattr(response, "answer"):
                response.answer.question = request.question
                response.answer.error = response.error


def main(args: list[str] | None = None) -> int:
    """Until SIGINT or SIGTERM."""
    return run_in_ros("reasoning_node", _run, args)


def _run() -> None:
    node = ReasoningNode()
    with closing_undisturbed(node):
        spin(node, node.make_executor())


if __name__ == "__main__":
    raise SystemExit(main())
