"""Where a thing stands, from the picture: its mask meets a level surface that depth shows there.

Black, glossy and glass things, and frames of thin tubes, have little depth of their own, and what
depth there is in their masks is that of what shows through. The surface under them has depth: just
below the lowest pixels of the mask. The rays through those pixels end on it, which gives the near
edge of the footprint; the mask gives width and height at that distance. Nothing tells how deep the
thing is: kinds that are about as deep as wide get a round footprint. The usual measures of the kind
are the check: a thing whose foot is hidden seems to stand farther off, where it would be too low.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D
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
_NEAR_PERCENTILE = 10.0  # of the distances of the feet
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
    mask: BoxMask, frame: RGBDFrame, stance: Stance, depth: DepthConfig
) -> Standing | None:
    """The place of one thing; None where the picture does not tell it.

    Args:
        mask: of the detection. stance: of its kind.
        depth: the range that counts as measured.
    """
    bits, camera, eye = mask.bits, frame.camera, frame.world_T_camera.translation
    columns, rows = np.flatnonzero(bits.any(axis=0)), np.flatnonzero(bits.any(axis=1))
    if len(columns) == 0 or stance.depth_m is None:
        return None
    left, right = mask.x_px + int(columns[0]), mask.x_px + int(columns[-1]) + 1
    top, bottom = mask.y_px + int(rows[0]), mask.y_px + int(rows[-1]) + 1
    margin = _BORDER_SHARE * camera.height
    cut_left, cut_right = left < margin, right > camera.width - margin
    if bottom > camera.height - margin or (cut_left and cut_right):
        return None
    lowest = len(bits) - 1 - bits[::-1, columns].argmax(axis=0)
    feet = lowest >= rows[-1] - max(2.0, _FEET_SHARE * (bottom - top))
    u, v = mask.x_px + columns[feet], mask.y_px + lowest[feet] + 1
    support_z = _level_below(u, v, frame, depth)
    rays = _rays(frame, u, v)
    if support_z is None or (rays[:, 2] > -_DOWNWARD).any():
        return None
    edge = eye + rays * ((support_z - eye[2]) / rays[:, 2])[:, None]
    near_m = float(np.percentile(np.hypot(*(edge - eye)[:, :2].T), _NEAR_PERCENTILE))

    middle, center_row = (left + right) / 2.0, (top + bottom) / 2.0
    across, upper = _rays(frame, np.full(2, middle), np.array((center_row, top)))
    slope, upper_slope = (hypot(ray[0], ray[1]) for ray in (across, upper))
    if min(slope, upper_slope) < _SIDEWAYS:
        return None
    toward = across[:2] / slope
    width = (right - left) / camera.fx / slope  # as a share of the distance
    least_m, most_m = stance.depth_m
    depth_m = float(np.clip(near_m * width / max(1.0 - width / 2.0, 0.1), least_m, most_m))
    away_m = near_m + depth_m / 2.0
    width_m = width * away_m
    seen_share = _SEEN_SHARE if cut_left or cut_right else 1.0
    if not seen_share * least_m / TOLERANCE <= width_m <= _ACROSS * most_m * TOLERANCE:
        return None
    center = eye[:2] + toward * away_m
    if cut_left or cut_right:
        hidden_m = max(depth_m - width_m, 0.0)
        to_right = np.array((toward[1], -toward[0]))
        center += to_right * hidden_m / (2.0 if cut_right else -2.0)
        width_m += hidden_m

    # The highest part is anywhere between the near and the far side.
    rise = upper[2] / upper_slope
    height_m = float(eye[2] - support_z + rise * away_m)
    play_m = abs(rise) * depth_m / 2.0
    lowest_m, highest_m = stance.height_m
    is_low = top >= margin and (height_m + play_m) * TOLERANCE < lowest_m
    if is_low or height_m - play_m > highest_m * TOLERANCE:
        return None
    height_m = float(np.clip(height_m, lowest_m, highest_m))
    sides_m = np.hypot(toward * depth_m, toward[::-1] * width_m)
    box = Box3D(
        (float(center[0]), float(center[1]), support_z + height_m / 2.0),
        (float(sides_m[0]), float(sides_m[1]), height_m),
    )
    step = -(-len(edge) // _MOST_EDGE_POINTS)
    return Standing(box, edge[::step].astype(np.float32))


# Pixels below a mask in which the support is looked for: the border of a mask is not exact.
_FIRST_PX, _LAST_PX = 2, 10
_FEWEST_PX = 12
# Share of those pixels that have depth, share of the measured ones that lie in one level, and how
# near to it, at 1 m and as it grows with the distance squared.
_MEASURED, _LEVEL = 0.4, 0.9
_LEVEL_M, _LEVEL_AT_1M = 0.02, 0.005
# Largest error of that surface's rise, in units of a level's.
_SLANT = 0.5


def _level_below(
    u: NDArray[np.integer], v: NDArray[np.integer], frame: RGBDFrame, depth: DepthConfig
) -> float | None:
    """Height of the level surface just below pixels (N,), (N,); None where there is none."""
    below = np.arange(_FIRST_PX, _LAST_PX)
    rows, columns = (v + below[:, None]).ravel(), np.tile(u, len(below))
    inside = rows < frame.camera.height
    rows, columns = rows[inside], columns[inside]
    depth_m = frame.depth_m[rows, columns]
    measured = (depth_m >= depth.min_m) & (depth_m <= depth.max_m)  # NaN is neither
    if np.count_nonzero(measured) < max(_FEWEST_PX, _MEASURED * len(rows)):
        return None
    rays, depth_m = _rays(frame, columns[measured], rows[measured]), depth_m[measured]
    eye_z = frame.world_T_camera.translation[2]
    z = eye_z + rays[:, 2] * depth_m
    level_z = float(np.median(z))
    within_m = _LEVEL_M + _LEVEL_AT_1M * float(np.median(depth_m)) ** 2
    on_level = np.abs(z - level_z) <= within_m
    if np.mean(on_level) < _LEVEL:
        return None
    # A wall is as high in so few rows. On a level, inverse depth is the ray's slope over the height
    # below the camera; on a wall it hardly depends on the slope.
    slope, inverse = rays[on_level, 2], (level_z - eye_z) / depth_m[on_level]
    slope = slope - slope.mean()
    rise = float(slope @ inverse) / max(float(slope @ slope), 1e-12)
    return level_z if abs(rise - 1.0) <= _SLANT else None


def _rays(
    frame: RGBDFrame, u: NDArray[np.number[Any]], v: NDArray[np.number[Any]]
) -> NDArray[np.float64]:
    """World directions (N, 3) of the rays through pixels; their length is 1 along the camera's
    axis."""
    camera = frame.camera
    x, y = (u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy
    return np.asarray(np.column_stack((x, y, np.ones(len(u)))) @ frame.world_T_camera.rotation.T)
