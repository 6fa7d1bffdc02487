"""The Chamfer distance of two views."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from scenemind.reasoning.vlm_grounder.projection.chamfer import chamfer_m

ROW = np.column_stack((np.arange(20) * 0.01, np.zeros(20), np.zeros(20))).astype(np.float32)
ROW_TREE = cKDTree(ROW)
ALL, NONE = np.ones(20, np.bool_), np.zeros(20, np.bool_)


def test_two_rows_beside_each_other() -> None:
    beside = ROW + np.array([0.0, 0.05, 0.0], np.float32)
    assert chamfer_m(ROW_TREE, cKDTree(beside), ALL, ALL) == pytest.approx(0.05)


def test_what_the_other_cannot_see_does_not_count() -> None:
    bent = ROW.copy()
    bent[10:, 1] = 1.0
    half = np.arange(20) < 10
    assert chamfer_m(ROW_TREE, cKDTree(bent), half, half) == pytest.approx(0.0, abs=1e-6)
    assert chamfer_m(ROW_TREE, cKDTree(bent), ALL, ALL) > 0.2


def test_views_that_share_nothing_are_compared_as_they_are() -> None:
    beside = ROW + np.array([0.0, 0.05, 0.0], np.float32)
    assert chamfer_m(ROW_TREE, cKDTree(beside), NONE, NONE) == pytest.approx(0.05)
