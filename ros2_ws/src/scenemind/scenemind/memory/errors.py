"""The one error of this package."""

from __future__ import annotations


class SceneMemoryError(RuntimeError):
    """A memory that cannot be opened, written or corrected; says which value and what to do."""
