"""Where what can be had again is kept: fetched weights, vectors of words, built engines."""

from __future__ import annotations

import os
from pathlib import Path

CACHE_VARIABLE = "SCENEMIND_CACHE"


def cache_root() -> Path:
    """`$SCENEMIND_CACHE`, else `~/.cache/scenemind`; it need not exist."""
    return Path(os.environ.get(CACHE_VARIABLE) or "~/.cache/scenemind").expanduser()
