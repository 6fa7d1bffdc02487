"""Which topics to look at: the configured ones, or the likeliest where these are missing."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from scenemind.cli.doctor.finding import Finding

_IMAGES = ("sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage")
TYPES: Mapping[str, tuple[str, ...]] = {
    "color": _IMAGES,
    "depth": _IMAGES,
    "camera_info": ("sensor_msgs/msg/CameraInfo",),
    "depth_camera_info": ("sensor_msgs/msg/CameraInfo",),
    "odometry": ("nav_msgs/msg/Odometry",),
}
_TRANSPORTS = ("", "/compressed", "/compressedDepth")


def choose_topics(
    wanted: Mapping[str, str], present: Mapping[str, str]
) -> tuple[dict[str, str], list[Finding]]:
    """A topic for each stream, and what to say where it is not the configured one.

    Args:
        wanted: configured topic by stream, which is one of `TYPES`.
        present: topic -> message type of all that there are.
    """
    chosen: dict[str, str] = {}
    findings = []
    for stream, topic in wanted.items():
        names = [topic + end for end in _TRANSPORTS if topic + end in present]
        if names:
            chosen[stream] = names[0]
            continue
        likely = _likely(stream, topic, present)
        findings.append(_missing(stream, topic, likely, present))
        if likely is not None:
            chosen[stream] = likely
    return chosen, findings


def _likely(stream: str, topic: str, present: Mapping[str, str]) -> str | None:
    """The most similar topic of the right type; depth is told from colour by its name."""
    candidates = [name for name, kind in present.items() if kind in TYPES[stream]]
    if stream != "odometry":
        is_depth = stream.startswith("depth")
        candidates = [name for name in candidates if ("depth" in name) == is_depth]
    if not candidates:
        return None
    return max(candidates, key=lambda name: difflib.SequenceMatcher(None, name, topic).ratio())


def _missing(stream: str, topic: str, likely: str | None, present: Mapping[str, str]) -> Finding:
    name = f"{stream} topic"
    if likely is not None:
        return Finding(name, "warn", f"no {topic}; {likely} is there", f"topics.{stream}:={likely}")
    kinds = " or ".join(TYPES[stream])
    there = ", ".join(sorted(n for n, kind in present.items() if kind in TYPES[stream]))
    fix = (
        f"set topics.{stream} to one of: {there}"
        if there
        else f"start what publishes it: there is no topic of type {kinds}"
    )
    return Finding(name, "fail", f"no {topic}", fix)
