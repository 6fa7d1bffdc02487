"""One view of a target: mask, morphology, projection, and its distance to other views (VLM-
Grounder, section 3.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from scenemind.config import VlmGrounderConfig
from scenemind.frames import RGBDFrame
from scenemind.frames.images import decode_color_file
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import DepthImage, KeyFrame
from scenemind.perception.protocols import Segmenter
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.fusion import SurfaceView, hidden_in, seen_in
from scenemind.reasoning.vlm_grounder.projection.surface import (
    CleanMask,
    Surface,
    cleaned,
    find_surface,
)
from scenemind.reasoning.vlm_grounder.targets import BoxPx, MeasuredView


@dataclass(frozen=True, slots=True, eq=False)
class TakenView:
    """A view that the target is measured from.

    Attributes:
        clean: its mask, after morphological operations.
        surface_view: the target's surface in it.
        compared: some of its samples, for comparison with other views.
        chamfer_m: to the nearest of the views before it; 0 for the anchor.
    """

    stored: StoredView
    box_px: BoxPx
    clean: CleanMask
    surface_view: SurfaceView
    compared: ComparedView
    chamfer_m: float = 0.0

    def beside(self, taken: Sequence[TakenView]) -> TakenView:
        """The view with its distance to the nearest of at least one view before it, which also
        bounds the error of its pose."""
        off_m = min(apart_m(self.compared, other.compared) for other in taken)
        return replace(
            self, surface_view=replace(self.surface_view, slack_m=off_m), chamfer_m=off_m
        )

    def within(self, cone: Cone) -> TakenView | None:
        """The part of the view in a cone; None where little of it is there."""
        surface = self.surface_view.surface
        inside = cone.contains(surface.points)
        if np.count_nonzero(inside) < max(_FEWEST, _OWN_SHARE * len(surface)):
            return None
        view = replace(self.surface_view, surface=surface.select(inside))
        return replace(self, surface_view=view, compared=ComparedView.of(view))

    def as_measured(self) -> MeasuredView:
        return MeasuredView(
            self.stored.frame,
            self.box_px,
            self.surface_view.mask,
            self.surface_view.surface.points,
            self.chamfer_m,
        )


def find_mask(segmenter: Segmenter, stored: StoredView, box_px: BoxPx) -> BoxMask | None:
    """The mask of a box; None where the segmenter finds nothing.

    Raises:
        FrameError: the image is damaged.
        PerceptionError: the segmenter cannot be had, or fails on this image.
        ModelError: cancelled, or too late.
    """
    (mask,) = segmenter.segment(stored.as_frame(), np.array([box_px], np.float32))
    return mask if mask is not None and mask.bits.any() else None


def find_view(
    stored: StoredView,
    box_px: BoxPx,
    mask: BoxMask,
    world_T_camera: Pose,
    config: VlmGrounderConfig,
) -> TakenView | None:
    """The view with a mask; None with too little depth in it."""
    clean = cleaned(mask, stored.frame.camera.width, config.erosion_px, config.components)
    surface = find_surface(clean, stored.depth, world_T_camera)
    if surface is None:
        return None
    view = SurfaceView(stored.depth, world_T_camera, clean.mask, surface)
    return TakenView(stored, box_px, clean, view, ComparedView.of(view))


@dataclass(frozen=True, slots=True, eq=False)
class StoredView:
    """A stored frame with its depth."""

    frame: KeyFrame
    depth: DepthImage

    def as_frame(self, *, filled: bool = False) -> RGBDFrame:
        """The frame for a segmenter. If only every n-th pixel has depth, the others are 0.

        Args:
            filled: give them the depth of the stored pixel beside them.

        Raises:
            FrameError: the image is damaged or of another size than its camera says.
        """
        camera, every = self.frame.camera, self.depth.every_px
        depth_m = np.zeros((camera.height, camera.width), np.float32)
        depth_m[::every, ::every] = self.depth.depth_m
        if filled:
            rows, columns = (np.arange(side) // every * every for side in depth_m.shape)
            depth_m = depth_m[rows[:, None], columns]
        return RGBDFrame(
            number=self.frame.frame_number,
            stamp_ns=self.frame.stamp_ns,
            color=decode_color_file(self.frame.jpeg),
            depth_m=depth_m,
            camera=camera,
            world_T_camera=self.frame.world_T_camera,
        )


_FEWEST = 10  # points that say something about a surface
_OWN_SHARE = 0.3  # of a view's samples: of a mask with fewer in the cone most is another thing
_MARGIN = 0.08  # of the box's sides, as boxes are not exact
_LEAST_MARGIN_PX = 4.0
_BORDER_PX = 2.0  # a side that is nearer to the image's border is cut off by it
_NEARER_M = 0.1  # than the nearest sample: noise
_STICKS_OUT = 0.5  # on either side, of the box's width: a seat that is seen aslant, under its back


@dataclass(frozen=True, slots=True, eq=False)
class Cone:
    """The part of the world in which a target lies by its box in an image: before the camera,
    between the sides of the box, and no deeper than the target is wide or its surface shows.

    Above or below the box what something nearer hides counts too, as a table hides the seat of a
    chair: the image does not tell that it is another thing.

    A mask of another view that spills over to what stands around would otherwise add that, and the
    next view, whose box is looked for by the points so far, still more.

    Attributes:
        camera: of the image; depth: of the same.
        low_px, high_px: (2,), infinite where the image's border cuts the target off.
        nearest_m, farthest_m: along the optical axis.
        wide_m: by which what is hidden may be nearer than what shows.
    """

    camera: PinholeCamera
    depth: DepthImage
    world_T_camera: Pose
    low_px: NDArray[np.float64]
    high_px: NDArray[np.float64]
    nearest_m: float
    farthest_m: float
    wide_m: float

    @classmethod
    def of(cls, anchor: TakenView) -> Cone:
        camera = anchor.stored.frame.camera
        world_T_camera = anchor.surface_view.world_T_camera
        low, high = np.reshape(anchor.box_px, (2, 2)).astype(np.float64)
        size = np.array((camera.width, camera.height), np.float64)
        margin = np.maximum(_MARGIN * (high - low), _LEAST_MARGIN_PX)
        points = anchor.surface_view.surface.points
        depth_m = world_T_camera.inverse().transform(points)[:, 2]
        nearest_m, farthest_m = float(depth_m.min()), float(depth_m.max())
        wide_m = float(high[0] - low[0]) / camera.fx * nearest_m
        return cls(
            camera,
            anchor.stored.depth,
            world_T_camera,
            np.where(low <= _BORDER_PX, -np.inf, low - margin),
            np.where(high >= size - _BORDER_PX, np.inf, high + margin),
            nearest_m - _NEARER_M,
            max(farthest_m, nearest_m + wide_m) + _NEARER_M,
            wide_m,
        )

    def contains(self, points: NDArray[np.float32]) -> NDArray[np.bool_]:
        """(M,) of world points (M, 3)."""
        local = self.world_T_camera.inverse().transform(points)
        pixels = self.camera.project(local)[0]
        inside = (pixels >= self.low_px).all(axis=1) & (pixels <= self.high_px).all(axis=1)
        (left, right), x = (self.low_px[0], self.high_px[0]), pixels[:, 0]
        out_px = _STICKS_OUT * (right - left)
        hidden = (x >= left - out_px) & (x <= right + out_px)
        hidden &= hidden_in(points, self.depth, self.world_T_camera, slack_m=_NEARER_M)
        nearest_m = np.where(hidden, self.nearest_m - self.wide_m, self.nearest_m)
        near = (local[:, 2] >= nearest_m) & (local[:, 2] <= self.farthest_m)
        found: NDArray[np.bool_] = (inside | hidden) & near
        return found


_COMPARED = 300  # points of a cloud for the Chamfer distance
_NEAR_M = 0.1  # by which poses may be off, and a point still be seen by both


@dataclass(frozen=True, slots=True, eq=False)
class ComparedView:
    """Samples of a view for comparison with up to N - 1 others.

    Attributes:
        tree: k-d tree of the samples' points.
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


def chamfer_m(
    a: cKDTree,
    b: cKDTree,
    a_seen_by_b: NDArray[np.bool_],
    b_seen_by_a: NDArray[np.bool_],
) -> float:
    """L2 Chamfer distance, symmetric: the mean of both directions' mean distances, in metres.

    The paper's code uses only matched keypoints, which both views see: a front and a side of one
    cupboard are 0.3 m apart in the plain distance of section 3.4. Here points count that the other
    view's depth image has, in its mask or not; they are compared with the other's whole cloud. A
    direction with too few of them does not count. If both have too few, as for two sides of a cup,
    all points count, as in the paper.

    Args:
        a, b: of points (N, 3), (M, 3), world; at least one each.
        a_seen_by_b, b_seen_by_a: (N,), (M,) bool.
    """
    sides = [(a.data[a_seen_by_b], b), (b.data[b_seen_by_a], a)]
    sides = [side for side in sides if len(side[0]) >= _FEWEST] or [(a.data, b), (b.data, a)]
    return float(np.mean([other.query(points)[0].mean() for points, other in sides]))
