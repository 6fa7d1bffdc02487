"""Depth of a camera of its own, moved into the pixels of the colour camera."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames.frame import DepthCalibration, FrameError
from scenemind.geometry import PinholeCamera

# Colour may be this much denser than depth before depth is upsampled; cracks are closed anyway.
_DENSER = 1.05
# Neighbouring depth pixels that differ by less, relatively, lie on one surface.
_SURFACE_STEP = 0.03


class DepthRegistrar:
    """Registers depth images of one camera pair; keeps rays and buffers between images.

    Every measured depth pixel is projected into the colour image; where several land on one pixel
    the nearest surface wins. Pixels between two neighbours of one surface that land two pixels
    apart get that surface's depth, so that it has no cracks; nothing else is filled in.
    """

    def __init__(self, calibration: DepthCalibration, color_camera: PinholeCamera) -> None:
        """Precompute the rays of `calibration.camera`."""
        depth = calibration.camera
        self._input_shape = (depth.height, depth.width)
        self._output_shape = (color_camera.height, color_camera.width)
        # Upsampled to the grid of colour, a depth pixel covers the footprint that it measured.
        self._factors = (
            _upsampling(color_camera.fx / depth.fx),
            _upsampling(color_camera.fy / depth.fy),
        )
        dense = depth.resized(depth.width * self._factors[0], depth.height * self._factors[1])
        self._project_rays(dense, calibration, color_camera)
        shape = (dense.height, dense.width)
        self._z = np.empty(shape, np.float32)
        self._u = np.empty(shape, np.float32)
        self._v = np.empty(shape, np.float32)

    def _project_rays(
        self, depth: PinholeCamera, calibration: DepthCalibration, color: PinholeCamera
    ) -> None:
        """Set rays and offset so that `depth_m * rays + offset` is (u*z, v*z, z) in colour.

        u and v count from the corner of a border of one pixel, so that cutting them off rounds.
        """
        u, v = np.meshgrid(np.arange(depth.width), np.arange(depth.height))
        rays = np.stack(
            ((u - depth.cx) / depth.fx, (v - depth.cy) / depth.fy, np.ones(u.shape)), axis=-1
        )
        k = np.array(
            [(color.fx, 0.0, color.cx + 1.5), (0.0, color.fy, color.cy + 1.5), (0.0, 0.0, 1.0)]
        )
        turned = rays @ (k @ calibration.color_T_depth.rotation).T
        self._rays = [np.ascontiguousarray(turned[..., i], dtype=np.float32) for i in range(3)]
        offset = k @ calibration.color_T_depth.translation
        self._offset = [np.float32(value) for value in offset]

    def register(self, depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
        """Depth (h, w) of the depth camera as depth (H, W) of the colour camera, metres, 0 a hole.

        Raises:
            FrameError: the image is not of the calibrated size or type.
        """
        if depth_m.shape != self._input_shape or depth_m.dtype != np.float32:
            raise FrameError(
                f"depth is {depth_m.dtype} {depth_m.shape}, its calibration says float32"
                f" {self._input_shape}: does the calibration belong to this camera mode?"
            )
        if self._factors != (1, 1):
            fx, fy = self._factors
            depth_m = cv2.resize(depth_m, None, fx=fx, fy=fy, interpolation=cv2.INTER_NEAREST)
        flat, z = self._project(depth_m)
        registered = self._nearest(flat, z)
        for axis in (1, 0):
            _close_cracks(registered, flat, z, axis)
        inside = registered[1:-1, 1:-1]
        return np.where(np.isfinite(inside), inside, np.float32(0.0))

    def _project(
        self, depth_m: NDArray[np.float32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Target of each depth pixel as a flat index into the bordered image, and its depth.

        Pixels that were not measured or land outside go to index 0, on the border, at infinity.
        """
        height, width = self._output_shape
        u, v, z = self._u, self._v, self._z
        for out, ray, offset in zip((u, v, z), self._rays, self._offset, strict=True):
            np.multiply(depth_m, ray, out=out)
            np.add(out, offset, out=out)
        with np.errstate(all="ignore"):  # points beside or behind the camera are lost below
            np.divide(u, z, out=u)
            np.divide(v, z, out=v)
            lost = ~((depth_m > 0) & (z > 0) & (u >= 1) & (v >= 1))
            lost |= ~((u < width + 1) & (v < height + 1))
        for out, value in ((u, 0.0), (v, 0.0), (z, np.inf)):
            np.copyto(out, np.float32(value), where=lost)
        flat = v.astype(np.int32)
        flat *= width + 2
        flat += u.astype(np.int32)
        return flat, z

    def _nearest(self, flat: NDArray[np.int32], z: NDArray[np.float32]) -> NDArray[np.float32]:
        """The z-buffer: the smallest depth of all that land on a pixel, infinity where none does.

        Of several writes to one pixel the last stays; nearer depths are then written again.
        """
        height, width = self._output_shape
        registered = np.full((height + 2, width + 2), np.inf, dtype=np.float32)
        pixels = registered.reshape(-1)
        index, depth = flat.reshape(-1), z.reshape(-1)
        while index.size:
            pixels[index] = depth
            nearer = np.flatnonzero(depth < pixels[index])
            index, depth = index[nearer], depth[nearer]
        return registered


def _upsampling(density: float) -> int:
    return max(1, math.ceil(density / _DENSER))


def _close_cracks(
    registered: NDArray[np.float32], flat: NDArray[np.int32], z: NDArray[np.float32], axis: int
) -> None:
    """Fill the pixel between two neighbours of one surface that landed two steps apart.

    Args:
        registered: the bordered image, changed in place.
        flat, z: targets and depths of all pixels, from `DepthRegistrar._project`.
        axis: of the neighbours; across it a pair may be off by one pixel.
    """
    row = registered.shape[1]
    step, side = (row, 1) if axis == 0 else (1, row)  # to the next pixel along and across the axis
    flat_a, flat_b = (np.moveaxis(flat, axis, 0)[part] for part in (slice(-1), slice(1, None)))
    z_a, z_b = (np.moveaxis(z, axis, 0)[part] for part in (slice(-1), slice(1, None)))
    off = np.abs(flat_b - flat_a - 2 * step)
    pairs = np.nonzero((off == 0) | (off == side))
    a, b = z_a[pairs], z_b[pairs]
    with np.errstate(invalid="ignore"):
        one_surface = np.abs(a - b) < _SURFACE_STEP * a  # never true where one is at infinity
    between = flat_a[pairs][one_surface] + step
    depth = (a[one_surface] + b[one_surface]) / np.float32(2.0)
    pixels = registered.reshape(-1)
    nearer = depth < pixels[between]
    pixels[between[nearer]] = depth[nearer]
