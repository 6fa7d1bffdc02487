"""The mapping node: camera topics in, memory and its services out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rclpy.experimental import EventsExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter
from std_msgs.msg import Header

from scenemind.config import ConfigError
from scenemind.mapping import MapperReport
from scenemind.memory import SceneMemoryError
from scenemind.models import ModelError
from scenemind.perception import PerceptionError
from scenemind_ros.conversions import header_to_msg
from scenemind_ros.managed_node import ManagedNode
from scenemind_ros.mapping.map_publisher import MapPublisher
from scenemind_ros.mapping.services import MappingServices
from scenemind_ros.mapping.session import MappingRun, MappingSession
from scenemind_ros.mapping.vocabulary_service import VocabularyService
from scenemind_ros.parameters import MappingParameters, read_parameters
from scenemind_ros.qos import SENSOR_OUT
from scenemind_ros.run_node import closing_undisturbed, log_library_to, run_in_ros, spin

_SUCCESS = TransitionCallbackReturn.SUCCESS


class MappingNode(ManagedNode):
    """Lifecycle node: serves its memory while configured, maps while active.

    Attributes:
        session: the memory and its mapper; None while unconfigured.
    """

    def __init__(self, **node_options: object) -> None:
        """Configure and activate, unless the parameter `autostart` is false."""
        super().__init__("mapping_node", MappingParameters, **node_options)
        log_library_to(self.get_logger())
        self.session: MappingSession | None = None
        self._run: MappingRun | None = None
        self.start_by_itself()

    @property
    def is_configured(self) -> bool:
        return self.session is not None

    def allows_while_configured(self, parameters: Sequence[Parameter[Any]]) -> bool:
        return self._vocabulary.is_shown_by(parameters)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Read the parameters, load the detector, open the memory, offer the services."""
        expected = (ConfigError, ModelError, PerceptionError, SceneMemoryError)
        tried = self.tried(self._configure, "unconfigured", *expected)
        return super().on_configure(state) if tried == _SUCCESS else tried

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Subscribe and map."""
        assert self.session is not None, "only a configured node is activated"
        tried = self.tried(self._map, "inactive", ConfigError)
        return super().on_activate(state) if tried == _SUCCESS else tried

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop listening; the memory still answers."""
        self._stop()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close the memory."""
        self._close()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close the memory, from any state."""
        self._close()
        return super().on_shutdown(state)

    def destroy_node(self) -> None:
        self._close()
        super().destroy_node()

    def _configure(self) -> None:
        self._settings = read_parameters(self, MappingParameters)
        self.session = MappingSession(self._settings, self._acknowledge)
        self._outgoing = MapPublisher(self, self._settings.publish.tree_locations)
        self._processed = self.create_publisher(Header, "~/processed", SENSOR_OUT)
        self._services_of_memory = MappingServices(self, self.session, self._settings)
        self._vocabulary = VocabularyService(self, self.session)
        self._vocabulary.show()
        self.get_logger().info(
            f"memory {self.session.memory.path}, detector {self.session.detector_name}"
        )

    def _map(self) -> None:
        assert self.session is not None
        self._run = MappingRun(self, self._settings, self.session, self._outgoing)

    def _stop(self) -> None:
        if self._run is not None:
            self._run.close()
            self._run = None

    def _close(self) -> None:
        self._stop()
        if self.session is None:
            return
        self._services_of_memory.close()
        self._vocabulary.close()
        self._outgoing.close()
        self.destroy_publisher(self._processed)
        try:
            self.session.close()
        except SceneMemoryError as error:
            self.get_logger().error(str(error))
        self.session = None

    def _acknowledge(self, report: MapperReport) -> None:
        """Publish that a frame is mapped; on the mapping thread, possibly after a shutdown."""
        try:
            self._processed.publish(header_to_msg(report.stamp_ns, self._settings.map_frame))
        except rclpy_implementation.RCLError:
            if self.context.ok():
                raise


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; then the memory is flushed and closed."""
    return run_in_ros("mapping_node", _run, args)


def _run() -> None:
    node = MappingNode()
    with closing_undisturbed(node):
        spin(node, EventsExecutor())


if __name__ == "__main__":
    raise SystemExit(main())
