"""The camera's motion from the picture, as BoT-SORT estimates it.

Corners of the background, followed by sparse optical flow; a similarity fitted with RANSAC
(Aharon et al. 2022, arXiv:2206.14651, section 3.2). For cameras whose poses are poor, and the
baseline that `scenemind bench tracking` compares with.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera
from scenemind.perception.types import Detections

_DOWNSCALE = 2
_CORNERS, _QUALITY, _SPACING_PX = 400, 0.01, 1.0
_FEWEST = 8  # corners that must be found again; fewer say nothing reliable

Grey = NDArray[np.uint8]


class OpticalFlowMotion:
    """A similarity (shift, turn in the image, scale) from corner to corner.

    Attributes:
        failures: frames in which too little was found again; they count as still.
    """

    def __init__(self) -> None:
        self.failures = 0
        self._grey: Grey | None = None
        self._corners: NDArray[np.float32] | None = None

    def advance(self, frame: RGBDFrame, detections: Detections, /) -> NDArray[np.float64]:
        """(4, 4); the identity where the picture is new, or shows nothing to follow."""
        grey = _small_grey(frame.color)
        similarity = self._similarity(grey)
        self._grey, self._corners = grey, _corners(grey, detections)
        return np.eye(4) if similarity is None else _place_matrix(similarity, frame.camera)

    def _similarity(self, grey: Grey) -> NDArray[np.float64] | None:
        """(2, 3) in pixels of the whole image, from the last picture to this one."""
        if self._grey is None or self._grey.shape != grey.shape:
            return None
        if self._corners is not None:
            found, status, _ = cv2.calcOpticalFlowPyrLK(self._grey, grey, self._corners, None)
            followed = status.ravel() == 1
            if followed.sum() >= _FEWEST:
                fit, _ = cv2.estimateAffinePartial2D(self._corners[followed], found[followed])
                if fit is not None:
                    fit[:, 2] *= _DOWNSCALE
                    return np.asarray(fit, dtype=np.float64)
        self.failures += 1
        return None


def _small_grey(color: NDArray[np.uint8]) -> Grey:
    grey = cv2.cvtColor(color, cv2.COLOR_RGB2GRAY)
    height, width = grey.shape
    size = (max(1, width // _DOWNSCALE), max(1, height // _DOWNSCALE))
    return np.asarray(cv2.resize(grey, size), dtype=np.uint8)


def _corners(grey: Grey, detections: Detections) -> NDArray[np.float32] | None:
    """(K, 1, 2) in pixels of the small image, outside of the detections, which may move."""
    background = np.full(grey.shape, 255, dtype=np.uint8)
    for x0, y0, x1, y1 in (detections.boxes_px / _DOWNSCALE).astype(int).tolist():
        background[y0 : y1 + 1, x0 : x1 + 1] = 0
    corners: NDArray[np.float32] | None = cv2.goodFeaturesToTrack(
        grey, _CORNERS, _QUALITY, _SPACING_PX, mask=background
    )
    return corners


def _place_matrix(similarity: NDArray[np.float64], camera: PinholeCamera) -> NDArray[np.float64]:
    """The similarity as a motion of places: it turns and shifts rays, and growing is nearing."""
    intrinsics = np.array([(camera.fx, 0, camera.cx), (0, camera.fy, camera.cy), (0, 0, 1)])
    pixels = np.eye(3)
    pixels[:2] = similarity
    scale = float(np.hypot(similarity[0, 0], similarity[1, 0]))
    matrix = np.eye(4)
    matrix[:3, :3] = np.linalg.solve(intrinsics, pixels @ intrinsics) / max(scale, 1e-6)
    return matrix
