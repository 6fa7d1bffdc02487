"""Whether a bag fits on the disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from scenemind.frames.errors import FrameError

_SPARE = 1.05  # indices, and frames that are larger than the sample
_LEFT_FREE = 64 * 2**20


def check_space(folder: Path, needed_bytes: float) -> None:
    """
    Args:
        folder: where it is to be written.
        needed_bytes: by a sample of frames.

    Raises:
        FrameError: the disk would become full.
    """
    free = shutil.disk_usage(folder).free
    needed = needed_bytes * _SPARE + _LEFT_FREE
    if needed > free:
        raise FrameError(
            f"the bag needs about {size_text(needed_bytes)}, and {folder} has {size_text(free)}:"
            " free some, write fewer frames, or write elsewhere (--force-disk begins all the same)"
        )


def size_text(count: float) -> str:
    """Such as "1.3 GB"."""
    for unit in ("B", "kB", "MB"):
        if count < 1000.0:
            return f"{count:.0f} {unit}" if count >= 100.0 or unit == "B" else f"{count:.1f} {unit}"
        count /= 1000.0
    return f"{count:.1f} GB"
