"""From a box in a stored frame to a surface in the world: mask, morphology, projection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Pose
from scenemind.perception.protocols import Segmenter
from scenemind.perception.types import BoxMask
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
        chamfer_m: to the anchor; 0 for the anchor itself.
    """

    stored: StoredView
    box_px: BoxPx
    clean: CleanMask
    surface_view: SurfaceView
    chamfer_m: float = 0.0

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
        """The view by a mask; None where too little depth was measured in it."""
        width = stored.frame.camera.width
        clean = cleaned(mask, width, self._config.erosion_px, self._config.components)
        surface = find_surface(clean, stored.depth, world_T_camera)
        if surface is None:
            return None
        view = SurfaceView(stored.depth, world_T_camera, clean.mask, surface)
        return TakenView(stored, box_px, clean, view)
