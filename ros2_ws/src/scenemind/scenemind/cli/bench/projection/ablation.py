"""What each operation adds, as the paper's Table 5."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Box3D, iou_3d
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.extent import box_around
from scenemind.reasoning.vlm_grounder.projection.morphology import cleaned
from scenemind.reasoning.vlm_grounder.projection.outliers import statistical_inliers
from scenemind.reasoning.vlm_grounder.projection.stored_view import StoredView
from scenemind.reasoning.vlm_grounder.projection.surface import find_surface, mask_points
from scenemind.reasoning.vlm_grounder.types import Measured

BASELINE, MORPHOLOGY, FILTERING = "baseline", "+ morphology", "+ point filtering"
MULTI_VIEW, AS_PAPER = "+ multi-view", "paper's own operations, multi-view"


class Ablation:
    """IoU with the true box, by what was done to get the box; 0 where there is none."""

    def __init__(self, config: VlmGrounderConfig) -> None:
        self._config = config
        self._ious: dict[str, list[float]] = defaultdict(list)

    def add(
        self,
        anchor: StoredView,
        masks: Sequence[tuple[StoredView, BoxMask]],
        measured: Measured | None,
        truth: Box3D,
    ) -> None:
        """One target.

        Args:
            masks: of the measured views, as the segmenter gave them; the anchor's first.
            measured: by all operations; None: it could not be.
        """
        config, mask = self._config, masks[0][1]
        pose = anchor.frame.world_T_camera
        self._count(BASELINE, _bounds(mask_points(mask, anchor.depth, pose)), truth)
        width = anchor.frame.camera.width
        clean = cleaned(mask, width, config.erosion_px, config.components)
        surface = find_surface(clean, anchor.depth, pose)
        self._count(MORPHOLOGY, None if surface is None else box_around(surface), truth)
        if surface is not None:
            inliers = statistical_inliers(
                surface.points, config.outlier_neighbors, config.outlier_deviations
            )
            surface = surface.select(inliers)
        has_points = surface is not None and len(surface) > 0
        self._count(FILTERING, box_around(surface) if surface and has_points else None, truth)
        self._count(MULTI_VIEW, None if measured is None else measured.box, truth)
        self._count(AS_PAPER, self._as_the_paper(masks), truth)

    def rows(self) -> dict[str, Mapping[str, float]]:
        """By operation, each with those above it."""
        return {name: scores(ious) for name, ious in self._ious.items()}

    def _as_the_paper(self, masks: Sequence[tuple[StoredView, BoxMask]]) -> Box3D | None:
        """Eroded masks themselves projected, the union filtered."""
        config = self._config
        clouds = []
        for stored, mask in masks:
            clean = cleaned(
                mask, stored.frame.camera.width, config.erosion_px, config.components, 0.0
            )
            core = BoxMask(mask.x_px, mask.y_px, clean.core)
            clouds.append(mask_points(core, stored.depth, stored.frame.world_T_camera))
        union = np.concatenate(clouds)
        inliers = statistical_inliers(union, config.outlier_neighbors, config.outlier_deviations)
        return _bounds(union[inliers])

    def _count(self, name: str, box: Box3D | None, truth: Box3D) -> None:
        self._ious[name].append(0.0 if box is None else iou_3d(box, truth))


def scores(ious: Sequence[float]) -> dict[str, Any]:
    """Shares of boxes by their IoU with the true ones, and its mean."""
    values = np.asarray(ious)
    return {
        "acc_25": float((values > 0.25).mean()),
        "acc_50": float((values > 0.5).mean()),
        "mean_iou": float(values.mean()),
    }


def _bounds(points: NDArray[np.float32]) -> Box3D | None:
    if len(points) == 0:
        return None
    return Box3D.from_bounds(points.min(axis=0), points.max(axis=0))
