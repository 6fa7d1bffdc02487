"""Start the nodes without ros2 launch: `python -m scenemind_ros.commands.up`.

Takes the parameter files that the launch files take and starts the same nodes.
"""

from __future__ import annotations

import argparse
import difflib
import signal
import sys
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scenemind.config import ConfigError
from scenemind_ros.commands.child_processes import ChildProcesses
from scenemind_ros.commands.node_topics import wait_for_topics
from scenemind_ros.parameters import MappingParameters
from scenemind_ros.reasoning.parameters import ReasoningParameters

_NODES = {"mapping_node": MappingParameters, "reasoning_node": ReasoningParameters}
_WRITTEN_WHEN_READY = {
    "mapping_node": "/mapping_node/scene_graph",
    "reasoning_node": "/reasoning_node/answers",
}
_TOGETHER = ("scenemind_ros.scenemind_node",)
_SEPARATE = ("scenemind_ros.mapping_node", "scenemind_ros.reasoning_node")
_POLL_S = 0.2


def parameter_arguments(assignments: Iterable[str]) -> list[str]:
    """ROS arguments for `name=value` texts, each for the nodes that have such a parameter.

    Raises:
        ConfigError: no `=`, or no node knows the name.
    """
    arguments: list[str] = []
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise ConfigError(f"{assignment!r} is no parameter: write name=value")
        defaults = {node: model().flatten() for node, model in _NODES.items()}
        owners = [node for node, known in defaults.items() if name in known]
        if not owners:
            every = {key for known in defaults.values() for key in known}
            close = difflib.get_close_matches(name, every, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ConfigError(f"no node has a parameter {name}{hint}")
        for node in owners:
            arguments += ["-p", f"{node}:{name}:={_as_yaml(value, defaults[node][name])}"]
    return arguments


def _as_yaml(value: str, default: Any) -> str:
    """Texts in quotes: YAML would read a bare `y` as true and `7` as a number."""
    if not isinstance(default, str):
        return value
    return "'" + value.replace("'", "''") + "'"


def run(modules: Sequence[str], arguments: Sequence[str], stopped: threading.Event) -> int:
    """Run the nodes until told to stop or one of them ends; 0 when all ended as told."""
    children = ChildProcesses()
    try:
        for module in modules:
            children.start(module, arguments)
        topics = wait_for_topics(
            _WRITTEN_WHEN_READY, lambda: stopped.is_set() or bool(children.find_ended())
        )
        for node, names in topics.items():
            print(f"{node} writes {' '.join(names) or 'nothing (see its log)'}", flush=True)
        while not stopped.wait(_POLL_S):
            if ended := children.find_ended():
                print(f"{ended[0]} ended with status {ended[1]}: stopping", file=sys.stderr)
                return 1
    finally:
        killed = children.stop()
    if killed:
        print(f"{', '.join(killed)} did not end and had to be killed", file=sys.stderr)
    return 1 if killed else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="scenemind up", description="Start the nodes.")
    parser.add_argument("--separate", action="store_true", help="mapping and reasoning apart")
    parser.add_argument("--config", type=Path, help="ROS parameter file (YAML)")
    parser.add_argument("--params", nargs="+", action="extend", default=[], metavar="NAME=VALUE")
    options = parser.parse_args(arguments)
    try:
        ros_arguments = ["--ros-args", *parameter_arguments(options.params)]
        if options.config is not None:
            if not options.config.is_file():
                raise ConfigError(f"no parameter file at {options.config}")
            ros_arguments[1:1] = ["--params-file", str(options.config)]
    except ConfigError as error:
        print(f"scenemind up: {error}", file=sys.stderr)
        return 2
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    return run(_SEPARATE if options.separate else _TOGETHER, ros_arguments, stopped)


if __name__ == "__main__":
    raise SystemExit(main())
