"""`scenemind up`: the nodes as child processes, until an interrupt."""

from __future__ import annotations

import argparse
import ctypes
import difflib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import rclpy
from rclpy.node import Node, NodeNameNonExistentError
from rclpy.signals import SignalHandlerOptions

from scenemind.config import ConfigError
from scenemind_ros.parameters import MappingParameters, ReasoningParameters
from scenemind_ros.sequence_player import PlayerTopics

_SHUTDOWN_S = 20.0  # the memory is written to disk in this time
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux' prctl
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class ChildProcesses:
    """Python modules as child processes that run until `stop`.

    They end on SIGTERM: a node treats it as SIGINT; Python before the node's start ends without a
    traceback.
    """

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, module: str, arguments: Sequence[str], log: IO[bytes] | None = None) -> None:
        """Run `python -m module`; its output goes to `log`, or to this process's output."""
        self._running[module] = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT if log else None,
            # The terminal's Ctrl-C reaches only the parent, which then ends the children in
            # order.
            start_new_session=True,
            preexec_fn=_prepare_child,
        )

    def find_ended(self) -> tuple[str, int] | None:
        """Module and exit status of a child that has ended."""
        for module, process in self._running.items():
            if process.poll() is not None:
                return module, process.returncode
        return None

    def stop(self) -> list[str]:
        """End all children; returns the modules of those that had to be killed."""
        for process in self._running.values():
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + _SHUTDOWN_S
        killed = []
        for module, process in self._running.items():
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                killed.append(module)
        self._running.clear()
        return killed


def _prepare_child() -> None:
    """Set up the child: it ends when its parent is killed."""
    if _libc is not None:
        _libc.prctl(_DIE_WITH_PARENT, signal.SIGTERM)


_EVERY_NODE_WRITES = ("/rosout", "/parameter_events")
_PATIENCE_S = 30.0
_SETTLED_S = 0.5  # the graph reports publishers one by one
_LOOK_S = 0.1


def wait_for_topics(nodes: Mapping[str, str], is_over: Callable[[], bool]) -> dict[str, list[str]]:
    """The topics of each node once all are ready, or those known at the time limit.

    Args:
        nodes: name without a namespace -> a topic that it publishes when it is ready.
        is_over: true ends the wait.
    """
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    observer = Node("scenemind_up", context=context, start_parameter_services=False)
    deadline = time.monotonic() + _PATIENCE_S
    topics: dict[str, list[str]] = {}
    try:
        while time.monotonic() < deadline and not is_over():
            before, topics = topics, {node: _topics_of(observer, node) for node in nodes}
            if topics != before:
                settled = time.monotonic() + _SETTLED_S
            are_ready = all(ready in topics[node] for node, ready in nodes.items())
            if are_ready and time.monotonic() > settled:
                break
            time.sleep(_LOOK_S)
        return topics
    finally:
        observer.destroy_node()
        rclpy.shutdown(context=context)


def _topics_of(observer: Node, node: str) -> list[str]:
    try:
        written = observer.get_publisher_names_and_types_by_node(node, "/")
    except NodeNameNonExistentError:
        return []
    return sorted(name for name, _ in written if name not in _EVERY_NODE_WRITES)


_NODES = {"mapping_node": MappingParameters, "reasoning_node": ReasoningParameters}
_WRITTEN_WHEN_READY = {
    "mapping_node": "/mapping_node/scene_graph",
    "reasoning_node": "/reasoning_node/answers",
}
# Of a player of a simulated room, whose instance camera is the detector.
_SIMULATED = {
    "detector.backend": "instance_camera",
    "topics.instances": PlayerTopics().instances,
    "topics.instance_names": PlayerTopics().instance_names,
    "memory.root": "",
}
_TOGETHER = ("scenemind_ros.scenemind_node",)
_SEPARATE = ("scenemind_ros.mapping_node", "scenemind_ros.reasoning_node")
_POLL_S = 0.2


def parameter_arguments(assignments: Iterable[str]) -> list[str]:
    """ROS arguments for `name=value` texts, each for the nodes that have such a parameter.

    Raises:
        ConfigError: no `=`, or no node has the parameter.
    """
    arguments: list[str] = []
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise ConfigError(f"{assignment!r} is not a parameter: write name=value")
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
    """Text in quotes: YAML would read a bare `y` as true and `7` as a number."""
    if not isinstance(default, str):
        return value
    return "'" + value.replace("'", "''") + "'"


def run(modules: Sequence[str], arguments: Sequence[str], stopped: threading.Event) -> int:
    """Run the nodes until a signal, or until one of them ends; returns 0 if all ended by the
    signal."""
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
    parser.add_argument(
        "--separate", action="store_true", help="mapping and reasoning in two processes"
    )
    parser.add_argument("--sim", action="store_true", help="parameters of a simulated room")
    parser.add_argument("--config", type=Path, help="ROS parameter file (YAML)")
    parser.add_argument("--params", nargs="+", action="extend", default=[], metavar="NAME=VALUE")
    options = parser.parse_args(arguments)
    try:
        simulated = [f"{name}={value}" for name, value in _SIMULATED.items() if options.sim]
        ros_arguments = ["--ros-args", *parameter_arguments([*simulated, *options.params])]
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
