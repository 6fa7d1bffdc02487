"""What a camera delivers: as it arrives (`SensorFrame`), and ready to use (`RGBDFrame`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.frames.errors import FrameError
from scenemind.geometry import PinholeCamera, Pose


@dataclass(frozen=True, slots=True)
class DepthCalibration:
    """How a depth image that is not aligned to colour stands to it.

    Attributes:
        camera: intrinsics of the depth image.
        color_T_depth: maps depth-camera coordinates to colour-camera coordinates.
    """

    camera: PinholeCamera
    color_T_depth: Pose


@dataclass(frozen=True, slots=True, eq=False)
class SensorFrame:
    """One recorded moment as the sensors gave it, with the pose of the colour camera.

    Attributes:
        stamp_ns: when the colour image was taken.
        color: (H, W, 3) uint8, RGB.
        depth_m: (h, w) float32, metres along z; 0 where nothing was measured. In the frame of
            the colour camera, or of `DepthCalibration.camera` where the sequence has one.
        world_T_camera: pose of the colour camera in a z-up world.
        instances: (H, W) int32 ids from a simulator's instance camera, 0 for nothing;
            None from a real camera.
        color_file: the JPEG or PNG that `color` was decoded from, to be passed on as it is; empty
            where there is none.
    """

    stamp_ns: int
    color: NDArray[np.uint8]
    depth_m: NDArray[np.float32]
    world_T_camera: Pose
    instances: NDArray[np.int32] | None = None
    color_file: bytes = b""


@dataclass(frozen=True, slots=True, eq=False)
class RGBDFrame:
    """Colour with depth aligned to it and a pose: what perception takes.

    Attributes:
        number: counts frames from 0 in the order in which they were integrated.
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
        expected = (self.camera.height, self.camera.width)
        if self.color.dtype != np.uint8 or self.color.shape != (*expected, 3):
            raise FrameError(
                f"colour is {self.color.dtype} {self.color.shape}, the camera says uint8"
                f" {(*expected, 3)}: do image and camera_info come from the same stream?"
            )
        if self.depth_m.dtype != np.float32 or self.depth_m.shape != expected:
            raise FrameError(
                f"depth is {self.depth_m.dtype} {self.depth_m.shape}, colour is {expected}: turn"
                " on the driver's align_depth, or configure the depth calibration"
            )
        if self.instances is not None and self.instances.shape != expected:
            raise FrameError(f"the instance image is {self.instances.shape}, not {expected}")
