"""What the reasoning node says on `/diagnostics`: its requests, and each model that it asks."""

from __future__ import annotations

from collections.abc import Iterator

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from scenemind.models import Models, ModelStatus
from scenemind_ros.diagnostic_status import diagnostic_status
from scenemind_ros.reasoning.requests import ReasoningRequests

_PERIOD_S = 1.0


class ReasoningDiagnostics:
    """Publishes a message a second until it is closed."""

    def __init__(
        self, node: Node, requests: ReasoningRequests, models: Models, parallel_requests: int
    ) -> None:
        self._node = node
        self._requests = requests
        self._models = models
        self._parallel_requests = parallel_requests
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        # Also where use_sim_time waits for a /clock that nobody publishes.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(_PERIOD_S, self._publish, clock=steady)

    def close(self) -> None:
        self._node.destroy_timer(self._timer)

    def _publish(self) -> None:
        message = DiagnosticArray(status=list(self._parts()))
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def _parts(self) -> Iterator[DiagnosticStatus]:
        models = self._models.status()
        running, most = self._requests.running, self._parallel_requests
        problems = ["no more are taken: raise parallel_requests"] if running >= most else []
        values = {"running": running, "limit": most, "models": len(models)}
        yield diagnostic_status(self._node, "requests", values, problems)
        for model in models:
            yield self._model(model)

    def _model(self, model: ModelStatus) -> DiagnosticStatus:
        used = model.used_today
        values: dict[str, object] = {
            "model": model.model,
            "endpoint": model.endpoint,
            "calls": model.calls,
            **{f"failed_{kind}": count for kind, count in model.failures.items()},
            "in_flight": model.in_flight,
            "waiting": model.waiting,
            "calls_today": used.calls,
            "prompt_tokens_today": used.prompt_tokens,
            "cached_tokens_today": used.cached_tokens,
            "reply_tokens_today": used.reply_tokens,
        }
        if model.has_price:
            values["cost_today"] = used.cost
        problems = [] if model.is_ready else [model.state]
        problems += [model.trouble] if model.trouble else []
        return diagnostic_status(self._node, f"{model.role} model", values, problems)
