"""Where the camera is on the robot's base: as `/tf_static` says, else as the parameter does."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from rclpy.node import Node

from scenemind.geometry import GeometryError, Pose
from scenemind_ros.input.world_frame import TfTree
from scenemind_ros.optional_ros import tf2_ros
from scenemind_ros.parameters import OPTICAL_MOUNTING, pose_from_list

_PATIENCE_S = 2.0  # for /tf_static, which is latched
_UNHEARD_S = 0.5  # for somebody who publishes it
_SAME_M, _SAME_RAD = 0.01, math.radians(1.0)


class CameraMounting:
    """The camera's pose on odometry's base, settled with the first images for the whole run.

    Attributes:
        base_T_camera: the parameter's until it is settled.
        source: who says so: `/tf_static` or `base_T_camera`; empty until it is settled.
        problem: how TF and the parameter disagree, for diagnostics; empty: they do not.
    """

    def __init__(
        self, node: Node, parameter: Sequence[float], settle: Callable[[Pose], None]
    ) -> None:
        """`settle` gets the pose once; without tf2_ros it is never called, and the parameter
        holds."""
        self.base_T_camera = pose_from_list(list(parameter))
        self.source, self.problem = "", ""
        self._is_given = list(parameter) != OPTICAL_MOUNTING
        self._node = node
        self._settle = settle
        self._tree: TfTree | None = None
        self._frames: tuple[str, str] | None = None
        self._begun_s = 0.0
        if tf2_ros is None:
            self.source = "base_T_camera"
        else:
            self._tree = TfTree(node)

    @property
    def is_settled(self) -> bool:
        return bool(self.source)

    def look(self, base_frame: str, camera_frame: str, stamp: int) -> None:
        """The frames that odometry and an image of this stamp, in ns, name."""
        if self._tree is None or self.is_settled:
            return
        self._tree.at(stamp)
        if self._frames is None:
            self._frames = (base_frame.removeprefix("/"), camera_frame.removeprefix("/"))
            self._begun_s = time.monotonic()
        self.poll()

    def poll(self) -> None:
        """Settle it once TF has an answer, or has had time for one."""
        if self._tree is None or self._frames is None or self.is_settled:
            return
        base, camera = self._frames
        if not (base and camera):
            self._take("base_T_camera", "")  # nameless frames are in no tree
            return
        try:
            found = self._tree.find_static(base, camera)
        except GeometryError as error:
            self._take("base_T_camera", f"/tf_static, {base} to {camera}: {error}")
            return
        waited_s = time.monotonic() - self._begun_s
        if found is not None:
            self._compare(*found)
        elif waited_s > _PATIENCE_S or (
            waited_s > _UNHEARD_S and not self._node.count_publishers("/tf_static")
        ):
            self._take("base_T_camera", "")

    def close(self) -> None:
        if self._tree is not None:
            self._tree.close()
            self._tree = None

    def _compare(self, base_T_camera: Pose, is_static: bool) -> None:
        base, camera = self._frames or ("", "")
        if not is_static:
            self._take(
                "base_T_camera",
                f"{camera} moves on {base}, as TF says, and base_T_camera does not: set pose_source"
                " to tf",
            )
            return
        given = self.base_T_camera
        away_m = given.distance_m(base_T_camera)
        away_rad = given.angle_rad(base_T_camera)
        problem = ""
        if self._is_given and (away_m > _SAME_M or away_rad > _SAME_RAD):
            problem = (
                f"the parameter base_T_camera and /tf_static ({base} to {camera}) differ by"
                f" {away_m:.3f} m and {math.degrees(away_rad):.1f} degrees; /tf_static is taken:"
                " leave the parameter out, or mend the robot's description"
            )
        self.base_T_camera = base_T_camera
        self._take("/tf_static", problem)

    def _take(self, source: str, problem: str) -> None:
        self.source, self.problem = source, problem
        if problem:
            self._node.get_logger().warning(problem)
        self._node.get_logger().info(f"the camera's place on the robot is that of {source}")
        self.close()
        self._settle(self.base_T_camera)
