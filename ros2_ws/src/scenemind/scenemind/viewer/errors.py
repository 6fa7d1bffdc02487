"""What goes wrong in the browser view."""

from __future__ import annotations

from scenemind.errors import SceneMindError


class ViewerError(SceneMindError, RuntimeError):
    """The view cannot be shown; says what to do about it."""
