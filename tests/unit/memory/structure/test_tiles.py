"""A bounded memory of surfaces: what is fused, kept apart, and forgotten."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.memory.structure import tiles as tiles_module
from scenemind.memory.structure.surface_samples import SurfaceSamples
from scenemind.memory.structure.tiles import DOWN, UP, Tiles

from .surfaces import level, tiles_of, upright


def samples(points, normals, weights=None) -> SurfaceSamples:
    points = np.asarray(points, np.float32).reshape(-1, 3)
    weights = np.ones(len(points)) if weights is None else np.asarray(weights)
    return SurfaceSamples(
        points, np.asarray(normals, np.float32).reshape(-1, 3), weights.astype(np.float32)
    )


def test_a_square_metre_is_a_hundred_tiles_however_often_it_is_seen():
    square = level((0.0, 1.0), (0.0, 1.0), 0.05)
    once, thrice = tiles_of(square), tiles_of(square, square, square)
    assert len(once) == len(thrice) == 100
    np.testing.assert_allclose(once.points, thrice.points, atol=1e-6)
    assert (once.facing == UP).all()


def test_a_tile_is_the_weighted_mean_of_what_was_seen_of_it():
    tiles = Tiles()
    up = (0.0, 0.0, 1.0)
    tiles.add(samples([(0.01, 0.02, 0.03), (0.05, 0.06, 0.07)], [up, up], [1.0, 0.5]))
    tiles.add(samples([(0.09, 0.02, 0.05)], [up], [0.5]))
    expected = (1.0 * 0.01 + 0.5 * 0.05 + 0.5 * 0.09) / 2.0
    assert tiles.points[0, 0] == pytest.approx(expected, abs=1e-6)
    assert tiles.weights.tolist() == [2.0]


def test_slanting_surfaces_are_left_out_and_both_faces_of_a_thin_wall_are_kept():
    slanting = samples([(0.0, 0.0, 0.0)], [(0.6, 0.0, 0.8)])
    assert len(tiles_of(slanting)) == 0
    wall = upright((0.0, 0.05), (1.0, 0.05), (0.0, 1.0))
    other = SurfaceSamples(wall.points, -wall.normals, wall.weights)
    both = tiles_of(wall, other)
    assert len(both) == 200
    assert set(np.round(both.normals[:, 1]).tolist()) == {-1.0, 1.0}
    assert not np.isin(both.facing, (UP, DOWN)).any()


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.floats(-3.0, 3.0, width=32)] * 3, st.sampled_from([-1.0, 1.0])),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 39),
)
def test_frames_may_be_added_in_one_or_in_two(places, cut):
    points = np.array([p[:3] for p in places], np.float32)
    normals = np.array([(0.0, 0.0, p[3]) for p in places], np.float32)
    whole = tiles_of(samples(points, normals))
    halves = tiles_of(samples(points[:cut], normals[:cut]), samples(points[cut:], normals[cut:]))
    assert whole.keys.tolist() == sorted(set(whole.keys.tolist())) == halves.keys.tolist()
    np.testing.assert_allclose(whole.points, halves.points, atol=1e-5)
    np.testing.assert_allclose(whole.weights, halves.weights, atol=1e-5)


def test_each_tile_lies_in_its_voxel():
    tiles = tiles_of(level((-1.0, 1.0), (-1.0, 1.0), -0.33), upright((-2, 3), (1, 4), (0.0, 2.0)))
    corner_m = tiles.voxels() * tiles_module.TILE_M
    assert (tiles.points >= corner_m - 1e-5).all()
    assert (tiles.points <= corner_m + tiles_module.TILE_M + 1e-5).all()


def test_there_are_never_too_many_and_those_seen_least_go(monkeypatch):
    monkeypatch.setattr(tiles_module, "MOST_TILES", 500)
    well = level((0.0, 1.0), (0.0, 1.0), 0.05)
    tiles = tiles_of(well, well, well)
    for far in range(1, 20):
        tiles.add(level((10.0 * far, 10.0 * far + 1.0), (0.0, 1.0), 0.05))
        assert len(tiles) <= 500
    assert np.count_nonzero(tiles.points[:, 0] < 1.0) == 100
