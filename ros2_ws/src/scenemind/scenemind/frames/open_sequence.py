"""Recordings of every known format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scenemind.frames.frame import FrameError
from scenemind.frames.sequence import RecordedSequence

if TYPE_CHECKING:
    from scenemind.frames.bag import BagOptions


def open_sequence(path: Path | str, bag_options: BagOptions | None = None) -> RecordedSequence:
    """Open a recording; its format is recognised by its content.

    Args:
        bag_options: topics and mounting for a bag that does not use the default ones.

    Raises:
        FrameError: nothing there, no known format, or a damaged recording.
    """
    # Imported here: the readers of bags and scans take a quarter of a second.
    from scenemind.frames.bag import BagOptions, is_bag
    from scenemind.frames.readers import (
        hololens,
        open_eqa,
        rosbag,
        scannet,
        sens,
        seven_scenes,
        tum,
    )

    readers = (seven_scenes, hololens, tum, open_eqa, scannet, sens)
    path = Path(path)
    if not path.exists():
        raise FrameError(
            f"there is no recording at {path.absolute()}: name a folder, a bag or a .sens file that"
            " is there, or `sim:3` for a simulated room"
        )
    for reader in readers:
        if reader.recognises(path):
            return reader.read(path)
    if is_bag(path):
        return rosbag.RosbagSequence(path, bag_options or BagOptions())
    above = path.absolute().parent
    if is_bag(above) or any(reader.recognises(above) for reader in readers):
        raise FrameError(f"{path} is part of a recording: the folder above is one, {above}")
    known = "; ".join(reader.DESCRIPTION for reader in (*readers, rosbag))
    raise FrameError(f"{path} is no known recording: {_found(path)}. Known are: {known}")


def _found(path: Path) -> str:
    if path.is_file():
        return f"a file of type {path.suffix or 'unknown'}"
    names = sorted(entry.name for entry in path.iterdir())
    if not names:
        return "an empty folder"
    return "it holds " + ", ".join(names[:6]) + (" ..." if len(names) > 6 else "")
