"""The one error of this package."""

from __future__ import annotations

from scenemind.errors import SceneMindError


class GeometryError(SceneMindError, ValueError):
    """A pose, camera, box or point array that cannot be what it claims to be."""
