"""Poses from TF, with a buffer that answers as tf2_ros documents it (tf2_ros has no wheel)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from geometry_msgs.msg import TransformStamped
from rclpy.logging import get_logger
from rclpy.time import Time

from scenemind.config import ConfigError
from scenemind.geometry import Pose
from scenemind_ros.input import tf_poses
from scenemind_ros.input.drops import DropCounts
from scenemind_ros.optional_ros import tf2_ros
from scenemind_ros.parameters import require_tf2


class Buffer:
    """Knows the transform from `first_ns` up to `known_ns`: x is the stamp in seconds."""

    first_ns, known_ns = 10, 0
    broken_ns = 37  # its quaternion is all zeros

    def can_transform(self, target: str, source: str, time: Time) -> bool:
        assert (target, source) == ("map", "camera")
        return self.first_ns <= time.nanoseconds <= self.known_ns

    def lookup_transform(self, target: str, source: str, time: Time) -> TransformStamped:
        assert self.can_transform(target, source, time)
        found = TransformStamped()
        found.transform.translation.x = time.nanoseconds / 1e9
        if time.nanoseconds == self.broken_ns:
            found.transform.rotation.w = 0.0
        return found


@pytest.fixture
def buffer(monkeypatch: pytest.MonkeyPatch) -> Buffer:
    buffer = Buffer()

    def listener(used: Buffer, _node: Any) -> SimpleNamespace:
        assert used is buffer
        return SimpleNamespace(unregister=lambda: None)

    module = SimpleNamespace(Buffer=lambda: buffer, TransformListener=listener)
    monkeypatch.setattr(tf_poses, "require_tf2", lambda: module)
    return buffer


def test_images_wait_for_their_transform_and_unanswerable_ones_are_passed_over(
    buffer: Buffer,
) -> None:
    delivered: list[tuple[int, Pose]] = []
    drops = DropCounts(get_logger("test"))
    poses = tf_poses.TfPoses(
        None, "map", lambda stamp, pose: delivered.append((stamp, pose)), drops
    )
    for stamp in (5, 20, 30):
        poses.want(stamp, "camera")
    assert delivered == []
    buffer.known_ns = 25
    poses.poll()
    assert [stamp for stamp, _ in delivered] == [20]
    buffer.known_ns = 40
    poses.want(35, "camera")
    assert [stamp for stamp, _ in delivered] == [20, 30, 35]
    assert delivered[-1][1].translation[0] == pytest.approx(35e-9)
    poses.want(buffer.broken_ns, "camera")
    poses.poll()
    assert len(delivered) == 3
    assert drops.counts() == {"bad_pose": 1}


@pytest.mark.skipif(tf2_ros is not None, reason="tf2_ros is installed here")
def test_without_tf2_the_way_out_is_said() -> None:
    with pytest.raises(ConfigError, match="pose_source"):
        require_tf2()
