"""The demo's processes, and the state of the mapping node."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from typing_extensions import Self

from scenemind.frames import RecordedSequence
from scenemind_ros.commands.up import ChildProcesses, parameter_arguments
from scenemind_ros.errors import RosError
from scenemind_ros.run_node import SpinThread
from scenemind_ros.sequence_player import PlayerTopics


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """Options of a demo run.

    Attributes:
        sequence: folder, bag, or sim:SEED.
        detector: see `detector.weights`; None for a simulated room's instance camera.
        report: folder to write into.
        frames: number of frames to play; 0: all.
    """

    sequence: str
    detector: str | None
    report: Path
    frames: int


def parse_options(arguments: Sequence[str] | None = None) -> DemoOptions:
    parser = argparse.ArgumentParser(prog="scenemind demo")
    parser.add_argument("sequence")
    parser.add_argument("--detector")
    parser.add_argument("--report", type=Path, default=Path("demo-report"))
    parser.add_argument("--frames", type=int, default=0)
    given = parser.parse_args(arguments)
    return DemoOptions(given.sequence, given.detector, given.report, given.frames)


MEMORY = "memory"  # `scenemind ask ... -m demo-report/memory`
# Folders within the report.
LOGS = "logs"
_NODE, _PLAYER = "scenemind_ros.scenemind_node", "scenemind_ros.sequence_player"
_POLL_S = 0.1
# A longer run is stuck: a frame takes well below a second on one old core.
_START_S, _FRAME_S = 120.0, 3.0
_LOG_LINES = 8


class DemoNodes:
    """The mapping and reasoning nodes and a player; all end with the `with` block."""

    def __init__(self, options: DemoOptions, sequence: RecordedSequence) -> None:
        self._options = options
        self._sequence = sequence
        self._logs = options.report / LOGS
        self._nodes, self._player = ChildProcesses(), ChildProcesses()
        self._opened = ExitStack()
        self._stopped = False

    @property
    def memory_path(self) -> Path:
        return self._options.report / MEMORY

    def __enter__(self) -> Self:
        self._logs.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start the nodes that map and answer."""
        arguments = ["--ros-args", *parameter_arguments(self._node_parameters())]
        self._start(self._nodes, _NODE, arguments)

    def play(self) -> None:
        """Play the sequence to its end.

        Raises:
            RosError: a node or the player failed, or there is no more progress.
        """
        settings = {
            "sequence": f"'{self._options.sequence}'",
            "rate": "0.0",
            "frames": str(self._options.frames),
        }
        arguments = ["--ros-args"]
        for name, value in settings.items():
            arguments += ["-p", f"{name}:={value}"]
        self._start(self._player, _PLAYER, arguments)
        count = self._options.frames or len(self._sequence)
        deadline = time.monotonic() + _START_S + _FRAME_S * count
        while (ended := self._player.find_ended()) is None:
            self.check()
            if time.monotonic() > deadline:
                raise RosError(f"the recording did not end in time: see {self._logs}")
            time.sleep(_POLL_S)
        if ended[1] != 0:
            raise RosError(f"the player failed:\n{self._end_of_log(_PLAYER)}")

    def check(self) -> None:
        """Check the processes; raises RosError if a node has ended."""
        if ended := self._nodes.find_ended():
            raise RosError(
                f"{ended[0]} ended with status {ended[1]}:\n{self._end_of_log(ended[0])}"
            )

    def stop(self) -> list[str]:
        """End all processes; returns the modules of those that had to be killed. May be called
        again."""
        killed = [] if self._stopped else [*self._player.stop(), *self._nodes.stop()]
        self._stopped = True
        self._opened.close()
        return killed

    def _start(self, group: ChildProcesses, module: str, arguments: list[str]) -> None:
        log = self._opened.enter_context(self._log_of(module).open("wb"))
        group.start(module, arguments, log)

    def _log_of(self, module: str) -> Path:
        return self._logs / f"{module.rpartition('.')[2]}.log"

    def _end_of_log(self, module: str) -> str:
        lines = self._log_of(module).read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-_LOG_LINES:])

    def _node_parameters(self) -> list[str]:
        root = self._options.report.resolve()
        parameters = [f"memory.root={root}", f"memory.name={MEMORY}"]
        # The player waits for the mapper: there is time for every frame.
        parameters.append("mapper.deadline_ms=0.0")
        if self._options.detector is None:
            topics = PlayerTopics()
            parameters += [
                "detector.backend=instance_camera",
                f"topics.instances={topics.instances}",
                f"topics.instance_names={topics.instance_names}",
            ]
        else:
            parameters.append(f"detector.weights={self._options.detector}")
        calibration = self._sequence.depth_calibration
        if calibration is not None:
            pose = calibration.color_T_depth
            numbers = [*pose.translation.tolist(), *pose.quaternion_xyzw().tolist()]
            parameters += ["depth.aligned=false", f"depth.color_T_depth={numbers}"]
        return parameters


_STAGE_END = "_ms"
_DROP_START = "dropped_"


class Health:
    """Listener to /diagnostics with its own ROS context and thread."""

    def __init__(self) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = Node("demo_health", context=self._context)
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._hear, 10)
        self._changed = threading.Condition()
        self._parts: dict[str, Mapping[str, str]] = {}
        self._heard = 0
        self._thread = SpinThread(self._node, SingleThreadedExecutor(context=self._context))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._thread.close()
        self._node.destroy_node()
        self._context.try_shutdown()

    def wait_for_news(self, timeout_s: float) -> None:
        """Wait for the next message but one, which includes everything up to this call.

        Raises:
            RosError: none came.
        """
        with self._changed:
            wanted = self._heard + 2
            if not self._changed.wait_for(lambda: self._heard >= wanted, timeout_s):
                raise RosError(f"/diagnostics was silent for {timeout_s:g} s")

    @property
    def frames(self) -> int:
        """Number of mapped frames."""
        return int(self._part("mapper").get("frames", "0"))

    @property
    def detector(self) -> str:
        return self._part("mapper").get("detector", "unknown")

    @property
    def dropped(self) -> dict[str, int]:
        """Dropped frames and messages, by cause."""
        both = {**self._part("input"), **self._part("mapper")}
        counts = {
            name.removeprefix(_DROP_START): int(value)
            for name, value in both.items()
            if name.startswith(_DROP_START)
        }
        return {cause: count for cause, count in counts.items() if count}

    @property
    def stages_ms(self) -> dict[str, float]:
        """Median milliseconds of each stage of a frame."""
        return {
            name.removesuffix(_STAGE_END): float(value)
            for name, value in self._part("mapper").items()
            if name.endswith(_STAGE_END)
        }

    def _part(self, name: str) -> Mapping[str, str]:
        with self._changed:
            return self._parts.get(name, {})

    def _hear(self, message: DiagnosticArray) -> None:
        is_news = False
        with self._changed:
            for status in message.status:
                node, _, part = status.name.partition(": ")
                if node == "mapping_node":
                    self._parts[part] = {item.key: item.value for item in status.values}
                    is_news = True
            self._heard += is_news
            self._changed.notify_all()
