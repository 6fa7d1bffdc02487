"""What `/diagnostics` says: rates, drops by cause, stage times, sizes, and why nothing arrives."""

from __future__ import annotations

import difflib
import time
from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.node import Node

from scenemind_ros.camera_input import CameraInput
from scenemind_ros.topic_reader import TopicReader


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


def make_status(
    name: str, values: Mapping[str, object], problems: list[str], good: str = "ok"
) -> DiagnosticStatus:
    """WARN when there is a problem; numbers are written with what digits they need."""
    return DiagnosticStatus(
        level=DiagnosticStatus.WARN if problems else DiagnosticStatus.OK,
        name=name,
        message="; ".join(problems) or good,
        values=[KeyValue(key=key, value=_text(value)) for key, value in values.items()],
    )


def input_values(source: CameraInput, rates: Rates) -> dict[str, object]:
    """Rates of every stream and everything that was left out."""
    values: dict[str, object] = {}
    for stream, reader in source.readers.items():
        values[f"{stream}_topic"] = reader.topic
        values[f"{stream}_hz"] = rates.hz(stream, reader.received)
    dropped = {**source.assembler.sync_counts, **source.drops.counts()}
    values.update({f"dropped_{cause}": count for cause, count in sorted(dropped.items()) if count})
    return values


def input_problems(node: Node, source: CameraInput, silence_s: float, jump_s: float) -> list[str]:
    """What a person should look at, in words that name topics, QoS and clocks."""
    problems = []
    for stream, reader in source.readers.items():
        # Names and calibration are sent once or rarely: they are silent once they have come.
        is_rare = stream in ("instance_names", "camera_info", "depth_camera_info")
        is_silent = time.monotonic() - reader.heard_at >= silence_s
        if is_silent and not (is_rare and reader.received):
            problems.append(_silence(node, stream, reader))
    return problems + _clock_problems(node, source.assembler.newest_stamp_ns, jump_s)


def _silence(node: Node, stream: str, reader: TopicReader) -> str:
    similar = similar_topics(node, reader)
    hint = f" (topics of that type here: {', '.join(similar)})" if similar else ""
    return f"nothing arrives for {stream}: {reader.describe_silence()}{hint}"


def similar_topics(node: Node, reader: TopicReader, count: int = 5) -> list[str]:
    """Topics of the reader's types that somebody publishes, those with the closest names first."""
    candidates = [
        name
        for name, types in node.get_topic_names_and_types()
        if name != reader.topic
        and reader.type_names.intersection(types)
        and node.count_publishers(name)
    ]
    likeness = {
        name: difflib.SequenceMatcher(None, name, reader.topic).ratio() for name in candidates
    }
    return sorted(candidates, key=lambda name: -likeness[name])[:count]


def _clock_problems(node: Node, stamps_ns: Mapping[str, int], jump_s: float) -> list[str]:
    problems = []
    if node.get_parameter("use_sim_time").value and not node.count_publishers("/clock"):
        problems.append("use_sim_time is true, but nobody publishes /clock")
    if len(stamps_ns) > 1:
        oldest, newest = (f(stamps_ns, key=stamps_ns.__getitem__) for f in (min, max))
        apart_s = (stamps_ns[newest] - stamps_ns[oldest]) / 1e9
        if apart_s > jump_s:
            problems.append(
                f"the stamps of {oldest} are {apart_s:.1f} s behind those of {newest}: do both"
                " come from one clock (use_sim_time is"
                f" {str(node.get_parameter('use_sim_time').value).lower()} here)?"
            )
    return problems


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
