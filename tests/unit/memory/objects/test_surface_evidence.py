"""The surface of one object: voxels, noise and fusion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scenemind.config import ObjectMapConfig
from scenemind.memory import SceneMemoryError
from scenemind.memory.objects.map_entry import MapEntry
from scenemind.memory.objects.surface_evidence import (
    DECAY_EVERY,
    VIEWS_A_HIT,
    YOUNG_VIEWS,
    NoiseOfViews,
    SurfaceEvidence,
    SurfaceView,
    add_views,
    cell_means,
    prominence,
    shared_surface,
    without_noise,
)
from tests.unit.memory.things import surface_points


def test_shared_surface_is_the_share_of_the_smaller_cloud() -> None:
    line = np.column_stack((np.arange(10.0), np.zeros(10), np.zeros(10))).astype(np.float32)
    assert shared_surface(line, line[:4], 0.1) == 1.0
    assert shared_surface(line[:4] + np.float32(7.0), line, 0.1) == 0.0
    moved = line[:4] + np.array([8.0, 0.0, 0.0], np.float32)  # x 8..11: two of four coincide
    assert shared_surface(moved, line, 0.1) == 0.5


def test_cell_means_are_those_of_each_voxel() -> None:
    points = np.array([[0.1, 0.1, 0.1], [1.5, 0.0, 0.0], [0.3, 0.1, 0.1]], np.float32)
    (keys, doubled), means = cell_means([points, 2.0 * points], [1.0, 2.0])
    assert (np.diff(keys) > 0).all()
    np.testing.assert_array_equal(doubled, keys)
    expected = np.array([[0.2, 0.1, 0.1], [1.5, 0.0, 0.0]])
    np.testing.assert_allclose(means, np.vstack((expected, 2.0 * expected)), atol=1e-6)


CELL_M = 0.03
ALONG_X = (1.0, 0.0, 0.0)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 1000), st.tuples(*[st.integers(0, 6)] * 3))
def test_prominence_is_that_of_brute_force(seed: int, reach: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(seed)
    index = np.unique(rng.integers(0, 12, (80, 3)), axis=0)
    weights = rng.uniform(0.1, 5.0, len(index)).astype(np.float32)
    steps = np.clip(reach, 1, 4)
    near = (np.abs(index[:, None] - index[None]) <= steps).all(axis=2)
    expected = weights / np.where(near, weights[None], 0.0).max(axis=1)
    found = prominence(index - 5, weights, np.array(reach, float))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_far_apart_voxels_are_each_prominent() -> None:
    index = np.array([[0, 0, 0], [1000, 700, 70]])
    np.testing.assert_array_equal(prominence(index, np.ones(2, np.float32), np.ones(3)), [1.0, 1.0])


def test_a_plane_that_is_all_noise_becomes_thin_and_keeps_its_sides() -> None:
    rng = np.random.default_rng(0)
    plane = rng.uniform(-0.3, 0.3, (2000, 3))
    plane[:, 0] = rng.normal(0.0, 0.03, 2000)
    weak = np.zeros(2000, np.float32)
    thin = without_noise(plane, np.ones(2000, np.float32), weak, np.array((9e-4, 0.0, 0.0)))
    assert np.ptp(thin[:, 0]) == pytest.approx(0.04, abs=0.008)
    np.testing.assert_allclose(thin[:, 1:], plane[:, 1:], atol=1e-6)


def test_a_prominent_point_is_no_noise() -> None:
    points = np.array([[0.0, 0, 0], [0.02, 0, 0], [0.1, 0, 0]], np.float32)
    firm = np.array((1.0, 0.0, 1.0), np.float32)
    left = without_noise(points, np.array((9.0, 9.0, 1.0), np.float32), firm, np.full(3, 1.0))
    assert left[2, 0] == pytest.approx(0.1)
    assert 0.0 < left[1, 0] < 0.02


def test_exact_points_stay_to_the_last_bit() -> None:
    points = surface_points((1.0, 2.0, 3.0), (0.08, 0.1, 0.1), 100, 0)
    weights = np.ones(len(points), np.float32)
    assert without_noise(points, weights, weights / 2, np.zeros(3)) is points


@pytest.mark.parametrize("distance_m", [1.5, 2.5, 3.5])
def test_a_picture_seen_with_the_noise_of_its_distance_is_about_as_thin_as_it_is(
    distance_m: float,
) -> None:
    rng = np.random.default_rng(1)
    sigma_m = 0.0018 * distance_m**2
    evidence = SurfaceEvidence(CELL_M, 2000)
    for seed in range(40):
        points = surface_points((0.0, 0.0, 1.5), (0.0, 0.6, 0.5), 300, seed)
        points[:, 0] += rng.normal(0.0, sigma_m, len(points)).astype(np.float32)
        add_views([evidence], [SurfaceView(points, True, sigma_m, ALONG_X)])
    size = np.ptp(evidence.surface(), axis=0)
    assert size[0] < 0.065
    np.testing.assert_allclose(size[1:], (0.6, 0.5), atol=0.03)


def test_a_flat_thing_seen_with_poses_that_shake_is_about_as_flat_as_it_is() -> None:
    """From the side, above and below its height in turn."""
    rng, true_m = np.random.default_rng(3), np.array((0.3, 0.2, 0.04))
    heights_m = []
    for shake_m in (0.0, 0.025):
        evidence = SurfaceEvidence(CELL_M, 2000)
        for seed in range(80):
            points = surface_points((0.0, 0.0, 0.8), tuple(true_m), 200, seed)
            points[:, 1:] += rng.normal(0.0, 0.025, 2).astype(np.float32)
            add_views([evidence], [SurfaceView(points, True, 0.002, ALONG_X, shake_m=shake_m)])
        size = np.ptp(evidence.surface(), axis=0)
        heights_m.append(size[2])
        assert size[0] == pytest.approx(true_m[0], abs=0.02)
    blurred, sharp = heights_m
    assert blurred > 0.1
    assert sharp < 0.07


def test_near_views_remove_the_margin_of_far_views_around_a_cup() -> None:
    rng = np.random.default_rng(2)
    evidence = SurfaceEvidence(CELL_M, 2000)
    for seed in range(60):
        sigma_m = 0.035 if seed < 40 else 0.004
        points = surface_points((0.0, 0.0, 1.0), (0.08, 0.08, 0.1), 120, seed)
        points[:, 0] += rng.normal(0.0, sigma_m, len(points)).astype(np.float32)
        add_views([evidence], [SurfaceView(points, True, sigma_m, ALONG_X)])
        if seed == 39:
            assert np.ptp(evidence.surface()[:, 0]) > 0.12
    np.testing.assert_allclose(np.ptp(evidence.surface(), axis=0), (0.08, 0.08, 0.1), atol=0.02)


def test_noise_goes_to_an_array_and_back() -> None:
    noise = NoiseOfViews()
    noise.add(0.02, ALONG_X)
    noise.add(0.01, (0.0, 0.6, 0.8))
    again = NoiseOfViews.from_array(noise.to_array())
    np.testing.assert_array_equal(again.to_array(), noise.to_array())
    # Weighted by the inverse variance, both views would add the same; each has half the weight.
    np.testing.assert_allclose(noise.reach_m() > 0.0, True)
    total = noise.along_axes_m2().sum()
    assert 1e-4 < total < 2.5e-4


def test_poses_that_shake_are_noise_across_the_ray() -> None:
    still, shaking = NoiseOfViews(), NoiseOfViews()
    for noise, shake_m in ((still, 0.0), (shaking, 0.03)):
        weight = noise.add(0.02, ALONG_X, shake_m)
    of_poses = np.array((0.0, 0.03**2, 0.03**2))
    more = shaking.to_array() - still.to_array()
    np.testing.assert_allclose(more, [0.0, 0.0, *np.tile([*of_poses, *weight * of_poses], 2)])
    shaking.absorb(still)
    np.testing.assert_allclose(shaking.to_array()[8:11], of_poses)


CELL_M_FUSION = 0.05


def feed(evidence: SurfaceEvidence, points: np.ndarray, whole: bool = True) -> None:
    """One view without noise."""
    add_views([evidence], [SurfaceView(points, whole, 0.0, ALONG_X)])


def cube_view(seed: int) -> np.ndarray:
    return surface_points((0.5, 0.5, 0.5), (1.0, 1.0, 1.0), 300, seed)


def test_a_first_view_is_the_surface() -> None:
    evidence = SurfaceEvidence(CELL_M_FUSION, 2000)
    feed(evidence, np.array([[0.01, 0.01, 0.01], [0.03, 0.01, 0.01], [0.2, 0.0, 0.0]], "f4"), True)
    # The first two share a voxel and become their mean.
    np.testing.assert_allclose(evidence.surface(), [[0.02, 0.01, 0.01], [0.2, 0.0, 0.0]], atol=1e-6)


def test_points_are_the_mean_of_the_samples_in_their_voxel() -> None:
    evidence = SurfaceEvidence(CELL_M_FUSION, 2000)
    for x in (0.01, 0.02, 0.03):
        feed(evidence, np.array([[x, 0.02, 0.02]], np.float32), True)
    np.testing.assert_allclose(evidence.surface(), [[0.02, 0.02, 0.02]], atol=1e-6)
    np.testing.assert_array_equal(evidence.hits, [3.0])


def test_a_leak_of_one_mask_fades_and_the_real_surface_stays() -> None:
    evidence = SurfaceEvidence(CELL_M_FUSION, 2000)
    leak = np.array([[3.0, 0.5, 0.5], [3.1, 0.5, 0.5]], np.float32)
    feed(evidence, np.vstack((cube_view(0), leak)), True)
    assert evidence.surface()[:, 0].max() > 3.0
    for seed in range(1, 2 * VIEWS_A_HIT):
        feed(evidence, cube_view(seed), True)
    assert evidence.surface()[:, 0].max() == pytest.approx(1.0, abs=1e-3)
    assert evidence.surface()[:, 0].min() == pytest.approx(0.0, abs=1e-3)


def test_truncated_views_grow_and_never_shrink() -> None:
    evidence = SurfaceEvidence(CELL_M_FUSION, 2000)
    feed(evidence, cube_view(0), True)
    far = np.array([[1.5, 0.5, 0.5]], np.float32)
    feed(evidence, far, False)
    for seed in range(1, 60):
        feed(evidence, cube_view(seed)[:50], False)
    assert evidence.surface()[:, 0].max() == pytest.approx(1.5)


def test_a_back_side_that_was_seen_in_a_few_frames_outlives_many_views_of_the_front() -> None:
    evidence = SurfaceEvidence(CELL_M_FUSION, 2000)
    whole = surface_points((0.0, 0.0, 0.0), (0.4, 0.4, 0.4), 100, 0)
    front = whole[whole[:, 0] < 0.1]
    for _ in range(6):
        feed(evidence, whole, True)
    for _ in range(5 * DECAY_EVERY):
        feed(evidence, front, True)
    assert evidence.surface()[:, 0].max() == pytest.approx(0.2, abs=1e-3)


def test_an_object_too_large_for_its_points_gets_a_coarser_grid_and_keeps_its_extent() -> None:
    evidence = SurfaceEvidence(CELL_M_FUSION, 400)
    for seed in range(20):
        feed(evidence, surface_points((0.0, 0.0, 0.0), (4.0, 3.0, 2.0), 400, seed), True)
    assert evidence.cell_m > CELL_M_FUSION
    assert len(evidence.keys) <= 400
    size = np.ptp(evidence.surface(), axis=0)
    np.testing.assert_allclose(size, (4.0, 3.0, 2.0), atol=evidence.cell_m)


def row(first: int, count: int) -> np.ndarray:
    """Points in the middle of neighbouring voxels along x."""
    return np.array([((n + 0.5) * CELL_M_FUSION, 0.02, 0.02) for n in range(first, first + count)])


def test_voxels_hit_most_stay_when_others_are_too_many() -> None:
    evidence = SurfaceEvidence(CELL_M_FUSION, 100)
    for _ in range(VIEWS_A_HIT + 1):
        feed(evidence, row(100, 60))
    feed(evidence, row(0, 80))  # seen once: these do not count yet
    feed(evidence, row(100, 60))
    np.testing.assert_array_equal(np.sort(evidence.hits), [1.0] * 40 + [VIEWS_A_HIT + 2.0] * 60)


def test_a_view_is_one_hit_also_where_the_grid_becomes_coarser() -> None:
    evidence = SurfaceEvidence(CELL_M_FUSION, 100)
    feed(evidence, row(0, 400))
    assert evidence.cell_m == 4 * CELL_M_FUSION
    np.testing.assert_array_equal(evidence.hits, [1.0] * 100)


def test_no_points_is_an_error() -> None:
    with pytest.raises(SceneMemoryError, match="without points"):
        feed(SurfaceEvidence(CELL_M_FUSION, 2000), np.zeros((0, 3), np.float32))


clouds = st.lists(
    hnp.arrays(
        np.float32, st.tuples(st.integers(1, 30), st.just(3)), elements=st.floats(-5, 5, width=32)
    ),
    min_size=1,
    max_size=12,
)


@settings(deadline=None, max_examples=60)
@given(clouds, st.booleans())
def test_voxels_stay_sorted_unique_bounded_and_within_the_samples(
    views: list[np.ndarray], whole: bool
) -> None:
    evidence = SurfaceEvidence(CELL_M_FUSION, 100)
    for view in views:
        feed(evidence, view, whole)
    assert (np.diff(evidence.keys) > 0).all()
    assert 0 < len(evidence.keys) <= 100
    assert evidence.points.shape == (len(evidence.keys), 3)
    assert evidence.hits.shape == evidence.keys.shape
    seen = np.vstack(views)
    assert (evidence.surface() >= seen.min(axis=0) - 1e-5).all()
    assert (evidence.surface() <= seen.max(axis=0) + 1e-5).all()


@settings(deadline=None, max_examples=60)
@given(clouds)
def test_restored_evidence_is_the_same_surface(views: list[np.ndarray]) -> None:
    """To within a voxel: a mean on the very border between two may join the other one."""
    evidence = SurfaceEvidence(CELL_M_FUSION, 100)
    for view in views[:YOUNG_VIEWS]:  # after these the surface is found less often
        feed(evidence, view, True)
    entry = MapEntry(1, ObjectMapConfig(voxel_m=CELL_M_FUSION, max_points=100), 0)
    entry.surface = evidence
    restored = SurfaceEvidence.restored(entry.to_record(), 100)
    before, after = evidence.surface(), restored.surface()
    apart = np.linalg.norm(before[:, None] - after[None, :], axis=2)
    assert apart.min(axis=0).max() <= evidence.cell_m
    assert apart.min(axis=1).max() <= evidence.cell_m


def test_a_few_views_are_sampled_evenly_and_tell_where_they_showed_each_voxel() -> None:
    surface = SurfaceEvidence(CELL_M, 2000)
    voxel = np.array([[0.01, 0.02, 0.01]], np.float32)
    for frame in range(100, 141):
        shaken = voxel + np.float32(0.0001 * (frame - 100))
        add_views([surface], [SurfaceView(shaken, True, 0.0, ALONG_X, frame=frame)])
    assert surface.sampled_frames == (100, 116, 132)
    assert len(surface.keys) == 1
    off = np.array([0.0, 0.0016, 0.0032])
    np.testing.assert_allclose(
        surface.shown_places()[0, :3], voxel + off[:, None], atol=CELL_M * 0.6 / 32 + 1e-6
    )
    assert surface.shown[0, 3] == 0


def test_sampled_places_stay_where_voxels_become_larger() -> None:
    rng = np.random.default_rng(2)
    surface = SurfaceEvidence(CELL_M, 60)
    cloud = rng.uniform(0.0, 0.3, (400, 3)).astype(np.float32)
    for frame in range(3):
        add_views([surface], [SurfaceView(cloud, True, 0.0, ALONG_X, frame=frame)])
    assert surface.cell_m > CELL_M
    shown = surface.shown > 0
    assert shown.any(axis=0).tolist() == [True, True, True, False]
    # The first view was known by fine voxels, the others by coarse ones.
    for view, cell_m in enumerate((CELL_M, surface.cell_m, surface.cell_m)):
        _, means = cell_means([cloud], [cell_m])
        places = surface.shown_places()[shown[:, view], view]
        gaps = np.linalg.norm(places[:, None] - means[None], axis=2).min(axis=1)
        assert gaps.max() < 2.0 * (0.6 / 32) * np.sqrt(3.0) * surface.cell_m
