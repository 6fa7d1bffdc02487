"""The place as a coloured surface, fused from the key frames of a memory; vertices know objects."""

from scenemind.surface.background import Ground, clear_surface, ground_of
from scenemind.surface.cloud import ColoredCloud, Vacated, ceiling_cut_m, vacated_places
from scenemind.surface.fusion import OnProgress, SurfaceError, fuse_surface
from scenemind.surface.mesh import SurfaceMesh

__all__ = [
    "ColoredCloud",
    "Ground",
    "OnProgress",
    "SurfaceError",
    "SurfaceMesh",
    "Vacated",
    "ceiling_cut_m",
    "clear_surface",
    "fuse_surface",
    "ground_of",
    "vacated_places",
]
