"""Everything the object map knows about one object: enough to go on after a restart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry.points import voxel_keys
from scenemind.memory.frame_corrections import moved_points
from scenemind.memory.objects.sampled_views import turned
from scenemind.memory.types import Stay


class SurfaceColumns(TypedDict):
    """The part of a record that the surface fills; see there."""

    whole_count: int
    noise: NDArray[np.float64]
    cell_m: float
    new_count: int
    points: NDArray[np.float32]
    hits: NDArray[np.float32]
    weights: NDArray[np.float32]
    surface: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """What one object's views in one stretch of the camera's way showed: see `stretches`.

    Attributes:
        frames: numbers of the first and the last frame.
        votes, observation_count, whole_count, first_seen_ns, last_seen_ns: see `ObjectRecord`.
        track_ids: tracklets that began in it.
        colors: (24,) float64. appearance: (48,) float32; None: unknown.
        noise: (14,) float64, see `NoiseOfViews`.
        cell_m: edge of the voxels.
        keys: (M,) int64, of voxels. points: (M, 3) float32, world. hits, weights: (M,) float32.
        shown: (M, 4) uint16, where about a voxel's mean point each of some views showed it: see
            `sampled_views.encoded`. 0: it did not.
        view_frames: numbers of the frames of these views.
    """

    frames: tuple[int, int]
    votes: Mapping[str, float]
    observation_count: int
    whole_count: int
    first_seen_ns: int
    last_seen_ns: int
    track_ids: tuple[int, ...]
    colors: NDArray[np.float64]
    appearance: NDArray[np.float32] | None
    noise: NDArray[np.float64]
    cell_m: float
    keys: NDArray[np.int64]
    points: NDArray[np.float32]
    hits: NDArray[np.float32]
    weights: NDArray[np.float32]
    shown: NDArray[np.uint16]
    view_frames: tuple[int, ...]

    def moved(self, matrix: NDArray[np.float64]) -> Stretch:
        """The stretch moved by a correction (4, 4), as a whole."""
        points = moved_points(self.points, matrix)
        keys, shown = voxel_keys(points, self.cell_m), turned(self.shown, matrix[:3, :3])
        squares = matrix[:3, :3] ** 2  # variances along axes turn as these
        noise = self.noise.copy()
        noise[2:] = (noise[2:].reshape(4, 3) @ squares.T).ravel()
        return replace(self, noise=noise, points=points, keys=keys, shown=shown)


@dataclass(frozen=True, slots=True, eq=False)
class ObjectRecord:
    """One object as it is stored, tentative ones included.

    Attributes:
        object_id: stable for the life of the memory, never used again.
        confirmed: seen often enough to be shown; else tentative.
        votes: label -> sum of the scores that spoke for it.
        observation_count: observations fused so far.
        whole_count: those of them that the image border did not cut.
        first_seen_ns, last_seen_ns: stamps of the first and the last observation.
        track_ids: the tracklets that fed it, oldest first.
        colors: name (`COLOR_NAMES`) -> how many of its pixels bore that colour.
        appearance: (48,) float32, sum 1, mean colour histogram; None before the first.
        stays: where it was before, oldest first.
        here_since_ns: stamp of the first observation at its present (or last) place.
        gone_ns: stamp at which its place was found empty; None: it is there.
        viewpoints: cell of the viewing sphere -> number of views from there.
        missed: number of times its place was in plain view without a detection.
        doubt: times its place was seen through, less times it was seen there.
        places: (P, 6) float32, world, metres: boxes (lowest, highest corner) that pictures told.
        place_frames: (P,) int32, numbers of their frames.
        noise: (14,) float64, of its views: see `NoiseOfViews`.
        cell_m: edge of the voxels that the columns below stand for.
        new_count: number of voxels added since the surface was computed.
        points: (M, 3) float32, world, metres: mean point of every occupied voxel.
        hits: (M,) float32: in how many observations (decayed) each voxel was seen.
        weights: (M,) float32: summed weight of these observations.
        surface: (S, 3) float32: the points that count, as computed last; empty: to be computed.
        frames: numbers of the first and the last frame since the stretches before.
        stretches: its evidence by earlier stretches of the way; None: as they were stored last.
    """

    object_id: int
    confirmed: bool
    votes: Mapping[str, float]
    observation_count: int
    whole_count: int
    first_seen_ns: int
    last_seen_ns: int
    track_ids: tuple[int, ...]
    colors: Mapping[str, float]
    appearance: NDArray[np.float32] | None
    stays: tuple[Stay, ...]
    here_since_ns: int
    gone_ns: int | None
    viewpoints: Mapping[int, int]
    missed: int
    doubt: float
    places: NDArray[np.float32]
    place_frames: NDArray[np.int32]
    noise: NDArray[np.float64]
    cell_m: float
    new_count: int
    points: NDArray[np.float32]
    hits: NDArray[np.float32]
    weights: NDArray[np.float32]
    surface: NDArray[np.float32]
    frames: tuple[int, int]
    stretches: tuple[Stretch, ...] | None
