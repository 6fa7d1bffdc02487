"""Frames of a camera: as they arrive (`SensorFrame`), and ready to use (`RGBDFrame`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMindError
from scenemind.geometry import PinholeCamera, Pose

# Half of an image's depth is nearer than this; else it is in millimetres.
_FURTHEST_M = 100.0
_EVERY_PX = 8  # enough for that, and cheap


class FrameError(SceneMindError, ValueError):
    """An image, stamp, sequence or bag that cannot be used; the message names the remedy."""


@dataclass(frozen=True, slots=True)
class DepthCalibration:
    """Calibration of a depth camera to the colour camera.

    Attributes:
        camera: intrinsics of the depth image.
        color_T_depth: maps depth-camera coordinates to colour-camera coordinates.
    """

    camera: PinholeCamera
    color_T_depth: Pose


@dataclass(frozen=True, slots=True, eq=False)
class SensorFrame:
    """One frame as recorded, with the pose of the colour camera; depth may not be aligned.

    Attributes:
        stamp_ns: when the colour image was taken.
        color: (H, W, 3) uint8, RGB.
        depth_m: (h, w) float32, metres along z; 0 where nothing was measured. In the frame of
            the colour camera, or of `DepthCalibration.camera` where the sequence has one.
        world_T_camera: pose of the colour camera in a z-up world.
        instances: (H, W) int32 ids from a simulator's instance camera, 0 for nothing;
            None from a real camera.
        color_file: the JPEG or PNG that `color` was decoded from; empty where there is none.
    """

    stamp_ns: int
    color: NDArray[np.uint8]
    depth_m: NDArray[np.float32]
    world_T_camera: Pose
    instances: NDArray[np.int32] | None = None
    color_file: bytes = b""


@dataclass(frozen=True, slots=True, eq=False)
class RGBDFrame:
    """Colour, aligned depth and pose: the input of perception.

    Attributes:
        number: frame count from 0, in the order of mapping.
        stamp_ns: when the colour image was taken.
        color: (H, W, 3) uint8, RGB.
        depth_m: (H, W) float32, metres along z; 0 where nothing was measured.
        camera: intrinsics of both.
        world_T_camera: pose of the colour camera in a z-up world.
        instances: (H, W) int32 ids from a simulator's instance camera; None from a real one.

    Raises:
        FrameError: on construction, when shapes or types do not fit together.
    """

    number: int
    stamp_ns: int
    color: NDArray[np.uint8]
    depth_m: NDArray[np.float32]
    camera: PinholeCamera
    world_T_camera: Pose
    instances: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        self._check_types()
        expected = (self.camera.height, self.camera.width)
        if self.color.shape != (*expected, 3):
            raise FrameError(
                f"colour is {self.color.shape}, the camera says {(*expected, 3)}: do image and"
                " camera_info come from the same stream?"
            )
        if self.depth_m.shape != expected:
            raise FrameError(
                f"depth is {self.depth_m.shape}, colour is {expected}: turn on the driver's"
                " align_depth, or configure the depth calibration"
            )
        some_m = self.depth_m[::_EVERY_PX, ::_EVERY_PX]
        known_m = some_m[(some_m > 0.0) & np.isfinite(some_m)]
        if len(known_m) and (median_m := float(np.median(known_m))) > _FURTHEST_M:
            raise FrameError(
                f"half of the depth is beyond {median_m:.0f} m: depth is in metres: divide by 1000"
            )
        if self.instances is not None and self.instances.shape != expected:
            raise FrameError(f"the instance image is {self.instances.shape}, not {expected}")

    def _check_types(self) -> None:
        if not isinstance(self.camera, PinholeCamera):
            raise FrameError(
                f"camera is {_kind(self.camera)}: give sm.PinholeCamera(width, height, fx, fy, cx,"
                " cy)"
            )
        if not isinstance(self.world_T_camera, Pose):
            raise FrameError(
                f"world_T_camera is {_kind(self.world_T_camera)}: give sm.Pose.from_matrix(matrix)"
                " or sm.Pose.from_quaternion(translation, xyzw)"
            )
        if not isinstance(self.stamp_ns, (int, np.integer)):
            raise FrameError(
                f"stamp_ns is {self.stamp_ns!r}: give whole nanoseconds, round(seconds * 1e9)"
            )
        if getattr(self.color, "dtype", None) != np.uint8:
            raise FrameError(f"colour is {_kind(self.color)}: give uint8, 0 to 255, in RGB")
        if getattr(self.depth_m, "dtype", None) != np.float32:
            raise FrameError(
                f"depth is {_kind(self.depth_m)}: give float32 metres, depth_m.astype(np.float32)"
                " or, of whole millimetres, np.float32(0.001) * depth"
            )

    def __repr__(self) -> str:
        size = f"{self.camera.width}x{self.camera.height}"
        return f"RGBDFrame({self.number}, {size}, {self.stamp_ns} ns)"


def _kind(value: object) -> str:
    """Description of a value for error messages: "an array of float64 (4, 4)"."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} {value.shape}"
    return f"of type {type(value).__name__}"
