"""What a depth camera makes of exact depth: the simple model, and what all models have in common.

`stereo_noise` is the richer one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera
from scenemind.simulation.renderer import Rendering

# Close to what RealSense D435 data sheets and measurements give: 2 mm at 1 m, 3 cm at 4 m.
_SIGMA_AT_1M = 0.0018
_QUANTUM_M = 0.001
_EDGE_STEP = 0.06  # relative depth range within 3x3 pixels that makes an edge
_EDGE_HOLE_SHARE = 0.6
_FLYING_SHARE = 0.1
_SPECKLE_SHARE = 0.002


class DepthNoise(Protocol):
    """A model of a depth camera."""

    def measure(
        self, ideal: Rendering, camera: PinholeCamera, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        """Depth (H, W) float32 in metres as the camera gives it, 0 in holes."""
        ...


@dataclass(frozen=True, slots=True)
class SimpleDepthNoise:
    """White noise that grows with the square of the distance, as the disparity's error is constant;
    holes and flying pixels around edges; single pixels missing; whole millimetres.

    Attributes:
        amount: 1 for a realistic camera, 0 for exact depth, more for a worse one.
    """

    amount: float = 1.0

    def measure(
        self,
        ideal: Rendering,
        camera: PinholeCamera,  # noqa: ARG002 - the same for every camera
        rng: np.random.Generator,
    ) -> NDArray[np.float32]:
        """See `DepthNoise.measure`."""
        depth_m, amount = ideal.depth_m, self.amount
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
        return whole_millimetres(noisy)


def whole_millimetres(depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
    """As 16-bit depth images carry it."""
    return np.rint(depth_m * np.float32(1 / _QUANTUM_M)) * np.float32(_QUANTUM_M)
