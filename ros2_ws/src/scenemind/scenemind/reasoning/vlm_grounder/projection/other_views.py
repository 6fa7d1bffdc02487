"""Further views of a target that was seen in one image."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from scenemind.config import VlmGrounderConfig
from scenemind.frames import FrameError
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import FrameIndex, MemoryAccess, SceneMemoryError
from scenemind.perception.errors import PerceptionError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.projection.agreement import agreement
from scenemind.reasoning.vlm_grounder.projection.candidates import (
    Candidates,
    ViewOrder,
    find_candidates,
)
from scenemind.reasoning.vlm_grounder.projection.pose_repair import PoseRepair
from scenemind.reasoning.vlm_grounder.projection.stored_view import StoredView
from scenemind.reasoning.vlm_grounder.projection.surface import Surface
from scenemind.reasoning.vlm_grounder.projection.taken_view import TakenView, ViewTaker
from scenemind.reasoning.vlm_grounder.projection.view_box import box_in_view
from scenemind.reasoning.vlm_grounder.types import BoxPx, Target

_logger = logging.getLogger(__name__)

_READS_A_VIEW = 4  # depth images that are looked at for each view that is wanted
_SAMPLE = 300  # points that are projected into other frames
_VISIBLE = 0.15  # least share of the points that must be seen there, and
_FEWEST = 15  # least number


class OtherViews:
    """Looks for them one after the other: each is to show what the others do not."""

    def __init__(
        self,
        target: Target,
        anchor: TakenView,
        memory: MemoryAccess,
        index: FrameIndex,
        taker: ViewTaker,
        config: VlmGrounderConfig,
        asking: Asking,
    ) -> None:
        self._object_id = target.object_id
        self._anchor = anchor
        self._memory = memory
        self._index = index
        self._taker = taker
        self._config = config
        self._asking = asking
        self._repair = PoseRepair(anchor)
        self._left_out: Counter[str] = Counter()

    def find(self) -> list[TakenView]:
        """At most N - 1, in order of their Chamfer distance to the nearest of the views that were
        taken before each: the anchor alone may not show the side that two others share.

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
                self._asking.report("measure", f"{1 + len(found)} views", (view.stored.frame,))
        return sorted(found, key=lambda view: view.chamfer_m)

    def left_out(self) -> str:
        """What became of the frames that were looked at in vain; empty where there are none."""
        return ", ".join(f"{count} {why}" for why, count in self._left_out.most_common())

    @property
    def repaired(self) -> Mapping[int, int]:
        """Frames whose pose was found anew, and by how many image features."""
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
        """None also where an image is damaged or the segmenter fails: the others may do."""
        try:
            return self._find_view(row, taken)
        except FrameError as error:
            self._note_failure("whose image is damaged", row, error)
        except PerceptionError as error:
            self._note_failure(f"on which {self._taker.segmenter} failed", row, error)
        return None

    def _note_failure(self, why: str, row: int, error: Exception) -> None:
        if why not in self._left_out:
            number = int(self._index.frame_numbers[row])
            _logger.warning("leaving out frames %s, as frame %d: %s", why, number, error)
        self._left_out[why] += 1

    def _find_view(self, row: int, taken: list[TakenView]) -> TakenView | None:
        """The view of one frame; None, and why, where it is none of this target."""
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
        """By the points that can be seen there. Where these are too few, as from behind, only the
        map can say that it is the same thing."""
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
        mask = self._taker.find_mask(stored, box_px)
        view = None if mask is None else self._taker.find_view(stored, box_px, mask, pose)
        if view is None:
            self._left_out["where it could not be cut out"] += 1
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
