"""Overlap of predicted boxes with detections, of what both frames could show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]


def visible_overlap(
    tracks_px: NDArray[np.float64],
    cut: NDArray[np.bool_],
    detections_px: NDArray[np.float64],
    image_size: tuple[int, int],
) -> tuple[Table, Table]:
    """IoU (T, N), and which share (T, N) of the smaller box lies in the other.

    Prediction ends at the border of the image, as detections do. Where the border cut the box of a
    track when it was last seen, nobody knows how far it goes on: that side ends where the
    detection's does, if that is further.

    Args:
        tracks_px: (T, 4) predicted x0, y0, x1, y1, also beyond the image.
        cut: (T, 4) sides that the border cut.
        detections_px: (N, 4).
        image_size: width and height.
    """
    # Low and high corners, each (2, T or 1, N or 1): x and y are apart, so that all is in one go.
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
    """Which (T,) predicted boxes lie in the image, or may.

    Args:
        tracks_px, cut: as above.
        image_size: width and height.
        reach: how far a box may go on beyond a cut side, as a share of the image.
    """
    size = np.array(image_size, dtype=np.float64)
    more = cut.reshape(-1, 2, 2) * (reach * size)
    low, high = tracks_px[:, :2] - more[:, 0], tracks_px[:, 2:] + more[:, 1]
    return np.logical_and.reduce((low < size) & (high > 0.0), axis=1)


def _area(extent: NDArray[np.float64]) -> Table:
    """(T, N) of (2, T, N); nothing where one side is negative."""
    width, height = np.maximum(extent, 0.0)
    area: Table = width * height
    return area
