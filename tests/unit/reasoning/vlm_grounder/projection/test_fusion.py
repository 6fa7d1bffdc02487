"""Surfaces of several views made one: votes, outliers, parts, the box around."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.fusion import (
    Agreement,
    Fused,
    SurfaceView,
    agreement,
    box_around,
    fused,
    in_sure_parts,
    one_a_voxel,
    statistical_inliers,
    without_outliers,
)
from scenemind.reasoning.vlm_grounder.projection.surface import Surface, cleaned, find_surface
from tests.unit.reasoning.vlm_grounder.projection.scene import BLOCK, CAMERA, film, looking

LEFT, RIGHT, FAR = looking(0.6, 0.8, 1.4), looking(0.6, -0.8, 1.4), looking(-1.0, 1.7, 2.5)


def view_from(pose: Pose) -> SurfaceView:
    depth, mask = film(pose)
    clean = cleaned(mask, CAMERA.width, 7, 2)
    surface = find_surface(clean, depth, pose)
    assert surface is not None
    return SurfaceView(depth, pose, clean.mask, surface)


def test_a_view_that_is_there_twice_adds_nothing() -> None:
    once, twice = fused([view_from(LEFT)]), fused([view_from(LEFT), view_from(LEFT)])
    assert len(twice.surface) <= len(once.surface)
    assert len(twice.surface) > 0.95 * len(once.surface)
    assert not once.confirmed.any()
    assert twice.confirmed.mean() > 0.95


def test_each_side_comes_from_the_view_that_sees_it() -> None:
    union = fused([view_from(LEFT), view_from(RIGHT)]).surface
    low, high = BLOCK.bounds()
    assert union.points[:, 1].min() < low[1] + 0.02
    assert union.points[:, 1].max() > high[1] - 0.02


def test_a_far_view_adds_nothing_to_a_near_view() -> None:
    near, far = view_from(LEFT), view_from(FAR)
    union = fused([near, far]).surface
    assert len(union) < len(near.surface) + 0.2 * len(far.surface)


def test_points_that_others_look_through_go() -> None:
    left, right = view_from(LEFT), view_from(RIGHT)
    flying = left.surface.points.copy()
    flying[:50] = (1.3, 0.0, 0.9)  # in the air before the block
    surface = type(left.surface)(
        flying,
        left.surface.rays,
        left.surface.sigma_m,
        left.surface.smoothed_sigma_m,
        left.surface.half_m,
    )
    bad = SurfaceView(left.depth, LEFT, left.mask, surface)
    union = fused([bad, right]).surface
    assert (union.points[:, 0] > 1.5).all()


def test_points_are_seen_hidden_or_looked_through() -> None:
    depth, mask = film(LEFT)
    middle = np.array(BLOCK.center, np.float32)
    front = np.array([1.8, 0.0, 0.5], np.float32)
    before = front + 0.4 * (LEFT.translation - front)
    points = np.stack((front, middle, before, (-5.0, 0.0, 0.5))).astype(np.float32)
    there = agreement(points, 0.0, depth, LEFT, mask)
    assert there.seen.tolist() == [True, False, False, False]
    assert there.through.tolist() == [False, False, True, False]
    assert there.in_mask[:2].all()


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


def test_points_that_another_view_sees_outside_its_mask_go() -> None:
    left, right = view_from(LEFT), view_from(RIGHT)
    nothing = BoxMask(0, 0, np.zeros((1, 1), np.bool_))
    none = right.surface.select(np.zeros(len(right.surface), np.bool_))
    union = fused([left, SurfaceView(right.depth, RIGHT, nothing, none)]).surface
    assert 0 < len(union) < len(left.surface)
    side_y = BLOCK.bounds()[1][1]  # the side that is hidden there
    assert (left.surface.points[:, 1] > side_y - 0.03).mean() < 0.6
    assert (union.points[:, 1] > side_y - 0.03).mean() > 0.8


@pytest.mark.parametrize(
    ("through", "seen", "contradicts"),
    [(12, 2, False), (18, 2, True), (10, 10, False), (0, 40, False), (40, 0, True)],
)
def test_a_pose_is_contradicted_by_most_of_at_least_twenty_points(
    through: int, seen: int, contradicts: bool
) -> None:
    number = np.arange(60)
    no = np.zeros(60, np.bool_)
    there = Agreement(number < seen, no, number >= 60 - through, np.zeros(60, np.float32))
    assert there.contradicts_pose == contradicts


@given(
    st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=4, max_size=12, unique=True),
    st.integers(2, 4),
    st.sampled_from([0.3, 0.7, 1.0, 1.6]),
)
def test_statistical_inliers_are_those_of_their_definition(
    points: list[tuple[int, int, int]], neighbors: int, deviations: float
) -> None:
    cloud = np.array(points, np.float64)
    distances = np.sort(np.linalg.norm(cloud[:, None] - cloud[None], axis=2), axis=1)
    mean = distances[:, :neighbors].mean(axis=1)
    below = mean.mean() + deviations * mean.std(ddof=1) - mean
    clear = np.abs(below) > 1e-9
    found = statistical_inliers(cloud, neighbors, deviations)
    assert (found == (below > 0.0))[clear].all()


def patches(points: list[tuple[float, ...]], rays: list[tuple[float, ...]]) -> Surface:
    """Patches of 0.2 m, 0.01 m of noise."""
    one = np.ones(len(points), np.float32)
    return Surface(
        np.array(points, np.float32), np.array(rays, np.float32), one, 0.01 * one, 0.1 * one
    )


def test_a_box_grows_by_patches_across_the_rays_and_shrinks_by_noise_along_them() -> None:
    ahead = patches([(1, 2, 3), (2, 2, 3)], [(1, 0, 0), (1, 0, 0)])
    low, high = box_around(ahead).bounds()
    assert low == pytest.approx((1.025, 1.9, 2.9))
    assert high == pytest.approx((1.975, 2.1, 3.1))
    aslant = patches([(1, 2, 3), (2, 3, 3)], [(0.6, 0.8, 0), (0.6, 0.8, 0)])
    low, high = box_around(aslant).bounds()
    assert low == pytest.approx((1 - 0.08 + 0.015, 2 - 0.06 + 0.02, 2.9))
    assert high == pytest.approx((2 + 0.08 - 0.015, 3 + 0.06 - 0.02, 3.1))


def test_a_surface_thinner_than_its_noise_is_flat_in_its_middle() -> None:
    low, high = box_around(patches([(1, 2, 3), (1.01, 2, 3)], [(1, 0, 0)] * 2)).bounds()
    assert (low[0] + high[0]) / 2 == pytest.approx(1.005)
    assert high[0] - low[0] < 0.01


def test_parts_nearer_than_a_tenth_of_the_whole_belong_together() -> None:
    pole = [(0.0, 0.0, z) for z in np.linspace(0.0, 1.8, 181)]
    lamp = np.array([*pole, *((0.0, 0.0, z) for z in np.linspace(1.95, 2.0, 5))], np.float32)
    assert in_sure_parts(lamp, np.zeros(len(lamp), np.bool_), 0.05).all()


@pytest.mark.parametrize(("sure", "stays"), [(0, False), (2, False), (3, True), (5, True)])
def test_a_small_part_stays_if_most_of_it_is_confirmed(sure: int, stays: bool) -> None:
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 11)] * 3), -1).reshape(-1, 3)
    clump = np.tile((2.0, 2.0, 2.0), (5, 1))
    confirmed = np.arange(len(grid) + 5) >= len(grid) + 5 - sure
    found = in_sure_parts(np.vstack((grid, clump)).astype(np.float32), confirmed, 0.1)
    assert found[: len(grid)].all()
    assert (found[len(grid) :] == stays).all()
