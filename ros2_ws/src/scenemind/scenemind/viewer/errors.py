"""What goes wrong in the browser view."""

from __future__ import annotations


class ViewerError(RuntimeError):
    """The view cannot be shown; says what to do about it."""
