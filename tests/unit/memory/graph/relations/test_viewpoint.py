"""Viewpoints from poses, from places, and before a thing whose back is at a wall."""

from __future__ import annotations

import numpy as np

from scenemind.geometry import Pose
from scenemind.memory.graph.relations.viewpoint import Viewpoint


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
