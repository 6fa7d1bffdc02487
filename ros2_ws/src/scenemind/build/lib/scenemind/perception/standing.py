"""Where a thing stands, from the picture: its mask meets a level surface that depth shows there.

Black, glossy and glass things, and frames of thin tubes, have little depth of their own, and what
depth there is in their masks is that of what shows through. The surface under them has depth: just
below the lowest pixels of the mask. The rays through those pixels end on it, which gives the near
edge of the footprint; the mask gives width and height at that distance. Nothing tells how deep the
thing is: kinds that are about as deep as wide get a round footprint. The usual measures of the kind
are the check: a thing whose foot is hidden seems to stand farther off, where it would be too low.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D, PinholeCamera
from scenemind.geometry.points import quantiles_within, starts_of
from scenemind.perception.types import BoxMask

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stance:
    """How things of a kind usually stand on a level surface.

    Attributes:
        height_m: smallest and largest height.
        depth_m: smallest and largest depth of the footprint of a kind that is about as deep as
            wide; None for other kinds.
        on_floor: the floor carries it, nothing else does.
        flat_top: its top is level: what is above that lies on it.
    """

    height_m: Range
    depth_m: Range | None = None
    on_floor: bool = False
    flat_top: bool = False


FindStance = Callable[[str], Stance | None]
"""Label -> stance; None for things that hang or lie flat, and for unknown ones."""


def no_stance(label: str) -> None:
    """A `FindStance` that knows no kind."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known of how things stand.

    Attributes:
        find_stance: by label. floor_z: height of the floor, world, metres; None: unknown.
    """

    find_stance: FindStance = no_stance
    floor_z: float | None = None


UNKNOWN_GROUND = Ground()


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """A thing on its support.

    Attributes:
        box: axis-aligned box around an upright cylinder of elliptic footprint, world.
        edge: (E, 3) float32, world: where the mask meets the support, E > 0.
    """

    box: Box3D
    edge: NDArray[np.float32]


# Tolerance of usual measures, and of those from the picture.
TOLERANCE = 1.1
# Columns whose lowest pixel is within this share of the mask's height from its bottom show feet.
_FEET_SHARE = 0.12
_NEAREST_SHARE = 0.1  # of the distances of the feet
_DOWNWARD = 0.05  # least slope of a ray onto the support
_SIDEWAYS = 0.1  # least of a ray to the thing: from right above no height is seen
# A mask that ends this near to the image border, as a share of the height, may go on there.
_BORDER_SHARE = 0.015
# Of a thing that the border cuts at a side, this share of its least width must be in view.
_SEEN_SHARE = 0.6
# A thing that is seen across its corner is this much wider than deep.
_ACROSS = 1.41
_MOST_EDGE_POINTS = 32


def find_standing(
    masks: Sequence[BoxMask], stances: Sequence[Stance], frame: RGBDFrame, depth: DepthConfig
) -> list[Standing | None]:
    """The place of each thing (N); None where the picture does not tell it.

    Args:
        masks: of the N detections. stances: of their kinds.
        depth: the range that counts as measured.
    """
    places: list[Standing | None] = [None] * len(masks)
    camera, eye = frame.camera, frame.world_T_camera.translation
    outlines = {
        number: outline
        for number, (mask, stance) in enumerate(zip(masks, stances, strict=True))
        if stance.depth_m is not None and (outline := _outline_of(mask, camera)) is not None
    }
    if not outlines:
        return places
    u = np.concatenate([outline.feet_u for outline in outlines.values()])
    v = np.concatenate([outline.feet_v for outline in outlines.values()])
    counts = np.array([len(outline.feet_u) for outline in outlines.values()])
    owner, starts = np.repeat(np.arange(len(counts)), counts), starts_of(counts)
    support_z = _levels_below(u, v, owner, len(counts), frame, depth)
    rays = _rays(frame, u, v)
    slope_z = rays[:, 2]
    is_found = np.isfinite(support_z) & (np.maximum.reduceat(slope_z, starts) <= -_DOWNWARD)
    if not is_found.any():
        return places
    fall_m = np.where(is_found, support_z - eye[2], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):  # of feet at the horizon
        edges = rays * (fall_m.take(owner) / slope_z)[:, None]
    near_m = quantiles_within(np.hypot(edges[:, 0], edges[:, 1]), owner, counts, _NEAREST_SHARE)
    in_world = (edges + eye).astype(np.float32)
    for row, (number, outline) in enumerate(outlines.items()):
        if not is_found[row]:
            continue
        box = _box_on(float(support_z[row]), float(near_m[row]), outline, frame, stances[number])
        if box is not None:
            edge = in_world[starts[row] : starts[row] + counts[row]]
            places[number] = Standing(box, edge[:: -(-len(edge) // _MOST_EDGE_POINTS)])
    return places


@dataclass(frozen=True, slots=True, eq=False)
class _Outline:
    """Of a mask in the image, in pixels.

    Attributes:
        left, top, right, bottom: its bounds; the last two are beyond it.
        feet_u, feet_v: (F,), F > 0: just below its lowest pixels.
        cut_left, cut_right: it may go on beyond that border of the image.
    """

    left: int
    top: int
    right: int
    bottom: int
    feet_u: NDArray[np.intp]
    feet_v: NDArray[np.intp]
    cut_left: bool
    cut_right: bool


def _outline_of(mask: BoxMask, camera: PinholeCamera) -> _Outline | None:
    """None for an empty mask, and for one whose foot or width the image border cuts."""
    bits = mask.bits
    is_row = np.asarray(bits.any(axis=1))
    if not is_row.any():
        return None
    height = len(bits) - int(is_row[::-1].argmax())
    top, bottom = mask.y_px + int(is_row.argmax()), mask.y_px + height
    margin = _BORDER_SHARE * camera.height
    if bottom > camera.height - margin:
        return None
    lowest = height - 1 - bits[height - 1 :: -1].argmax(axis=0)
    is_set = bits[lowest, np.arange(bits.shape[1])]
    columns = np.flatnonzero(is_set)
    left, right = mask.x_px + int(columns[0]), mask.x_px + int(columns[-1]) + 1
    cut_left, cut_right = left < margin, right > camera.width - margin
    if cut_left and cut_right:
        return None
    feet = np.flatnonzero(is_set & (lowest >= height - 1 - max(2.0, _FEET_SHARE * (bottom - top))))
    below = mask.y_px + 1 + lowest[feet]
    return _Outline(
        left, top, right, bottom, mask.x_px + feet, below, bool(cut_left), bool(cut_right)
    )


def _box_on(
    support_z: float, near_m: float, outline: _Outline, frame: RGBDFrame, stance: Stance
) -> Box3D | None:
    """The box of one thing that stands on a level; None where its measures are unusual.

    Args:
        near_m: horizontal distance of its near edge from the camera.
    """
    assert stance.depth_m is not None
    camera, eye = frame.camera, frame.world_T_camera.translation.tolist()
    left, right, top = outline.left, outline.right, outline.top
    middle, center_row = (left + right) / 2.0, (top + outline.bottom) / 2.0
    across, upper = _rays(frame, np.array((middle, middle)), np.array((center_row, top))).tolist()
    slope, upper_slope = hypot(across[0], across[1]), hypot(upper[0], upper[1])
    if min(slope, upper_slope) < _SIDEWAYS:
        return None
    toward_x, toward_y = across[0] / slope, across[1] / slope
    width = (right - left) / camera.fx / slope  # as a share of the distance
    least_m, most_m = stance.depth_m
    depth_m = min(max(near_m * width / max(1.0 - width / 2.0, 0.1), least_m), most_m)
    away_m = near_m + depth_m / 2.0
    width_m = width * away_m
    is_cut = outline.cut_left or outline.cut_right
    seen_share = _SEEN_SHARE if is_cut else 1.0
    if not seen_share * least_m / TOLERANCE <= width_m <= _ACROSS * most_m * TOLERANCE:
        return None
    x, y = eye[0] + toward_x * away_m, eye[1] + toward_y * away_m
    if is_cut:
        hidden_m = max(depth_m - width_m, 0.0)
        to_right_m = hidden_m / (2.0 if outline.cut_right else -2.0)
        x, y = x + toward_y * to_right_m, y - toward_x * to_right_m
        width_m += hidden_m

    # The highest part is anywhere between the near and the far side.
    rise = upper[2] / upper_slope
    height_m = eye[2] - support_z + rise * away_m
    play_m = abs(rise) * depth_m / 2.0
    lowest_m, highest_m = stance.height_m
    is_whole = top >= _BORDER_SHARE * camera.height
    if is_whole and (height_m + play_m) * TOLERANCE < lowest_m:
        return None
    if height_m - play_m > highest_m * TOLERANCE:
        return None
    height_m = min(max(height_m, lowest_m), highest_m)
    sides_m = (
        hypot(toward_x * depth_m, toward_y * width_m),
        hypot(toward_y * depth_m, toward_x * width_m),
    )
    return Box3D((x, y, support_z + height_m / 2.0), (*sides_m, height_m))


# Pixels below a mask in which the support is looked for: the border of a mask is not exact.
_FIRST_PX, _LAST_PX = 2, 10
_FEWEST_PX = 12
# Share of those pixels that have depth, share of the measured ones that lie in one level, and how
# near to it, at 1 m and as it grows with the distance squared.
_MEASURED, _LEVEL = 0.4, 0.9
_LEVEL_M, _LEVEL_AT_1M = 0.02, 0.005
# Largest error of that surface's rise, in units of a level's.
_SLANT = 0.5


def _levels_below(
    u: NDArray[np.integer],
    v: NDArray[np.integer],
    owner: NDArray[np.integer],
    count: int,
    frame: RGBDFrame,
    depth: DepthConfig,
) -> NDArray[np.float64]:
    """Height of the level surface just below the pixels of each thing; NaN where there is none.

    Args:
        u, v: (F,), the pixels. owner: (F,), the thing of each, in [0, count), non-decreasing.

    Returns:
        (count,), world, metres.
    """
    below = np.arange(_FIRST_PX, _LAST_PX)
    rows, columns = (v[:, None] + below).ravel(), np.repeat(u, len(below))
    owner = np.repeat(owner, len(below))
    inside = rows < frame.camera.height
    rows, columns, owner = rows[inside], columns[inside], owner[inside]
    depth_m = frame.depth_m[rows, columns]
    measured = (depth_m >= depth.min_m) & (depth_m <= depth.max_m)  # NaN is neither
    looked_at = np.bincount(owner, minlength=count)
    counts = np.bincount(owner[measured], minlength=count)
    enough = counts >= np.maximum(_FEWEST_PX, _MEASURED * looked_at)
    found = np.full(count, np.nan)
    if not enough.any():
        return found
    kept = np.flatnonzero(measured & enough.take(owner))
    owner, counts = (np.cumsum(enough) - 1).take(owner.take(kept)), counts[enough]
    depth_m = depth_m.take(kept)
    slope = _rays(frame, columns.take(kept), rows.take(kept))[:, 2]
    eye_z = frame.world_T_camera.translation[2]
    z = eye_z + slope * depth_m
    level_z = quantiles_within(z, owner, counts, 0.5)
    within_m = _LEVEL_M + _LEVEL_AT_1M * quantiles_within(depth_m, owner, counts, 0.5) ** 2
    on_level = np.flatnonzero(np.abs(z - level_z.take(owner)) <= within_m.take(owner))
    owner, depth_m, slope = owner.take(on_level), depth_m.take(on_level), slope.take(on_level)
    of_each = np.bincount(owner, minlength=len(counts))
    # A wall is as high in so few rows. On a level, inverse depth is the ray's slope over the height
    # below the camera; on a wall it hardly depends on the slope.
    inverse = (level_z.take(owner) - eye_z) / depth_m
    slope -= (np.bincount(owner, slope, len(counts)) / np.maximum(of_each, 1)).take(owner)
    spread = np.maximum(np.bincount(owner, slope * slope, len(counts)), 1e-12)
    rise = np.bincount(owner, slope * inverse, len(counts)) / spread
    is_level = (of_each >= _LEVEL * counts) & (np.abs(rise - 1.0) <= _SLANT)
    found[enough] = np.where(is_level, level_z, np.nan)
    return found


def _rays(
    frame: RGBDFrame, u: NDArray[np.number[Any]], v: NDArray[np.number[Any]]
) -> NDArray[np.float64]:
    """World directions (N, 3) of the rays through pixels; their length is 1 along the camera's
    axis."""
    camera = frame.camera
    directions = np.ones((len(u), 3))
    directions[:, 0] = (u - camera.cx) / camera.fx
    directions[:, 1] = (v - camera.cy) / camera.fy
    return np.asarray(directions @ frame.world_T_camera.rotation.T)
