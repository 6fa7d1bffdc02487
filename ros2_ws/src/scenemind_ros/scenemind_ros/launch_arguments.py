"""Arguments of the launch files: their names and values, and the parameters that these make.

Knows nothing of ROS 2's launch, which is not on the Python registry: `launching` starts processes
with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from rclpy.exceptions import NameValidationException
from rclpy.validate_namespace import validate_namespace
from rclpy.validate_topic_name import validate_topic_name

from scenemind.config import ConfigError, Settings
from scenemind.memory import SceneMemoryError
from scenemind.memory.disk.folder import checked_name
from scenemind.perception import PerceptionError
from scenemind.perception.backends.backend_choice import with_backend
from scenemind_ros.parameters import (
    MappingParameters,
    ReasoningParameters,
    settings_from_ros,
)

NODES: dict[str, type[Settings]] = {
    "mapping_node": MappingParameters,
    "reasoning_node": ReasoningParameters,
}
LEVELS = ("debug", "info", "warn", "error", "fatal")


class Argument(NamedTuple):
    """One launch argument.

    Attributes:
        default: None: it must be given.
        parameter: of the mapping node, which it sets; an argument that is empty leaves the value of
            the parameter file.
    """

    name: str
    default: str | None
    description: str
    parameter: str = ""


OF_NODES = (
    Argument("params_file", "default.yaml", "ROS parameters of both nodes, or a file of config/"),
    Argument("namespace", "", "of all nodes and relative topics, for several robots"),
    Argument("separate", "false", "mapping and reasoning in two processes"),
    Argument("use_sim_time", "false", "time from /clock"),
    Argument("use_respawn", "false", "start a node again that ended; it continues its memory"),
    Argument("log_level", "info", f"{', '.join(LEVELS)}"),
    Argument("rviz", "false", "show it in RViz"),
    Argument(
        "detector_weights", "", "an .onnx, .xml or .pt file, or a model's name", "detector.weights"
    ),
    Argument("memory_name", "", "an existing memory is continued", "memory.name"),
    Argument("relocate", "", "its world may have another origin than today's", "memory.relocate"),
    Argument("memory_root", "", "folder of the memories", "memory.root"),
    Argument("map_frame", "", "frame of all that is published", "map_frame"),
    Argument("pose_source", "", "odometry or tf", "pose_source"),
    Argument("color_topic", "", "colour images", "topics.color"),
    Argument("depth_topic", "", "depth images", "topics.depth"),
    Argument("camera_info_topic", "", "intrinsics of the colour images", "topics.camera_info"),
    Argument("odometry_topic", "", "nav_msgs/Odometry", "topics.odometry"),
)
OF_PLAYER = (
    Argument("sequence", None, "folder, bag, or sim:SEED for a simulated room"),
    Argument("rate", "1.0", "0: as fast as the mapping node maps"),
    Argument("loop", "false", "start again at the end"),
)
OF_EVALUATION = (
    Argument("bag", None, "bag, folder, or sim:SEED for a simulated room"),
    Argument("benchmark", None, "name of the benchmark, as in scenemind eval"),
    Argument("out", None, "folder for predictions, scores and the page"),
    Argument("data", "", "the benchmark's file or folder"),
    Argument("objects", "", "file of true objects, to score boxes"),
    Argument("scene", "", "the benchmark's name of the scene; empty: the bag's name"),
    Argument("method", "symbolic", "who answers"),
    Argument("limit", "", "number of rows"),
)


class LaunchError(RuntimeError):
    """An argument that cannot be; the message names it and the way out."""


class Values:
    """Values of the arguments, as what they are."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    def text(self, name: str) -> str:
        """Empty for an argument that this launch file does not have."""
        return self._given.get(name, "")

    def is_true(self, name: str) -> bool:
        value = self.text(name).lower()
        if value not in ("true", "false", "1", "0", ""):
            raise LaunchError(f"{name}:={self.text(name)} is neither true nor false")
        return value in ("true", "1")

    def number(self, name: str) -> float:
        try:
            return float(self._given[name])
        except ValueError:
            raise LaunchError(f"{name}:={self._given[name]} is no number") from None

    def choice(self, name: str, known: Iterable[str]) -> str:
        if self._given[name] not in known:
            raise LaunchError(f"{name}:={self._given[name]} is none of {', '.join(known)}")
        return self._given[name]


def parameters_of(values: Values, config: Path, memory_root: str = "") -> dict[str, Any]:
    """Content of a parameter file: the one that is named, with the arguments on top.

    It is for the nodes in any namespace, and checked as they do it.

    Args:
        config: folder of the files that may be named without a folder.
        memory_root: where neither the argument nor the file names one.

    Raises:
        LaunchError: no such file, no parameter file, or a parameter that cannot be.
    """
    use_sim_time = values.is_true("use_sim_time")
    _check_namespace(values.text("namespace"))
    path = Path(values.text("params_file")).expanduser()
    if not path.is_file() and path.name == str(path):
        path = config / path.name
    if not path.is_file():
        raise LaunchError(f"params_file:={path}: there is no such file")
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        sections = {name: dict(_flat(values["ros__parameters"])) for name, values in given.items()}
    except (OSError, yaml.YAMLError, TypeError, KeyError, AttributeError) as error:
        raise LaunchError(f"params_file:={path} is no ROS parameter file: {error!r}") from error
    of_both = sections.pop("/**", {})
    if strangers := {name.rpartition("/")[2] for name in sections} - NODES.keys():
        names = ", ".join(NODES)
        raise LaunchError(f"params_file:={path} is for {', '.join(strangers)}; there are {names}")
    arguments = {
        one.parameter: values.text(one.name)
        for one in OF_NODES
        if one.parameter and values.text(one.name)
    }
    merged: dict[str, Any] = {}
    for name, model in NODES.items():
        known = model().flatten()
        flat = {key: value for key, value in of_both.items() if key in known}
        for section, its in sections.items():
            flat |= its if section.rpartition("/")[2] == name else {}
        if memory_root and "memory.root" in known:
            flat.setdefault("memory.root", memory_root)
        flat |= {key: value for key, value in arguments.items() if key in known}
        in_file = flat.pop("use_sim_time", of_both.get("use_sim_time", False))
        try:
            settings = settings_from_ros(model, flat)
            if isinstance(settings, MappingParameters):
                _check_names(settings)
        except (ConfigError, SceneMemoryError, PerceptionError) as error:
            raise LaunchError(f"{name}: {error}") from error
        flat["use_sim_time"] = use_sim_time or bool(in_file)
        merged[f"/**/{name}"] = {"ros__parameters": flat}
    return merged


def _check_namespace(name: str) -> None:
    try:
        validate_namespace(f"/{name.strip('/')}")
    except NameValidationException as error:
        raise LaunchError(f"namespace:={name}: {_first_line(error)}") from error


def _check_names(settings: MappingParameters) -> None:
    """What a node would find out after its start, and stay unconfigured.

    Raises:
        ConfigError, SceneMemoryError, PerceptionError: no topic, no name of a memory, no weights.
    """
    checked_name(settings.memory.name)
    if settings.detector.weights:
        with_backend(settings.detector)
    for name, topic in settings.topics:
        try:
            if topic:
                validate_topic_name(topic)
        except NameValidationException as error:
            raise ConfigError(f"topics.{name} is {topic!r}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """Without the mark under the character, which needs a line of its own."""
    return str(error).splitlines()[0].rstrip(":")


def _flat(nested: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in nested.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def topics_of(layout: object) -> Iterator[str]:
    """Topics that an RViz layout names."""
    if isinstance(layout, Mapping):
        for name, value in layout.items():
            if name == "Topic" and isinstance(value, Mapping) and value.get("Value"):
                yield str(value["Value"])
            yield from topics_of(value)
    elif isinstance(layout, list):
        for value in layout:
            yield from topics_of(value)
