"""Corrections of poses by a SLAM system, from topics and TF to the memory; docs/slam.md.

Callbacks only keep the newest correction. A thread applies it, so neither a frame nor a service
waits for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from nav_msgs.msg import Path
from rclpy.node import Node

from scenemind.errors import SceneMindError
from scenemind.geometry import GeometryError, Pose
from scenemind.memory import Memory, PoseCorrection
from scenemind_ros.conversions import pose_from_msg, stamp_ns
from scenemind_ros.input.camera_input import Handlers, TopicReader
from scenemind_ros.input.world_frame import TfTree
from scenemind_ros.optional_ros import rtabmap_msgs
from scenemind_ros.parameters import MappingParameters, pose_from_list

Corrected = Sequence[tuple[int, Pose]]
"""Stamps in nanoseconds with the corrected poses of the camera."""


class SlamCorrections:
    """Listens to a SLAM system, and corrects the memory as it says.

    Attributes:
        readers: by content, such as `corrected_path`.
        applied, refused: numbers of corrections.
        largest_m, largest_deg: the farthest that a camera was moved, and turned, so far.
        problem: why the last one was refused; empty: it was not.
    """

    def __init__(
        self,
        node: Node,
        parameters: MappingParameters,
        memory: Callable[[], Memory],
        keeps_odometry: Callable[[], bool] = lambda: True,
        mounting: Callable[[], Pose] | None = None,
        present_ns: Callable[[], int | None] = lambda: None,
    ) -> None:
        """
        Args:
            memory: the memory in use.
            keeps_odometry: whether new frames come with poses that know nothing of corrections.
            mounting: the camera's pose on the base; None: the parameter's.
            present_ns: stamp of the newest image.

        Raises:
            ConfigError: jumps of TF are wanted, and tf2_ros is not installed.
        """
        self.applied = self.refused = 0
        self.largest_m = self.largest_deg = 0.0
        self.problem = ""
        self._memory = memory
        self._settings = parameters.corrections
        self._keeps_odometry = keeps_odometry
        self._base_T_camera = mounting or (lambda: pose_from_list(parameters.base_T_camera))
        self._stamps_of_nodes: dict[int, int] = {}
        self._newest: Callable[[Memory], Corrected] | None = None
        self._wake = threading.Condition()
        self._is_open = True
        wanted: list[tuple[str, str, Handlers]] = [
            ("corrected_path", self._settings.path, {Path: self._add_path})
        ]
        if rtabmap_msgs is not None:
            handlers = {rtabmap_msgs.MapData: self._add_graph}
            wanted.append(("corrected_graph", self._settings.graph, handlers))
        elif self._settings.graph:
            self.problem = "corrections.graph needs rtabmap_msgs, which is not installed"
        self.readers: Mapping[str, TopicReader] = {
            name: TopicReader(node, topic, handlers) for name, topic, handlers in wanted if topic
        }
        self._jumps = None
        if self._settings.tf:
            self._jumps = TfJumps(node, parameters.map_frame, self._settings.odom_frame, present_ns)
        self._thread = threading.Thread(target=self._run, name="slam corrections", daemon=True)
        self._thread.start()

    def poll(self) -> None:
        """Look for publishers and jumps of TF; call it a few times a second."""
        for reader in self.readers.values():
            reader.poll()
        jump = None if self._jumps is None else self._jumps.find()
        if jump is not None:
            self._put(lambda memory: self._grown(memory, jump))

    def close(self) -> None:
        """Stop listening; a correction that was begun is finished."""
        for reader in self.readers.values():
            reader.close()
        if self._jumps is not None:
            self._jumps.close()
        with self._wake:
            self._is_open = False
            self._wake.notify_all()
        self._thread.join()

    def _add_path(self, msg: Path) -> None:
        """Corrected poses of the base at earlier moments."""
        found = [(stamp_ns(p.header.stamp), p.pose) for p in msg.poses]
        self._put_bases(found)

    def _add_graph(self, msg: Any) -> None:
        """rtabmap's graph: corrected poses of its nodes, whose stamps came with them before."""
        for node in msg.nodes:
            self._stamps_of_nodes[node.id] = round(node.stamp * 1e9)
        graph = zip(msg.graph.poses_id, msg.graph.poses, strict=True)
        known = self._stamps_of_nodes
        self._put_bases([(known[number], pose) for number, pose in graph if number in known])

    def _put_bases(self, bases: Sequence[tuple[int, Any]]) -> None:
        try:
            poses = {
                stamp: pose_from_msg(pose) @ self._base_T_camera()
                for stamp, pose in _in_order(bases)
            }
        except GeometryError as error:
            self._refuse(error)
            return
        if poses:
            self._put(lambda _: list(poses.items()))

    def _grown(self, memory: Memory, jump: Pose) -> Corrected:
        """A jump of map -> odom tells where the camera is now, and nothing about the way since the
        last one: over it the correction grows."""
        now_ns = memory.snapshot().stamp_ns
        assert self._jumps is not None
        before_ns, self._jumps.last_ns = self._jumps.last_ns, now_ns
        moments = [before_ns, now_ns] if 0 < before_ns < now_ns else [now_ns]
        poses = dict(zip(moments, memory.poses_at(moments), strict=True))
        poses[now_ns] = jump @ poses[now_ns]
        return list(poses.items())

    def _put(self, correction: Callable[[Memory], Corrected]) -> None:
        with self._wake:
            self._newest = correction
            self._wake.notify_all()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._newest is not None or not self._is_open)
                if not self._is_open:
                    return
                correction, self._newest = self._newest, None
            assert correction is not None
            self._apply(correction)
            with self._wake:
                self._wake.wait_for(lambda: not self._is_open, self._settings.every_s)

    def _apply(self, correction: Callable[[Memory], Corrected]) -> None:
        memory = self._memory()
        try:
            corrected = correction(memory)
            noted = memory.correct_poses(
                np.array([stamp for stamp, _ in corrected], np.int64),
                [pose for _, pose in corrected],
                keeps_odometry=self._keeps_odometry(),
                least_m=self._settings.least_m,
                least_deg=self._settings.least_deg,
            )
        except SceneMindError as error:
            self._refuse(error)
            return
        self.problem = ""
        if noted is not None:
            self._note(noted)

    def _note(self, noted: PoseCorrection) -> None:
        self.applied += 1
        self.largest_m = max(self.largest_m, noted.largest_m)
        self.largest_deg = max(self.largest_deg, noted.largest_deg)

    def _refuse(self, error: Exception) -> None:
        self.refused += 1
        self.problem = str(error)


def _in_order(bases: Sequence[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """By ascending stamp; of equal ones the last."""
    return sorted(dict(bases).items())


class TfJumps:
    """Watches map -> odom.

    Attributes:
        last_ns: stamp of the frame with which the last jump was known; 0 before the first.
    """

    def __init__(
        self, node: Node, map_frame: str, odom_frame: str, present_ns: Callable[[], int | None]
    ) -> None:
        """`present_ns` tells the stamp of the newest image.

        Raises:
            ConfigError: tf2_ros is not installed.
        """
        self._tree = TfTree(node)
        self._frames = map_frame, odom_frame
        self._present_ns = present_ns
        self._known: Pose | None = None
        self.last_ns = 0

    def find(self) -> Pose | None:
        """`corrected_T_old` of the map, if map -> odom is another one than before."""
        present_ns = self._present_ns()
        if present_ns is not None:
            self._tree.at(present_ns)
        try:
            now = self._tree.find(*self._frames)
        except GeometryError:
            return None
        if now is None:
            return None
        before, self._known = self._known, now
        if before is None:
            return None
        jump = now @ before.inverse()
        is_one = jump.distance_m(_STILL) > _STILL_M or jump.angle_rad(_STILL) > _STILL_RAD
        return jump if is_one else None

    def close(self) -> None:
        self._tree.close()


_STILL = Pose.identity()
_STILL_M, _STILL_RAD = 1e-3, 1e-3
