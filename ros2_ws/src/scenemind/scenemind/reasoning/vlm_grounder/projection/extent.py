"""The box around a surface."""

from __future__ import annotations

import numpy as np

from scenemind.geometry import Box3D
from scenemind.reasoning.vlm_grounder.projection.surface import Surface

_DEVIATIONS = 2.5  # that the outermost samples are off along their rays


def box_around(surface: Surface) -> Box3D:
    """Axis-aligned, around the samples' patches and within their noise.

    A sample stands for a patch across its ray, so the surface goes on for half of that; along its
    ray it is off by what smoothing has left of the noise, and the outermost by more than most.

    Args:
        surface: at least one sample.
    """
    along = np.abs(surface.rays)
    across = np.sqrt(np.maximum(1.0 - along * along, 0.0))
    grown = surface.half_m[:, None] * across - _DEVIATIONS * surface.left_m[:, None] * along
    low, high = (surface.points - grown).min(axis=0), (surface.points + grown).max(axis=0)
    thin = low > high  # its noise is more than its thickness
    middle = (low + high) / 2.0
    return Box3D.from_bounds(np.where(thin, middle, low), np.where(thin, middle, high))
