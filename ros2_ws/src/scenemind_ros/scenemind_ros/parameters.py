"""ROS parameters of the nodes: typed settings, declared and read by their names."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from pydantic import AfterValidator, BaseModel, Field, model_validator
from pydantic.fields import FieldInfo
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter
from typing_extensions import Self

from scenemind.config import (
    ConfigError,
    DetectorConfig,
    LearnedMethodsConfig,
    LlmTpcConfig,
    LoopClosureConfig,
    MemTreeConfig,
    ModelsConfig,
    RelationConfig,
    SandboxConfig,
    SceneMindConfig,
    Settings,
    SynergaiConfig,
    VadarConfig,
    VlmGrounderConfig,
)
from scenemind.geometry import Pose
from scenemind_ros.optional_ros import quaternion_from_euler, tf2_ros
from scenemind_ros.qos import Reliability

# Every node has these by itself; they are not SceneMind's.
_ROS_OWN = ("use_sim_time", "qos_overrides.", "start_type_description_service")
# Camera at the base's origin looking along its x axis: base x forward, z up (REP-103), optical
# frame z forward, y down.
OPTICAL_MOUNTING = [0.0, 0.0, 0.0, -0.5, 0.5, -0.5, 0.5]


def pose_from_list(numbers: list[float]) -> Pose:
    """A pose from x y z qx qy qz qw, or x y z roll pitch yaw (as in static_transform_publisher).

    Raises:
        ValueError: another count, or no unit quaternion.
    """
    if len(numbers) not in (6, 7):
        raise ValueError(
            f"a pose is x y z qx qy qz qw or x y z roll pitch yaw, got {len(numbers)} numbers"
        )
    turn = numbers[3:] if len(numbers) == 7 else quaternion_from_euler(*numbers[3:])
    return Pose.from_quaternion(numbers[:3], turn)


def _checked_pose(numbers: list[float]) -> list[float]:
    pose_from_list(numbers)
    return numbers


PoseList = Annotated[list[float], AfterValidator(_checked_pose)]


class TopicParameters(Settings):
    """Names of the input topics, relative to the node's namespace without a leading slash; the type
    (raw or compressed) is the publisher's."""

    color: str = Field("camera/camera/color/image_raw", description="colour images")
    depth: str = Field("camera/camera/aligned_depth_to_color/image_raw", description="depth images")
    camera_info: str = Field(
        "camera/camera/color/camera_info", description="calibration of the colour camera"
    )
    depth_camera_info: str = Field(
        "camera/camera/depth/camera_info", description="used when depth.aligned is false"
    )
    odometry: str = Field("odom", description="nav_msgs/Odometry; used by pose_source odometry")
    instances: str = Field("", description="a simulator's instance image; empty: none")
    instance_names: str = Field("", description="latched JSON {id: label} of the instance image")


class QosParameters(Settings):
    reliability: Reliability = Field("auto", description="auto: follow the publisher")


EARLIER_VISIT = "_of_earlier_visit"
"""End of the name of a frame that no TF leads to: positions are in the world of an earlier visit,
as the robot is not located in the memory yet (`memory.relocate`)."""


class MemoryParameters(Settings):
    """The place of the memory; an existing memory of that name is opened and continued."""

    root: str = Field(
        "auto",
        description="folder; auto: $SCENEMIND_HOME or ~/.local/share/scenemind, as for the command"
        " line; empty: not kept after the end",
    )
    name: str = Field("current", description="letters, digits, - _ .")
    relocate: bool = Field(
        False,
        description="the world may have another origin than that of the memory, as after SLAM began"
        " anew: frames are mapped apart until the robot is located; docs/memories.md",
    )


class PublishParameters(Settings):
    max_hz: float = Field(5.0, gt=0.0, le=50.0, description="objects, graph, tree, markers")
    camera_frame: str = Field(
        "camera_color_optical_frame", description="frame_id written into key frames"
    )
    tree_locations: int = Field(
        50, ge=1, description="newest locations in ~/mem_tree; ~/get_mem_tree gives all"
    )
    map_to_odom: bool = Field(
        False,
        description="map_frame to odometry's frame, as closing loops corrects it; docs/slam.md",
    )


class CorrectionParameters(Settings):
    """Poses that a SLAM system corrects afterwards; docs/slam.md."""

    path: str = Field(
        "", description="topic, nav_msgs/Path: corrected poses of the base at earlier stamps"
    )
    graph: str = Field("", description="topic, rtabmap_msgs/MapData; needs rtabmap_msgs")
    tf: bool = Field(False, description="follow jumps of map -> odom; needs tf2_ros")
    odom_frame: str = Field("odom", description="frame of odometry, for corrections.tf")
    every_s: float = Field(2.0, gt=0.0, description="least time between two corrections")
    least_m: float = Field(0.02, ge=0.0, description="smaller corrections wait, if also")
    least_deg: float = Field(0.2, ge=0.0, description="the turn is smaller")


class MappingParameters(SceneMindConfig):
    """All parameters of the mapping node: the library's and its own."""

    autostart: bool = Field(True, description="configure and activate without a manager")
    topics: TopicParameters = TopicParameters()
    qos: QosParameters = QosParameters()
    pose_source: Literal["odometry", "tf"] = Field("odometry", description="tf needs tf2_ros")
    base_T_camera: PoseList = Field(
        OPTICAL_MOUNTING,
        description="colour camera (optical frame) on the odometry's child frame:"
        " x y z qx qy qz qw or x y z roll pitch yaw",
    )
    corrections: CorrectionParameters = CorrectionParameters()
    memory: MemoryParameters = MemoryParameters()
    publish: PublishParameters = PublishParameters()
    pending_frames: int = Field(
        2, ge=1, description="frames that wait for the mapper; a further one replaces the oldest"
    )
    silence_s: float = Field(5.0, gt=0.0, description="warn after this time without messages")

    @property
    def own_loops(self) -> LoopClosureConfig:
        """Closing of loops: none where a SLAM system closes them."""
        slam = self.corrections
        has_slam = self.pose_source == "tf" or slam.tf or bool(slam.path or slam.graph)
        off = {"enabled": False} if has_slam else {}
        return self.loop_closure.model_copy(update=off)

    @model_validator(mode="after")
    def _belongs_together(self) -> Self:
        if not self.depth.aligned:
            try:
                pose_from_list(self.depth.color_T_depth)
            except ValueError as error:
                raise ValueError(
                    f"depth.aligned is false, so depth.color_T_depth is needed: {error}"
                ) from error
        if self.publish.map_to_odom and not self.own_loops.enabled:
            raise ValueError(
                "publish.map_to_odom says what closing loops here corrects: it needs"
                " loop_closure.enabled, and no SLAM system, which publishes it itself (pose_source"
                " tf, corrections.path, corrections.graph, corrections.tf)"
            )
        names = (self.topics.instances, self.topics.instance_names)
        if self.detector.backend == "instance_camera" and not all(names):
            raise ValueError(
                "detector.backend instance_camera reads topics.instances and topics.instance_names:"
                f" name both, got {names}"
            )
        return self


Model = TypeVar("Model", bound=Settings)


@contextmanager
def overrides_in_words() -> Iterator[None]:
    """Context for making a node that declares its parameters from overrides.

    Raises:
        ConfigError: an override has no value; rclpy's own error gives no remedy.
    """
    try:
        yield
    except ValueError as error:
        if "PARAMETER_NOT_SET" not in str(error):
            raise
        raise ConfigError(
            "a parameter is given as [] or without a value, which ROS cannot hold: write [''] for"
            " an empty list, or leave it out, its default applies then"
        ) from error


def declare_parameters(node: Node, model: type[Model]) -> None:
    """Declare every setting of the model with its default, description, range and choices.

    The node needs `automatically_declare_parameters_from_overrides=True`: then unknown names can be
    found (`read_parameters`). Types stay open here: a wrong type is reported together with every
    other mistake, and does not end the process.
    """
    fields = dict(_fields(model))
    for name, default in model().flatten().items():
        descriptor = _descriptor(fields.get(name))
        if not node.has_parameter(name):
            node.declare_parameter(name, _as_parameter(default), descriptor)
            continue
        try:
            node.set_descriptor(name, descriptor)
        except InvalidParameterValueException:  # an override: reported with all other mistakes
            descriptor.integer_range = descriptor.floating_point_range = []
            node.set_descriptor(name, descriptor)


def read_parameters(node: Node, model: type[Model]) -> Model:
    """The current values, checked.

    Raises:
        ConfigError: an unknown name or an impossible value.
    """
    known = model().flatten()
    given: dict[str, Parameter[Any]] = node.get_parameters_by_prefix("")
    for name in given:
        if name not in known and is_own_parameter(name):
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ConfigError(f"{node.get_name()} has no parameter {name}{hint}")
    return settings_from_ros(model, {name: given[name].value for name in known})


def settings_from_ros(model: type[Model], values: Mapping[str, Any]) -> Model:
    """Settings from values of ROS parameters, or from a parameter file's, by dotted names.

    ROS has no empty list: `['']` stands for it. Parameters that every node has are left out.

    Raises:
        ConfigError: an unknown name or an impossible value.
    """
    return model.from_flat(
        {name: _plain(value) for name, value in values.items() if is_own_parameter(name)}
    )


def problem_of_setting(node: Node, model: type[Model], parameters: Sequence[Parameter[Any]]) -> str:
    """Why these parameters cannot have these values; empty: they can.

    Where other parameters of the node are wrong already, these are looked at alone, so that one
    can be mended after the other.
    """
    new = {parameter.name: parameter.value for parameter in parameters}
    held = {
        name: node.get_parameter(name).value
        for name in model().flatten()
        if node.has_parameter(name)
    }
    for values in ({**held, **new}, held, new):
        try:
            settings_from_ros(model, values)
        except ConfigError as error:
            problem = str(error)
        else:
            return "" if values is not held else problem
    return problem


def is_own_parameter(name: str) -> bool:
    """Whether a parameter is SceneMind's, and not one that every ROS node has."""
    return not name.startswith(_ROS_OWN)


_EMPTY_LIST = [""]


def _as_parameter(value: Any) -> Any:
    """A value as ROS can hold it: lists of lists are flattened, empty ones get a stand-in."""
    if not isinstance(value, list):
        return value
    if any(isinstance(inner, tuple) for inner in value):
        return [number for inner in value for number in inner]
    return value or _EMPTY_LIST


def _plain(value: Any) -> Any:
    """A value of a parameter as settings have it."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return value
    values = list(value)  # numbers come as array.array
    return [] if values == _EMPTY_LIST else values


def _fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _fields(inner, f"{prefix}{name}.")
        else:
            yield prefix + name, field


def _descriptor(field: FieldInfo | None) -> ParameterDescriptor:
    """Description, range and choices; a bound that is no value itself is said in words."""
    descriptor = ParameterDescriptor(dynamic_typing=True)
    if field is None:
        return descriptor
    descriptor.description = field.description or ""
    words = []
    if get_origin(field.annotation) is Literal:
        words.append(f"one of {', '.join(map(str, get_args(field.annotation)))}")
    bounds = {
        name: getattr(part, name)
        for part in field.metadata
        for name in ("ge", "gt", "le", "lt")
        if getattr(part, name, None) is not None
    }
    words += [
        f"{text} {bounds[name]:g}"
        for name, text in (("gt", "greater than"), ("lt", "less than"))
        if name in bounds
    ]
    least, most = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
    if field.annotation is int and bounds:
        descriptor.integer_range = [
            IntegerRange(
                from_value=-(2**63) if least is None else int(least) + ("gt" in bounds),
                to_value=2**63 - 1 if most is None else int(most) - ("lt" in bounds),
            )
        ]
    elif field.annotation is float and bounds:
        largest = sys.float_info.max
        descriptor.floating_point_range = [
            FloatingPointRange(
                from_value=-largest if least is None else float(least),
                to_value=largest if most is None else float(most),
            )
        ]
    descriptor.additional_constraints = "; ".join(words)
    return descriptor


def require_tf2() -> Any:
    """The module tf2_ros.

    Raises:
        ConfigError: it is not installed.
    """
    if tf2_ros is None:
        raise ConfigError(
            "pose_source is tf, or corrections.tf is set, and tf2_ros is not installed: install ROS"
            " 2's tf2_ros (it is not on the Python registry), or set pose_source to odometry and"
            " corrections.tf to false"
        )
    return tf2_ros


_MOST_PARALLEL, _MOST_WAITING = 64, 1000
MOST_REQUESTS = _MOST_PARALLEL + _MOST_WAITING


class ReasoningParameters(Settings):
    """Parameters of the reasoning node; `map_frame` and `relations` should equal the mapping
    node's."""

    autostart: bool = Field(True, description="configure and activate without a manager")
    map_frame: str = Field("map", description="frame_id of all positions")
    camera_frame: str = Field(
        "camera_color_optical_frame", description="frame_id written into key frames"
    )
    relations: RelationConfig = RelationConfig()
    models: ModelsConfig = ModelsConfig()
    memtree: MemTreeConfig = MemTreeConfig()
    sandbox: SandboxConfig = SandboxConfig()
    llm_tpc: LlmTpcConfig = LlmTpcConfig()
    vadar: VadarConfig = VadarConfig()
    synergai: SynergaiConfig = SynergaiConfig()
    learned_methods: LearnedMethodsConfig = LearnedMethodsConfig()
    vlm_grounder: VlmGrounderConfig = VlmGrounderConfig()
    detector: DetectorConfig = Field(
        DetectorConfig(),
        description="for the selector detector, and for vlm_grounder if the map has no label;"
        " separate from the mapping node's",
    )
    falls_back: bool = Field(
        True, description="if a model fails, answer without it, and note it in the answer"
    )
    timeout_s: float = Field(
        60.0,
        gt=0.0,
        description="for requests without a timeout; longer than one call of a model",
    )
    parallel_requests: int = Field(
        8, ge=1, le=_MOST_PARALLEL, description="requests answered in parallel"
    )
    waiting_requests: int = Field(
        200, ge=0, le=_MOST_WAITING, description="further requests that wait for their turn"
    )
    mapping_node: str = Field(
        "mapping_node", description="owner of the memory, if it is another process"
    )
    memory_timeout_s: float = Field(
        5.0, gt=0.0, description="time limit of a call to the mapping node in another process"
    )

    def library_settings(self) -> SceneMindConfig:
        """The library's settings with these values."""
        shared = SceneMindConfig.model_fields.keys() & type(self).model_fields.keys()
        return SceneMindConfig(**{name: getattr(self, name) for name in shared})
