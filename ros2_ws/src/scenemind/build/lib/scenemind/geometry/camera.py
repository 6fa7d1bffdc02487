"""The pinhole camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import GeometryError


@dataclass(frozen=True, slots=True)
class PinholeCamera:
    """Intrinsics in pixels; pixel centres lie on whole numbers, z looks forward, y down."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float

    def __post_init__(self) -> None:
        values = (self.fx, self.fy, self.cx, self.cy)
        if self.width <= 0 or self.height <= 0:
            raise GeometryError(f"a camera of {self.width}x{self.height} pixels sees nothing")
        if not all(np.isfinite(values)) or self.fx <= 0 or self.fy <= 0:
            raise GeometryError(
                f"fx={self.fx} fy={self.fy} cx={self.cx} cy={self.cy} are no pinhole intrinsics:"
                " is the driver's camera_info calibrated?"
            )

    def project(
        self, points_camera: NDArray[np.floating]
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Camera-frame points (..., 3) in metres to pixels (..., 2) and depth (...) in metres.

        Pixels of points that are not in front of the camera (depth <= 0) are NaN.
        """
        z = points_camera[..., 2]
        safe = np.where(z > 0, z, np.nan)
        u = self.fx * points_camera[..., 0] / safe + self.cx
        v = self.fy * points_camera[..., 1] / safe + self.cy
        return np.stack((u, v), axis=-1), z

    def unproject(
        self,
        u_px: NDArray[np.floating] | NDArray[np.integer],
        v_px: NDArray[np.floating] | NDArray[np.integer],
        depth_m: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """Pixels (N,), (N,) with depth along z (N,) to camera-frame points (N, 3), float32."""
        points = np.empty((*depth_m.shape, 3), dtype=np.float32)
        points[..., 0] = (u_px - np.float32(self.cx)) * (depth_m / np.float32(self.fx))
        points[..., 1] = (v_px - np.float32(self.cy)) * (depth_m / np.float32(self.fy))
        points[..., 2] = depth_m
        return points

    def ray(self, u_px: float, v_px: float) -> NDArray[np.float64]:
        """Unit direction (3,) in the camera frame through a pixel."""
        d = np.array([(u_px - self.cx) / self.fx, (v_px - self.cy) / self.fy, 1.0])
        direction: NDArray[np.float64] = d / np.linalg.norm(d)
        return direction

    def resized(self, width: int, height: int) -> PinholeCamera:
        """The camera of the same view in another resolution."""
        sx, sy = width / self.width, height / self.height
        return PinholeCamera(
            width,
            height,
            self.fx * sx,
            self.fy * sy,
            (self.cx + 0.5) * sx - 0.5,
            (self.cy + 0.5) * sy - 0.5,
        )

    def subsampled(self, every_px: int) -> PinholeCamera:
        """The camera of every n-th pixel of every n-th row: pixel (u, v) is (n u, n v) of this."""
        return PinholeCamera(
            -(-self.width // every_px),
            -(-self.height // every_px),
            self.fx / every_px,
            self.fy / every_px,
            self.cx / every_px,
            self.cy / every_px,
        )
