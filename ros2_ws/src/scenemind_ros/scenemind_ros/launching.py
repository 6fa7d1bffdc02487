"""Launch files: the processes that they start.

Everything is read and checked before the first process starts: a value that cannot be, a package
that is missing, or a parameter that no node has ends the launch with a sentence, and orphans
nothing. Needs `launch` and `launch_ros`, which only an installed ROS 2 has.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    Shutdown,
)
from launch.event_handlers import OnProcessExit, OnShutdown
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node

from scenemind.errors import SceneMindError
from scenemind.simulation import open_source
from scenemind_ros.evaluation import check_run, parse_options
from scenemind_ros.executables import UNINTERRUPTED
from scenemind_ros.launch_arguments import (
    LEVELS,
    NODES,
    OF_EVALUATION,
    OF_NODES,
    OF_PLAYER,
    Argument,
    LaunchError,
    Values,
    parameters_of,
    topics_of,
)

SHARE = Path(get_package_share_directory("scenemind_ros"))
_PACKAGE = "scenemind_ros"
_RESPAWN_S = 2.0
_ENDING_S = "20"  # after an interrupt the memory is written to disk in this time


def bringup(*, rviz: bool = False, params_file: str = "default.yaml") -> LaunchDescription:
    """Mapping and reasoning."""
    changed = {"rviz": str(rviz).lower(), "params_file": params_file}
    return _description(OF_NODES, changed, _nodes)


def realsense() -> LaunchDescription:
    """The nodes, and the RealSense driver with depth aligned to colour."""

    def start(values: Values) -> Iterator[Action]:
        if not values.text("detector_weights") and "SCENEMIND_WEIGHTS" not in os.environ:
            raise LaunchError("detector_weights:= is missing: name an .onnx, .xml or .pt file")
        share = _share_of("realsense2_camera", "the RealSense driver")
        driver = share / "launch" / "rs_launch.py"
        settings = {
            "align_depth.enable": "true",
            "enable_sync": "true",
            "rgb_camera.color_profile": "640x480x30",
            "depth_module.depth_profile": "640x480x30",
        }
        if namespace := values.text("namespace"):
            settings["camera_namespace"] = f"{namespace.strip('/')}/camera"
        yield from _nodes(values)
        yield IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(driver)), launch_arguments=settings.items()
        )

    return _description(OF_NODES, {"params_file": "realsense.yaml"}, start)


def replay(
    *, rviz: bool = False, params_file: str = "default.yaml", sequence: str | None = None
) -> LaunchDescription:
    """The nodes, and a recording or a simulated room in place of a camera."""

    def start(values: Values) -> Iterator[Action]:
        rate, loop = values.number("rate"), values.is_true("loop")
        if rate < 0.0:
            raise LaunchError(f"rate:={rate:g} is negative: 1 is as recorded")
        player = _player(values, values.text("sequence"), rate, loop)
        yield from _nodes(values)
        yield _when_ended(player, "the player", [])
        yield player

    changed = {"rviz": str(rviz).lower(), "params_file": params_file}
    given = (Argument("sequence", sequence, OF_PLAYER[0].description), *OF_PLAYER[1:])
    return _description((*given, *OF_NODES), changed, start)


def evaluate() -> LaunchDescription:
    """The nodes map a recording, then answer a benchmark's rows.

    The folder out:= gets the output of `scenemind eval --out`: predictions, scores, a page.
    """

    def start(values: Values) -> Iterator[Action]:
        options = [values.text("benchmark"), "--running", "--recording", values.text("bag")]
        for name in ("scene", "data", "objects", "out", "method", "limit"):
            options += [f"--{name}", values.text(name)]
        check_run(parse_options(options))
        player = _player(values, values.text("bag"), 0.0, False)
        evaluation = _process(values, "evaluate_benchmark", arguments=options)

        yield from _nodes(values, memory_root=f"{values.text('out')}-memories")
        yield _when_ended(player, "the player", [evaluation])
        done = Shutdown(reason="the evaluation is done")
        yield _when_ended(evaluation, "the evaluation", [done])
        yield player

    of_nodes = [one for one in OF_NODES if one.name not in ("namespace", "use_respawn")]
    return _description((*OF_EVALUATION, *of_nodes), {}, start)


def _when_ended(process: Node, who: str, then: list[Action]) -> Action:
    """What follows a process that succeeded; one that failed ends the launch with status 1."""

    def ended(event: ProcessExited, context: LaunchContext) -> list[Action]:
        if context.is_shutdown:
            return []
        if event.returncode == 0:
            return then
        # Launch has no other way to an exit status than an exception.
        raise LaunchError(f"{who} ended with status {event.returncode}: its output says why")

    return RegisterEventHandler(OnProcessExit(target_action=process, on_exit=ended))


def _description(
    arguments: Iterable[Argument],
    changed: Mapping[str, str],
    start: Callable[[Values], Iterable[Action]],
) -> LaunchDescription:
    declared = [
        DeclareLaunchArgument(
            one.name,
            default_value=changed.get(one.name, one.default),
            description=one.description,
        )
        for one in arguments
    ]

    def resolve(context: LaunchContext) -> list[Action]:
        try:
            return list(start(Values(context.launch_configurations)))
        except SceneMindError as error:
            raise LaunchError(str(error)) from error
        except SystemExit as error:  # of argparse, which has said why
            raise LaunchError("the arguments of the evaluation cannot be used") from error

    return LaunchDescription([*_dds_profile(), *declared, OpaqueFunction(function=resolve)])


def _dds_profile() -> list[Action]:
    """A DDS profile, unless one is set: by default, Fast DDS loses RGB-D frames."""
    has_version_2 = os.environ.get("ROS_DISTRO") in ("humble", "jazzy")
    variable = f"{'FASTRTPS' if has_version_2 else 'FASTDDS'}_DEFAULT_PROFILES_FILE"
    if variable in os.environ:
        return []
    return [SetEnvironmentVariable(variable, str(SHARE / "config" / "fastdds_profile.xml"))]


def _nodes(values: Values, memory_root: str = "") -> Iterator[Action]:
    """The actions that start the nodes, when all arguments are checked.

    Args:
        memory_root: where neither the argument nor the parameter file names one.
    """
    respawn, level = values.is_true("use_respawn"), values.choice("log_level", LEVELS)
    separate, show = values.is_true("separate"), values.is_true("rviz")
    parameters = parameters_of(values, SHARE / "config", memory_root)
    # Of our nodes: "debug" for all would show the middleware's thousands of lines.
    within = values.text("namespace").strip("/").replace("/", ".")
    loggers = [f"{within}.{name}" if within else name for name in NODES]
    levels = [word for name in loggers for word in ("--log-level", f"{name}:={level}")]
    folder = Path(tempfile.mkdtemp(prefix="scenemind_launch_"))
    file = folder / "parameters.yaml"
    file.write_text(yaml.safe_dump(parameters), encoding="utf-8")
    yield RegisterEventHandler(
        OnShutdown(on_shutdown=lambda *_: rmtree(folder, ignore_errors=True))
    )
    if show:
        yield _rviz(values)
    for executable in ("mapping_node", "reasoning_node") if separate else ("scenemind_node",):
        # No name: one process has two nodes, and it would apply to both.
        node = _process(
            values,
            executable,
            namespace=values.text("namespace"),
            parameters=[str(file)],
            ros_arguments=levels,
            respawn=respawn,
            respawn_delay=_RESPAWN_S,
        )
        if not respawn:
            yield _when_ended(node, executable, [Shutdown(reason=f"{executable} ended")])
        yield node


def _player(values: Values, sequence: str, rate: float, loop: bool) -> Node:
    try:
        open_source(sequence)
    except Exception as error:
        raise LaunchError(f"{sequence} cannot be played: {error}") from error
    parameters = {
        "sequence": sequence,
        "rate": rate,
        "loop": loop,
        "map_frame": values.text("map_frame") or "map",
        "use_sim_time": values.is_true("use_sim_time"),
    }
    return _process(
        values, "sequence_player", namespace=values.text("namespace"), parameters=[parameters]
    )


def _process(values: Values, executable: str, **more: Any) -> Node:
    """One of the package's executables, with the terminal's output, that ends at its own pace."""
    return Node(
        package=_PACKAGE,
        executable=executable,
        exec_name=executable,
        output="screen",
        # `ros2 launch --launch-prefix gdb` comes first.
        prefix=None if values.text("launch-prefix") else UNINTERRUPTED,
        sigterm_timeout=_ENDING_S,
        **more,
    )


def _rviz(values: Values) -> Action:
    """RViz; a warning where it is not installed."""
    try:
        _share_of("rviz2", "RViz")
    except LaunchError as error:
        return LogInfo(msg=f"[WARN] {error}; going on without it")
    layout = SHARE / "rviz" / "scenemind.rviz"
    topics = set(topics_of(yaml.safe_load(layout.read_text(encoding="utf-8"))))
    return Node(
        package="rviz2",
        executable="rviz2",
        namespace=values.text("namespace"),
        arguments=["-d", str(layout)],
        # The layout names topics from the root on.
        remappings=[(topic, topic.removeprefix("/")) for topic in sorted(topics)],
    )


def _share_of(package: str, what: str) -> Path:
    try:
        return Path(get_package_share_directory(package))
    except PackageNotFoundError:
        distro = os.environ.get("ROS_DISTRO", "<distro>")
        name = f"ros-{distro}-{package.replace('_', '-')}"
        raise LaunchError(f"{what} is not installed: sudo apt install {name}") from None
