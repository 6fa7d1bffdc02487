"""What writing a bag will take, before it begins."""

from __future__ import annotations

import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scenemind.frames.bag_writing.disk_space import check_space
from scenemind.frames.bag_writing.encoder import EncodedFrame, FrameEncoder
from scenemind.frames.bag_writing.metadata import first_and_last_ns, message_count
from scenemind.frames.bag_writing.options import ImageEncoding, WriteOptions
from scenemind.frames.bag_writing.source import FrameSource
from scenemind.frames.bag_writing.work_folder import WorkFolder
from scenemind.frames.frame import SensorFrame
from scenemind.frames.indexed_sequence import IndexedSequence
from scenemind.frames.readers.rosbag import RosbagSequence
from scenemind.frames.sequence import RecordedSequence
from scenemind.geometry import Pose

_SAMPLE = 8  # frames by which the size and the kind of depth are told


@dataclass(frozen=True, slots=True, eq=False)
class BagPlan:
    """
    Attributes:
        first: the first frame.
        resumed: frames that an earlier call has written.
        behind_ns: stamp of the last one of them; -1 where there is none.
        needed_bytes: for the others, about.
        job: what must be the same for files of two calls to make one bag.
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
        """Of the whole bag; of a sequence that drops frames while it is read, at most."""
        return len(self.source)


def plan_bag(
    sequence: RecordedSequence, out: Path | str, options: WriteOptions | None = None
) -> BagPlan:
    """Look at a few frames, at what an earlier call has left, and at the disk; write nothing.

    Args:
        out: the bag's folder, which must not be there; `OUT.part` may be.

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
