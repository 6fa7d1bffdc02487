"""Importing torchvision where its compiled operators do not load."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.extras


def test_torchvision_imports_and_suppresses_overlaps() -> None:
    from scenemind.perception.torchvision_shim import ensure_torchvision

    ensure_torchvision()
    ensure_torchvision()  # twice is once
    import torch
    import torchvision

    rng = np.random.default_rng(0)
    corners = rng.uniform(0, 50, (200, 2))
    boxes = np.hstack((corners, corners + rng.uniform(5, 40, (200, 2)))).astype(np.float32)
    scores = rng.permutation(200).astype(np.float32) / 200

    kept = torchvision.ops.nms(torch.from_numpy(boxes), torch.from_numpy(scores), 0.4)

    assert kept.tolist() == greedy(boxes, scores, 0.4)


def greedy(boxes: np.ndarray, scores: np.ndarray, limit: float) -> list[int]:
    """By definition: the best stays, whatever overlaps it more than the limit goes."""
    from scenemind.geometry import iou_matrix_2d

    overlap = iou_matrix_2d(boxes, boxes)
    kept: list[int] = []
    for row in np.argsort(-scores):
        if all(overlap[row, other] <= limit for other in kept):
            kept.append(int(row))
    return kept
