"""The one error of this package."""

from __future__ import annotations


class PerceptionError(RuntimeError):
    """A model file or its output that cannot be used; says which and what to do."""
