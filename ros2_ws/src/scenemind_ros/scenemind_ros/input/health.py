"""Why nothing arrives: words that name topics, QoS and clocks."""

from __future__ import annotations

import difflib
import time
from collections.abc import Mapping

from rclpy.node import Node

from scenemind_ros.input.camera_input import CameraInput
from scenemind_ros.input.topic_reader import TopicReader

# Sent once or rarely: silent once they have come.
_RARE = ("instance_names", "camera_info", "depth_camera_info")


def input_problems(node: Node, source: CameraInput, silence_s: float, jump_s: float) -> list[str]:
    """What a person should look at; empty while every stream arrives.

    Args:
        silence_s: a stream that was not heard for so long is a problem.
        jump_s: streams whose newest stamps are further apart are on different clocks.
    """
    problems = []
    for stream, reader in source.readers.items():
        is_silent = time.monotonic() - reader.heard_at >= silence_s
        if is_silent and not (stream in _RARE and reader.received):
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
