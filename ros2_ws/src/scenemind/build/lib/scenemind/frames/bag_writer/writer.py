"""A recorded sequence written as a rosbag2 recording, and verified by reading it back."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import Reader, ReaderError, WriterError

from scenemind.frames.bag import BagOptions, BagTopics
from scenemind.frames.bag_writer.messages import (
    EncodedFrame,
    FrameEncoder,
    ImageEncoding,
    WriteOptions,
)
from scenemind.frames.bag_writer.recorder import BagRecorder, FrameSource
from scenemind.frames.bag_writer.work_folder import (
    Information,
    WorkFolder,
    check_space,
    first_and_last_ns,
    message_count,
)
from scenemind.frames.frame import FrameError, SensorFrame
from scenemind.frames.images import depth_from_units, depth_to_mm
from scenemind.frames.readers.rosbag import RosbagSequence
from scenemind.frames.sequence import IndexedSequence, RecordedSequence
from scenemind.geometry import Pose

_SAMPLE = 8  # frames from which the size and the encoding are estimated
_POSE_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class WrittenBag:
    """Result of writing a bag.

    Attributes:
        frames: frames in the bag.
        resumed: frames among them that an earlier call had written.
        rounded: frames of this call whose depth had to be rounded to whole millimetres.
        drops: frames left out, by cause; those with unusable images are of this call only.
        files, size_bytes: count and total size of the bag's files, without metadata.
    """

    path: Path
    frames: int
    resumed: int
    rounded: int
    drops: Mapping[str, int]
    files: int
    size_bytes: int
    encoding: ImageEncoding


def write_bag(plan: BagPlan, report: Callable[[int], None] | None = None) -> WrittenBag:
    """Write colour, depth, camera_info, odometry, /tf and /tf_static; then read the bag back.

    A few threads encode images while one writes. The bag grows in `OUT.part`, one file after
    another, and becomes OUT when it is complete and verified; the same call after a crash resumes
    after the last finished file (`WorkFolder`). Depth that is not aligned to colour goes to the
    topics of raw depth, with its mounting in /tf_static. Images are lossless where `ImageEncoding`
    allows it.

    Args:
        report: called after each frame with the count of frames written.

    Raises:
        FrameError: no usable frame, stamps that do not increase, a full disk, or a bag that does
            not read back as it was written.
    """
    work, topics = plan.work, plan.options.topics
    recorder = BagRecorder(work, plan.encoder, plan.options, plan.encoding, report)
    with work.held(plan.job):
        try:
            recorder.write(plan.source, plan.resumed, plan.behind_ns)
            work.write_metadata()
        except (OSError, sqlite3.Error, WriterError) as error:
            raise FrameError(
                f"writing to {work.path} failed: {error}. Finished files are kept: run the same"
                " command again to resume"
            ) from error
        files, information = work.files(), work.information()
        try:
            check_files(files, topics.odometry, information)
            check_frames(files, topics, plan.first, plan.source.last())
        except FrameError as error:
            raise FrameError(f"{error}; remove {work.path} and begin again") from error
        size_bytes = sum(file.stat().st_size for file in files)
        work.finish()
    frames = sum(message_count(i, topics.odometry) for i in information)
    return WrittenBag(
        path=work.out,
        frames=frames,
        resumed=plan.resumed,
        rounded=recorder.rounded,
        drops=dict(plan.source.drops),
        files=len(files),
        size_bytes=size_bytes,
        encoding=plan.encoding,
    )


@dataclass(frozen=True, slots=True, eq=False)
class BagPlan:
    """Work of writing a bag, estimated before it begins.

    Attributes:
        first: the first frame.
        resumed: frames that an earlier call has written.
        behind_ns: stamp of the last one of them; -1 where there is none.
        needed_bytes: estimated size of the other frames.
        job: identifies the conversion: files of two calls form one bag only where it is equal.
    """

    source: FrameSource
    work: WorkFolder
    encoder: FrameEncoder
    encoding: ImageEncoding
    options: WriteOptions
    first: SensorFrame
    resumed: int
    behind_ns: int
    needed_bytes: int
    job: dict[str, Any]

    @property
    def frames(self) -> int:
        """Frames of the whole bag; an upper bound for a sequence that drops frames on reading."""
        return len(self.source)


def plan_bag(
    sequence: RecordedSequence, out: Path | str, options: WriteOptions | None = None
) -> BagPlan:
    """The plan of a bag, from a few frames, files of an earlier call and the free disk space.

    Writes nothing.

    Args:
        out: the bag's folder, which must not exist; `OUT.part` may.

    Raises:
        FrameError: no usable frame, something at `out`, files of another bag in
            `OUT.part`, or too little space.
    """
    options = options or WriteOptions()
    source = FrameSource(sequence, options.frames)
    work = WorkFolder(Path(out), options.storage)
    sample = source.sample(_SAMPLE)
    encoding = ImageEncoding.fitting(sample, options.is_raw)
    encoder = FrameEncoder(sequence, options, encoding, _world_T_recorded(sequence))
    encoded = [encoder.encode(frame) for frame in sample]
    job = _job(sequence, options, encoding, encoded[0])
    finished = work.finished(job)
    resumed = sum(message_count(i, options.topics.odometry) for i in finished)
    behind_ns = first_and_last_ns(finished[-1])[1] if finished else -1
    frame_bytes = sum(frame.size_bytes for frame in encoded) / len(encoded)
    needed_bytes = round(frame_bytes * (len(source) - resumed))
    if not options.is_forced:
        check_space(work.disk(), needed_bytes)
    return BagPlan(
        source=source,
        work=work,
        encoder=encoder,
        encoding=encoding,
        options=options,
        first=sample[0],
        resumed=resumed,
        behind_ns=behind_ns,
        needed_bytes=needed_bytes,
        job=job,
    )


def _world_T_recorded(sequence: RecordedSequence) -> Pose:
    if isinstance(sequence, (IndexedSequence, RosbagSequence)):
        return sequence.world_T_recorded
    return Pose.identity()


def _job(
    sequence: RecordedSequence, options: WriteOptions, encoding: ImageEncoding, first: EncodedFrame
) -> dict[str, Any]:
    return {
        "source": str(sequence.path.resolve() if sequence.path.exists() else sequence.path),
        "length": len(sequence),
        "first frame": zlib.crc32(b"".join(message.data for message in first.messages)),
        "frames": [options.frames.start, options.frames.stop, options.frames.step],
        "storage": options.storage,
        "topics": asdict(options.topics),
        "encoding": asdict(encoding),
        "base_T_camera": options.base_T_camera.matrix().tolist(),
        "frames_per_file": options.frames_per_file,
    }


def check_files(files: Sequence[Path], topic: str, expected: Sequence[Information]) -> None:
    """Check that each file holds the expected messages, and that the files follow each other.

    Args:
        topic: a topic with one message per frame.

    Raises:
        FrameError: a file has other messages or overlaps the one before.
    """
    before_ns = -1
    for file, information in zip(files, expected, strict=True):
        found = _counts(file)
        said = {
            entry["topic_metadata"]["name"]: entry["message_count"]
            for entry in information["topics_with_message_count"]
        }
        if found != said or not found.get(topic):
            raise FrameError(f"{file} holds {found} messages, and should {said}")
        start_ns, end_ns = first_and_last_ns(information)
        if start_ns <= before_ns:
            raise FrameError(f"{file} begins before the file in front of it ends")
        before_ns = end_ns


def check_frames(
    files: Sequence[Path], topics: BagTopics, first: SensorFrame, last: SensorFrame
) -> None:
    """Check that the first and the last frame read back unchanged.

    Raises:
        FrameError: a frame differs.
    """
    options = BagOptions(topics=topics)
    read_first, read_last = RosbagSequence(files[0], options).ends()
    _check_equal(files[0], read_first, first)
    if len(files) > 1:
        _, read_last = RosbagSequence(files[-1], options).ends()
    _check_equal(files[-1], read_last, last)


def _counts(file: Path) -> dict[str, int]:
    """Topic -> count of messages in a file."""
    try:
        with Reader(file) as reader:
            return {connection.topic: connection.msgcount for connection in reader.connections}
    except ReaderError as error:
        raise FrameError(f"{file} cannot be read back: {error}") from error


def _check_equal(file: Path, read: SensorFrame, written: SensorFrame) -> None:
    moved = np.abs(read.world_T_camera.matrix() - written.world_T_camera.matrix()).max()
    same = {
        "stamp": read.stamp_ns == written.stamp_ns,
        "colour": np.array_equal(read.color, written.color),
        "depth": _is_same_depth(read, written),
        "pose": moved <= _POSE_TOLERANCE,
    }
    if not all(same.values()):
        wrong = ", ".join(name for name, is_same in same.items() if not is_same)
        raise FrameError(
            f"{file}: the frame at {written.stamp_ns} ns reads back with another {wrong}"
        )


def _is_same_depth(read: SensorFrame, written: SensorFrame) -> bool:
    """Whether depth is unchanged, or rounded to whole millimetres."""
    if np.array_equal(read.depth_m, written.depth_m):
        return True
    rounded = depth_from_units(depth_to_mm(written.depth_m), 1000.0)
    return np.array_equal(read.depth_m, rounded)
