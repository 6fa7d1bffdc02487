"""The voxel evidence of one object: what counts, what fades, what is bounded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scenemind.config import ObjectMapConfig
from scenemind.memory import SceneMemoryError
from scenemind.memory.objects.fusion import (
    DECAY_EVERY,
    VIEWS_A_HIT,
    YOUNG_VIEWS,
    SurfaceEvidence,
)
from scenemind.memory.objects.map_entry import MapEntry
from tests.unit.memory.things import surface_points

CELL_M = 0.05
ALONG_X = np.array((1.0, 0.0, 0.0))


def feed(evidence: SurfaceEvidence, points: np.ndarray, whole: bool = True) -> None:
    """One view without noise."""
    evidence.add(points, whole, 0.0, ALONG_X)


def cube_view(seed: int) -> np.ndarray:
    return surface_points((0.5, 0.5, 0.5), (1.0, 1.0, 1.0), 300, seed)


def test_a_first_view_is_the_surface() -> None:
    evidence = SurfaceEvidence(CELL_M, 2000)
    feed(evidence, np.array([[0.01, 0.01, 0.01], [0.03, 0.01, 0.01], [0.2, 0.0, 0.0]], "f4"), True)
    # The first two share a voxel and become their mean.
    np.testing.assert_allclose(evidence.surface(), [[0.02, 0.01, 0.01], [0.2, 0.0, 0.0]], atol=1e-6)


def test_points_are_the_mean_of_what_was_seen_in_their_voxel() -> None:
    evidence = SurfaceEvidence(CELL_M, 2000)
    for x in (0.01, 0.02, 0.03):
        feed(evidence, np.array([[x, 0.02, 0.02]], np.float32), True)
    np.testing.assert_allclose(evidence.surface(), [[0.02, 0.02, 0.02]], atol=1e-6)
    np.testing.assert_array_equal(evidence.hits, [3.0])


def test_a_leak_of_one_mask_fades_and_the_real_surface_stays() -> None:
    evidence = SurfaceEvidence(CELL_M, 2000)
    leak = np.array([[3.0, 0.5, 0.5], [3.1, 0.5, 0.5]], np.float32)
    feed(evidence, np.vstack((cube_view(0), leak)), True)
    assert evidence.surface()[:, 0].max() > 3.0
    for seed in range(1, 2 * VIEWS_A_HIT):
        feed(evidence, cube_view(seed), True)
    assert evidence.surface()[:, 0].max() == pytest.approx(1.0, abs=1e-3)
    assert evidence.surface()[:, 0].min() == pytest.approx(0.0, abs=1e-3)


def test_truncated_views_grow_and_never_shrink() -> None:
    evidence = SurfaceEvidence(CELL_M, 2000)
    feed(evidence, cube_view(0), True)
    far = np.array([[1.5, 0.5, 0.5]], np.float32)
    feed(evidence, far, False)
    for seed in range(1, 60):
        feed(evidence, cube_view(seed)[:50], False)
    assert evidence.surface()[:, 0].max() == pytest.approx(1.5)


def test_a_back_side_that_was_seen_in_a_few_frames_outlives_many_views_of_the_front() -> None:
    evidence = SurfaceEvidence(CELL_M, 2000)
    whole = surface_points((0.0, 0.0, 0.0), (0.4, 0.4, 0.4), 100, 0)
    front = whole[whole[:, 0] < 0.1]
    for _ in range(6):
        feed(evidence, whole, True)
    for _ in range(5 * DECAY_EVERY):
        feed(evidence, front, True)
    assert evidence.surface()[:, 0].max() == pytest.approx(0.2, abs=1e-3)


def test_an_object_too_large_for_its_points_gets_a_coarser_grid_and_keeps_its_extent() -> None:
    evidence = SurfaceEvidence(CELL_M, 400)
    for seed in range(20):
        feed(evidence, surface_points((0.0, 0.0, 0.0), (4.0, 3.0, 2.0), 400, seed), True)
    assert evidence.cell_m > CELL_M
    assert len(evidence.keys) <= 400
    size = np.ptp(evidence.surface(), axis=0)
    np.testing.assert_allclose(size, (4.0, 3.0, 2.0), atol=evidence.cell_m)


def test_no_points_is_an_error() -> None:
    with pytest.raises(SceneMemoryError, match="without points"):
        SurfaceEvidence(CELL_M, 2000).add(np.zeros((0, 3), np.float32), True, 0.0, ALONG_X)


clouds = st.lists(
    hnp.arrays(
        np.float32, st.tuples(st.integers(1, 30), st.just(3)), elements=st.floats(-5, 5, width=32)
    ),
    min_size=1,
    max_size=12,
)


@settings(deadline=None, max_examples=60)
@given(clouds, st.booleans())
def test_voxels_stay_sorted_unique_bounded_and_within_what_was_seen(
    views: list[np.ndarray], whole: bool
) -> None:
    evidence = SurfaceEvidence(CELL_M, 100)
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
    evidence = SurfaceEvidence(CELL_M, 100)
    for view in views[:YOUNG_VIEWS]:  # after these the surface is found less often
        feed(evidence, view, True)
    entry = MapEntry(1, ObjectMapConfig(voxel_m=CELL_M, max_points=100), 0)
    entry.surface = evidence
    restored = SurfaceEvidence.restored(entry.to_record(), 100)
    before, after = evidence.surface(), restored.surface()
    apart = np.linalg.norm(before[:, None] - after[None, :], axis=2)
    assert apart.min(axis=0).max() <= evidence.cell_m
    assert apart.min(axis=1).max() <= evidence.cell_m
