"""The one error of this package."""

from __future__ import annotations

from scenemind.errors import SceneMindError


class ExchangeError(SceneMindError, ValueError):
    """A file that is no scene, or a scene that cannot be written so; says where it went wrong."""
