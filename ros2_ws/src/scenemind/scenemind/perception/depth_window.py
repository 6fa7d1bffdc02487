"""Depth at the samples of a frame's detections: measured, off edges, among neighbours."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig
from scenemind.perception.sample_grids import Samples


def measured_depth(
    samples: Samples, depth_m: NDArray[np.float32], depth: DepthConfig, edge_ratio: float
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Depth at the samples (K,), and which of them are measured and not on an edge.

    Next to a depth edge a sensor mixes foreground and background: pixels that fly between both.

    Args:
        depth_m: (H, W), the image.
        depth: the range that counts as measured.
        edge_ratio: the step between neighbouring pixels that makes an edge, over the depth.
    """
    height, width = depth_m.shape
    u, v = samples.u_px, samples.v_px
    flat, pixel = depth_m.reshape(-1), v * width + u
    own = flat.take(pixel)
    good = (own >= depth.min_m) & (own <= depth.max_m)  # NaN is neither
    step = np.float32(edge_ratio) * own
    neighbors = (
        pixel - (u > 0),
        pixel + (u < width - 1),
        pixel - width * (v > 0),
        pixel + width * (v < height - 1),
    )
    with np.errstate(invalid="ignore"):  # infinity minus infinity, in pixels that do not count
        for neighbor in neighbors:
            there = flat.take(neighbor)
            good &= ~((np.abs(there - own) > step) & (there > 0.0))
    return own, good


def among_others(samples: Samples, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the samples (K,) have at least two kept ones around them.

    The outliers that edges and the object's range of depths leave are single samples, and one
    filter finds those. (VLM-Grounder, section 3.4, takes away what is far from its five nearest
    neighbours, with a search tree for each object.)
    """
    canvas = np.zeros(samples.canvas_shape, np.uint8)
    canvas.reshape(-1)[samples.cell] = kept
    around = cv2.boxFilter(
        canvas, cv2.CV_8U, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT
    )
    enough: NDArray[np.bool_] = around.reshape(-1).take(samples.cell) >= 3
    return enough
