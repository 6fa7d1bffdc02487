"""What runs between activation and deactivation: topics in, frames mapped, results out."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from scenemind.perception import PerceptionError
from scenemind_ros.input.camera_input import CameraInput
from scenemind_ros.mapping.diagnostics import MappingDiagnostics
from scenemind_ros.mapping.map_publisher import MapPublisher
from scenemind_ros.mapping.session import MappingSession
from scenemind_ros.parameters import MappingParameters

_POLL_S = 0.2  # how soon a publisher that appears is found
_DIAGNOSTICS_S = 1.0


class MappingRun:
    """Connects camera topics, session and outgoing topics until it is closed."""

    def __init__(
        self,
        node: Node,
        parameters: MappingParameters,
        session: MappingSession,
        outgoing: MapPublisher,
    ) -> None:
        """Raises ConfigError when poses should come from TF and tf2_ros is not installed."""
        self._node = node
        self._session = session
        self._outgoing = outgoing
        self._input = CameraInput(node, parameters, session.submit, self._name_instances)
        self._health = MappingDiagnostics(node, parameters, self._input, session)
        self._diagnostics = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        session.start()
        # Also where use_sim_time waits for a /clock that nobody publishes.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timers = [
            node.create_timer(period_s, call, clock=steady)
            for period_s, call in (
                (_POLL_S, self._input.poll),
                (_DIAGNOSTICS_S, self._publish_health),
                (1.0 / parameters.publish.max_hz, self._publish_map),
            )
        ]
        self._input.poll()

    def close(self) -> None:
        """Hear nothing more, map what waits, publish the outcome."""
        for timer in self._timers:
            self._node.destroy_timer(timer)
        self._input.close()
        self._session.stop()
        if self._node.context.ok():
            self._publish_map()
        self._node.destroy_publisher(self._diagnostics)

    def _name_instances(self, names: Mapping[int, str]) -> None:
        try:
            self._session.name_instances(names)
        except PerceptionError as error:
            self._input.drops.count("bad_instance_names", str(error))

    def _publish_health(self) -> None:
        self._diagnostics.publish(self._health.message())

    def _publish_map(self) -> None:
        self._outgoing.publish(self._session.memory)
