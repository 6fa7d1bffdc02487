"""Surface samples of depth images, and the tiles that collect them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import DepthConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.geometry.pose import poses_of
from scenemind.memory.frame_corrections import FrameCorrections, FrameTable
from scenemind.memory.structure import tiles as tiles_module
from scenemind.memory.structure.tiles import (
    DOWN,
    FARTHEST_M,
    UP,
    SurfaceSamples,
    Tiles,
    sample_surfaces,
)
from scenemind.simulation.trajectory import look
from tests.unit.memory.structure.surfaces import level, tiles_of, upright

CAMERA = PinholeCamera(160, 120, 130.0, 130.0, 79.5, 59.5)


def samples_of(frame: RGBDFrame, **settings_: float) -> SurfaceSamples:
    return sample_surfaces(frame, DepthConfig.model_validate(settings_))


def frame_of(depth_m: np.ndarray, pose: Pose, camera: PinholeCamera = CAMERA) -> RGBDFrame:
    color = np.zeros((camera.height, camera.width, 3), np.uint8)
    return RGBDFrame(0, 1, color, depth_m.astype(np.float32), camera, pose)


def see_plane(normal: np.ndarray, offset_m: float, pose: Pose) -> np.ndarray:
    """Depth (H, W) of the plane normal . p = offset in the world; 0 behind the camera."""
    v, u = np.mgrid[: CAMERA.height, : CAMERA.width]
    rays = np.stack(
        ((u - CAMERA.cx) / CAMERA.fx, (v - CAMERA.cy) / CAMERA.fy, np.ones(u.shape)), axis=-1
    )
    along = rays @ (pose.rotation.T @ normal)
    with np.errstate(divide="ignore"):
        depth_m = (offset_m - normal @ pose.translation) / along
    return np.where((depth_m > 0.0) & (depth_m < 100.0), depth_m, 0.0)


@settings(max_examples=40, deadline=None)
@given(
    yaw=st.floats(-3.1, 3.1),
    pitch=st.floats(-0.6, 0.6),
    tilt=st.floats(-0.7, 0.7),
    swing=st.floats(-0.7, 0.7),
    distance_m=st.floats(0.8, 4.0),
)
def test_samples_of_a_plane_lie_on_it_and_face_the_camera(yaw, pitch, tilt, swing, distance_m):
    pose = look(1.0, -2.0, 1.3, yaw, pitch)
    to_camera = pose.rotation @ np.array(
        [np.sin(swing), np.cos(swing) * np.sin(tilt), -np.cos(swing) * np.cos(tilt)]
    )
    offset_m = to_camera @ pose.translation - distance_m * -(to_camera @ pose.rotation[:, 2])
    samples = samples_of(frame_of(see_plane(to_camera, offset_m, pose), pose))
    assert len(samples.points) > 100
    np.testing.assert_allclose(samples.points @ to_camera, offset_m, atol=0.003)
    np.testing.assert_allclose(samples.normals @ to_camera, 1.0, atol=1e-3)


def test_noise_of_a_depth_camera_leaves_normals_within_a_few_degrees():
    pose = look(0.0, 0.0, 1.2, 0.3, 0.0)
    forward = pose.rotation[:, 2]
    camera = PinholeCamera(640, 480, 520.0, 520.0, 319.5, 239.5)
    noise = np.random.default_rng(0).standard_normal((480, 640))
    samples = samples_of(frame_of(3.0 + 0.0025 * 3.0**2 * noise, pose, camera))
    off_deg = np.degrees(np.arccos(np.clip(-samples.normals @ forward, -1.0, 1.0)))
    assert len(samples.points) > 2000
    assert np.median(off_deg) < 4.0
    assert np.mean((samples.points - pose.translation) @ forward) == pytest.approx(3.0, abs=0.005)


def test_edges_and_unmeasured_pixels_give_no_samples():
    pose = look(0.0, 0.0, 1.2, 0.0, 0.0)
    step = np.full((120, 160), 2.0)
    step[:, 80:] = 3.0
    samples = samples_of(frame_of(step, pose))
    assert set(np.round(samples.points[:, 0], 3).tolist()) == {2.0, 3.0}
    for nothing in (0.0, np.nan, np.inf, FARTHEST_M + 1.0, -1.0):
        assert len(samples_of(frame_of(np.full((120, 160), nothing), pose)).points) == 0


def test_only_the_configured_range_counts():
    frame = flat_wall(160, 120)  # at 2 m
    assert len(samples_of(frame, max_m=2.5).points) > 0
    assert len(samples_of(frame, max_m=1.5).points) == 0
    assert len(samples_of(frame, min_m=2.5).points) == 0


@pytest.mark.parametrize("size", [(63, 47), (1280, 720), (321, 40), (8, 6)])
def test_any_image_size_will_do(size):
    points = samples_of(flat_wall(*size)).points
    assert len(points) > 0
    assert np.allclose(points[:, 0], 2.0, atol=1e-5)


@pytest.mark.parametrize("size", [(321, 7), (2, 2), (1, 1)])
def test_images_of_a_few_rows_show_no_planes(size):
    assert len(samples_of(flat_wall(*size)).points) == 0


def flat_wall(width: int, height: int) -> RGBDFrame:
    """2 m before a camera that looks along x."""
    camera = PinholeCamera(width, height, width * 0.8, width * 0.8, width / 2, height / 2)
    return frame_of(np.full((height, width), 2.0), look(0, 0, 1, 0, 0), camera)


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


def test_tile_is_the_weighted_mean_of_its_samples():
    tiles = Tiles()
    up = (0.0, 0.0, 1.0)
    tiles.add(samples([(0.01, 0.02, 0.03), (0.05, 0.06, 0.07)], [up, up], [1.0, 0.5]), 0)
    tiles.add(samples([(0.09, 0.02, 0.05)], [up], [0.5]), 0)
    expected = (1.0 * 0.01 + 0.5 * 0.05 + 0.5 * 0.09) / 2.0
    assert tiles.points[0, 0] == pytest.approx(expected, abs=1e-6)
    assert tiles.weights.tolist() == [2.0]


def test_tile_follows_what_was_seen_last_however_long_it_was_known():
    tiles, up = Tiles(), (0.0, 0.0, 1.0)
    for height in [0.02] * 1000 + [0.08] * 60:
        tiles.add(samples([(0.05, 0.05, height)], [up]), 0)
    assert tiles.points[0, 2] == pytest.approx(0.08, abs=0.01)


def test_tile_moves_as_the_frames_whose_mean_it_is() -> None:
    """Odometry rises by a millimetre a frame; the floor is at 0.005 m."""
    tiles, up, frames = Tiles(), (0.0, 0.0, 1.0), range(0, 81, 4)
    drifted = np.tile(np.eye(4), (81, 1, 1))
    drifted[:, 2, 3] = 0.001 * np.arange(81)
    for number in frames:
        height = 0.005 + drifted[number, 2, 3]
        tiles.add(samples([(0.05, 0.05, height)], [up], [0.5]), number)
    assert tiles.points[0, 2] == pytest.approx(0.045, abs=1e-5)
    stamps = np.arange(81) * 33_000_000
    poses = FrameTable(np.arange(81), stamps, poses_of(drifted))
    right = [Pose.identity()] * 81
    moved = tiles.corrected(FrameCorrections.of_stamps(poses, stamps, right))
    assert moved.points[0, 2] == pytest.approx(0.005, abs=1e-4)


def test_what_a_tile_forgets_moves_it_no_more() -> None:
    tiles, up = Tiles(), (0.0, 0.0, 1.0)
    for number in range(3000):
        tiles.add(samples([(0.05, 0.05, 0.05)], [up]), number)
    ((first, last),) = tiles.frames.tolist()
    assert last == 2999
    assert first > 2900


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


def test_tiles_are_bounded_and_those_seen_least_are_dropped(monkeypatch):
    monkeypatch.setattr(tiles_module, "MOST_TILES", 500)
    well = level((0.0, 1.0), (0.0, 1.0), 0.05)
    tiles = tiles_of(well, well, well)
    for far in range(1, 20):
        tiles.add(level((10.0 * far, 10.0 * far + 1.0), (0.0, 1.0), 0.05), 0)
        assert len(tiles) <= 500
        assert tiles.keys.tolist() == sorted(tiles.keys.tolist())
    assert np.count_nonzero(tiles.points[:, 0] < 1.0) == 100
