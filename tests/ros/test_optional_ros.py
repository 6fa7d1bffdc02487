"""The replacements of ROS functions, against the documentation of the originals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import PointField
from std_msgs.msg import Header

from scenemind_ros.optional_ros import (
    standin_create_cloud,
    standin_euler_from_quaternion,
    standin_quaternion_from_euler,
)

QUARTER = np.pi / 2
HALF = np.sqrt(0.5)
angles = st.floats(-1.5, 1.5)


@pytest.mark.parametrize(
    ("euler", "quaternion"),
    [
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)),
        ((QUARTER, 0.0, 0.0), (HALF, 0.0, 0.0, HALF)),
        ((0.0, QUARTER, 0.0), (0.0, HALF, 0.0, HALF)),
        ((0.0, 0.0, QUARTER), (0.0, 0.0, HALF, HALF)),
        ((np.pi, QUARTER, 0.0), (HALF, 0.0, -HALF, 0.0)),
    ],
)
def test_quaternions_of_known_turns(
    euler: tuple[float, float, float], quaternion: tuple[float, float, float, float]
) -> None:
    found = standin_quaternion_from_euler(*euler)
    assert found * np.sign(found @ quaternion) == pytest.approx(quaternion, abs=1e-6)


@given(angles, angles, angles)
def test_turns_are_about_fixed_axes_x_then_y_then_z(roll: float, pitch: float, yaw: float) -> None:
    (cr, cp, cy), (sr, sp, sy) = np.cos((roll, pitch, yaw)), np.sin((roll, pitch, yaw))
    about_x = np.array([(1, 0, 0), (0, cr, -sr), (0, sr, cr)])
    about_y = np.array([(cp, 0, sp), (0, 1, 0), (-sp, 0, cp)])
    about_z = np.array([(cy, -sy, 0), (sy, cy, 0), (0, 0, 1)])
    x, y, z, w = standin_quaternion_from_euler(roll, pitch, yaw)
    across = np.array([(0, -z, y), (z, 0, -x), (-y, x, 0)])
    rotation = np.eye(3) + 2 * w * across + 2 * across @ across
    np.testing.assert_allclose(rotation, about_z @ about_y @ about_x, atol=1e-9)


@given(angles, angles, angles)
def test_euler_angles_come_back(roll: float, pitch: float, yaw: float) -> None:
    quaternion = standin_quaternion_from_euler(roll, pitch, yaw)
    assert standin_euler_from_quaternion(quaternion) == pytest.approx((roll, pitch, yaw), abs=1e-6)


def test_a_cloud_holds_the_structured_array() -> None:
    fields = [
        PointField(name=name, offset=4 * i, datatype=PointField.FLOAT32, count=1)
        for i, name in enumerate("xyz")
    ]
    points = np.zeros(6, np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4")]))
    points["z"] = np.arange(6)
    cloud = standin_create_cloud(Header(frame_id="map"), fields, points)
    assert (cloud.height, cloud.width, cloud.point_step, cloud.row_step) == (1, 6, 12, 72)
    assert (cloud.header.frame_id, cloud.is_dense, cloud.is_bigendian) == ("map", False, False)
    np.testing.assert_array_equal(np.frombuffer(cloud.data, points.dtype), points)
