"""Where what SceneMind learns is kept: memories, and what models have used."""

from __future__ import annotations

import os
from pathlib import Path

_HOME_VARIABLE = "SCENEMIND_HOME"


def default_root() -> Path:
    """Folder of all of it, where none is named: $SCENEMIND_HOME, else ~/.local/share/scenemind; it
    need not exist."""
    named = os.environ.get(_HOME_VARIABLE)
    return Path(named) if named else Path.home() / ".local" / "share" / "scenemind"
