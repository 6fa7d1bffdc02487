"""The one error of this package."""

from __future__ import annotations


class SimulationError(ValueError):
    """A room, view or question that cannot be made; says which and what to do."""
