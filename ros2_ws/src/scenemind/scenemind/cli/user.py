"""Who types."""

from __future__ import annotations

import getpass
import os


def user_name() -> str:
    """For the journal; in a container, where users may have no name, their number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # the first up to Python 3.12
        return f"user {os.getuid()}"
