"""What `/diagnostics` says: rates, drops by cause, stage times, sizes, and why nothing arrives."""

from __future__ import annotations

import time

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from scenemind.describing import Background
from scenemind_ros.diagnostic_status import diagnostic_status
from scenemind_ros.input.camera_input import CameraInput
from scenemind_ros.input.frame_yield import FrameYield
from scenemind_ros.input.health import input_problems
from scenemind_ros.mapping.session import MappingSession
from scenemind_ros.parameters import MappingParameters


class Rates:
    """Events a second between two looks at a counter."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[float, int]] = {}

    def hz(self, name: str, count: int) -> float:
        """The rate since the last call for the name; 0 at the first."""
        now = time.monotonic()
        then, before = self._seen.get(name, (now, count))
        self._seen[name] = (now, count)
        return (count - before) / (now - then) if now > then else 0.0


class MappingDiagnostics:
    """Makes one message a call; rates are over the time since the call before."""

    def __init__(
        self,
        node: Node,
        parameters: MappingParameters,
        source: CameraInput,
        session: MappingSession,
    ) -> None:
        self._node = node
        self._parameters = parameters
        self._source = source
        self._session = session
        self._yield = FrameYield(source, parameters.silence_s)
        self._rates = Rates()

    def message(self) -> DiagnosticArray:
        status = [self._input(), self._mapper(), self._memory(), *self._describing()]
        message = DiagnosticArray(status=status)
        message.header.stamp = self._node.get_clock().now().to_msg()
        return message

    def _input(self) -> DiagnosticStatus:
        """Rates of every stream and everything that was left out."""
        values: dict[str, object] = {}
        for stream, reader in self._source.readers.items():
            values[f"{stream}_topic"] = reader.topic
            values[f"{stream}_hz"] = self._rates.hz(stream, reader.received)
        frames = self._source.assembler.delivered
        values["frames"], values["frames_hz"] = frames, self._rates.hz("input", frames)
        values.update({f"dropped_{cause}": n for cause, n in self._source.dropped().items()})
        problems = input_problems(
            self._node, self._source, self._parameters.silence_s, self._parameters.sync.jump_s
        )
        return diagnostic_status(self._node, "input", values, problems + self._yield.problems())

    def _mapper(self) -> DiagnosticStatus:
        """The detector, rates, stage times, and what is put off for want of time."""
        session = self._session
        values: dict[str, object] = {
            "detector": session.detector_name,
            "simulated": str(session.is_simulated).lower(),
            "classes": len(session.vocabulary),
            "dropped_newer_frame": session.dropped,
        }
        problems = []
        level = DiagnosticStatus.WARN
        if session.waits_for_names:
            topic = self._parameters.topics.instance_names
            problems.append(f"the names of the instance camera have not come on {topic}")
        if session.mapper is not None:
            stages = session.mapper.timings.stats()
            frames = max((stage.count for stage in stages.values()), default=0)
            values["frames"] = frames
            values["frames_hz"] = self._rates.hz("frames", frames)
            values.update({f"{name}_ms": stage.median_ms for name, stage in stages.items()})
            values["failed_detections"] = session.mapper.failed_detections
        if session.governor is not None:
            values["put_off"] = ", ".join(session.governor.plan.put_off) or "nothing"
            for level, count in enumerate(session.governor.frames_at):
                values[f"frames_at_level_{level}"] = count
        if session.failure is not None:
            level = DiagnosticStatus.ERROR
            problems.append(
                f"mapping has stopped (the log has the traceback): {session.failure!r}; to go on,"
                " deactivate and activate the node"
            )
        return diagnostic_status(self._node, "mapper", values, problems, level)

    def _memory(self) -> DiagnosticStatus:
        """How large the memory is, and what the disk could not take."""
        memory = self._session.memory
        stats = memory.stats()
        values = {name: getattr(stats, name) for name in stats.__slots__}
        problems = []
        if stats.images_failed or stats.failed_commits:
            problems.append(
                f"the disk failed {stats.images_failed + stats.failed_commits} times: is it full?"
            )
        return diagnostic_status(self._node, "memory", {"path": memory.path, **values}, problems)

    def _describing(self) -> list[DiagnosticStatus]:
        """What became of the questions to models; nothing where none are asked."""
        service = self._session.describing
        parts = {} if service is None else service.parts
        return [self._notes(name, part) for name, part in parts.items()]

    def _notes(self, name: str, part: Background) -> DiagnosticStatus:
        counts = part.counts
        values = {"made": counts.made, "no_views": counts.no_views, "waiting": part.waiting}
        failed = {f"failed_{kind}": count for kind, count in counts.failed.items()}
        problems = [f"{sum(failed.values())} {name} failed: the log has why"] if failed else []
        return diagnostic_status(self._node, name, {**values, **failed}, problems)
