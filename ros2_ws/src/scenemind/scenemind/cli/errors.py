"""What a command says instead of a traceback."""

from __future__ import annotations

from scenemind.errors import SceneMindError


class CommandError(SceneMindError, RuntimeError):
    """A command that cannot do what was typed; says what to type instead."""
