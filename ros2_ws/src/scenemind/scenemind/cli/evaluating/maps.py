"""Where maps of simulated rooms are kept while they are asked."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

_MAPS = "rooms"


def kept_maps(out: Path | None) -> Path:
    """A folder in that of the run, where they stay; without one, a folder that goes at the end."""
    if out is not None:
        return out / _MAPS
    folder = Path(tempfile.mkdtemp(prefix="scenemind-rooms-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
