"""Which stored frames the model is shown (VLM-Grounder, section 3.1: view pre-selection)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import FrameIndex
from scenemind.reasoning.vlm_grounder.candidates import Candidates

# Neighbours nearer than this in place and in direction look the same.
_SAME_M, _SAME_RAD = 0.1, np.radians(5.0)
# A box at the picture's edge that reaches less far into it, as a share of its side, is a sliver.
_EDGE_PX, _SLIVER = 2.0, 0.08


def frames_to_show(
    index: FrameIndex, candidates: Candidates, most: int, with_all: bool
) -> NDArray[np.intp]:
    """Rows of the index in the order of time: each frame that shows a candidate, or every frame.

    Slivers of objects that other frames show better are no reason to show a frame. Of neighbouring
    frames that look the same the one that shows candidates best stays. Of what are
    still too many, those stay that show an object best or a location best, then the second best of
    each, and so on.

    Args:
        most: at most so many.
        with_all: also frames that show none.
    """
    worth = _worth(index, candidates)
    rows = np.arange(len(index))
    if not with_all:
        rows = np.unique(candidates.rows[~_spare_slivers(index, candidates)]).astype(np.intp)
    rows = _without_doubles(index, candidates, rows, worth)
    if len(rows) > most:
        rank = _rank(index.location_ids[rows], worth[rows])
        of_object = np.full(len(index), len(index))
        named = np.flatnonzero(candidates.object_ids)
        np.minimum.at(
            of_object,
            candidates.rows[named],
            _rank(candidates.object_ids[named], _box_worth(index, candidates)[named]),
        )
        best = np.lexsort((-worth[rows], np.minimum(rank, of_object[rows])))[:most]
        rows = np.sort(rows[best])
    return rows


def _spare_slivers(index: FrameIndex, candidates: Candidates) -> NDArray[np.bool_]:
    """(M,) whether the picture's edge leaves next to nothing of an object that is whole, or cut
    less, elsewhere."""
    cameras = index.camera_indices[candidates.rows]
    sides = np.array([(c.width, c.height) for c in index.cameras], np.float32).reshape(-1, 2)
    size_px = sides[cameras]
    low, high = (np.clip(candidates.boxes_px[:, k : k + 2], 0.0, size_px) for k in (0, 2))
    at_edge = (low <= _EDGE_PX) | (high >= size_px - _EDGE_PX)
    slivers = (at_edge & (high - low < _SLIVER * size_px)).any(axis=1)
    seen_better = np.unique(candidates.object_ids[~slivers])
    known = (candidates.object_ids != 0) & np.isin(candidates.object_ids, seen_better)
    spare: NDArray[np.bool_] = slivers & known
    return spare


def _box_worth(index: FrameIndex, candidates: Candidates) -> NDArray[np.float64]:
    """(M,) how well each candidate is seen: its score, times its share of the picture's side."""
    boxes = candidates.boxes_px.astype(np.float64)
    area_px = np.prod(np.maximum(boxes[:, 2:] - boxes[:, :2], 0.0), axis=1)
    cameras = index.camera_indices[candidates.rows]
    whole_px = np.array([c.width * c.height for c in index.cameras], np.float64)
    if not len(candidates):
        return np.zeros(0)
    return candidates.scores * np.sqrt(area_px / whole_px[cameras])


def _worth(index: FrameIndex, candidates: Candidates) -> NDArray[np.float64]:
    """(N,) of each frame: that of its best candidate."""
    worth = np.zeros(len(index))
    np.maximum.at(worth, candidates.rows, _box_worth(index, candidates))
    return worth


def _without_doubles(
    index: FrameIndex, candidates: Candidates, rows: NDArray[np.intp], worth: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Of each piece of the camera's way the best frame. A piece also ends where other objects are
    seen, as one may have come or gone before a camera that stands still."""
    if not len(rows):
        return rows
    poses = index.world_T_camera[rows]
    way_m = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    turned = np.einsum("nij,nij->n", poses[1:, :3, :3], poses[:-1, :3, :3])
    turn_rad = np.arccos(np.clip((turned - 1.0) / 2.0, -1.0, 1.0))
    moved = np.concatenate(([0.0], np.cumsum(way_m / _SAME_M + turn_rad / _SAME_RAD)))
    shown = _what_is_shown(len(index), candidates)[rows]
    changed = np.concatenate(([False], shown[1:] != shown[:-1]))
    piece = np.floor(moved).astype(np.int64) + np.cumsum(changed) * (int(moved[-1]) + 1)
    order = np.lexsort((-worth[rows], piece))
    is_first = np.concatenate(([True], np.diff(piece[order]) != 0))
    kept: NDArray[np.intp] = np.sort(rows[order[is_first]])
    return kept


def _what_is_shown(count: int, candidates: Candidates) -> NDArray[np.uint64]:
    """(count,) a number for each set of objects that a frame shows."""
    rng = np.random.default_rng(0)
    known, place = np.unique(candidates.object_ids, return_inverse=True)
    signs = rng.integers(1, 2**63, len(known), dtype=np.uint64)
    shown = np.zeros(count, np.uint64)
    np.bitwise_xor.at(shown, candidates.rows, signs[place])
    return shown


def _rank(groups: NDArray[np.integer], worth: NDArray[np.float64]) -> NDArray[np.intp]:
    """Place of each within its group, from 0, the best first."""
    order = np.lexsort((-worth, groups))
    begins = np.concatenate(([True], np.diff(groups[order]) != 0))[: len(groups)]
    first = np.maximum.accumulate(np.where(begins, np.arange(len(groups)), 0))
    rank = np.empty(len(groups), np.intp)
    rank[order] = np.arange(len(groups)) - first
    return rank
