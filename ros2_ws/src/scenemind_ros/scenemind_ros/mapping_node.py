"""The mapping node: camera topics in, memory and its services out."""

from __future__ import annotations

from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter
from std_msgs.msg import Header

from scenemind.config import ConfigError
from scenemind.mapping import MapperReport
from scenemind.memory import SceneMemoryError
from scenemind.models import ModelError
from scenemind.perception import PerceptionError
from scenemind_ros.conversions import header_to_msg
from scenemind_ros.mapping.map_publisher import MapPublisher
from scenemind_ros.mapping.services import MappingServices
from scenemind_ros.mapping.session import MappingRun, MappingSession
from scenemind_ros.mapping.vocabulary_service import VocabularyService
from scenemind_ros.parameters import (
    MappingParameters,
    declare_parameters,
    is_own_parameter,
    overrides_in_words,
    read_parameters,
)
from scenemind_ros.qos import SENSOR_OUT
from scenemind_ros.run_node import closing_undisturbed, log_library_to, run_in_ros, spin

_SUCCESS, _FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE


class MappingNode(LifecycleNode):
    """Lifecycle node: serves its memory while configured, maps while active.

    Attributes:
        session: the memory and its mapper; None while unconfigured.
    """

    def __init__(self, **node_options: object) -> None:
        """Configure and activate, unless the parameter `autostart` is false."""
        with overrides_in_words():
            super().__init__(
                "mapping_node", automatically_declare_parameters_from_overrides=True, **node_options
            )
        log_library_to(self.get_logger())
        self.session: MappingSession | None = None
        self._run: MappingRun | None = None
        declare_parameters(self, MappingParameters)
        self.add_on_set_parameters_callback(self._refuse_while_configured)
        is_wanted = self.get_parameter("autostart").value is not False
        if is_wanted and self.trigger_configure() == _SUCCESS:
            self.trigger_activate()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Read the parameters, load the detector, open the memory, offer the services."""
        try:
            self._settings = read_parameters(self, MappingParameters)
            self.session = MappingSession(self._settings, self._acknowledge)
        except (ConfigError, ModelError, PerceptionError, SceneMemoryError) as error:
            self.get_logger().error(f"stays unconfigured: {error}")
            return _FAILURE
        self._outgoing = MapPublisher(self, self._settings.publish.tree_locations)
        self._processed = self.create_publisher(Header, "~/processed", SENSOR_OUT)
        self._services_of_memory = MappingServices(self, self.session, self._settings)
        self._vocabulary = VocabularyService(self, self.session)
        self._vocabulary.show()
        self.get_logger().info(
            f"memory {self.session.memory.path}, detector {self.session.detector_name}"
        )
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Subscribe and map."""
        assert self.session is not None, "only a configured node is activated"
        try:
            self._run = MappingRun(self, self._settings, self.session, self._outgoing)
        except ConfigError as error:
            self.get_logger().error(f"stays inactive: {error}")
            return _FAILURE
        return super().on_activate(state)

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

    def _refuse_while_configured(self, parameters: list[Parameter]) -> SetParametersResult:
        ours = [parameter.name for parameter in parameters if is_own_parameter(parameter.name)]
        if self.session is None or not ours or self._vocabulary.is_shown_by(parameters):
            return SetParametersResult(successful=True)
        return SetParametersResult(
            successful=False,
            reason=f"{', '.join(ours)} is read when the node is configured: deactivate and clean"
            " it up, set it, then configure and activate",
        )


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; then the memory is flushed and closed."""
    return run_in_ros("mapping_node", _run, args)


def _run() -> None:
    node = MappingNode()
    with closing_undisturbed(node):
        spin(node, SingleThreadedExecutor())


if __name__ == "__main__":
    raise SystemExit(main())
