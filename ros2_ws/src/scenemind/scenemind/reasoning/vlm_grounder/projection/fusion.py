"""The surfaces that several views show of one thing: their agreement, union, outliers, and box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.spatial import cKDTree

from scenemind.geometry import Box3D, Pose
from scenemind.geometry.points import voxel_keys
from scenemind.memory import DepthImage
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.surface import NOISE_1M_M, Surface

_AS_GOOD = 1.3  # noise that differs by less is the same


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceView:
    """The target's surface in one view.

    Attributes:
        world_T_camera: as estimated; with poor poses not the frame's own.
        slack_m: possible error of the pose.
    """

    depth: DepthImage
    world_T_camera: Pose
    mask: BoxMask
    surface: Surface
    slack_m: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """The union of several views.

    Attributes:
        confirmed: (M,) bool: samples that another view saw in its mask too.
    """

    surface: Surface
    confirmed: NDArray[np.bool_]


def fused(views: Sequence[SurfaceView]) -> Fused:
    """The union of all views' samples, each piece of surface once (section 3.4).

    A sample is removed if as many views contradict it as support it: they look through it, or see
    it outside their masks. Of a surface in several views the samples of the least noisy view stay,
    of equally noisy views those of the first: a near view's precision is not diluted by a far view,
    and a repeated view does not count twice. If nothing would be left, all samples stay.
    """
    kept, confirmed = [], []
    for number, view in enumerate(views):
        supporting, contradicting, is_spare = _votes(view, number, views)
        stays = (supporting > contradicting) & ~is_spare
        kept.append(view.surface.select(stays))
        confirmed.append(supporting[stays] > 1)
    union = Surface.union(kept)
    if len(union) == 0:
        union = Surface.union([view.surface for view in views])
        return Fused(union, np.zeros(len(union), np.bool_))
    return Fused(union, np.concatenate(confirmed))


def _votes(
    view: SurfaceView, number: int, views: Sequence[SurfaceView]
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.bool_]]:
    """(M,) For each sample: the number of views for it, itself included; of views against it; and
    whether another view shows it better."""
    surface = view.surface
    supporting = np.ones(len(surface), np.int8)
    contradicting = np.zeros(len(surface), np.int8)
    is_spare = np.zeros(len(surface), np.bool_)
    for place, other in enumerate(views):
        if place == number:
            continue
        there = agreement(
            surface.points,
            surface.sigma_m,
            other.depth,
            other.world_T_camera,
            other.mask,
            view.slack_m + other.slack_m,
        )
        agrees = there.seen & there.in_mask
        supporting += agrees
        contradicting += there.through | (there.seen & ~there.in_mask)
        better = there.sigma_m * _AS_GOOD < surface.sigma_m
        if place < number:
            better |= there.sigma_m < surface.sigma_m * _AS_GOOD
        is_spare |= agrees & better
    return supporting, contradicting, is_spare


_SLACK_M = 0.02  # of calibration and poses
_DEVIATIONS = 3.0
_NEAREST_M = 0.05
_DECIDED = 20  # points that a depth image must say something about to contradict a pose


class Agreement(NamedTuple):
    """World points against another view, in columns (M,). A point that is neither `seen` nor
    `through` is hidden, or not measured there.

    Attributes:
        seen: bool, the depth image has a surface at the point.
        in_mask: bool, the point's pixel is in the mask.
        through: bool, the depth behind the point is visible in all pixels around, so that nothing
            is there.
        sigma_m: float32, standard deviation of a depth that is measured there.
    """

    seen: NDArray[np.bool_]
    in_mask: NDArray[np.bool_]
    through: NDArray[np.bool_]
    sigma_m: NDArray[np.float32]

    @property
    def contradicts_pose(self) -> bool:
        """Whether most points are looked through: the pose is wrong, or the object was not
        there."""
        through, seen = int(self.through.sum()), int(self.seen.sum())
        return through + seen >= _DECIDED and through > seen


def agreement(
    points: NDArray[np.float32],
    sigma_m: NDArray[np.float32] | float,
    depth: DepthImage,
    world_T_camera: Pose,
    mask: BoxMask | None = None,
    slack_m: float = 0.0,
) -> Agreement:
    """Compare world points (M, 3) with a depth image.

    Args:
        sigma_m: (M,) noise of the points.
        mask: in colour pixels; None: empty.
        slack_m: further tolerance.
    """
    looked = _look(points, sigma_m, depth, world_T_camera, slack_m)
    u, v, every = looked.u_px, looked.v_px, depth.every_px
    through = looked.measured & (looked.off_m > looked.reach_m)
    rows = np.flatnonzero(through)
    farthest_m = looked.z_m[rows] + looked.reach_m[rows]
    through[rows] = _is_open(depth, u[rows], v[rows], farthest_m)
    return Agreement(
        seen=looked.seen,
        in_mask=looked.inside & _in_mask(mask, u * every, v * every),
        through=through,
        sigma_m=looked.sigma_m,
    )


def seen_in(
    points: NDArray[np.float32],
    sigma_m: NDArray[np.float32] | float,
    depth: DepthImage,
    world_T_camera: Pose,
    slack_m: float = 0.0,
) -> NDArray[np.bool_]:
    """`Agreement.seen` alone (M,), in half the time."""
    return _look(points, sigma_m, depth, world_T_camera, slack_m).seen


def hidden_in(
    points: NDArray[np.float32], depth: DepthImage, world_T_camera: Pose, slack_m: float = 0.0
) -> NDArray[np.bool_]:
    """Whether something nearer stands before a point in a view (M,)."""
    looked = _look(points, 0.0, depth, world_T_camera, slack_m)
    hidden: NDArray[np.bool_] = looked.measured & (looked.off_m < -looked.reach_m)
    return hidden


class _Looked(NamedTuple):
    """Points projected into a view, in columns (M,).

    Attributes:
        inside: the pixel is in the image.
        measured: it has depth.
        off_m: distance of the depth behind the point.
        reach_m: its tolerance.
    """

    u_px: NDArray[np.int32]
    v_px: NDArray[np.int32]
    z_m: NDArray[np.float32]
    inside: NDArray[np.bool_]
    measured: NDArray[np.bool_]
    off_m: NDArray[np.float32]
    reach_m: NDArray[np.float32]
    sigma_m: NDArray[np.float32]

    @property
    def seen(self) -> NDArray[np.bool_]:
        return self.measured & (np.abs(self.off_m) <= self.reach_m)


def _look(
    points: NDArray[np.float32],
    sigma_m: NDArray[np.float32] | float,
    depth: DepthImage,
    world_T_camera: Pose,
    slack_m: float,
) -> _Looked:
    camera = depth.camera
    x, y, z = _in_camera(points, world_T_camera)
    near = np.maximum(z, np.float32(_NEAREST_M))
    u = np.rint(x * (np.float32(camera.fx) / near) + np.float32(camera.cx)).astype(np.int32)
    v = np.rint(y * (np.float32(camera.fy) / near) + np.float32(camera.cy)).astype(np.int32)
    inside = (z >= _NEAREST_M) & (u >= 0) & (v >= 0) & (u < camera.width) & (v < camera.height)
    pixel = np.where(inside, v * camera.width + u, 0)
    off_m = depth.depth_m.reshape(-1).take(pixel) - z
    own_sigma = np.float32(NOISE_1M_M) * z * z
    reach_m = np.float32(_DEVIATIONS) * (sigma_m + own_sigma) + np.float32(_SLACK_M + slack_m)
    return _Looked(u, v, z, inside, inside & (off_m > -z), off_m, reach_m, own_sigma)


def _in_camera(
    points: NDArray[np.float32], world_T_camera: Pose
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """x, y and z (M,) in the camera's frame; single precision is accurate to 0.01 mm."""
    camera_T_world = world_T_camera.inverse()
    rotation = camera_T_world.rotation.astype(np.float32)
    columns = rotation @ points.T + camera_T_world.translation.astype(np.float32)[:, None]
    return columns[0], columns[1], columns[2]


def _is_open(
    depth: DepthImage,
    u: NDArray[np.int32],
    v: NDArray[np.int32],
    farthest_m: NDArray[np.float32],
) -> NDArray[np.bool_]:
    """Whether no measured depth within 3x3 pixels is nearer than a limit, for each pixel (K,)."""
    is_open = np.ones(len(u), np.bool_)
    if len(u) == 0:
        return is_open
    height, width = depth.depth_m.shape
    flat = depth.depth_m.reshape(-1)
    rows = (np.maximum(v - 1, 0), v, np.minimum(v + 1, height - 1))
    columns = (np.maximum(u - 1, 0), u, np.minimum(u + 1, width - 1))
    for row in rows:
        start = row * width
        for column in columns:
            there_m = flat.take(start + column)
            is_open &= (there_m > farthest_m) | ~(there_m > 0.0)
    return is_open


def _in_mask(
    mask: BoxMask | None, u_px: NDArray[np.int32], v_px: NDArray[np.int32]
) -> NDArray[np.bool_]:
    if mask is None or mask.bits.size == 0:
        return np.zeros(len(u_px), np.bool_)
    height, width = mask.bits.shape
    x, y = u_px - mask.x_px, v_px - mask.y_px
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    found: NDArray[np.bool_] = mask.bits.reshape(-1).take(np.where(inside, y * width + x, 0))
    return inside & found


_VOXEL_PATCHES = 2.0  # side of a voxel, over that of the widest samples' patches
_GAP_VOXELS = 2.0  # between parts, at least
_WIDEST = 90  # percent of the samples are narrower


def statistical_inliers(
    points: NDArray[np.floating], neighbors: int, deviations: float
) -> NDArray[np.bool_]:
    """(N,) Whether each point (N, 3) lies as near to its neighbours as most do.

    As Open3D's `remove_statistical_outlier`, which the paper uses (section 4.1): a point's mean
    distance to its `neighbors` nearest, itself included, must be below the mean of these distances
    plus `deviations` of their standard deviations, and above 0: points that coincide `neighbors`
    times are removed, and add nothing to the deviation. With fewer points than neighbours, all
    stay.
    """
    if len(points) < max(neighbors, 2):
        return np.ones(len(points), np.bool_)
    distances, _ = cKDTree(points).query(points, neighbors)
    mean = np.asarray(distances, np.float64).reshape(len(points), -1).mean(axis=1)
    apart = mean > 0.0
    center = mean.mean()
    spread = np.sqrt(np.square(mean[apart] - center).sum() / (len(mean) - 1))
    inliers: NDArray[np.bool_] = apart & (mean < center + deviations * spread)
    return inliers


def without_outliers(union: Fused, neighbors: int, deviations: float) -> Surface:
    """The samples that are no statistical outliers among voxel means, or that another view
    confirms, such as chair legs.

    Distances between single samples depend on the camera's distance: in a union of near and far
    views all samples of a far view would be outliers. One mean a voxel, as wide as the widest
    samples need, makes them comparable and bounds the time. Last, small separate parts go that are
    mostly unconfirmed.
    """
    surface = union.surface
    patch_m = 2.0 * float(np.percentile(surface.half_m, _WIDEST))
    voxel_m = _VOXEL_PATCHES * patch_m
    means, voxel_of = one_a_voxel(surface.points, voxel_m)
    stays = statistical_inliers(means, neighbors, deviations)[voxel_of] | union.confirmed
    if not stays.any():
        return surface
    kept, confirmed = surface.select(stays), union.confirmed[stays]
    return kept.select(in_sure_parts(kept.points, confirmed, _GAP_VOXELS * voxel_m))


def one_a_voxel(
    points: NDArray[np.float32], voxel_m: float
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Means (V, 3) of the points (N, 3) in each voxel, and the voxel of each point (N,)."""
    local = points - points.min(axis=0)
    _, voxel_of = np.unique(voxel_keys(local, voxel_m), return_inverse=True)
    counts = np.bincount(voxel_of)
    sums = [np.bincount(voxel_of, local[:, axis]) for axis in range(3)]
    means = np.column_stack(sums) / counts[:, None] + points.min(axis=0)
    return means.astype(np.float32), voxel_of


_LEAST_SHARE = 0.1  # of the largest part's size: a part of the thing that something else cuts off
_GAP_SHARE = 0.1  # of the cloud's extent
_ALL_AROUND = np.ones((3, 3, 3), np.bool_)


def in_sure_parts(
    points: NDArray[np.float32], confirmed: NDArray[np.bool_], least_gap_m: float
) -> NDArray[np.bool_]:
    """(N,) Whether each point (N, 3) is in a large part, or in one of mostly confirmed points.

    Parts are separated by `least_gap_m` or more, and by a tenth of the cloud's extent: a lamp's
    shade and its foot belong together.

    Masks that include background leave clumps there, as dense as the target, which are no
    statistical outliers. (The paper tried DBSCAN and left it, supplement D.4; without the borders,
    which joined such clumps to the target, parts are separable.)
    """
    offset = points - points.min(axis=0)
    cell_m = max(least_gap_m, _GAP_SHARE * float(offset.max()))
    cells = np.floor(offset / np.float32(cell_m)).astype(np.intp)
    occupied = np.zeros(cells.max(axis=0) + 1, np.bool_)
    at = tuple(cells.T)
    occupied[at] = True
    parts, count = ndimage.label(occupied, _ALL_AROUND)
    if count == 1:
        return np.ones(len(points), np.bool_)
    sizes = np.bincount(parts.reshape(-1), minlength=count + 1)
    sizes[0] = 0
    of_point = parts[at]
    stays = sizes >= _LEAST_SHARE * sizes.max()
    stays |= np.bincount(of_point, confirmed - 0.5, minlength=count + 1) > 0.0
    sure: NDArray[np.bool_] = stays[of_point]
    return sure


_OUTERMOST_DEVIATIONS = 2.5  # that the outermost samples are off along their rays


def box_around(surface: Surface) -> Box3D:
    """The axis-aligned box around the samples' patches, within their noise.

    A sample stands for a patch across its ray, so the surface extends by half of it. Along its ray
    it is off by the noise that smoothing left, and the outermost samples by several deviations.

    Args:
        surface: at least one sample.
    """
    along = np.abs(surface.rays)
    across = np.sqrt(np.maximum(1.0 - along * along, 0.0))
    grown = (
        surface.half_m[:, None] * across
        - _OUTERMOST_DEVIATIONS * surface.smoothed_sigma_m[:, None] * along
    )
    low, high = (surface.points - grown).min(axis=0), (surface.points + grown).max(axis=0)
    thin = low > high  # its noise is more than its thickness
    middle = (low + high) / 2.0
    return Box3D.from_bounds(np.where(thin, middle, low), np.where(thin, middle, high))
