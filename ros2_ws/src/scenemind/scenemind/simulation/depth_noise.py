"""What a stereo depth camera makes of exact depth.

Noise grows with the square of the distance, as the disparity's error is constant; around edges
the matching fails (holes) or mixes both sides (flying pixels); values come in whole millimetres.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

# Close to what RealSense D435 data sheets and measurements give: 2 mm at 1 m, 3 cm at 4 m.
_SIGMA_AT_1M = 0.0018
_QUANTUM_M = 0.001
_EDGE_STEP = 0.06  # relative depth range within 3x3 pixels that makes an edge
_EDGE_HOLE_SHARE = 0.6
_FLYING_SHARE = 0.1
_SPECKLE_SHARE = 0.002


def add_depth_noise(
    depth_m: NDArray[np.float32], amount: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Noisy depth (H, W) float32 in metres, 0 in holes.

    Args:
        depth_m: (H, W) float32, exact.
        amount: 1 for a realistic camera, 0 for exact depth, more for a worse one.
    """
    if amount <= 0.0:
        return depth_m
    noise = rng.standard_normal(depth_m.shape, dtype=np.float32)
    noisy = depth_m + np.float32(_SIGMA_AT_1M * amount) * depth_m * depth_m * noise
    kernel = np.ones((3, 3), dtype=np.uint8)
    nearest, farthest = cv2.erode(depth_m, kernel), cv2.dilate(depth_m, kernel)
    edge = np.flatnonzero(farthest - nearest > np.float32(_EDGE_STEP) * depth_m)
    chance = rng.random(len(edge), dtype=np.float32)
    near, far, flat = nearest.ravel()[edge], farthest.ravel()[edge], noisy.ravel()
    mixed = near + rng.random(len(edge), dtype=np.float32) * (far - near)
    holes = min(1.0, _EDGE_HOLE_SHARE * amount)
    flat[edge[chance < holes]] = 0.0
    flying = (chance >= holes) & (chance < holes + _FLYING_SHARE * amount)
    flat[edge[flying]] = mixed[flying]
    flat[rng.integers(0, flat.size, int(_SPECKLE_SHARE * amount * flat.size))] = 0.0
    return np.rint(noisy * np.float32(1 / _QUANTUM_M)) * np.float32(_QUANTUM_M)
