"""Poses by stamp."""

from __future__ import annotations

import numpy as np

from scenemind.frames.pose_buffer import NoPose, PoseBuffer
from scenemind.geometry import Pose


def along_x(x_m: float) -> Pose:
    return Pose(np.eye(3), np.array([x_m, 0.0, 0.0]))


def test_between_two_poses_it_interpolates_and_outside_it_says_why_not() -> None:
    buffer = PoseBuffer(largest_gap_ns=100)
    for stamp_ns in (1000, 1100, 1300):
        buffer.add(stamp_ns, along_x(stamp_ns))
    at = {stamp_ns: buffer.at(stamp_ns) for stamp_ns in (999, 1000, 1025, 1200, 1300, 1301)}
    assert at[999] is NoPose.TOO_EARLY
    assert at[1200] is NoPose.GAP
    assert at[1301] is NoPose.NOT_YET
    poses = [at[1000], at[1025], at[1300]]
    assert [p.translation[0] for p in poses if isinstance(p, Pose)] == [1000.0, 1025.0, 1300.0]


def test_forgetting_keeps_what_the_next_stamp_needs() -> None:
    buffer = PoseBuffer(largest_gap_ns=100)
    for stamp_ns in range(0, 1000, 100):
        buffer.add(stamp_ns, along_x(stamp_ns))
    buffer.forget_before(450)
    assert len(buffer) == 6  # 400 to 900
    pose = buffer.at(450)
    assert isinstance(pose, Pose)
    assert pose.translation[0] == 450.0


def test_it_stays_bounded() -> None:
    buffer = PoseBuffer(largest_gap_ns=100)
    for stamp_ns in range(20_000):
        buffer.add(stamp_ns, along_x(0.0))
    assert len(buffer) <= 8192
