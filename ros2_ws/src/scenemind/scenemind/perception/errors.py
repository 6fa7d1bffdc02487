"""The one error of this package."""

from __future__ import annotations

from scenemind.errors import SceneMindError


class PerceptionError(SceneMindError, RuntimeError):
    """A model file or its output that cannot be used; says which and what to do."""
