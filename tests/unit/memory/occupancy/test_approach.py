"""Where to stand before a table, a thing, a wall; and reasons where there is nowhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, SceneMemoryError
from scenemind.memory.occupancy.approach import (
    ApproachError,
    ApproachPose,
    Robot,
    approach_poses,
)
from scenemind.memory.occupancy.grid import FREE, OCCUPIED, UNKNOWN, OccupancyGrid
from tests.unit.memory import things

from .scenes import CAMERA, PITCH_RAD

SIZE = 120  # cells: 6 m
TABLE = Box3D((3.0, 3.0, 0.375), (1.2, 0.8, 0.75))


def floor(*boxes: Box3D) -> OccupancyGrid:
    """6 x 6 m of free floor from (0, 0), with things on it."""
    data = np.full((SIZE, SIZE), FREE, np.int8)
    top_m = np.zeros((SIZE, SIZE), np.float32)
    for box in boxes:
        x0, y0, _, x1, y1, z1 = box.extent()
        at = slice(round(y0 / 0.05), round(y1 / 0.05)), slice(round(x0 / 0.05), round(x1 / 0.05))
        data[at], top_m[at] = OCCUPIED, z1
    return OccupancyGrid(0.05, (0.0, 0.0), data, top_m, 0.0)


def make_object(object_id: int, label: str, box: Box3D) -> MapObject:
    return things.thing(object_id, label, box.center, box.size, box.yaw)


def gap_m(pose: ApproachPose, box: Box3D) -> float:
    """From the pose to the nearest side of an axis-aligned box."""
    x0, y0, _, x1, y1, _ = box.extent()
    return float(np.hypot(max(x0 - pose.x, 0.0, pose.x - x1), max(y0 - pose.y, 0.0, pose.y - y1)))


def test_robot_stands_beside_a_table_at_its_distance_and_faces_it():
    table = make_object(1, "table", TABLE)
    poses = approach_poses(table, [table], floor(TABLE), Robot(0.25), "reach")
    assert len(poses) == 5
    for pose in poses:
        assert 0.3 <= gap_m(pose, TABLE) <= 0.4
        assert pose.stand_off_m == pytest.approx(gap_m(pose, TABLE) - 0.25)
        assert pose.yaw == pytest.approx(np.arctan2(3.0 - pose.y, 3.0 - pose.x))
        assert pose.visible == 1.0


def test_poses_to_look_show_the_thing_in_the_camera_s_image():
    box = Box3D((3.0, 3.0, 0.1), (0.2, 0.2, 0.2))
    robot = Robot(0.25, camera=CAMERA, eye_m=1.1, pitch_rad=PITCH_RAD)
    thing = make_object(1, "box", box)
    best = approach_poses(thing, [thing], floor(box), robot)[0]
    # The lower edge of the image is 48 degrees below the horizon: the thing is in it from 1 m on.
    lowest = np.arctan2(1.1, gap_m(best, box))
    assert lowest < -PITCH_RAD + np.arctan2(119.5, 280.0)


def test_poses_are_where_nothing_hides_the_thing():
    screen = Box3D((2.0, 3.0, 0.8), (0.1, 3.0, 1.6))  # high, west of the thing
    box = Box3D((3.0, 3.0, 0.5), (0.3, 0.3, 1.0))
    thing = make_object(1, "box", box)
    for others in ([thing], [thing, make_object(2, "screen", screen)]):
        grid = floor(box, screen) if len(others) == 1 else floor(box)
        poses = approach_poses(thing, others, grid, Robot(0.25), "look", 0.9, 20)
        assert all(pose.x > 2.0 for pose in poses)


def test_low_things_hide_nothing_that_is_higher():
    bench = Box3D((2.0, 3.0, 0.2), (0.4, 6.0, 0.4))
    box = Box3D((3.0, 3.0, 0.9), (0.3, 0.3, 0.4))
    thing = make_object(1, "box", box)
    poses = approach_poses(thing, [thing], floor(bench), Robot(0.25), "look", 0.9, 40)
    assert any(pose.x < 1.8 and pose.visible == 1.0 for pose in poses)


def test_only_places_that_the_robot_can_get_to_count():
    wall = Box3D((1.5, 3.0, 0.3), (0.1, 6.0, 0.6))
    thing = make_object(1, "table", TABLE)
    at_west = Robot(0.25, place=(0.7, 1.0))
    with pytest.raises(ApproachError, match="no way there from the robot"):
        approach_poses(thing, [thing], floor(TABLE, wall), at_west, "reach")
    at_east = Robot(0.25, place=(5.0, 1.0))
    poses = approach_poses(thing, [thing], floor(TABLE, wall), at_east, "reach", None, 20)
    assert all(pose.x > 1.8 for pose in poses)


def test_unknown_floor_is_no_place_to_stand_and_the_error_says_so():
    grid = floor(TABLE)
    grid.data[grid.data == FREE] = UNKNOWN
    thing = make_object(1, "table", TABLE)
    with pytest.raises(ApproachError, match=r"table 1.* 0% was seen free, .* was not seen"):
        approach_poses(thing, [thing], grid, Robot(0.25))


def test_thing_that_is_hidden_from_everywhere_is_said_to_be():
    sides = [(2.4, 3.0, 0.1, 1.3), (3.6, 3.0, 0.1, 1.3), (3.0, 2.4, 1.3, 0.1), (3.0, 3.6, 1.3, 0.1)]
    walls = [Box3D((x, y, 0.8), (length, width, 1.6)) for x, y, length, width in sides]
    box = Box3D((3.0, 3.0, 0.5), (0.3, 0.3, 0.6))
    thing = make_object(1, "box", box)
    with pytest.raises(ApproachError, match="hides it"):
        approach_poses(thing, [thing], floor(box, *walls), Robot(0.25))


@pytest.mark.parametrize(
    ("robot", "stand_off_m", "count"),
    [(Robot(0.0), 0.5, 1), (Robot(float("nan")), 0.5, 1), (Robot(), -1.0, 1), (Robot(), 0.5, 0)],
)
def test_numbers_that_cannot_be_are_refused(robot: Robot, stand_off_m: float, count: int):
    thing = make_object(1, "table", TABLE)
    with pytest.raises(SceneMemoryError, match="finite lengths"):
        approach_poses(thing, [thing], floor(TABLE), robot, "look", stand_off_m, count)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 0.5))
def test_no_pose_is_within_the_radius_of_what_is_not_free(seed: int, radius_m: float):
    rng = np.random.default_rng(seed)
    grid = floor(TABLE)
    for row, column in rng.integers(0, SIZE, (25, 2)):
        grid.data[row : row + 3, column : column + 3] = rng.choice((OCCUPIED, UNKNOWN))
    others: list[MapObject] = [
        make_object(
            2 + number, "box", Box3D((float(x), float(y), 0.3), (0.3, 0.2, 0.6), float(yaw))
        )
        for number, (x, y, yaw) in enumerate(rng.uniform(0.0, 6.0, (4, 3)))
    ]
    thing = make_object(1, "table", TABLE)
    try:
        poses = approach_poses(thing, [thing, *others], grid, Robot(radius_m), "reach", None, 20)
    except ApproachError:
        return
    barred = grid.centers_of(np.argwhere(grid.data != FREE))
    for pose in poses:
        assert np.abs(barred - (pose.x, pose.y)).max(axis=1).min() >= radius_m / np.sqrt(2.0)
        assert np.linalg.norm(barred - (pose.x, pose.y), axis=1).min() >= radius_m
        assert pose.yaw == pytest.approx(np.arctan2(3.0 - pose.y, 3.0 - pose.x))
        for other in others:
            inside = other.box.footprint()
            ends = np.roll(inside, -1, axis=0)
            along = np.linspace(0.0, 1.0, 50)[:, None, None]
            edge = (inside + along * (ends - inside)).reshape(-1, 2)
            assert np.linalg.norm(edge - (pose.x, pose.y), axis=1).min() >= radius_m
