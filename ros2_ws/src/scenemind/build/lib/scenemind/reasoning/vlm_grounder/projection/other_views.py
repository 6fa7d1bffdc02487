"""Other images of the same object (VLM-Grounder, section 3.4): chosen by pose, segmented, and
filtered by Chamfer distance."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.config import VlmGrounderConfig
from scenemind.frames import FrameError
from scenemind.geometry import PinholeCamera, Pose, iou_matrix_2d
from scenemind.memory import FrameIndex, SceneMemoryError
from scenemind.perception.protocols import Segmenter
from scenemind.perception.types import PerceptionError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.projection.fusion import agreement
from scenemind.reasoning.vlm_grounder.projection.pose_repair import PoseRepair
from scenemind.reasoning.vlm_grounder.projection.surface import Surface
from scenemind.reasoning.vlm_grounder.projection.target_view import (
    Cone,
    StoredView,
    TakenView,
    find_mask,
    find_view,
)
from scenemind.reasoning.vlm_grounder.targets import BoxPx, StoredScene, Target

_logger = logging.getLogger(__name__)
_READS_A_VIEW = 4  # depth images that are looked at for each view that is wanted
_SAMPLE = 300  # points that are projected into other frames
_VISIBLE = 0.15  # least share of the points that must be seen there, and
_FEWEST = 15  # least number


class OtherViews:
    """The search for further views of a target, one after the other: each is chosen to show what
    the others do not."""

    def __init__(
        self,
        target: Target,
        anchor: TakenView,
        scene: StoredScene,
        segmenter: Segmenter,
        config: VlmGrounderConfig,
        asking: Asking,
    ) -> None:
        self._object_id = target.object_id
        self._anchor = anchor
        self._cone = Cone.of(anchor)
        self._memory = scene.memory
        self._index = scene.index
        self._segmenter = segmenter
        self._config = config
        self._asking = asking
        self._repair = PoseRepair(anchor)
        self._left_out: Counter[str] = Counter()

    def find(self) -> list[TakenView]:
        """At most N - 1 views, by Chamfer distance to the nearest of the views before each: the
        anchor alone may not show the side that two others share.

        Raises:
            ModelError: cancelled, or too late while the segmenter was waited for.
        """
        found: list[TakenView] = []
        order, candidates = self._order()
        slowest_s = 0.0
        for place in self._places(order):
            if len(found) == self._config.views - 1:
                break
            if self._asking.allowance.is_cancelled:
                self._asking.allowance.check_time()
            if self._asking.allowance.left_s <= slowest_s:
                self._left_out["for want of time"] += 1
                break
            started = time.monotonic()
            view = self._find_or_leave_out(int(candidates.rows[place]), [self._anchor, *found])
            slowest_s = max(slowest_s, time.monotonic() - started)
            if view is not None:
                found.append(view)
                order.take(candidates.rays[place], float(candidates.size_px[place]))
                text = f"{1 + len(found)} views"
                self._asking.progress.report("measure", text, (view.stored.frame,))
        return sorted(found, key=lambda view: view.chamfer_m)

    def left_out(self) -> str:
        """Why frames were left out, in words; may be empty."""
        return ", ".join(f"{count} {why}" for why, count in self._left_out.most_common())

    @property
    def repaired(self) -> Mapping[int, int]:
        """Frames whose pose was estimated anew -> number of matched features."""
        return self._repair.repaired

    def _order(self) -> tuple[ViewOrder, Candidates]:
        points = self._anchor.surface_view.surface.some(_SAMPLE).points
        candidates = find_candidates(points, self._index, self._object_id)
        frame = self._anchor.stored.frame
        at = np.flatnonzero(self._index.frame_numbers == frame.frame_number)
        order = ViewOrder(candidates, int(at[0]) if len(at) else None)
        middle = points.mean(axis=0)
        ray = frame.world_T_camera.translation - middle
        distance = max(float(np.linalg.norm(ray)), 1e-6)
        extent_m = float(np.linalg.norm(np.ptp(points, axis=0)))
        order.take(ray / distance, frame.camera.fx * extent_m / distance)
        return order, candidates

    def _places(self, order: ViewOrder) -> Iterator[int]:
        for _ in range(_READS_A_VIEW * (self._config.views - 1)):
            place = order.pop()
            if place is None:
                return
            yield place

    def _find_or_leave_out(self, row: int, taken: list[TakenView]) -> TakenView | None:
        """The view of a frame; None also with a damaged image or after an error of the
        segmenter."""
        try:
            return self._find_view(row, taken)
        except FrameError as error:
            self._note_failure("whose image is damaged", row, error)
        except PerceptionError as error:
            self._note_failure(f"on which {self._segmenter.name} failed", row, error)
        return None

    def _note_failure(self, why: str, row: int, error: Exception) -> None:
        if why not in self._left_out:
            number = int(self._index.frame_numbers[row])
            _logger.warning("leaving out frames %s, such as frame %d: %s", why, number, error)
        self._left_out[why] += 1

    def _find_view(self, row: int, taken: list[TakenView]) -> TakenView | None:
        """The view of one frame; None, with the reason logged, where it is none of this target."""
        stored = self._find_stored(row)
        if stored is None:
            return None
        known = Surface.union([view.surface_view.surface for view in taken]).some(_SAMPLE)
        pose = Pose.from_matrix(self._index.world_T_camera[row])
        there = agreement(known.points, known.sigma_m, stored.depth, pose)
        if there.contradicts_pose:
            repaired = self._repair.find_pose(stored)
            if repaired is None:
                self._left_out["whose depth does not agree with its pose"] += 1
                return None
            pose = repaired
            there = agreement(known.points, known.sigma_m, stored.depth, pose)
        found = self._find_box(known.points, there.seen, stored.frame.camera, pose, row)
        if found is None:
            self._left_out["that do not see enough of it"] += 1
            return None
        return self._find_target(stored, pose, found, taken)

    def _find_box(
        self,
        known: NDArray[np.float32],
        seen: NDArray[np.bool_],
        camera: PinholeCamera,
        pose: Pose,
        row: int,
    ) -> BoxPx | None:
        """The target's box in a frame, by the visible points. If these are too few, as from behind,
        only the map's detection of the same object counts."""
        is_enough = seen.sum() >= max(_FEWEST, _VISIBLE * len(known))
        shown = known[seen] if is_enough else known
        pixels, _ = camera.project(pose.inverse().transform(shown))
        pixels = pixels[np.isfinite(pixels).all(axis=1)]  # behind the camera they are NaN
        if len(pixels) == 0:
            return None
        box_px, source = box_in_view(pixels, camera, self._index, row, self._object_id)
        return box_px if is_enough or source == "object" else None

    def _find_target(
        self, stored: StoredView, pose: Pose, box_px: BoxPx, taken: list[TakenView]
    ) -> TakenView | None:
        mask = find_mask(self._segmenter, stored, box_px)
        view = None if mask is None else find_view(stored, box_px, mask, pose, self._config)
        if view is None:
            self._left_out["where it could not be cut out"] += 1
            return None
        view = view.within(self._cone)
        if view is None:
            self._left_out["whose mask is of something beside it"] += 1
            return None
        view = view.beside(taken)
        if view.chamfer_m > self._config.chamfer_m:
            self._left_out[f"that show something more than {self._config.chamfer_m:g} m off"] += 1
            return None
        return view

    def _find_stored(self, row: int) -> StoredView | None:
        number = int(self._index.frame_numbers[row])
        wanted = () if self._object_id is None else (self._object_id,)
        try:
            depth = self._memory.depth_image(number)
            return StoredView(self._memory.key_frame(number, wanted), depth)
        except SceneMemoryError:  # it was thinned out meanwhile, or has no depth
            self._left_out["that are no longer stored, or without depth"] += 1
            return None


_FRAMES_AT_ONCE = 4096  # keeps the table of projected points small
_NEAREST_M = 0.1
_LEAST_SHARE = 0.3  # of the points in the picture
_LEAST_PX = 16.0  # across
_SAME_PLACE_RAD = np.deg2rad(2.0)  # seen from there, and as near: the same view again
_SAME_SIZE = 1.08
_BEST_TURN_RAD = np.deg2rad(50.0)  # from a view that is there: farther round, little is shared
_UNDETECTED = 0.5  # what a frame counts in which the detector did not find the thing


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Frames that may show the target, in columns.

    Attributes:
        rows: (C,) intp, of the frame index.
        share: (C,) float32, share of the points in the picture.
        size_px: (C,) float32, size of the target there.
        rays: (C, 3) float32, unit, from the target to the camera, world.
        detected: (C,) bool, the map's object was detected there.
    """

    rows: NDArray[np.intp]
    share: NDArray[np.float32]
    size_px: NDArray[np.float32]
    rays: NDArray[np.float32]
    detected: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.rows)


def find_candidates(
    points: NDArray[np.float32], index: FrameIndex, object_id: int | None
) -> Candidates:
    """Frames with enough of the points (M, 3) in view at sufficient size, and frames in which the
    map's object was detected."""
    share, size_px = _projected(points, index)
    detected = np.zeros(len(index), np.bool_)
    if object_id is not None:
        detected[index.detection_frames[index.detection_objects == object_id]] = True
    rows = np.flatnonzero(((share >= _LEAST_SHARE) & (size_px >= _LEAST_PX)) | detected)
    rays = index.world_T_camera[rows, :3, 3] - points.mean(axis=0)
    rays = rays / np.maximum(np.linalg.norm(rays, axis=1, keepdims=True), 1e-9)
    return Candidates(rows, share[rows], size_px[rows], rays.astype(np.float32), detected[rows])


def _projected(
    points: NDArray[np.float32], index: FrameIndex
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Share of the points in each frame's picture (N,), and the target's size there (N,)."""
    width, height, fx, fy, cx, cy = (
        np.array([(c.width, c.height, c.fx, c.fy, c.cx, c.cy) for c in index.cameras], np.float32)
        .reshape(-1, 6)[index.camera_indices]
        .T
    )
    extent_m = np.linalg.norm(np.ptp(points, axis=0))
    share, size_px = np.zeros(len(index), np.float32), np.zeros(len(index), np.float32)
    for start in range(0, len(index), _FRAMES_AT_ONCE):
        part = slice(start, start + _FRAMES_AT_ONCE)
        pose = index.world_T_camera[part]
        offset = points[None] - pose[:, None, :3, 3].astype(np.float32)
        local = offset @ pose[:, :3, :3].astype(np.float32)
        z = local[..., 2]
        before = z > _NEAREST_M
        near = np.where(before, z, np.float32(1.0))
        u = local[..., 0] / near * fx[part, None] + cx[part, None]
        v = local[..., 1] / near * fy[part, None] + cy[part, None]
        inside = before & (u >= 0) & (v >= 0)
        inside &= (u <= width[part, None] - 1) & (v <= height[part, None] - 1)
        share[part] = inside.mean(axis=1)
        distance = np.maximum(np.linalg.norm(offset.mean(axis=1), axis=1), _NEAREST_M)
        size_px[part] = fx[part] * extent_m / distance
    return share, size_px


class ViewOrder:
    """An order of candidates: next comes the one that shows most beyond the views taken so far."""

    def __init__(self, candidates: Candidates, anchor_row: int | None) -> None:
        """Args: anchor_row: of the frame index; None where it is not in it."""
        self._candidates = candidates
        self._is_open = candidates.rows != (-1 if anchor_row is None else anchor_row)
        quality = np.maximum(candidates.share, np.float32(_LEAST_SHARE))
        largest = max(float(candidates.size_px.max(initial=0.0)), 1.0)
        quality = quality * np.sqrt(np.minimum(candidates.size_px / largest, 1.0))
        self._quality = quality * np.where(candidates.detected, 1.0, _UNDETECTED)
        self._turn_rad = np.full(len(candidates), np.inf)

    def take(self, ray: NDArray[np.floating], size_px: float) -> None:
        """Note a view that was taken; candidates with nearly the same view are dropped."""
        turn = np.arccos(np.clip(self._candidates.rays @ ray.astype(np.float32), -1.0, 1.0))
        self._turn_rad = np.minimum(self._turn_rad, turn)
        ratio = self._candidates.size_px / max(size_px, 1e-6)
        as_large = (ratio < _SAME_SIZE) & (ratio > 1.0 / _SAME_SIZE)
        self._is_open &= ~((turn < _SAME_PLACE_RAD) & as_large)

    def pop(self) -> int | None:
        """Index of the next best candidate; None when there is no other."""
        if not self._is_open.any():
            return None
        news = np.minimum(self._turn_rad, _BEST_TURN_RAD)
        too_far = np.clip(self._turn_rad - _BEST_TURN_RAD, 0.0, np.pi)
        score = self._quality * (news - 0.5 * np.minimum(too_far, news) + 0.1)
        best = int(np.argmax(np.where(self._is_open, score, -1.0)))
        self._is_open[best] = False
        return best


_OVERLAP = 0.5  # of the visible points that a detection must hold
_ALIKE = 0.4  # IoU with the points' bounds: a table holds all points of a book
_MARGIN = 0.1  # of the points' extent, around them where nothing was detected
_LEAST_MARGIN_PX = 4.0
Source = Literal["object", "detection", "points"]


def box_in_view(
    pixels: NDArray[np.floating],
    camera: PinholeCamera,
    index: FrameIndex,
    row: int,
    object_id: int | None,
) -> tuple[BoxPx, Source]:
    """The target's box in a frame and its source: the detection of the map's object, else the
    detection of similar size with most projected points an area (as in the paper's code), else the
    bounds of the points.

    Args:
        pixels: (M, 2) of the target's points, finite; at least one.
        row: of the frame index.
    """
    first, end = np.searchsorted(index.detection_frames, (row, row + 1))
    boxes = index.detection_boxes_px[first:end]
    inside = (
        (pixels[None, :, 0] >= boxes[:, None, 0])
        & (pixels[None, :, 0] <= boxes[:, None, 2])
        & (pixels[None, :, 1] >= boxes[:, None, 1])
        & (pixels[None, :, 1] <= boxes[:, None, 3])
    )
    held = inside.mean(axis=1) if len(boxes) else np.zeros(0)
    holds = held >= _OVERLAP
    own = holds & (index.detection_objects[first:end] == object_id)
    if object_id is not None and own.any():
        return _box(boxes[np.argmax(np.where(own, held, -1.0))]), "object"
    bounds = _bounds(pixels, camera)
    holds &= iou_matrix_2d(boxes, np.array([bounds], np.float32))[:, 0] >= _ALIKE
    if holds.any():
        area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
        dense = np.where(holds, held / np.maximum(area, 1.0), -1.0)
        return _box(boxes[np.argmax(dense)]), "detection"
    return bounds, "points"


def _bounds(pixels: NDArray[np.floating], camera: PinholeCamera) -> BoxPx:
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    margin = np.maximum(_MARGIN * (high - low), _LEAST_MARGIN_PX)
    size = (camera.width, camera.height)
    return _box(np.concatenate((np.maximum(low - margin, 0), np.minimum(high + margin, size))))


def _box(values: NDArray[np.floating]) -> BoxPx:
    x0, y0, x1, y1 = (float(value) for value in values)
    return (x0, y0, x1, y1)
