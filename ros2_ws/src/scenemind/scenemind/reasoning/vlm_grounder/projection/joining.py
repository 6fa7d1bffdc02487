"""Several views of a target to its box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Box3D
from scenemind.reasoning.vlm_grounder.projection.extent import box_around
from scenemind.reasoning.vlm_grounder.projection.fusion import fused
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


def joined(views: Sequence[TakenView], config: VlmGrounderConfig) -> Joined:
    """Union, outliers, box (paper, sections 3.4 and 4.1); of at least one view."""
    union = fused([view.surface_view for view in views])
    surface = without_outliers(union, config.outlier_neighbors, config.outlier_deviations)
    return Joined(box_around(surface), surface, len(union.surface))
