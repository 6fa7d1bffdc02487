"""A recorded sequence as a rosbag2 recording, to be played, or read back by `open_sequence`.

Images are encoded by a few threads while one writes. The bag grows in `OUT.part`, a file after
another, and becomes OUT when it is whole and has been read back; the same call after a kill goes on
behind the last file that was finished (`work_folder`).
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rosbags.rosbag2 import WriterError

from scenemind.frames.bag_writing.checks import check_files, check_frames
from scenemind.frames.bag_writing.disk_space import check_space
from scenemind.frames.bag_writing.encoder import EncodedFrame, FrameEncoder
from scenemind.frames.bag_writing.metadata import message_count
from scenemind.frames.bag_writing.options import ImageEncoding, WriteOptions
from scenemind.frames.bag_writing.recorder import Recorder
from scenemind.frames.bag_writing.source import FrameSource
from scenemind.frames.bag_writing.work_folder import WorkFolder
from scenemind.frames.errors import FrameError
from scenemind.frames.indexed_sequence import IndexedSequence
from scenemind.frames.sequence import RecordedSequence
from scenemind.geometry import Pose

_SAMPLE = 8  # frames by which the size and the kind of depth are told


@dataclass(frozen=True, slots=True)
class WrittenBag:
    """
    Attributes:
        frames: in the bag.
        resumed: how many of them an earlier call had written.
        rounded: frames of this call whose depth had to be rounded to whole millimetres.
        files, size_bytes: of the bag, metadata aside.
    """

    path: Path
    frames: int
    resumed: int
    rounded: int
    files: int
    size_bytes: int
    encoding: ImageEncoding


def write_bag(
    sequence: RecordedSequence,
    out: Path | str,
    options: WriteOptions | None = None,
    report: Callable[[int], None] | None = None,
) -> WrittenBag:
    """Write colour, depth, camera_info, odometry, /tf and /tf_static; then read the bag back.

    Depth that is not aligned to colour goes to the topics of raw depth, and /tf_static has its
    mounting. Nothing is lost where `ImageEncoding` can help it.

    Args:
        out: the bag's folder, which must not be there; `OUT.part` may be.
        report: called with the frames that are written so far, after each one.

    Raises:
        FrameError: a frame that cannot be read, stamps that do not increase, too little space, or
            a bag that does not read back as it was written.
    """
    options = options or WriteOptions()
    source = FrameSource(sequence, options.frames)
    work = WorkFolder(Path(out), options.storage)
    sample = source.sample(_SAMPLE)
    encoding = ImageEncoding.fitting(sample, options.is_raw)
    encoder = FrameEncoder(sequence, options, encoding, _world_T_recorded(sequence))
    # This also has rosbags make its serialisers, which threads may use but not make.
    encoded = [encoder.encode(frame) for frame in sample]
    job = _job(sequence, options, encoding, encoded[0])
    resumed = sum(message_count(i, options.topics.odometry) for i in work.finished(job))
    if not options.is_forced:
        frame_bytes = sum(frame.size_bytes for frame in encoded) / len(encoded)
        check_space(work.disk(), frame_bytes * (len(source) - resumed))
    work.make(job)
    recorder = Recorder(work, encoder, options, encoding, report)
    try:
        recorder.write(source, resumed)
        work.write_metadata()
    except (OSError, sqlite3.Error, WriterError) as error:
        raise FrameError(
            f"writing to {work.path} failed: {error}. What is whole is kept: mend it, and give the"
            " same command again to go on"
        ) from error
    files, information = work.files(), work.information()
    check_files(files, options.topics.odometry, information)
    check_frames(files, options.topics, sample[0], source.last())
    size_bytes = sum(file.stat().st_size for file in files)
    work.finish()
    frames = sum(message_count(i, options.topics.odometry) for i in information)
    return WrittenBag(work.out, frames, resumed, recorder.rounded, len(files), size_bytes, encoding)


def _world_T_recorded(sequence: RecordedSequence) -> Pose:
    if isinstance(sequence, IndexedSequence):
        return sequence.world_T_recorded
    return Pose.identity()


def _job(
    sequence: RecordedSequence, options: WriteOptions, encoding: ImageEncoding, first: EncodedFrame
) -> dict[str, Any]:
    """What must be the same for files of two calls to make one bag."""
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
