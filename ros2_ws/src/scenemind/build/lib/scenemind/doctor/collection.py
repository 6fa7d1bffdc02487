"""Collection of evidence from bags, from recordings in files, and from messages of a live graph."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.interfaces import Qos, QosDurability, QosReliability

from scenemind.doctor.evidence import SAMPLE, CameraFacts, Evidence, OfferedQos, Stream, sample
from scenemind.doctor.findings import Finding
from scenemind.frames import DepthCalibration, FrameError, SensorFrame
from scenemind.frames.bag import STREAM_TYPES, BagFile, BagOptions, BagTopics, stamp_ns
from scenemind.frames.readers.rosbag import RosbagSequence
from scenemind.frames.sequence import IndexedSequence

_TRANSPORTS = ("", "/compressed", "/compressedDepth")


def choose_topics(
    wanted: Mapping[str, str], present: Mapping[str, str]
) -> tuple[dict[str, str], list[Finding]]:
    """A topic for each stream, and findings where it is not the configured one.

    Args:
        wanted: configured topic by stream, which is one of `STREAM_TYPES`.
        present: topic -> message type of all that there are.
    """
    chosen: dict[str, str] = {}
    findings = []
    for stream, topic in wanted.items():
        names = [
            topic + end for end in _TRANSPORTS if present.get(topic + end) in STREAM_TYPES[stream]
        ]
        if names:
            chosen[stream] = names[0]
            continue
        likely = _likely(stream, topic, present)
        findings.append(_missing(stream, topic, likely, present))
        if likely is not None:
            chosen[stream] = likely
    return chosen, findings


def _likely(stream: str, topic: str, present: Mapping[str, str]) -> str | None:
    """The most similar topic of the right type; names distinguish depth from colour."""
    candidates = [name for name, kind in present.items() if kind in STREAM_TYPES[stream]]
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
    kinds = " or ".join(STREAM_TYPES[stream])
    there = ", ".join(sorted(n for n, kind in present.items() if kind in STREAM_TYPES[stream]))
    fix = (
        f"set topics.{stream} to one of: {there}"
        if there
        else f"start what publishes it: there is no topic of type {kinds}"
    )
    return Finding(name, "fail", f"no {topic}", fix)


class StreamCollector:
    """Messages of one topic: stamps, sizes and encodings."""

    def __init__(self, topic: str, offered_qos: Iterable[OfferedQos] = ()) -> None:
        self.topic = topic
        self._offered_qos = tuple(offered_qos)
        self._stamps_ns: list[int] = []
        self._sizes: set[tuple[int, int]] = set()
        self._encodings: set[str] = set()

    def add(self, message: Any) -> None:
        """Add a message with a header; of an image its size and encoding, without pixels."""
        self._stamps_ns.append(stamp_ns(message))
        if hasattr(message, "encoding"):
            self._sizes.add((int(message.width), int(message.height)))
            self._encodings.add(str(message.encoding))
        elif hasattr(message, "format"):
            self._encodings.add(str(message.format))

    def stream(self) -> Stream:
        return Stream(
            self.topic,
            np.array(self._stamps_ns, np.int64),
            frozenset(self._sizes),
            frozenset(self._encodings),
            self._offered_qos,
        )


class PoseCollector:
    """Positions and quaternions of odometry, as sent."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, ...]] = []

    def add(self, message: Any) -> None:
        p, q = message.pose.pose.position, message.pose.pose.orientation
        self._rows.append((p.x, p.y, p.z, q.x, q.y, q.z, q.w))

    def rows(self) -> NDArray[np.float64]:
        """(N, 7): x y z qx qy qz qw."""
        return np.array(self._rows, np.float64).reshape(-1, 7)


def camera_facts(message: Any) -> CameraFacts:
    """The facts of a CameraInfo message, plausible or not."""
    k = [float(value) for value in message.k]
    return CameraFacts(
        width=int(message.width),
        height=int(message.height),
        fx=k[0],
        fy=k[4],
        cx=k[2],
        cy=k[5],
        distortion=tuple(float(value) for value in message.d),
    )


class Collector:
    """All streams of a bag or a live graph."""

    def __init__(self) -> None:
        self._streams: dict[str, StreamCollector] = {}
        self._poses = PoseCollector()
        self._camera: CameraFacts | None = None

    def listen(self, stream: str, topic: str, offered_qos: Iterable[OfferedQos] = ()) -> None:
        """Expect messages of a stream: `color`, `depth`, `camera_info`, `odometry`, others."""
        self._streams[stream] = StreamCollector(topic, offered_qos)

    def add(self, stream: str, message: Any) -> None:
        """Add a message of an expected stream."""
        self._streams[stream].add(message)
        if stream == "odometry":
            self._poses.add(message)
        elif stream == "camera_info":
            self._camera = camera_facts(message)

    def evidence(
        self,
        source: str,
        calibration: DepthCalibration | None,
        frames: Sequence[SensorFrame],
        found: Sequence[Finding],
    ) -> Evidence:
        """The evidence so far; the arguments are as in `Evidence`."""
        rows = self._poses.rows()
        return Evidence(
            source=source,
            streams={name: collector.stream() for name, collector in self._streams.items()},
            camera=self._camera,
            depth_calibration=calibration,
            positions=rows[:, :3],
            quaternions=rows[:, 3:],
            frames=tuple(frames),
            found=tuple(found),
        )


_TF_STATIC = "tf_static"


def gather_bag(path: Path) -> Evidence:
    """Evidence of a bag: all small messages, headers of all images, pixels of a sample."""
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
        # Depth of its own camera, as drivers record it without align_depth.
        wanted["depth"] = names.raw_depth
    chosen, found = choose_topics(wanted, present)
    if names.tf_static in present:
        chosen[_TF_STATIC] = names.tf_static
    return chosen, found


def _sample(
    path: Path, topics: Mapping[str, str]
) -> tuple[DepthCalibration | None, list[SensorFrame], list[Finding]]:
    """A sample of frames that the reader assembles from the chosen topics."""
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


def gather_indexed(sequence: IndexedSequence) -> Evidence:
    """Evidence of a recording in files: stamps and poses of all frames, pixels of a sample."""
    entries = sequence.entries
    step = max(1, len(entries) // SAMPLE)
    looked_at = sequence.part(slice(None, None, step))
    frames, found = sample(looked_at, every=1)
    if sequence.drops:
        fix = "these frames are left out: record again where too many are lost"
        text = f"{_causes(sequence.drops)}, {len(entries)} are usable"
        found.append(Finding("frames", "warn", text, fix))
    if frames and looked_at.drops:
        fix = "such frames are left out: copy or download the recording again"
        text = f"{_causes(looked_at.drops)} among {len(looked_at)} frames that were looked at"
        found.append(Finding("images", "warn", text, fix))
    fix = "write the file that is named, if this is wrong"
    found += [Finding("assumed", "warn", remark, fix) for remark in sequence.assumed]
    stamps_ns = np.array([entry.stamp_ns for entry in entries], np.int64)
    poses = [entry.world_T_camera for entry in entries]
    return Evidence(
        source=str(sequence.path),
        streams={
            "color": Stream("colour images", stamps_ns, _sizes([f.color for f in frames])),
            "depth": Stream("depth images", stamps_ns, _sizes([f.depth_m for f in frames])),
            "odometry": Stream("poses", stamps_ns),
        },
        camera=CameraFacts.of(sequence.camera),
        depth_calibration=sequence.depth_calibration,
        positions=np.array([pose.translation for pose in poses]),
        quaternions=np.array([pose.quaternion_xyzw() for pose in poses]),
        frames=tuple(frames),
        found=tuple(found),
        world_T_recorded=sequence.world_T_recorded,
        gravity_path=sequence.gravity_path,
    )


def _causes(drops: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {cause}" for cause, count in drops.items())


def _sizes(images: list[NDArray[Any]]) -> frozenset[tuple[int, int]]:
    return frozenset((image.shape[1], image.shape[0]) for image in images)
