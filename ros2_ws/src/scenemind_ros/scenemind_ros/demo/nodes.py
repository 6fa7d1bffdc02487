"""The demo's nodes: real ones, in processes of their own."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from typing_extensions import Self

from scenemind.frames import RecordedSequence
from scenemind_ros.commands.child_processes import ChildProcesses
from scenemind_ros.commands.up import parameter_arguments
from scenemind_ros.demo.options import DemoOptions
from scenemind_ros.errors import RosError
from scenemind_ros.player.parameters import PlayerTopics

MEMORY = "demo"
# Folders within the report.
MEMORIES, LOGS = "memories", "logs"
_NODE, _PLAYER = "scenemind_ros.scenemind_node", "scenemind_ros.sequence_player"
_POLL_S = 0.1
# A run that takes longer has got stuck: a frame takes well below a second on one old core.
_START_S, _FRAME_S = 120.0, 3.0
_LOG_LINES = 8


class DemoNodes:
    """Starts the mapping and reasoning nodes and a player; all end with the `with` block."""

    def __init__(self, options: DemoOptions, sequence: RecordedSequence) -> None:
        self._options = options
        self._sequence = sequence
        self._logs = options.report / LOGS
        self._nodes, self._player = ChildProcesses(), ChildProcesses()
        self._opened = ExitStack()
        self._stopped = False

    @property
    def memory_path(self) -> Path:
        return self._options.report / MEMORIES / MEMORY

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
        """The nodes that map and answer."""
        arguments = ["--ros-args", *parameter_arguments(self._node_parameters())]
        self._start(self._nodes, _NODE, arguments)

    def play(self) -> None:
        """Play the sequence to its end.

        Raises:
            RosError: a node or the player failed, or nothing moves any more.
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
                raise RosError(f"the sequence did not end in time: see {self._logs}")
            time.sleep(_POLL_S)
        if ended[1] != 0:
            raise RosError(f"the player failed:\n{self._end_of_log(_PLAYER)}")

    def check(self) -> None:
        """Raises RosError when a node has ended."""
        if ended := self._nodes.find_ended():
            raise RosError(
                f"{ended[0]} ended with status {ended[1]}:\n{self._end_of_log(ended[0])}"
            )

    def stop(self) -> list[str]:
        """End all; the modules of those that had to be killed. Twice is once."""
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
        root = (self._options.report / MEMORIES).resolve()
        parameters = [f"memory.root={root}", f"memory.name={MEMORY}"]
        # The player waits for the mapper, so that there is time for everything.
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
