"""The tracker's table, one row per track, its prediction to the next frame, and visible overlap."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera
from scenemind.perception.camera_motion import Places, are_in_front, centers_of, growth, places_at
from scenemind.perception.kalman import BoxStates

Table = NDArray[np.float64]
UNCONFIRMED, TRACKED, LOST = 0, 1, 2
# Share of the velocity that lost tracks keep: most of it is an error of boxes or depth that the
# camera's motion amplifies. Sizes are not extrapolated (as in BoT-SORT).
_LOST_VELOCITY = np.array([0.5, 0.5, 0.0, 0.0])
_REACH = 0.25  # of the image: largest extent of an object beyond the border that cuts it


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """T tracks as columns; changed by replacing the table.

    Attributes:
        ids: (T,) int64, from 1, never reused.
        label_codes: (T,) int64, see `measurements.LabelCodes`.
        status: (T,) int8: UNCONFIRMED (seen once), TRACKED, LOST.
        lived: (T,) int64, frames in which it was seen after the first.
        missed: (T,) float64, frames since the last one in which it was seen; those out of view
            count less.
        cut: (T, 4) bool, sides x0, y0, x1, y1 of the last measured box that the image border cut.
        places: (T, 4), see `camera_motion.Places`; w = 0 where the depth is unknown.
        appearance: (T, 48) float32, running mean of colour histograms; (T, 0) where unused.
        states: Kalman states of the boxes.
    """

    ids: NDArray[np.int64]
    label_codes: NDArray[np.int64]
    status: NDArray[np.int8]
    lived: NDArray[np.int64]
    missed: NDArray[np.float64]
    cut: NDArray[np.bool_]
    places: Places
    appearance: NDArray[np.float32]
    states: BoxStates

    @classmethod
    def empty(cls, appearance_length: int) -> Tracks:
        none = np.zeros(0, np.int64)
        return cls(
            ids=none,
            label_codes=none,
            status=np.zeros(0, np.int8),
            lived=none,
            missed=np.zeros(0),
            cut=np.zeros((0, 4), np.bool_),
            places=np.zeros((0, 4)),
            appearance=np.zeros((0, appearance_length), np.float32),
            states=BoxStates.starting_at(np.zeros((0, 4))),
        )

    def __len__(self) -> int:
        return len(self.ids)

    def select(self, rows: NDArray[np.bool_] | NDArray[np.integer]) -> Tracks:
        return Tracks(
            self.ids[rows],
            self.label_codes[rows],
            self.status[rows],
            self.lived[rows],
            self.missed[rows],
            self.cut[rows],
            self.places[rows],
            self.appearance[rows],
            self.states.select(rows),
        )

    def joined(self, other: Tracks) -> Tracks:
        return Tracks(
            np.concatenate((self.ids, other.ids)),
            np.concatenate((self.label_codes, other.label_codes)),
            np.concatenate((self.status, other.status)),
            np.concatenate((self.lived, other.lived)),
            np.concatenate((self.missed, other.missed)),
            np.concatenate((self.cut, other.cut)),
            np.concatenate((self.places, other.places)),
            np.concatenate((self.appearance, other.appearance)),
            self.states.joined(other.states),
        )


def predict(
    tracks: Tracks, motion: NDArray[np.float64], camera: PinholeCamera, zoom: float
) -> tuple[Tracks, NDArray[np.bool_]]:
    """Tracks moved by the camera's motion and their own, and whether each (T,) may be visible.

    Args:
        tracks: after the last frame.
        motion: (4, 4) matrix that moves places (`camera_motion`).
        camera: of the new frame.
        zoom: its focal length over the last frame's.
    """
    places = tracks.places @ motion.T
    states = tracks.states.slowed(tracks.status == LOST, _LOST_VELOCITY)
    states = states.moved(centers_of(places, camera), growth(tracks.places, places) * zoom)
    states = states.predicted()
    in_front = are_in_front(places)
    own = places_at(states.position[:, :2], places[:, 3], camera)
    places[in_front, :2] = own[in_front, :2] * places[in_front, 2:3]
    visible = in_front & may_be_visible(
        states.boxes_px(), tracks.cut, (camera.width, camera.height), _REACH
    )
    return replace(tracks, states=states, places=places), visible


def visible_overlap(
    tracks_px: NDArray[np.float64],
    cut: NDArray[np.bool_],
    detections_px: NDArray[np.float64],
    image_size: tuple[int, int],
) -> tuple[Table, Table]:
    """IoU (T, N), and share (T, N) of the smaller box within the other.

    Predictions are clipped at the image border, as detections are. Where the border cut the box of
    a track when it was last seen, its extent is unknown: that side is moved out to the
    detection's.

    Args:
        tracks_px: (T, 4) predicted x0, y0, x1, y1, possibly beyond the image.
        cut: (T, 4) sides that the border cut.
        detections_px: (N, 4).
        image_size: width and height.
    """
    # Low and high corners, each (2, T or 1, N or 1), with x and y along the first axis.
    limit = np.array(image_size, dtype=np.float64)[:, None, None]
    track_low, track_high = tracks_px.T.reshape(2, 2, -1, 1).clip(0.0, limit)
    low, high = detections_px.T.reshape(2, 2, 1, -1)
    ends_low, ends_high = np.where(cut, 0.0, np.inf).T.reshape(2, 2, -1, 1)
    track_low = np.minimum(track_low, low + ends_low)
    track_high = np.maximum(track_high, high - ends_high)
    shared = _area(np.minimum(track_high, high) - np.maximum(track_low, low))
    track_area, area = _area(track_high - track_low), _area(high - low)
    overlap = shared / np.maximum(track_area + area - shared, 1e-9)
    return overlap, shared / np.maximum(np.minimum(track_area, area), 1e-9)


def may_be_visible(
    tracks_px: NDArray[np.float64],
    cut: NDArray[np.bool_],
    image_size: tuple[int, int],
    reach: float,
) -> NDArray[np.bool_]:
    """Whether each predicted box (T,) may overlap the image.

    Args:
        tracks_px, cut, image_size: see `visible_overlap`.
        reach: largest extent of a box beyond a cut side, as a share of the image.
    """
    size = np.array(image_size, dtype=np.float64)
    more = cut.reshape(-1, 2, 2) * (reach * size)
    low, high = tracks_px[:, :2] - more[:, 0], tracks_px[:, 2:] + more[:, 1]
    return np.logical_and.reduce((low < size) & (high > 0.0), axis=1)


def _area(extent: NDArray[np.float64]) -> Table:
    """Areas (T, N) of extents (2, T, N); 0 where one side is negative."""
    width, height = np.maximum(extent, 0.0)
    area: Table = width * height
    return area
