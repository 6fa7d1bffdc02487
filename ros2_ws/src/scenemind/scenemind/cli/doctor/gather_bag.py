"""Evidence of a rosbag2 recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rosbags.interfaces import Qos, QosDurability, QosReliability

from scenemind.cli.doctor.collector import Collector
from scenemind.cli.doctor.evidence import Evidence, OfferedQos
from scenemind.cli.doctor.finding import Finding
from scenemind.cli.doctor.sampling import SAMPLE, sample
from scenemind.cli.doctor.topic_choice import choose_topics
from scenemind.frames import DepthCalibration, FrameError, SensorFrame
from scenemind.frames.bag_file import BagFile
from scenemind.frames.bag_options import BagOptions, BagTopics
from scenemind.frames.readers.rosbag import RosbagSequence

_TF_STATIC = "tf_static"


def gather_bag(path: Path) -> Evidence:
    """All small messages, headers of all images, and pixels of a few."""
    collector = Collector()
    topics: Mapping[str, str] = {}
    found: list[Finding] = []
    try:
        with BagFile(path) as bag:
            topics, found = _choose(bag)
            for stream, topic in topics.items():
                collector.listen(stream, topic, map(_offered, bag.offered_qos(topic)))
            names = {topic: stream for stream, topic in topics.items() if stream != _TF_STATIC}
            for topic, message in bag.messages(names):
                collector.add(names[topic], message)
    except FrameError as error:
        fix = f"ros2 bag reindex {path}"
        found.append(Finding("bag", "fail", str(error), fix))
        return collector.evidence(str(path), None, (), found)
    calibration, frames, problems = _sample(path, topics)
    return collector.evidence(str(path), calibration, frames, [*found, *problems])


def _choose(bag: BagFile) -> tuple[dict[str, str], list[Finding]]:
    names, present = BagTopics(), bag.topics()
    wanted = {
        "color": names.color,
        "depth": names.depth,
        "camera_info": names.camera_info,
        "odometry": names.odometry,
    }
    if not any(topic.startswith(names.depth) for topic in present):
        # Depth with a camera of its own, as the drivers record it without align_depth.
        wanted["depth"] = names.raw_depth
    chosen, found = choose_topics(wanted, present)
    if names.tf_static in present:
        chosen[_TF_STATIC] = names.tf_static
    return chosen, found


def _sample(
    path: Path, topics: Mapping[str, str]
) -> tuple[DepthCalibration | None, list[SensorFrame], list[Finding]]:
    """Frames as the reader puts them together, from the topics that were chosen."""
    names = BagTopics()
    images = {s: topic for s, topic in topics.items() if s in ("color", "camera_info", "odometry")}
    if topics.get("depth", "").startswith(names.raw_depth):
        images["raw_depth"] = topics["depth"]
    elif "depth" in topics:
        images["depth"] = topics["depth"]
    try:
        sequence = RosbagSequence(path, BagOptions(topics=replace(names, **images)))
    except FrameError as error:
        fix = "the message says what to mend"
        return None, [], [Finding("frames", "fail", str(error), fix)]
    frames, found = sample(sequence, every=max(1, len(sequence) // SAMPLE))
    if sequence.drops:
        causes = ", ".join(f"{count} {cause}" for cause, count in sequence.drops.items())
        fix = "messages that fit no frame are left out; the checks of stamps say why"
        found.append(Finding("left out", "warn", causes, fix))
    return sequence.depth_calibration, frames, found


def _offered(qos: Qos) -> OfferedQos:
    return OfferedQos(
        reliable=qos.reliability != QosReliability.BEST_EFFORT,
        latched=qos.durability == QosDurability.TRANSIENT_LOCAL,
    )
