"""A recorded sequence as a rosbag2 recording, to be played, or read back by `open_sequence`.

Images are encoded by a few threads while one writes. The bag grows in `OUT.part`, a file after
another, and becomes OUT when it is whole and has been read back; the same call after a kill goes on
behind the last file that was finished (`work_folder`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rosbags.rosbag2 import WriterError

from scenemind.frames.bag_writing.checks import check_files, check_frames
from scenemind.frames.bag_writing.metadata import message_count
from scenemind.frames.bag_writing.options import ImageEncoding, WriteOptions
from scenemind.frames.bag_writing.plan import BagPlan, plan_bag
from scenemind.frames.bag_writing.recorder import Recorder
from scenemind.frames.errors import FrameError
from scenemind.frames.sequence import RecordedSequence


@dataclass(frozen=True, slots=True)
class WrittenBag:
    """
    Attributes:
        frames: in the bag.
        resumed: how many of them an earlier call had written.
        rounded: frames of this call whose depth had to be rounded to whole millimetres.
        drops: what was left out, by cause; frames with images that cannot be used, of this call.
        files, size_bytes: of the bag, metadata aside.
    """

    path: Path
    frames: int
    resumed: int
    rounded: int
    drops: Mapping[str, int]
    files: int
    size_bytes: int
    encoding: ImageEncoding


def write_bag(
    sequence: RecordedSequence, out: Path | str, options: WriteOptions | None = None
) -> WrittenBag:
    """`plan_bag` and `write_planned` in one.

    Raises:
        FrameError: as of both.
    """
    return write_planned(plan_bag(sequence, out, options))


def write_planned(plan: BagPlan, report: Callable[[int], None] | None = None) -> WrittenBag:
    """Write colour, depth, camera_info, odometry, /tf and /tf_static; then read the bag back.

    Depth that is not aligned to colour goes to the topics of raw depth, and /tf_static has its
    mounting. Nothing is lost where `ImageEncoding` can help it.

    Args:
        report: called with the frames that are written so far, after each one.

    Raises:
        FrameError: no usable frame, stamps that do not increase, a disk that is full,
            or a bag that does not read back as it was written.
    """
    work, topics = plan.work, plan.options.topics
    recorder = Recorder(work, plan.encoder, plan.options, plan.encoding, report)
    with work.held(plan.job):
        try:
            recorder.write(plan.source, plan.resumed, plan.behind_ns)
            work.write_metadata()
        except (OSError, sqlite3.Error, WriterError) as error:
            raise FrameError(
                f"writing to {work.path} failed: {error}. What is whole is kept: mend it, and give"
                " the same command again to go on"
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
