"""The one error of this package."""

from __future__ import annotations

from scenemind.errors import SceneMindError


class SceneMemoryError(SceneMindError, RuntimeError):
    """A memory that cannot be opened, written or corrected; says which value and what to do."""
