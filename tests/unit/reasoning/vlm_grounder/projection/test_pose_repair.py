"""Rigid motions from matched points."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from scenemind.geometry import Pose
from scenemind.memory import DepthImage
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.pose_repair import (
    FeatureMatcher,
    find_rigid,
    kabsch,
)
from tests.unit.reasoning.vlm_grounder.projection.scene import CAMERA


@given(st.integers(0, 2**31 - 1))
def test_kabsch_finds_the_motion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = Pose(Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3))
    points = rng.normal(size=(8, 3))
    found = kabsch(points, truth.transform(points))
    assert found.matrix() == pytest.approx(truth.matrix(), abs=1e-8)


@given(st.integers(0, 2**31 - 1))
def test_kabsch_mirrors_no_flat_things(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = Pose(Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3))
    flat = np.column_stack((rng.normal(size=(8, 2)), np.zeros(8)))
    found = kabsch(flat, truth.transform(flat))
    assert np.linalg.det(found.rotation) == pytest.approx(1.0)
    assert found.matrix() == pytest.approx(truth.matrix(), abs=1e-6)


def texture(seed: int) -> np.ndarray:
    """(H, W, 3): blots in random places."""
    coarse = np.random.default_rng(seed).integers(0, 256, (40, 54), np.uint8)
    fine = cv2.resize(coarse, (CAMERA.width, CAMERA.height), interpolation=cv2.INTER_CUBIC)
    return np.repeat(fine[..., None], 3, axis=2)


WALL = DepthImage(np.full((CAMERA.height, CAMERA.width), 2.0, np.float32), 1, CAMERA)
DARK = DepthImage(np.zeros((CAMERA.height, CAMERA.width), np.float32), 1, CAMERA)
EVERYWHERE = BoxMask(0, 0, np.ones((CAMERA.height, CAMERA.width), np.bool_))


def test_a_picture_that_was_shifted_was_taken_from_beside() -> None:
    """A wall at 2 m, moved by 26 pixels: by 0.2 m at a focal length of 260 pixels."""
    anchor = Pose(Rotation.from_euler("y", 0.3).as_matrix(), np.array([1.0, 2.0, 3.0]))
    found = FeatureMatcher(texture(1), EVERYWHERE, WALL).find_pose(
        np.roll(texture(1), -26, axis=1), WALL, anchor
    )
    assert found is not None
    pose, matches = found
    assert matches >= 50
    beside = anchor @ Pose(np.eye(3), np.array([0.2, 0.0, 0.0]))
    assert pose.distance_m(beside) < 0.01
    assert pose.angle_rad(beside) < 0.01


def test_matches_without_depth_or_of_another_place_are_no_pose() -> None:
    matcher, anchor = FeatureMatcher(texture(1), EVERYWHERE, WALL), Pose.identity()
    assert matcher.find_pose(texture(1), DARK, anchor) is None
    assert FeatureMatcher(texture(1), EVERYWHERE, DARK).find_pose(texture(1), DARK, anchor) is None
    assert matcher.find_pose(texture(2), WALL, anchor) is None
    assert matcher._matched(texture(2))[0] < 50 < matcher._matched(texture(1))[0]


def test_wrong_matches_are_found_out() -> None:
    rng = np.random.default_rng(5)
    truth = Pose(Rotation.from_euler("z", 0.4).as_matrix(), np.array([0.3, -0.1, 0.2]))
    source = rng.uniform(-1, 1, (80, 3))
    target = truth.transform(source) + rng.normal(0, 0.003, (80, 3))
    target[:30] = rng.uniform(-1, 1, (30, 3))
    found = find_rigid(source, target, reach_m=0.05, fewest=15)
    assert found is not None
    pose, fits = found
    assert pose.distance_m(truth) < 0.01
    assert pose.angle_rad(truth) < 0.01
    assert fits[30:].all()
    assert fits[:30].sum() <= 2


def test_too_few_matches_are_no_motion() -> None:
    rng = np.random.default_rng(6)
    assert find_rigid(rng.normal(size=(40, 3)), rng.normal(size=(40, 3)), 0.05, 15) is None
    assert find_rigid(np.zeros((2, 3)), np.zeros((2, 3)), 0.05, 2) is None
