"""Rigid motions from matched points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from scenemind.geometry import Pose
from scenemind.reasoning.vlm_grounder.projection.rigid import find_rigid, kabsch


@given(st.integers(0, 2**31 - 1))
def test_kabsch_finds_the_motion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = Pose(Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3))
    points = rng.normal(size=(8, 3))
    found = kabsch(points, truth.transform(points))
    assert found.matrix() == pytest.approx(truth.matrix(), abs=1e-8)


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
