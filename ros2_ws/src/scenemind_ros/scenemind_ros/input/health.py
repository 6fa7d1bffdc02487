"""Reasons why no frames arrive, in terms of topics, QoS and clocks."""

from __future__ import annotations

import difflib
import os
import time
from collections import deque
from collections.abc import Mapping

from rclpy.node import Node

from scenemind_ros.input.camera_input import CameraInput, TopicReader

_HINTS = {
    "no_pose": "no pose at the images' stamps: do odometry or TF come, on the images' clock?",
    "odometry_gap": "odometry has gaps longer than sync.odometry_gap_s",
    "color_unmatched": "no depth (or instance) image within sync.tolerance_s of a colour image",
    "depth_unmatched": "no colour image within sync.tolerance_s of a depth image",
    "clock_jump": "stamps jump back by more than sync.jump_s",
    "color_no_stamp": "the stamps of colour are 0: the driver does not fill them",
    "depth_no_stamp": "the stamps of depth are 0: the driver does not fill them",
}


class FrameYield:
    """Monitor of missing frames, to be polled: it knows the time without frames."""

    def __init__(self, source: CameraInput, silence_s: float) -> None:
        """`silence_s` without a frame while colour images arrive is a problem."""
        self._source = source
        self._silence_s = silence_s
        self._note()

    def problems(self) -> list[str]:
        """Problems for a person; none while frames arrive, or while no colour image does."""
        is_heard = time.monotonic() - self._source.readers["color"].heard_at < self._silence_s
        if not is_heard or self._source.assembler.delivered > self._frames:
            self._note()
            return []
        without_s = time.monotonic() - self._since
        if without_s < self._silence_s:
            return []
        return [f"no frame came out of the images for {without_s:.0f} s: {self._reason()}"]

    def _note(self) -> None:
        self._since = time.monotonic()
        self._frames = self._source.assembler.delivered
        self._dropped: Mapping[str, int] = self._source.dropped()

    def _reason(self) -> str:
        """The cause that has grown most since the last frame."""
        grown = {
            cause: count - self._dropped.get(cause, 0)
            for cause, count in self._source.dropped().items()
        }
        if not any(grown.values()):
            return "they wait for a stream that lags or is silent"
        cause = max(grown, key=grown.__getitem__)
        detail = self._source.drops.find_detail(cause) or _HINTS.get(cause, "see the log")
        return f"{grown[cause]} x {cause}, {detail}"


_WINDOW_S = 5.0
_LEAST_INFOS = 30  # in a window
KEPT_SHARE = 0.8  # of images that come, below which some are lost on the way
PROFILES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")


class ImageLosses:
    """Monitor of images that get lost on the way, to be polled.

    A driver sends a camera_info with every image. Fast DDS as it comes loses images, which are
    larger than its shared memory, and not their small camera_info.
    """

    def __init__(self, source: CameraInput) -> None:
        self._source = source
        self._seen: deque[tuple[float, dict[str, int]]] = deque()

    def problems(self) -> list[str]:
        """One for each kind of image of which a fifth or more was lost in the last seconds."""
        now_s = time.monotonic()
        counts = {name: reader.received for name, reader in self._source.readers.items()}
        self._seen.append((now_s, counts))
        while now_s - self._seen[0][0] > _WINDOW_S:
            self._seen.popleft()
        before = self._seen[0][1]
        infos = counts["camera_info"] - before["camera_info"]
        if infos < _LEAST_INFOS:
            return []
        heard = {name: counts[name] - before[name] for name in ("color", "depth")}
        return [
            f"{count} {name} images came with {infos} camera_info: the others were lost on the way."
            f" In the terminal of the camera's driver, as the same user: export {profile_line()}"
            for name, count in heard.items()
            if count < KEPT_SHARE * infos
        ]


def profile_line() -> str:
    """The line that gives a driver the DDS profile of this process."""
    name = next((name for name in PROFILES if name in os.environ), PROFILES[0])
    return f"{name}={os.environ.get(name, 'FILE, config/fastdds_profile.xml of scenemind_ros')}"


# Sent once or rarely: silent afterwards.
_RARE = ("instance_names", "camera_info", "depth_camera_info")


def input_problems(node: Node, source: CameraInput, silence_s: float, jump_s: float) -> list[str]:
    """Problems for a person; none while every stream arrives.

    Args:
        silence_s: a stream without messages for this time is a problem.
        jump_s: streams with newest stamps further apart are on different clocks.
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
    """Published topics of the reader's types, those with the closest names first."""
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
        problems.append("use_sim_time is true, but /clock has no publisher")
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
