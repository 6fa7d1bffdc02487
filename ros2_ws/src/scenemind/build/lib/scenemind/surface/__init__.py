"""The place as a coloured surface, fused from the key frames of a memory; vertices know objects."""

from scenemind.surface.fusion import SurfaceError, fuse_surface
from scenemind.surface.mesh import SurfaceMesh

__all__ = ["SurfaceError", "SurfaceMesh", "fuse_surface"]
