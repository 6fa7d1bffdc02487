"""Objects cut out of an image without a model, by depth and colour."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.backends.asked_boxes import check_boxes
from scenemind.perception.foreground import foreground_ranges
from scenemind.perception.surroundings import (
    BoxWindow,
    colors_of_surroundings,
    depth_step_px,
    on_surrounding_planes,
)
from scenemind.perception.types import BoxMask

_GAP_RATIO = 0.2  # between layers of depth, over the depth; an object's own parts stand apart, too
_JUMP_RATIO = 0.03  # between neighbouring samples, over the depth, of different things
_FLAT = 0.06  # of a box's measured samples: an object of fewer that stand out is itself flat
_REACHES_OUT = 0.05  # of its size, so much of a part at the window's frame: it goes on outside
_LEAST_LEFT = 0.1  # of a box, when what goes on outside is taken away
_SMALLEST_PART = 0.2  # of the largest part


class DepthSegmenter:
    """A `Segmenter` for where there is no SAM, honest in its name.

    What goes on outside of the box is taken away: planes with colours of the surroundings (the
    floor, the table under a cup), and things that stand before the object and reach beyond the
    window. Of what is left the nearest layer of depth is the object (`foreground_ranges`).
    """

    name = "depth and colour, without a model"

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`; None where no pixel of a box has depth."""
        check_boxes(boxes_px)
        step = depth_step_px(frame.depth_m) if len(boxes_px) else 1
        return tuple(_cut_out(BoxWindow.around(frame, box, step)) for box in boxes_px)


def _cut_out(window: BoxWindow) -> BoxMask | None:
    measured = window.depth_m > 0.0
    inside = measured & window.in_box
    if not inside.any():
        return None
    stands_out = measured & ~_is_surroundings(window)
    if np.count_nonzero(stands_out & inside) < _FLAT * np.count_nonzero(inside):
        stands_out = measured  # a picture on the wall, a rug: all that the box shows
    own = _without_passers_by(window, stands_out) & window.in_box
    cells = _large_parts(_nearest_layer(window.depth_m, own))
    return window.mask(_filled(cells, measured) & window.in_box)


def _is_surroundings(window: BoxWindow) -> NDArray[np.bool_]:
    on_plane = on_surrounding_planes(window)
    same_colors = colors_of_surroundings(window, on_plane)
    smooth = cv2.medianBlur(same_colors.astype(np.uint8), 5).view(np.bool_)
    surroundings: NDArray[np.bool_] = on_plane & (smooth | ~window.in_box)
    return surroundings


def _without_passers_by(window: BoxWindow, stands_out: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without parts that reach beyond the window; all where little else is in the box."""
    smooth = stands_out & ~_at_jumps(window.depth_m)
    count, parts, stats, _ = cv2.connectedComponentsWithStats(
        smooth.astype(np.uint8), connectivity=4
    )
    at_frame = np.bincount(parts[window.frame], minlength=count)
    goes_on = at_frame > _REACHES_OUT * np.sqrt(stats[:, cv2.CC_STAT_AREA])
    goes_on[0] = False  # what lies between the parts
    left: NDArray[np.bool_] = stands_out & ~goes_on[parts]
    enough = _LEAST_LEFT * np.count_nonzero(stands_out & window.in_box)
    return left if np.count_nonzero(left & smooth & window.in_box) > enough else stands_out


def _at_jumps(depth_m: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(h, w) bool: the farther side of each step in depth, and samples next to unmeasured ones."""
    jumps = np.zeros(depth_m.shape, np.bool_)
    for axis in (0, 1):
        near, far = (np.moveaxis(depth_m, axis, 0)[part] for part in (slice(-1), slice(1, None)))
        step = np.abs(far - near) > _JUMP_RATIO * np.maximum(far, near)
        moved = np.moveaxis(jumps, axis, 0)
        moved[1:] |= step & (far > near)
        moved[:-1] |= step & (near > far)
    return jumps


def _nearest_layer(depth_m: NDArray[np.float32], own: NDArray[np.bool_]) -> NDArray[np.bool_]:
    depths = depth_m[own]
    nearest_m, farthest_m = foreground_ranges(depths, np.zeros(len(depths), np.intp), 1, _GAP_RATIO)
    layer = own & (depth_m >= nearest_m[0]) & (depth_m <= farthest_m[0])
    closed = cv2.morphologyEx(layer.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    return closed.view(np.bool_)


def _filled(cells: NDArray[np.bool_], measured: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What is not measured, such as a screen, belongs to what the nearest measured sample does."""
    _, nearest = cv2.distanceTransformWithLabels(
        (~measured).astype(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
    )
    of_label = np.zeros(int(nearest.max()) + 1, np.bool_)
    of_label[nearest[measured]] = cells[measured]
    return of_label[nearest]


def _large_parts(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What stands before the middle of an object leaves parts of it; small ones are specks."""
    _, parts, stats, _ = cv2.connectedComponentsWithStats(cells.astype(np.uint8))
    sizes = stats[:, cv2.CC_STAT_AREA].copy()
    sizes[0] = 0
    large: NDArray[np.bool_] = (sizes >= _SMALLEST_PART * sizes.max())[parts] & cells
    return large
