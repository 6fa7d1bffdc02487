"""Simulated drives, by parameters and by name."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scenemind.frames import FrameError
from scenemind.frames.sequence import RecordedSequence, read_sequence
from scenemind.geometry import PinholeCamera
from scenemind.simulation import (
    Sensors,
    SimulatedSequence,
    SimulationError,
    StereoDepthNoise,
    make_room,
    open_source,
    simulate,
)
from scenemind.simulation.renderer import Renderer
from scenemind.simulation.trajectory import look
from tests.unit.simulation.old_frames import old_depth, old_poses

COUNT, SMALL = 12, Sensors(160, 120)
EXACT = replace(SMALL, depth_noise=0.0)


def test_simulated_drive_reads_as_a_recorded_sequence():
    sequence: RecordedSequence = simulate(3, COUNT, SMALL)
    frames = list(read_sequence(sequence))
    assert sequence.name == "simulated room (seed 3)"
    assert len(frames) == len(sequence) == 12
    assert [frame.number for frame in frames] == list(range(12))
    steps = np.diff([frame.stamp_ns for frame in frames])
    assert np.abs(steps - 1e9 / 30).max() < 1  # 30 Hz, in whole nanoseconds
    assert frames[0].depth_m.dtype == np.float32
    assert frames[0].instances is not None
    assert frames[0].instances.dtype == np.int32


def test_iterating_twice_gives_identical_frames():
    sequence = simulate(3, COUNT, SMALL)
    for a, b in zip(sequence, sequence, strict=True):
        np.testing.assert_array_equal(a.color, b.color)
        np.testing.assert_array_equal(a.depth_m, b.depth_m)
        np.testing.assert_array_equal(a.instances, b.instances)


def test_every_exact_pixel_lies_in_its_object_and_the_box_around_it():
    sequence = simulate(5, COUNT, EXACT)
    rows, columns = np.indices((120, 160))
    for frame in sequence:
        points = sequence.camera.unproject(columns.ravel(), rows.ravel(), frame.depth_m.ravel())
        world = frame.world_T_camera.transform(points)
        ids = frame.instances.ravel()
        for instance in np.unique(ids[ids > 0]):
            box = sequence.room.get_object(int(instance)).box
            assert box.contains(world[ids == instance], margin_m=2e-3).all()


def test_projected_corners_of_a_box_enclose_its_pixels():
    sequence = simulate(5, COUNT, EXACT)
    checked = 0
    for frame, item in itertools.product(sequence, sequence.room.objects):
        corners = frame.world_T_camera.inverse().transform(item.box.corners())
        rows, columns = np.nonzero(frame.instances == item.instance_id)
        if corners[:, 2].min() < 0.05 or len(rows) == 0:
            continue
        pixels, _ = sequence.camera.project(corners)
        low, high = pixels.min(axis=0) - 0.01, pixels.max(axis=0) + 0.01
        box = (columns.min(), rows.min()), (columns.max(), rows.max())
        assert (low <= box[0]).all()
        assert (box[1] <= high).all()
        checked += 1
    assert checked > 50


def test_noise_grows_with_the_square_of_the_distance():
    exact, noisy = simulate(2, COUNT, EXACT), simulate(2, COUNT, SMALL)
    errors, depths = [], []
    for a, b in zip(exact, noisy, strict=True):
        inner = (b.depth_m > 0) & (np.abs(b.depth_m - a.depth_m) < 0.2)
        errors.append((b.depth_m - a.depth_m)[inner])
        depths.append(a.depth_m[inner])
    error, depth = np.concatenate(errors), np.concatenate(depths)
    near, far = (depth > 1.4) & (depth < 1.6), (depth > 2.9) & (depth < 3.1)
    spread = [np.median(np.abs(error[part])) for part in (near, far)]
    assert spread[1] / spread[0] == pytest.approx(4.0, rel=0.15)
    assert abs(error.mean()) < 1e-3


def test_noise_comes_in_whole_millimetres_with_holes_at_edges():
    frame = next(iter(simulate(2, COUNT, SMALL)))
    millimetres = frame.depth_m * 1000.0
    np.testing.assert_allclose(millimetres, np.rint(millimetres), atol=2e-3)
    holes = np.mean(frame.depth_m == 0.0)
    assert 0.002 < holes < 0.2


def test_the_way_closes_and_moves_like_a_robot():
    sequence = simulate(1)
    poses = sequence.poses
    assert poses[0].distance_m(poses[-1]) < 1e-9
    assert poses[0].angle_rad(poses[-1]) < 1e-6
    for before, after in itertools.pairwise(poses):
        assert before.distance_m(after) * 30 < 1.5
        assert np.rad2deg(before.angle_rad(after)) * 30 < 100
    assert all(pose.translation[2] == pytest.approx(1.1) for pose in poses)


def test_the_way_shows_every_object():
    sequence = simulate(1, 60, Sensors(320, 240))
    seen = set().union(*(np.unique(frame.instances) for frame in sequence))
    assert seen >= set(sequence.class_names)


def test_a_camera_outside_the_room_is_an_error():
    renderer = Renderer(make_room(1), PinholeCamera(32, 24, 30.0, 30.0, 15.5, 11.5))
    with pytest.raises(SimulationError, match="not inside the room"):
        renderer.render(look(0.0, 0.0, 9.0, 0.0, 0.0))


def test_colors_of_plain_objects_show_in_the_image():
    sequence = simulate(1, COUNT, SMALL)
    room = sequence.room
    sums = np.zeros((len(room.objects) + 1, 3))
    counts = np.zeros(len(room.objects) + 1)
    for frame in sequence:
        ids = frame.instances.ravel()
        counts += np.bincount(ids, minlength=len(counts))
        for channel in range(3):
            weights = frame.color[..., channel].ravel()
            sums[:, channel] += np.bincount(ids, weights, minlength=len(counts))
    for item in room.objects:
        if item.plain and counts[item.instance_id] > 500:
            mean = sums[item.instance_id] / counts[item.instance_id]
            assert np.abs(mean - item.rgb).max() < 60, (item.label, item.color, mean)


@pytest.mark.parametrize("seed", [1, 4])
def test_a_default_drive_gives_the_frames_that_it_always_gave(seed):
    sequence = simulate(seed, COUNT, SMALL)
    renderer = Renderer(make_room(seed), sequence.camera)
    poses = old_poses(sequence.room, COUNT)
    for number, (frame, pose) in enumerate(zip(sequence, poses, strict=True)):
        ideal = renderer.render(pose)
        depth_m = old_depth(ideal.depth_m, np.random.default_rng((seed, number)))
        np.testing.assert_array_equal(frame.color, ideal.color)
        np.testing.assert_array_equal(frame.instances, ideal.instances)
        np.testing.assert_array_equal(frame.depth_m, depth_m)
        np.testing.assert_array_equal(frame.world_T_camera.matrix(), pose.matrix())


def simulated(name: str) -> SimulatedSequence:
    sequence = open_source(name)
    assert isinstance(sequence, SimulatedSequence)
    return sequence


@pytest.mark.parametrize(("name", "seed"), [("sim", 1), ("sim:", 1), ("sim:7", 7), ("sim:7:", 7)])
def test_simulated_rooms_have_a_seed(name: str, seed: int) -> None:
    sequence = simulated(name)
    assert sequence.room.seed == seed
    assert len(sequence) == 300
    assert sequence.name == f"simulated room (seed {seed})"
    assert sequence.path == Path(f"sim:{seed}")


def test_settings_come_after_the_seed() -> None:
    name = "sim:3:objects=40,loops=2,changes=3,odometry=0.5,depth=stereo"
    sequence = simulated(name)
    assert len(sequence.room.objects) == 40
    assert len(sequence) == 600
    assert len(sequence.changes) == 3
    assert sequence.poses[-1].distance_m(sequence.true_poses[-1]) > 1e-3
    assert sequence.depth_noise == StereoDepthNoise()
    assert sequence.path == Path(name)
    assert sequence.name.startswith("simulated room (seed 3, objects=40, loops=2, changes=3")


def test_the_name_of_a_simulated_drive_opens_it_again() -> None:
    drive = simulate(2, 600, Sensors(odometry_noise=1.0), objects=30, loops=2, changes=2)
    again = simulated(str(drive.path))
    assert again.room == drive.room
    assert again.changes == drive.changes
    assert again.poses[-1].distance_m(drive.poses[-1]) == 0.0


def test_frames_can_be_fewer() -> None:
    assert len(simulated("sim:1:frames=20,depth=exact")) == 20


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sim:one", "sim:1"),
        ("sim:1:objects", "whole number.*objects=50"),
        ("sim:1:loops=two", "loops=two.*whole number"),
        ("sim:1:odometry=bad", "odometry=bad.*amount"),
        ("sim:1:depth=best", "exact, simple, stereo"),
        ("sim:1:chairs=3", "chairs=3.*objects, loops, changes, frames, odometry, drift"),
        ("sim:1:objects=500", "20 to 60 objects, not 500"),
        ("sim:1:changes=2", "between loops"),
        ("sim:1:frames=0", "0 frames"),
    ],
)
def test_error_names_invalid_parameters(name: str, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        open_source(name)


def test_other_names_are_paths(tmp_path: Path) -> None:
    # Not everything that begins with sim is simulated.
    with pytest.raises(FrameError, match="simple"):
        open_source(str(tmp_path / "simple"))


@pytest.mark.parametrize("name", ["sim3", "sim-3", "sim_3"])
def test_a_name_nearly_of_a_simulated_room_gets_that_offered(name: str) -> None:
    with pytest.raises(SimulationError, match="did you mean sim:3"):
        open_source(name)


def test_a_later_drive_is_the_same_but_for_its_clock() -> None:
    now, later = open_source("sim:1:frames=3"), open_source("sim:1:frames=3,start=600")
    for one, other in zip(now, later, strict=True):
        assert other.stamp_ns - one.stamp_ns == 600_000_000_000
        assert np.array_equal(one.color, other.color)
