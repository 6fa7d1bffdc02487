"""What a network's head proposes, before overlapping proposals are thinned out."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

_COMPARED_FIRST = 4  # candidates for each detection that is wanted


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Boxes in pixels of the network's input, as columns.

    Attributes:
        boxes_px: (M, 4) float32: x0, y0, x1, y1.
        scores: (M,) float32 in [0, 1].
        class_ids: (M,) int32.
        coefficients: (M, K) float32 weights of the mask prototypes; K is 0 without masks.
    """

    boxes_px: NDArray[np.float32]
    scores: NDArray[np.float32]
    class_ids: NDArray[np.int32]
    coefficients: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.scores)

    def select(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Candidates:
        return Candidates(
            self.boxes_px[rows], self.scores[rows], self.class_ids[rows], self.coefficients[rows]
        )


def best_first(candidates: Candidates, limit: int) -> Candidates:
    """The highest scores in descending order, at most `limit` of them."""
    order = np.argsort(-candidates.scores, kind="stable")
    return candidates.select(order[:limit])


def suppress(candidates: Candidates, iou: float, limit: int) -> Candidates:
    """Non-maximum suppression within each class; the best first, at most `limit` of them.

    Whether a box stays depends only on better ones. So where the best few leave enough, the others
    need not be compared.
    """
    few = best_first(candidates, _COMPARED_FIRST * limit)
    kept = _without_overlaps(few, iou)
    if len(kept) < limit and len(few) < len(candidates):
        kept = _without_overlaps(candidates, iou)
    return best_first(kept, limit)


def _without_overlaps(candidates: Candidates, iou: float) -> Candidates:
    if len(candidates) == 0:
        return candidates
    boxes = candidates.boxes_px.copy()
    boxes[:, 2:] -= boxes[:, :2]  # OpenCV takes x, y, width, height
    kept = cv2.dnn.NMSBoxesBatched(boxes, candidates.scores, candidates.class_ids, 0.0, iou)
    return candidates.select(np.asarray(kept, dtype=np.intp))
