"""Several views of a target to its box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Box3D
from scenemind.reasoning.vlm_grounder.projection.extent import box_around
from scenemind.reasoning.vlm_grounder.projection.floor import beneath, on_floor
from scenemind.reasoning.vlm_grounder.projection.fusion import Fused, fused
from scenemind.reasoning.vlm_grounder.projection.outliers import without_outliers
from scenemind.reasoning.vlm_grounder.projection.surface import Surface
from scenemind.reasoning.vlm_grounder.projection.taken_view import TakenView


class Joined(NamedTuple):
    """
    Attributes:
        surface: what of the views' union is left without its outliers.
        union: how many samples there were with them.
    """

    box: Box3D
    surface: Surface
    union: int


def joined(
    views: Sequence[TakenView], config: VlmGrounderConfig, floor_z: float | None = None
) -> Joined:
    """Union, outliers, box (paper, sections 3.4 and 4.1); of at least one view.

    Beyond the paper: what lies on the floor counts only beneath what stands on it. Masks spill over
    to the floor, and it would tie a thing to all that stands around.

    Args:
        floor_z: height of the floor; None: nobody knows it.
    """
    union = fused([view.surface_view for view in views])
    ground = np.zeros(len(union.surface), np.bool_)
    if floor_z is not None:
        ground = on_floor(union.surface, floor_z)
    standing = Fused(union.surface.select(~ground), union.confirmed[~ground])
    surface = without_outliers(standing, config.outlier_neighbors, config.outlier_deviations)
    if ground.any():
        surface = Surface.union([surface, beneath(union.surface.select(ground), surface)])
    return Joined(box_around(surface), surface, len(union.surface))
