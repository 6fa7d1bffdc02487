"""The one error of this package."""

from __future__ import annotations


class GeometryError(ValueError):
    """A pose, camera, box or point array that cannot be what it claims to be."""
