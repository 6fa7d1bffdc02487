"""A stored frame as it is read for measuring."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scenemind.frames import RGBDFrame
from scenemind.frames.encodings import decode_color_file
from scenemind.memory import DepthImage, KeyFrame


@dataclass(frozen=True, slots=True, eq=False)
class StoredView:
    """Colour as a file and depth as it is stored."""

    frame: KeyFrame
    depth: DepthImage

    def as_frame(self) -> RGBDFrame:
        """For a segmenter: where only every n-th pixel's depth is known, the others have 0.

        Raises:
            FrameError: the image is damaged or of another size than its camera says.
        """
        camera, every = self.frame.camera, self.depth.every_px
        depth_m = np.zeros((camera.height, camera.width), np.float32)
        depth_m[::every, ::every] = self.depth.depth_m
        return RGBDFrame(
            number=self.frame.frame_number,
            stamp_ns=self.frame.stamp_ns,
            color=decode_color_file(self.frame.jpeg),
            depth_m=depth_m,
            camera=camera,
            world_T_camera=self.frame.world_T_camera,
        )
