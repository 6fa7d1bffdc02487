"""Viewpoints from poses, from places, and before a thing whose back is at a wall."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.geometry import Box3D, Pose
from scenemind.memory.graph.relations.viewpoint import Viewpoint, facing, fronts

NORTH_WALL = Box3D((0.0, 3.05, 1.25), (6.0, 0.1, 2.5))
WEST_WALL = Box3D((-3.05, 0.0, 1.25), (0.1, 6.0, 2.5))
SHELF = Box3D((0.0, 2.8, 1.0), (1.2, 0.4, 2.0))  # at the north wall


def test_a_body_looks_along_its_x_and_a_camera_along_its_z() -> None:
    body = Viewpoint.of_body(Pose.identity())
    np.testing.assert_allclose(body.ahead, (1.0, 0.0))
    np.testing.assert_allclose(body.right, (0.0, -1.0))
    looking_along_y = np.column_stack(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)))
    camera = Viewpoint.of_camera(Pose(looking_along_y, np.array((1.0, 2.0, 3.0))))
    np.testing.assert_allclose(camera.ahead, (0.0, 1.0))
    np.testing.assert_allclose(camera.position, (1.0, 2.0, 3.0))


def test_a_camera_that_looks_straight_down_heads_where_its_top_points() -> None:
    down = np.column_stack(((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)))
    camera = Viewpoint.of_camera(Pose(down, np.zeros(3)))
    np.testing.assert_allclose(camera.ahead, (0.0, 1.0))


def test_a_shelf_faces_away_from_its_wall() -> None:
    (front,) = fronts(SHELF, [WEST_WALL, NORTH_WALL])
    np.testing.assert_allclose(front.ahead, (0.0, -1.0))
    assert front.wall_gap_m == pytest.approx(0.0, abs=1e-9)


def test_facing_a_shelf_is_to_stand_before_it_and_look_at_it() -> None:
    (front,) = fronts(SHELF, [NORTH_WALL])
    viewer = facing(SHELF, front)
    np.testing.assert_allclose(viewer.ahead, (0.0, 1.0))
    assert viewer.position[0] == SHELF.center[0]
    assert viewer.position[1] < SHELF.center[1] - 1.5


def test_in_a_corner_the_longer_side_is_the_likelier_back() -> None:
    shelf = Box3D((-2.4, 2.8, 1.0), (1.2, 0.4, 2.0))
    north, west = fronts(shelf, [WEST_WALL, NORTH_WALL])
    np.testing.assert_allclose(north.ahead, (0.0, -1.0))
    np.testing.assert_allclose(west.ahead, (1.0, 0.0))


@pytest.mark.parametrize(
    "thing",
    [
        Box3D((0.0, 0.0, 0.5), (1.0, 0.5, 1.0)),  # in the open
        Box3D((0.0, 2.8, 1.0), (1.2, 0.4, 2.0), np.pi / 4),  # askew
        Box3D((4.5, 2.8, 1.0), (1.2, 0.4, 2.0)),  # beyond the end of the wall
    ],
)
def test_without_a_wall_at_its_back_a_thing_has_no_front(thing: Box3D) -> None:
    assert fronts(thing, [NORTH_WALL, WEST_WALL]) == ()


def test_the_box_of_a_wall_that_goes_around_a_corner_tells_nothing() -> None:
    around = Box3D((0.0, 1.5, 1.25), (6.0, 3.1, 2.5))
    assert fronts(SHELF, [around]) == ()


@pytest.mark.parametrize("turn", [0.3, -1.2, 2.5])
def test_turning_the_room_turns_the_front(turn: float) -> None:
    c, s = np.cos(turn), np.sin(turn)

    def turned(box: Box3D) -> Box3D:
        x, y, z = box.center
        return Box3D((c * x - s * y, s * x + c * y, z), box.size, turn)

    (front,) = fronts(turned(SHELF), [turned(NORTH_WALL), turned(WEST_WALL)])
    np.testing.assert_allclose(front.ahead, (s, -c), atol=1e-9)
