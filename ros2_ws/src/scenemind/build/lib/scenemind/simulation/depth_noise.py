"""Noise of depth cameras: a simple model, and a model of active stereo cameras."""

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
_FLYING_SHARE_SIMPLE = 0.1
_SPECKLE_SHARE = 0.002
Image = NDArray[np.float32]
_EDGE_PX = 1.0  # disparity range within 3x3 pixels that makes a border
_FLYING_SHARE_STEREO = 0.12  # of border pixels
_COARSE = 4  # pixels a cell for grazing angles
# Depth is missing where a smooth noise of about unit variance exceeds a limit; these lower it.
_LIMIT = 3.4
_AT_BORDERS, _ON_DARK, _GRAZING = 3.0, 2.4, 4.0
_DARK_BELOW, _BLACK = 60.0, 20.0  # of the brightest channel: coloured things reflect infrared
_GRAZING_BELOW = 0.3  # cosine between the ray and the normal


class DepthNoise(Protocol):
    """A model of a depth camera."""

    def measure(
        self, ideal: Rendering, camera: PinholeCamera, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        """Measured depth (H, W) float32, metres, 0 in holes, of ideal depth."""
        ...


@dataclass(frozen=True, slots=True)
class SimpleDepthNoise:
    """White noise that grows with the square of the distance (a constant error of disparity), holes
    and flying pixels at edges, single missing pixels, whole millimetres.

    Attributes:
        amount: 1 for a realistic camera, 0 for exact depth, above 1 for a worse camera.
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
        flying = (chance >= holes) & (chance < holes + _FLYING_SHARE_SIMPLE * amount)
        flat[edge[flying]] = mixed[flying]
        flat[rng.integers(0, flat.size, int(_SPECKLE_SHARE * amount * flat.size))] = 0.0
        return whole_millimetres(noisy)


def whole_millimetres(depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
    """Depth rounded to whole millimetres, as 16-bit depth images store it."""
    return np.rint(depth_m * np.float32(1 / _QUANTUM_M)) * np.float32(_QUANTUM_M)


@dataclass(frozen=True, slots=True)
class StereoDepthNoise:
    """Noise of an Intel RealSense D435 by its data sheet and tuning guide.

    Attributes:
        baseline_m: between the imagers.
        matching_px: standard deviation of the disparity, pixels of the depth image.
        step_px: resolution of the disparity.
        shake_px: standard deviation of the displacement of borders by matching windows.
        window_px: correlation length of errors, pixels.
        nearest_m, farthest_m: measuring range.
    """

    baseline_m: float = 0.05
    matching_px: float = 0.08
    step_px: float = 1 / 32
    shake_px: float = 1.0
    window_px: int = 6
    nearest_m: float = 0.28
    farthest_m: float = 10.0

    def measure(
        self, ideal: Rendering, camera: PinholeCamera, rng: np.random.Generator
    ) -> NDArray[np.float32]:
        """See `DepthNoise.measure`."""
        scale = np.float32(camera.fx * self.baseline_m)
        exact: Image = scale / ideal.depth_m
        disparity = self._shaken(exact, rng)
        border = _is_border(exact)
        _let_fly(disparity, exact, border, rng)
        smooth = self._smooth_noise(exact.shape, rng)
        white = rng.standard_normal(exact.shape, dtype=np.float32)
        disparity += np.float32(self.matching_px) * (
            np.float32(0.8) * smooth + np.float32(0.45) * white
        )
        disparity = np.rint(disparity / np.float32(self.step_px)) * np.float32(self.step_px)
        in_range = (disparity >= scale / self.farthest_m) & (disparity <= scale / self.nearest_m)
        limit = _LIMIT - _GRAZING * _grazing(ideal.depth_m, camera)
        limit -= _ON_DARK * _darkness(ideal.color)
        limit[border] -= np.float32(_AT_BORDERS)
        is_found = in_range & (self._smooth_noise(exact.shape, rng) < limit) & ~_is_hidden(exact)
        depth_m = np.divide(scale, disparity, out=np.zeros_like(disparity), where=is_found)
        return whole_millimetres(depth_m)

    def _shaken(self, disparity: Image, rng: np.random.Generator) -> Image:
        """Depth at randomly displaced pixels; neighbours are displaced alike."""
        rows, columns = disparity.shape
        x, y = (self._smooth_noise(disparity.shape, rng) * np.float32(self.shake_px) for _ in "xy")
        x += np.arange(columns, dtype=np.float32)
        y += np.arange(rows, dtype=np.float32)[:, None]
        return cv2.remap(disparity, x, y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)

    def _smooth_noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> Image:
        """Noise (H, W) of about unit variance, correlated within a window."""
        rows, columns = (-(-side // self.window_px) + 1 for side in shape)
        coarse = rng.standard_normal((rows, columns), dtype=np.float32) * np.float32(1.5)
        return cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_LINEAR)


def _is_border(disparity: Image) -> NDArray[np.bool_]:
    kernel = np.ones((3, 3), dtype=np.uint8)
    border: NDArray[np.bool_] = cv2.morphologyEx(disparity, cv2.MORPH_GRADIENT, kernel) > _EDGE_PX
    return border


def _let_fly(
    disparity: Image, exact: Image, border: NDArray[np.bool_], rng: np.random.Generator
) -> None:
    """Give some border pixels a disparity between those of both sides."""
    flying = np.flatnonzero(border)
    flying = flying[rng.random(len(flying), dtype=np.float32) < _FLYING_SHARE_STEREO]
    kernel = np.ones((3, 3), dtype=np.uint8)
    low = cv2.erode(exact, kernel).ravel()[flying]
    high = cv2.dilate(exact, kernel).ravel()[flying]
    disparity.ravel()[flying] = low + rng.random(len(flying), dtype=np.float32) * (high - low)


def _is_hidden(disparity: Image) -> NDArray[np.bool_]:
    """Mask of the left imager's pixels that are occluded in the right one."""
    there = np.arange(disparity.shape[1], dtype=np.float32) - disparity
    least = np.minimum.accumulate(there[:, ::-1], axis=1)[:, ::-1]
    hidden = np.zeros(disparity.shape, dtype=np.bool_)
    # A difference of one pixel may come from the slope of a surface and its sampling.
    hidden[:, :-1] = there[:, :-1] > least[:, 1:] + 1.0
    return hidden


def _darkness(color: NDArray[np.uint8]) -> Image:
    """(H, W) 0 where surfaces reflect the projected pattern, 1 where they are black."""
    red, green, blue = cv2.split(color)
    brightest = cv2.max(cv2.max(red, green), blue).astype(np.float32)
    return np.clip((_DARK_BELOW - brightest) / np.float32(_DARK_BELOW - _BLACK), 0.0, 1.0)


def _grazing(depth_m: Image, camera: PinholeCamera) -> Image:
    """(H, W) 0 for surfaces seen from the front, growing to 1 for those along the ray.

    A plane's inverse depth is affine in the pixel, and its gradient gives the normal.
    """
    inverse = 1.0 / depth_m[::_COARSE, ::_COARSE]
    rows, columns = inverse.shape
    x = ((np.arange(columns) * _COARSE - camera.cx) / camera.fx).astype(np.float32)
    y = ((np.arange(rows) * _COARSE - camera.cy) / camera.fy).astype(np.float32)[:, None]
    along_x = _lesser_slope(inverse, 1) * np.float32(camera.fx / _COARSE)
    along_y = _lesser_slope(inverse, 0) * np.float32(camera.fy / _COARSE)
    along_z = inverse - x * along_x - y * along_y
    normal = np.sqrt(along_x**2 + along_y**2 + along_z**2)
    cosine = inverse / (normal * np.sqrt(1.0 + x * x + y * y))
    coarse = np.clip(1.0 - cosine / np.float32(_GRAZING_BELOW), 0.0, 1.0).astype(np.float32)
    return cv2.resize(coarse, depth_m.shape[::-1], interpolation=cv2.INTER_LINEAR)


def _lesser_slope(values: Image, axis: int) -> Image:
    """The smaller of both one-sided differences: a step has no slope."""
    step = np.diff(values, axis=axis)
    before = np.insert(step, 0, step.take(0, axis), axis)
    after = np.insert(step, step.shape[axis], step.take(-1, axis), axis)
    return np.where(np.abs(before) < np.abs(after), before, after)
