"""Ultralytics' detection heads (YOLOv8, YOLO11, YOLOE and their kin), boxes and mask weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.backends.candidates import Candidates


def decode_yolo(prediction: NDArray[np.float32], class_count: int, min_score: float) -> Candidates:
    """The anchor-free head: one column an anchor.

    Args:
        prediction: (4 + class_count + K, N): box centre x, y, width, height in input pixels,
            class probabilities, mask weights.
        class_count: how many rows are class probabilities.
        min_score: anchors whose best class is below are dropped.
    """
    probabilities = prediction[4 : 4 + class_count]
    kept = np.flatnonzero(probabilities.max(axis=0) >= min_score)
    columns = prediction[:, kept]
    class_ids = columns[4 : 4 + class_count].argmax(axis=0)
    center, size = columns[:2].T, columns[2:4].T
    return Candidates(
        boxes_px=np.hstack((center - size / 2, center + size / 2)).astype(np.float32),
        scores=columns[4 + class_ids, np.arange(len(kept))],
        class_ids=class_ids.astype(np.int32),
        coefficients=np.ascontiguousarray(columns[4 + class_count :].T),
    )


def decode_rows(prediction: NDArray[np.float32], min_score: float) -> Candidates:
    """Exports that pick the best boxes themselves (`end2end`, `nms=True`, ours): one a row.

    Args:
        prediction: (N, 6 + K): x0, y0, x1, y1 in input pixels, score, class id, mask weights;
            rows that are not used have score 0.
        min_score: rows below are dropped.
    """
    used = (prediction[:, 4] > 0.0) & (prediction[:, 4] >= min_score)
    rows = prediction[used]
    return Candidates(
        boxes_px=rows[:, :4],
        scores=rows[:, 4],
        class_ids=rows[:, 5].astype(np.int32),
        coefficients=rows[:, 6:],
    )
