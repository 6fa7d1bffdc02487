"""Views of one thing, held against each other by some of their samples."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.spatial import cKDTree

from scenemind.geometry import Pose
from scenemind.memory import DepthImage
from scenemind.reasoning.vlm_grounder.projection.agreement import seen_in
from scenemind.reasoning.vlm_grounder.projection.chamfer import chamfer_m
from scenemind.reasoning.vlm_grounder.projection.fusion import SurfaceView
from scenemind.reasoning.vlm_grounder.projection.surface import Surface

_COMPARED = 300  # points of a cloud for the Chamfer distance
_NEAR_M = 0.1  # by which poses may be off, and a point still be seen by both


@dataclass(frozen=True, slots=True, eq=False)
class ComparedView:
    """Made once a view, which is compared with up to N - 1 others.

    Attributes:
        tree: of the samples' points.
    """

    depth: DepthImage
    world_T_camera: Pose
    samples: Surface
    tree: cKDTree

    @classmethod
    def of(cls, view: SurfaceView) -> ComparedView:
        samples = view.surface.some(_COMPARED)
        return cls(view.depth, view.world_T_camera, samples, cKDTree(samples.points))


def apart_m(a: ComparedView, b: ComparedView) -> float:
    """Chamfer distance of two views, of some of their samples."""
    a_seen_by_b, b_seen_by_a = (
        seen_in(
            view.samples.points,
            view.samples.sigma_m,
            other.depth,
            other.world_T_camera,
            slack_m=_NEAR_M,
        )
        for view, other in ((a, b), (b, a))
    )
    return chamfer_m(a.tree, b.tree, a_seen_by_b, b_seen_by_a)
