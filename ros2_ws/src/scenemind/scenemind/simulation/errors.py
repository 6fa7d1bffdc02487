"""The one error of this package."""

from __future__ import annotations

from scenemind.errors import SceneMindError


class SimulationError(SceneMindError, ValueError):
    """A room, view or question that cannot be made; says which and what to do."""
