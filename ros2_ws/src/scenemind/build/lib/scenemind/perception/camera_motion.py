"""The camera's motion between frames: from its poses, from the image, or none.

A motion moves places. A place is a homogeneous point (x, y, z, w) in the camera's frame with a free
scale: it is seen along the ray (x/z, y/z) at the inverse depth w/z. It needs no depth (w = 0 is
infinitely far: only rotation moves it), and it stays valid behind the camera.
"""

from __future__ import annotations

import logging
import math
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import TrackerConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.perception.types import Detections

_log = logging.getLogger(__name__)

Places = NDArray[np.float64]
_NEAREST = 0.1  # a place whose z falls below this share has passed the camera
# Largest motion of a hand-held or robot camera between two frames; a pose that moves farther was
# corrected (relocalisation, loop closure), and the camera itself did not jump.
_JUMP_M, _SPEED_M_S = 0.7, 5.0
_JUMP_RAD, _SPEED_RAD_S = 0.8, 10.0
_DOWNSCALE = 2
_CORNERS, _QUALITY, _SPACING_PX = 400, 0.01, 1.0
_FEWEST = 8  # corners that must be found again for a reliable estimate
Grey = NDArray[np.uint8]


class CameraMotion(Protocol):
    """Estimate of the camera's motion from frame to frame."""

    def advance(self, frame: RGBDFrame, detections: Detections, /) -> NDArray[np.float64]:
        """Motion of places since the frame of the last call; the identity for the first one.

        Returns:
            (4, 4) matrix from homogeneous camera coordinates (`Places`) of the last frame to those
            of this one.
        """
        ...


def make_camera_motion(config: TrackerConfig) -> CameraMotion:
    """The configured source of the camera's motion."""
    if config.camera_motion == "optical_flow":
        return OpticalFlowMotion()
    if config.camera_motion == "none":
        return NoMotion()
    return PoseMotion()


class PoseMotion:
    """The camera's motion from known poses: exact, in six degrees of freedom.

    Attributes:
        jumps: frames in which the pose moved farther than a camera can; they count as still.
    """

    def __init__(self) -> None:
        self.jumps = 0
        self._pose: Pose | None = None
        self._stamp_ns = 0

    def advance(self, frame: RGBDFrame, _detections: Detections, /) -> NDArray[np.float64]:
        """See `CameraMotion`: `current_T_previous`; the identity where the pose jumped."""
        previous, pose = self._pose, frame.world_T_camera
        # A late or repeated stamp is no jump: only the time between the frames counts.
        elapsed_s = abs(frame.stamp_ns - self._stamp_ns) / 1e9
        self._pose, self._stamp_ns = pose, frame.stamp_ns
        if previous is None:
            return np.eye(4)
        motion = pose.inverse() @ previous
        if _is_jump(motion, elapsed_s):
            self._report(frame, motion)
            return np.eye(4)
        return motion.matrix()

    def _report(self, frame: RGBDFrame, motion: Pose) -> None:
        self.jumps += 1
        if self.jumps == 1:
            _log.warning(
                "the pose of frame %d is %.2f m away from the last one's: treated as a correction"
                " of the pose; tracks keep their places in the image",
                frame.number,
                float(np.linalg.norm(motion.translation)),
            )


def _is_jump(motion: Pose, elapsed_s: float) -> bool:
    distance_m = math.hypot(*motion.translation)
    if distance_m > _JUMP_M + _SPEED_M_S * elapsed_s:
        return True
    # The angle is arccos((trace - 1) / 2); a limit beyond half a turn excludes nothing.
    limit_rad = min(_JUMP_RAD + _SPEED_RAD_S * elapsed_s, math.pi)
    r = motion.rotation
    return bool((r.trace() - 1.0) / 2.0 < math.cos(limit_rad) - 1e-9)


class OpticalFlowMotion:
    """A similarity transform of the image from sparse optical flow, as in BoT-SORT.

    Corners of the background are tracked, and a similarity is fitted with RANSAC (Aharon et al.
    2022, arXiv:2206.14651, section 3.2). For cameras with poor poses, and as a baseline.

    Attributes:
        failures: frames with too few corners; they count as still.
    """

    def __init__(self) -> None:
        self.failures = 0
        self._grey: Grey | None = None
        self._corners: NDArray[np.float32] | None = None

    def advance(self, frame: RGBDFrame, detections: Detections, /) -> NDArray[np.float64]:
        """See `CameraMotion`; the identity for the first image or one without corners."""
        grey = _small_grey(frame.color)
        similarity = self._similarity(grey)
        self._grey, self._corners = grey, _corners(grey, detections)
        return np.eye(4) if similarity is None else _place_matrix(similarity, frame.camera)

    def _similarity(self, grey: Grey) -> NDArray[np.float64] | None:
        """(2, 3) in pixels of the full image, from the last image to this one."""
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
    """Corners (K, 1, 2) in pixels of the small image, outside detections, which may move."""
    background = np.full(grey.shape, 255, dtype=np.uint8)
    for x0, y0, x1, y1 in (detections.boxes_px / _DOWNSCALE).astype(int).tolist():
        background[y0 : y1 + 1, x0 : x1 + 1] = 0
    corners: NDArray[np.float32] | None = cv2.goodFeaturesToTrack(
        grey, _CORNERS, _QUALITY, _SPACING_PX, mask=background
    )
    return corners


def _place_matrix(similarity: NDArray[np.float64], camera: PinholeCamera) -> NDArray[np.float64]:
    """The similarity as a motion (4, 4) of places: it moves rays, and growth means approach."""
    intrinsics = np.array([(camera.fx, 0, camera.cx), (0, camera.fy, camera.cy), (0, 0, 1)])
    pixels = np.eye(3)
    pixels[:2] = similarity
    scale = float(np.hypot(similarity[0, 0], similarity[1, 0]))
    matrix = np.eye(4)
    matrix[:3, :3] = np.linalg.solve(intrinsics, pixels @ intrinsics) / max(scale, 1e-6)
    return matrix


class NoMotion:
    """No compensation: boxes move by their own velocity only."""

    def advance(self, _frame: RGBDFrame, _detections: Detections, /) -> NDArray[np.float64]:
        """Always the identity (4, 4)."""
        return np.eye(4)


def places_at(
    centers_px: NDArray[np.float64], inverse_depth: NDArray[np.float64], camera: PinholeCamera
) -> Places:
    """Places (T, 4) with z = 1.

    Args:
        centers_px: (T, 2) in the image.
        inverse_depth: (T,) in 1/m; 0 where the depth is unknown.
        camera: intrinsics of the image.
    """
    places = np.empty((len(centers_px), 4))
    places[:, :2] = (centers_px - (camera.cx, camera.cy)) / (camera.fx, camera.fy)
    places[:, 2] = 1.0
    places[:, 3] = inverse_depth
    return places


def centers_of(places: Places, camera: PinholeCamera) -> NDArray[np.float64]:
    """Image positions (T, 2); undefined for places that are not in front of the camera."""
    z = np.maximum(places[:, 2:3], _NEAREST)
    centers: NDArray[np.float64] = places[:, :2] * (camera.fx, camera.fy) / z
    centers += (camera.cx, camera.cy)
    return centers


def are_in_front(places: Places) -> NDArray[np.bool_]:
    """Whether each place (T,) is in front of the camera."""
    return places[:, 2] > _NEAREST


def growth(before: Places, after: Places) -> NDArray[np.float64]:
    """Factor (T,) by which things look larger at the second place."""
    return np.maximum(before[:, 2], _NEAREST) / np.maximum(after[:, 2], _NEAREST)
