"""The one error of this package."""

from __future__ import annotations

from scenemind.errors import SceneMindError


class FrameError(SceneMindError, ValueError):
    """An image, stamp, sequence or bag that cannot be used; says which and what to do."""
