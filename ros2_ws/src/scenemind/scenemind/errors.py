"""Errors of the library that its user can mend.

Each message names what was wrong and what to do.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path


class SceneMindError(Exception):
    """The base of all of them; its message names what was wrong and what to do."""


class UsageError(SceneMindError, RuntimeError):
    """A command that cannot be carried out as typed; the message says what to type instead."""


class GeometryError(SceneMindError, ValueError):
    """A pose, camera, box or point array with impossible values."""


class SandboxError(SceneMindError, RuntimeError):
    """A sandbox that cannot run any program."""


class SceneMemoryError(SceneMindError, RuntimeError):
    """A memory that cannot be opened, read, written or corrected."""


class MemoryRequestError(SceneMemoryError):
    """A request that no memory could serve: no such relation, words that name nothing, a text that
    is no journal."""


class ExchangeError(SceneMindError, ValueError):
    """A file that is no scene, or a scene that a format cannot hold; the message says where."""


class EvaluationError(SceneMindError, RuntimeError):
    """A missing or malformed file, or a run that cannot go on; the message says what to do."""


class SimulationError(SceneMindError, ValueError):
    """A room, view or question that cannot be made; the message says why and what to do."""


def install_line(extra: str) -> str:
    """The command that installs an extra into this Python, from this checkout where it is one."""
    package = Path(__file__).resolve().parents[1]
    is_checkout = (package / "setup.py").is_file()
    source = f"-e {shlex.quote(f'{os.path.relpath(package)}[{extra}]')}"
    named = source if is_checkout else f"'scenemind[{extra}]'"
    return f"{shlex.quote(sys.executable)} -m pip install {named}"
