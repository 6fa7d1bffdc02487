"""Association of detections with tracks: optimal matches by overlap, label, colour and depth."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from scenemind.config import TrackerConfig
from scenemind.perception.measurements import Measurements
from scenemind.perception.tracks import LOST, UNCONFIRMED, Table, Tracks, visible_overlap

# Weight by status: of two tracks at one place, the one seen in the last frame is preferred.
_STATUS_WEIGHT = np.array([0.9, 1.0, 0.6])
_FEW_FRAMES = 2.0  # a track lost for longer is continued only under its own label
# An object that is partly hidden in one of two frames: same label and depth, and this share of the
# smaller box within the larger.
_CONTAINED, _HIDDEN_DEPTH_RATIO = 0.6, 1.3


def associate(
    tracks: Tracks, measured: Measurements, image_size: tuple[int, int], config: TrackerConfig
) -> NDArray[np.intp]:
    """The detection (T,) that continues each track, or -1.

    Three stages: strong detections by overlap (BoT-SORT's first stage), weak ones for tracks in
    view (its second), and the rest by containment, since half of a chair behind a table overlaps
    little with the whole one.
    """
    matched = np.full(len(tracks), -1, dtype=np.intp)
    if len(tracks) == 0 or len(measured) == 0:
        return matched
    overlap, contained = visible_overlap(
        tracks.states.boxes_px(), tracks.cut, measured.boxes_px, image_size
    )
    same_label = tracks.label_codes[:, None] == measured.label_codes
    overlap *= np.where(same_label, 1.0, _other_label(tracks, config)[:, None])
    inverse_depth = tracks.places[:, 3] / tracks.places[:, 2]
    overlap *= depth_agrees(inverse_depth, measured.inverse_depth, config.depth_ratio)
    value = overlap * measured.scores * _STATUS_WEIGHT[tracks.status][:, None]
    if config.appearance_weight > 0.0:
        value *= 1.0 - config.appearance_weight * (1.0 - _appearance_similarity(tracks, measured))
    high = measured.scores >= config.high_score
    low = ~high & (measured.scores >= config.low_score)
    needed = np.where(tracks.status == UNCONFIRMED, config.match_iou_unconfirmed, config.match_iou)

    anyone = np.ones(len(tracks), dtype=np.bool_)
    _match(matched, value, overlap >= needed[:, None], anyone, high)
    in_view = tracks.status != LOST
    _match(matched, value, overlap >= config.match_iou_low, in_view, low)
    if (matched < 0).any() and len(measured) > np.count_nonzero(matched >= 0):
        hidden = same_label & (contained >= _CONTAINED)
        hidden &= depth_agrees(
            inverse_depth, measured.inverse_depth, _HIDDEN_DEPTH_RATIO, if_unknown=False
        )
        _match(matched, contained, hidden, anyone, high)
    return matched


def depth_agrees(
    tracks: NDArray[np.float64],
    detections: NDArray[np.float64],
    ratio: float,
    if_unknown: bool = True,
) -> NDArray[np.bool_]:
    """(T, N) bool: whether neither depth is more than `ratio` times the other.

    Args:
        tracks, detections: (T,), (N,) inverse depths in 1/m; 0 where unknown.
        if_unknown: the value for unknown depths.
    """
    a, b = tracks[:, None], detections
    agrees = (a <= b * ratio) & (b <= a * ratio)
    known = (a > 0.0) & (b > 0.0)
    return agrees | ~known if if_unknown else agrees & known


def _other_label(tracks: Tracks, config: TrackerConfig) -> NDArray[np.float64]:
    """(T,) factor on the overlap with detections of another label."""
    long_lost = (tracks.status == LOST) & (tracks.missed > _FEW_FRAMES)
    return np.where(long_lost, 0.0, config.label_change_factor)


def _appearance_similarity(tracks: Tracks, measured: Measurements) -> Table:
    """(T, N) intersection of colour histograms in [0, 1]."""
    shared = np.minimum(tracks.appearance[:, None], measured.appearance)
    return np.asarray(shared.sum(axis=2), dtype=np.float64)


def _match(
    matched: NDArray[np.intp],
    value: Table,
    allowed: NDArray[np.bool_],
    of_tracks: NDArray[np.bool_],
    of_detections: NDArray[np.bool_],
) -> None:
    """Match unmatched tracks and detections among the given ones; changes `matched` (T,)."""
    free = of_detections.copy()
    free[matched[matched >= 0]] = False
    rows, columns = np.flatnonzero(of_tracks & (matched < 0)), np.flatnonzero(free)
    if len(rows) == 0 or len(columns) == 0:
        return
    pairs = rows[:, None], columns
    row, column = assign(value[pairs], allowed[pairs])
    matched[rows[row]] = columns[column]


def assign(
    value: NDArray[np.floating], allowed: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Optimal one-to-one matches of rows to columns: the largest sum of values of allowed pairs.

    Args:
        value: (N, M) in [0, 1].
        allowed: (N, M) bool, pairs that may be matched.

    Returns:
        Row and column indices of the matched pairs, equally long.
    """
    if not allowed.any():
        nothing = np.zeros(0, dtype=np.intp)
        return nothing, nothing
    rows, columns = scipy.optimize.linear_sum_assignment(
        np.where(allowed, value, 0.0), maximize=True
    )
    kept = allowed[rows, columns]
    return rows[kept], columns[kept]
