"""Pose repair: the pose of another view by matched image features, where depth contradicts the
known pose (VLM-Grounder, section 3.4)."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.memory import DepthImage
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.target_view import StoredView, TakenView

_MOST_TRIES = 4  # each takes as long as ten views with good poses


class PoseRepair:
    """Registration of other views with the anchor.

    Attributes:
        repaired: frame numbers of registered views -> number of matched features.
    """

    def __init__(self, anchor: TakenView) -> None:
        self._anchor = anchor
        self._matcher: FeatureMatcher | None = None
        self._tries = 0
        self.repaired: dict[int, int] = {}

    def find_pose(self, stored: StoredView) -> Pose | None:
        """`world_T_camera` that registers a view with the anchor; None where it cannot be
        estimated."""
        if self._tries == _MOST_TRIES:
            return None
        self._tries += 1
        color = stored.as_frame().color
        found = self._get_matcher().find_pose(
            color, stored.depth, self._anchor.surface_view.world_T_camera
        )
        if found is None:
            return None
        pose, matches = found
        self.repaired[stored.frame.frame_number] = matches
        return pose

    def _get_matcher(self) -> FeatureMatcher:
        if self._matcher is None:
            stored = self._anchor.stored
            mask = self._anchor.surface_view.mask
            self._matcher = FeatureMatcher(stored.as_frame().color, mask, stored.depth)
        return self._matcher


MOST_MATCHES = 3000
FEWEST_MATCHES = 50  # inside the mask (the paper's code)
_FEWEST_FITTING = 15  # of those that have depth in both views
_DISTINCT = 0.8  # nearest over second nearest descriptor (Lowe 2004)
_REACH_M = 0.05
_SURROUND = 0.15  # of the mask's sides: features beside it hold a small thing's pose


class FeatureMatcher:
    """SIFT features of the anchor's mask.

    The paper matches with PATS, a network; SIFT needs no weights and no accelerator.
    """

    def __init__(self, color: NDArray[np.uint8], mask: BoxMask, depth: DepthImage) -> None:
        """Args: color: (H, W, 3) of the anchor."""
        self._sift = cv2.SIFT_create(MOST_MATCHES)
        self._depth = depth
        self._features = self._found(color, _dilated(mask, color.shape))

    def find_pose(
        self, color: NDArray[np.uint8], depth: DepthImage, world_T_anchor: Pose
    ) -> tuple[Pose, int] | None:
        """`world_T_camera` of another view, and the number of matched features; None where it
        cannot be estimated.

        Args:
            color, depth: of the other view.
        """
        matched, mine, there = self._matched(color)
        if matched < FEWEST_MATCHES:
            return None
        a, a_known = _points(mine, self._depth)
        b, b_known = _points(there, depth)
        known = a_known & b_known
        found = find_rigid(b[known], a[known], _REACH_M, _FEWEST_FITTING)
        if found is None:
            return None
        anchor_T_camera, _ = found
        return world_T_anchor @ anchor_T_camera, matched

    def _matched(
        self, color: NDArray[np.uint8]
    ) -> tuple[int, NDArray[np.float32], NDArray[np.float32]]:
        """The number of matches, with their pixels (M, 2) in the anchor and (M, 2) in the other
        view."""
        places, descriptors = self._features
        others, other_descriptors = self._found(color, None)
        if len(places) < 2 or len(others) < 2:
            return 0, places[:0], others[:0]
        pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(descriptors, other_descriptors, k=2)
        good = [first for first, second in pairs if first.distance < _DISTINCT * second.distance]
        mine = places[[match.queryIdx for match in good]]
        there = others[[match.trainIdx for match in good]]
        return len(good), mine, there

    def _found(
        self, color: NDArray[np.uint8], where: NDArray[np.uint8] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        gray = cv2.cvtColor(color, cv2.COLOR_RGB2GRAY)
        points, descriptors = self._sift.detectAndCompute(gray, where)
        if descriptors is None:
            return np.zeros((0, 2), np.float32), np.zeros((0, 128), np.float32)
        return np.array([point.pt for point in points], np.float32), descriptors


def _dilated(mask: BoxMask, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    height, width = mask.bits.shape
    image = np.zeros(shape[:2], np.uint8)
    image[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width] = mask.bits
    grown = round(_SURROUND * max(height, width))
    return np.asarray(cv2.dilate(image, np.ones((2 * grown + 1, 2 * grown + 1), np.uint8)))


def _points(
    pixels: NDArray[np.float32], depth: DepthImage
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Points (M, 3) in the camera frame at colour pixels (M, 2), and whether each has depth."""
    height, width = depth.depth_m.shape
    at = np.rint(pixels / depth.every_px).astype(np.intp)
    u, v = np.clip(at[:, 0], 0, width - 1), np.clip(at[:, 1], 0, height - 1)
    there_m = depth.depth_m[v, u]
    exact = pixels / depth.every_px
    return depth.camera.unproject(exact[:, 0], exact[:, 1], there_m), there_m > 0.0


_TRIES = 200
_SAMPLE = 3


def find_rigid(
    source: NDArray[np.floating], target: NDArray[np.floating], reach_m: float, fewest: int
) -> tuple[Pose, NDArray[np.bool_]] | None:
    """`target_T_source` by RANSAC over Kabsch, and whether each pair (N,) fits; None where too few
    do.

    Args:
        source, target: (N, 3), (N, 3), metres.
        reach_m: largest error of a pair that fits.
        fewest: pairs that must fit.
    """
    if len(source) < max(fewest, _SAMPLE):
        return None
    rng = np.random.default_rng(len(source))
    best = np.zeros(len(source), np.bool_)
    for _ in range(_TRIES):
        rows = rng.choice(len(source), _SAMPLE, replace=False)
        fits = _fits(kabsch(source[rows], target[rows]), source, target, reach_m)
        if fits.sum() > best.sum():
            best = fits
    if best.sum() < fewest:
        return None
    pose = kabsch(source[best], target[best])
    fits = _fits(pose, source, target, reach_m)
    return (pose, fits) if fits.sum() >= fewest else None


def kabsch(source: NDArray[np.floating], target: NDArray[np.floating]) -> Pose:
    """The motion `target_T_source` of least squares between points (N, 3) and (N, 3) (Kabsch 1976);
    for points on a line, one of several."""
    middle, aim = source.mean(axis=0), target.mean(axis=0)
    u, _, vt = np.linalg.svd((source - middle).T @ (target - aim))
    mirror = np.diag((1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T)) or 1.0))
    rotation = np.asarray(vt.T @ mirror @ u.T, np.float64)
    return Pose(rotation, np.asarray(aim - rotation @ middle, np.float64))


def _fits(
    pose: Pose, source: NDArray[np.floating], target: NDArray[np.floating], reach_m: float
) -> NDArray[np.bool_]:
    off = np.linalg.norm(pose.transform(source) - target, axis=1)
    fits: NDArray[np.bool_] = off <= reach_m
    return fits
