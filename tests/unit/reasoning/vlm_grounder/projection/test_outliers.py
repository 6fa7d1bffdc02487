"""Statistical outlier removal against Open3D's, and what the voxels before it do."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.reasoning.vlm_grounder.projection.fusion import Fused
from scenemind.reasoning.vlm_grounder.projection.outliers import (
    one_a_voxel,
    statistical_inliers,
    without_outliers,
)
from scenemind.reasoning.vlm_grounder.projection.surface import Surface


def clouds() -> dict[str, NDArray[np.float64]]:
    rng = np.random.default_rng(7)
    sides = rng.uniform(0, 1, 400), rng.uniform(0, 0.6, 400), rng.normal(0, 0.004, 400)
    ball = np.round(np.vstack((rng.normal(0, 0.05, (300, 3)), rng.uniform(-1, 1, (30, 3)))), 4)
    return {
        "sheet": np.round(np.column_stack(sides), 4),
        "ball in dust": ball,
        "twins": np.vstack((ball[:80], ball[:40], ball[:10], ball[:10], ball[:10])),
    }


# What open3d-cpu 0.20.0 removes of these clouds, by PointCloud.remove_statistical_outlier.
REMOVED_BY_OPEN3D = {
    ("sheet", 5, 1.0): (
        16,
        19,
        22,
        24,
        25,
        31,
        66,
        70,
        74,
        77,
        83,
        84,
        88,
        108,
        114,
        120,
        131,
        139,
        142,
        144,
        153,
        157,
        162,
        172,
        173,
        175,
        187,
        196,
        210,
        215,
        222,
        230,
        239,
        242,
        244,
        256,
        264,
        268,
        280,
        295,
        310,
        311,
        327,
        341,
        363,
        371,
        378,
        383,
    ),
    ("sheet", 8, 2.0): (
        4,
        16,
        24,
        25,
        77,
        83,
        120,
        139,
        157,
        187,
        196,
        222,
        242,
        259,
        280,
        295,
        327,
        363,
        378,
        394,
    ),
    ("ball in dust", 5, 1.0): (
        300,
        301,
        302,
        303,
        304,
        305,
        306,
        307,
        308,
        309,
        310,
        311,
        312,
        313,
        314,
        315,
        316,
        317,
        318,
        319,
        320,
        321,
        322,
        323,
        324,
        325,
        326,
        327,
        328,
        329,
    ),
    ("ball in dust", 8, 2.0): (
        300,
        301,
        302,
        303,
        304,
        306,
        307,
        308,
        309,
        310,
        311,
        312,
        313,
        314,
        315,
        316,
        317,
        318,
        319,
        320,
        321,
        322,
        323,
        324,
        325,
        326,
        327,
        328,
        329,
    ),
    ("twins", 5, 1.0): (
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        21,
        28,
        35,
        42,
        44,
        45,
        46,
        48,
        50,
        54,
        55,
        56,
        60,
        62,
        64,
        65,
        68,
        69,
        70,
        72,
        74,
        76,
        78,
        80,
        81,
        82,
        83,
        84,
        85,
        86,
        87,
        88,
        89,
        101,
        108,
        115,
        120,
        121,
        122,
        123,
        124,
        125,
        126,
        127,
        128,
        129,
        130,
        131,
        132,
        133,
        134,
        135,
        136,
        137,
        138,
        139,
        140,
        141,
        142,
        143,
        144,
        145,
        146,
        147,
        148,
        149,
    ),
    ("twins", 8, 2.0): (
        28,
        48,
        56,
        65,
        68,
        69,
        108,
    ),
}


@pytest.mark.parametrize(("case", "removed"), REMOVED_BY_OPEN3D.items())
def test_the_same_points_go_as_in_open3d(
    case: tuple[str, int, float], removed: tuple[int, ...]
) -> None:
    name, neighbors, deviations = case
    inliers = statistical_inliers(clouds()[name], neighbors, deviations)
    assert np.flatnonzero(~inliers).tolist() == list(removed)


def test_fewer_points_than_neighbours_all_stay() -> None:
    assert statistical_inliers(np.zeros((3, 3)), 5, 1.0).all()


def test_one_point_a_voxel_is_the_mean_of_its_points() -> None:
    points = np.array([[0, 0, 0], [0.01, 0, 0], [0.5, 0, 0]], np.float32)
    means, voxel_of = one_a_voxel(points, 0.1)
    assert voxel_of[0] == voxel_of[1] != voxel_of[2]
    assert means[voxel_of] == pytest.approx(
        np.array([[0.005, 0, 0], [0.005, 0, 0], [0.5, 0, 0]]), abs=1e-6
    )


def surface_of(points: NDArray[np.float64]) -> Surface:
    count = len(points)
    column = np.full(count, 0.002, np.float32)
    rays = np.tile(np.array([[1, 0, 0]], np.float32), (count, 1))
    return Surface(points.astype(np.float32), rays, column, column, column)


def plate_and_spike() -> NDArray[np.float64]:
    """A dense plate, and a single point above it."""
    grid = np.mgrid[0:40, 0:40].reshape(2, -1).T * 0.01
    plate = np.column_stack((grid, np.zeros(len(grid))))
    return np.vstack((plate, [[0.2, 0.2, 0.3]]))


def test_a_lone_point_goes() -> None:
    surface = surface_of(plate_and_spike())
    kept = without_outliers(Fused(surface, np.zeros(len(surface), np.bool_)), 5, 1.0)
    assert kept.points[:, 2].max() == 0.0


def test_a_lone_point_that_another_view_saw_stays() -> None:
    surface = surface_of(plate_and_spike())
    kept = without_outliers(Fused(surface, np.ones(len(surface), np.bool_)), 5, 1.0)
    assert kept.points[:, 2].max() == pytest.approx(0.3)
