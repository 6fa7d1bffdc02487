"""Services and actions around handlers that fill a response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from scenemind_interfaces.msg import Error
from scenemind_ros.errors import error_of
from scenemind_ros.qos import REQUESTS
from scenemind_ros.reasoning.caller import GoalCaller, ServiceCaller

Handler = Callable[[Any, Any, ServiceCaller], None]


class RequestServers:
    """Requests are handled at the same time, each on a thread of the node's executor."""

    def __init__(self, node: Node, camera_frame: str) -> None:
        self._node = node
        self._camera_frame = camera_frame
        self._group = ReentrantCallbackGroup()
        self._actions: list[ActionServer[Any, Any, Any]] = []

    def serve(self, kind: type, name: str, handle: Handler) -> None:
        """Offer a service."""

        def respond(request: Any, response: Any) -> Any:
            self._handle(handle, request, response, ServiceCaller())
            return response

        self._node.create_service(
            kind, name, respond, qos_profile=REQUESTS, callback_group=self._group
        )

    def act(self, kind: Any, name: str, handle: Handler) -> None:
        """Offer an action."""

        def execute(goal: ServerGoalHandle) -> Any:
            result = kind.Result()
            context = self._node.context
            caller = GoalCaller(goal, kind.Feedback, self._camera_frame, context)
            self._handle(handle, goal.request, result, caller)
            if result.success:
                goal.succeed()
            elif result.error.code == Error.CANCELLED:
                goal.canceled()
            else:
                goal.abort()
            return result

        self._actions.append(
            ActionServer(
                self._node,
                kind,
                name,
                execute,
                callback_group=self._group,
                cancel_callback=lambda _: CancelResponse.ACCEPT,
                goal_service_qos_profile=REQUESTS,
                result_service_qos_profile=REQUESTS,
                cancel_service_qos_profile=REQUESTS,
            )
        )

    def close(self) -> None:
        for server in self._actions:
            server.destroy()

    def _handle(self, handle: Handler, request: Any, response: Any, caller: ServiceCaller) -> None:
        """A request never ends the node: what goes wrong becomes an error code."""
        try:
            handle(request, response, caller)
        except Exception as failure:  # noqa: BLE001 - the edge of the node: answered, bugs logged
            if not self._node.context.ok():
                return  # told to end amid the work: nobody can be answered any more
            response.success = False
            response.error = error_of(failure, self._node.get_logger())
            if hasattr(response, "answer"):
                response.answer.question = request.question
                response.answer.error = response.error
        finally:
            caller.close()
