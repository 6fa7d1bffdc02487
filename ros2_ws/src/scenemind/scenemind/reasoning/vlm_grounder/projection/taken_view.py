"""From a box in a stored frame to a surface in the world: mask, morphology, projection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Pose
from scenemind.perception.protocols import Segmenter
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.compared import ComparedView, apart_m
from scenemind.reasoning.vlm_grounder.projection.fusion import SurfaceView
from scenemind.reasoning.vlm_grounder.projection.morphology import CleanMask, cleaned
from scenemind.reasoning.vlm_grounder.projection.stored_view import StoredView
from scenemind.reasoning.vlm_grounder.projection.surface import find_surface
from scenemind.reasoning.vlm_grounder.types import BoxPx, MeasuredView


@dataclass(frozen=True, slots=True, eq=False)
class TakenView:
    """A view that the target is measured from.

    Attributes:
        clean: its mask, after morphology.
        surface_view: what it shows of the target.
        compared: some of that, to compare it with other views.
        chamfer_m: to the nearest of the views that were taken before; 0 for the anchor.
    """

    stored: StoredView
    box_px: BoxPx
    clean: CleanMask
    surface_view: SurfaceView
    compared: ComparedView
    chamfer_m: float = 0.0

    def beside(self, taken: Sequence[TakenView]) -> TakenView:
        """The same, with its distance to the nearest of those taken before, at least one; by so
        much its pose may be off."""
        off_m = min(apart_m(self.compared, other.compared) for other in taken)
        return replace(
            self, surface_view=replace(self.surface_view, slack_m=off_m), chamfer_m=off_m
        )

    def as_measured(self) -> MeasuredView:
        return MeasuredView(
            self.stored.frame,
            self.box_px,
            self.surface_view.mask,
            self.surface_view.surface.points,
            self.chamfer_m,
        )


class ViewTaker:
    """Segments and projects; remembers nothing of the views."""

    def __init__(self, segmenter: Segmenter, config: VlmGrounderConfig) -> None:
        self._segmenter = segmenter
        self._config = config

    @property
    def segmenter(self) -> str:
        """Its name."""
        return self._segmenter.name

    def find_mask(self, stored: StoredView, box_px: BoxPx) -> BoxMask | None:
        """What the segmenter cuts out of a box; None where it finds nothing.

        Raises:
            FrameError: the image is damaged.
            PerceptionError: the segmenter cannot be had, or fails on this image.
            ModelError: cancelled, or too late.
        """
        boxes = np.array([box_px], np.float32)
        (mask,) = self._segmenter.segment(stored.as_frame(), boxes)
        return mask if mask is not None and mask.bits.any() else None

    def find_view(
        self, stored: StoredView, box_px: BoxPx, mask: BoxMask, world_T_camera: Pose
    ) -> TakenView | None:
        """See `find_view`."""
        return find_view(stored, box_px, mask, world_T_camera, self._config)


def find_view(
    stored: StoredView,
    box_px: BoxPx,
    mask: BoxMask,
    world_T_camera: Pose,
    config: VlmGrounderConfig,
) -> TakenView | None:
    """The view by a mask; None where too little depth was measured in it."""
    clean = cleaned(mask, stored.frame.camera.width, config.erosion_px, config.components)
    surface = find_surface(clean, stored.depth, world_T_camera)
    if surface is None:
        return None
    view = SurfaceView(stored.depth, world_T_camera, clean.mask, surface)
    return TakenView(stored, box_px, clean, view, ComparedView.of(view))
