"""What the lifecycle nodes share: settings checked when they are set, a state that says why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.parameter import Parameter

from scenemind.config import Settings
from scenemind_ros.errors import diagnostic_status
from scenemind_ros.parameters import (
    declare_parameters,
    is_own_parameter,
    overrides_in_words,
    problem_of_setting,
)

_STATE_S = 1.0


class ManagedNode(LifecycleNode, ABC):
    """Lifecycle node whose parameters are one class of settings.

    They are checked when they are set, and read when the node is configured: while it is, they are
    locked. As long as the node is not active, `/diagnostics` says in which state it is, and why.
    """

    def __init__(self, name: str, settings: type[Settings], **node_options: Any) -> None:
        """
        Raises:
            ConfigError: a parameter without a value.
        """
        with overrides_in_words():
            super().__init__(
                name, automatically_declare_parameters_from_overrides=True, **node_options
            )
        self._kind = settings
        self._refusal = ""
        declare_parameters(self, settings)
        self.add_on_set_parameters_callback(self._check_parameters)
        self._state_publisher = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        # A steady clock also runs if use_sim_time waits for a missing /clock.
        self._state_timer = self.create_timer(
            _STATE_S, self._publish_state, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    @property
    @abstractmethod
    def is_configured(self) -> bool:
        """Whether parameters are in use."""

    def allows_while_configured(self, parameters: Sequence[Parameter[Any]]) -> bool:  # noqa: ARG002
        """Whether these may be set now, although the node has read its parameters."""
        return False

    def start_by_itself(self) -> None:
        """Configure and activate, unless the parameter `autostart` is false."""
        is_wanted = self.get_parameter("autostart").value is not False
        if is_wanted and self.trigger_configure() == TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()

    def tried(
        self, step: Callable[[], None], stays: str, *expected: type[Exception]
    ) -> TransitionCallbackReturn:
        """Outcome of a transition: a failure with an error of these kinds, which is logged and
        shown.

        Args:
            stays: the state that it stays in then, such as `unconfigured`.
        """
        self._refusal = ""
        try:
            step()
        except expected as error:
            self._refusal = f"stays {stays}: {error}"
            self.get_logger().error(self._refusal)
            return TransitionCallbackReturn.FAILURE
        return TransitionCallbackReturn.SUCCESS

    def _check_parameters(self, parameters: list[Parameter[Any]]) -> SetParametersResult:
        ours = [parameter for parameter in parameters if is_own_parameter(parameter.name)]
        if not ours or (self.is_configured and self.allows_while_configured(ours)):
            return SetParametersResult(successful=True)
        if self.is_configured:
            names = ", ".join(parameter.name for parameter in ours)
            return SetParametersResult(
                successful=False,
                reason=f"{names} is read when the node is configured: deactivate and clean it up,"
                " set it, then configure and activate",
            )
        problem = problem_of_setting(self, self._kind, ours)
        return SetParametersResult(successful=not problem, reason=problem)

    def _publish_state(self) -> None:
        _, state = self._state_machine.current_state
        if state == "active":
            return
        problem = self._refusal or f"the node is {state}: ros2 lifecycle set it to active"
        status = diagnostic_status(
            self, "state", {"state": state}, [problem],
            DiagnosticStatus.ERROR if self._refusal else DiagnosticStatus.WARN,
        )  # fmt: skip
        message = DiagnosticArray(status=[status])
        message.header.stamp = self.get_clock().now().to_msg()
        self._state_publisher.publish(message)
