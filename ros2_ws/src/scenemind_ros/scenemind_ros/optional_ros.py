"""ROS packages that exist only with an installed ROS 2, and replacements for them.

The Python registry has no tf2_ros, vision_msgs, rtabmap_msgs, sensor_msgs_py and
tf_transformations. They are used if they can be imported. Otherwise the first three are None, and
their users report it; for the other two, this module has the functions that the package calls, with
the same names, arguments and results.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import scipy  # parts are imported on first use
from numpy.typing import ArrayLike, NDArray
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import Header


def _find_module(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None


tf2_ros = _find_module("tf2_ros")
vision_msgs = _find_module("vision_msgs.msg")
rtabmap_msgs = _find_module("rtabmap_msgs.msg")
_tf_transformations = _find_module("tf_transformations")
_point_cloud2 = _find_module("sensor_msgs_py.point_cloud2")


def standin_quaternion_from_euler(ai: float, aj: float, ak: float) -> NDArray[np.float64]:
    """`tf_transformations.quaternion_from_euler` with its default axes.

    Turns in radians about the fixed x, then y, then z axis (`sxyz`: roll, pitch, yaw of URDF).

    Returns:
        (4,) x, y, z, w.
    """
    quaternion: NDArray[np.float64] = scipy.spatial.transform.Rotation.from_euler(
        "xyz", (ai, aj, ak)
    ).as_quat()
    return quaternion


def standin_euler_from_quaternion(quaternion: ArrayLike) -> tuple[float, float, float]:
    """`tf_transformations.euler_from_quaternion` with its default axes: roll, pitch, yaw."""
    roll, pitch, yaw = scipy.spatial.transform.Rotation.from_quat(quaternion).as_euler("xyz")
    return float(roll), float(pitch), float(yaw)


def standin_create_cloud(
    header: Header, fields: Sequence[PointField], points: NDArray[Any]
) -> PointCloud2:
    """`sensor_msgs_py.point_cloud2.create_cloud` for a structured array (N,) of at least one point.

    Fields and array agree in names, order and types; the cloud is unordered, of height 1.
    """
    return PointCloud2(
        header=header,
        height=1,
        width=len(points),
        is_dense=False,
        is_bigendian=sys.byteorder != "little",
        fields=list(fields),
        point_step=int(points.dtype.itemsize),
        row_step=int(points.dtype.itemsize * len(points)),
        data=array("B", points.tobytes()),
    )


quaternion_from_euler = getattr(
    _tf_transformations, "quaternion_from_euler", standin_quaternion_from_euler
)
euler_from_quaternion = getattr(
    _tf_transformations, "euler_from_quaternion", standin_euler_from_quaternion
)
create_cloud = getattr(_point_cloud2, "create_cloud", standin_create_cloud)
