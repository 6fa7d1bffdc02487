"""Pairing of streams, and poses between two stamps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import SyncConfig
from scenemind.frames.synchronizer import NoPose, PoseBuffer, SyncedFrame, Synchronizer
from scenemind.geometry import Pose


def along_x(x_m: float) -> Pose:
    return Pose(np.eye(3), np.array([x_m, 0.0, 0.0]))


def test_pose_is_interpolated_between_two_and_outside_has_a_reason() -> None:
    buffer = PoseBuffer(largest_gap_ns=100)
    for stamp_ns in (1000, 1100, 1300):
        buffer.add(stamp_ns, along_x(stamp_ns))
    at = {stamp_ns: buffer.at(stamp_ns) for stamp_ns in (999, 1000, 1025, 1200, 1300, 1301)}
    assert at[999] is NoPose.TOO_EARLY
    assert at[1200] is NoPose.GAP
    assert at[1301] is NoPose.NOT_YET
    poses = [at[1000], at[1025], at[1300]]
    assert [p.translation[0] for p in poses if isinstance(p, Pose)] == [1000.0, 1025.0, 1300.0]


def test_forgetting_keeps_the_poses_that_the_next_stamp_needs() -> None:
    buffer = PoseBuffer(largest_gap_ns=100)
    for stamp_ns in range(0, 1000, 100):
        buffer.add(stamp_ns, along_x(stamp_ns))
    buffer.forget_before(450)
    assert len(buffer) == 6  # 400 to 900
    pose = buffer.at(450)
    assert isinstance(pose, Pose)
    assert pose.translation[0] == 450.0


def test_number_of_poses_is_bounded() -> None:
    buffer = PoseBuffer(largest_gap_ns=100)
    for stamp_ns in range(20_000):
        buffer.add(stamp_ns, along_x(0.0))
    assert len(buffer) <= 8192


MS = 1_000_000
START = 1_000 * MS
Frames = list[SyncedFrame[str, str, str]]
Sync = Synchronizer[str, str, str]


def pose_at(stamp_ns: int) -> Pose:
    """A camera that moves 1 m/s along x."""
    return Pose(np.eye(3), np.array([stamp_ns * 1e-9, 0.0, 0.0]))


def feed(sync: Sync, events: list[tuple[str, int]]) -> Frames:
    frames: Frames = []
    for stream, stamp_ns in events:
        if stream == "pose":
            frames += sync.add_pose(stamp_ns, pose_at(stamp_ns))
        elif stream == "color":
            frames += sync.add_color(stamp_ns, f"color {stamp_ns}")
        elif stream == "depth":
            frames += sync.add_depth(stamp_ns, f"depth {stamp_ns}")
        else:
            frames += sync.add_instances(stamp_ns, f"instances {stamp_ns}")
    return frames


def lap(count: int, start_ns: int = START) -> list[tuple[str, int]]:
    """Images at 30 Hz with odometry at 100 Hz around them, in the order of time."""
    images = [(s, start_ns + i * 33 * MS) for i in range(count) for s in ("color", "depth")]
    poses = [("pose", start_ns - 5 * MS + i * 10 * MS) for i in range(4 * count)]
    return sorted(images + poses, key=lambda event: event[1])


def test_a_frame_is_colour_with_its_depth_and_the_pose_at_its_stamp() -> None:
    sync = Sync(SyncConfig())
    frames = feed(
        sync,
        [
            ("pose", START),
            ("color", START + 5 * MS),
            ("depth", START + 7 * MS),
            ("pose", START + 20 * MS),
        ],
    )
    (frame,) = frames
    assert (frame.color, frame.depth) == (f"color {START + 5 * MS}", f"depth {START + 7 * MS}")
    assert frame.pose.translation[0] == pytest.approx(1.005, abs=1e-9)
    assert not sync.counts


def test_the_pose_is_awaited_and_never_extrapolated() -> None:
    sync = Sync(SyncConfig())
    stamps = [("pose", START), ("color", START + 1), ("depth", START + 1)]
    assert feed(sync, stamps) == []
    assert sync.finish() == []
    assert sync.counts["no_pose"] == 1


def test_an_image_before_all_odometry_has_no_pose() -> None:
    sync = Sync(SyncConfig())
    assert feed(sync, [("color", START), ("depth", START), ("pose", START + MS)]) == []
    assert sync.counts["no_pose"] == 1


def test_a_gap_in_the_odometry_is_not_bridged() -> None:
    sync = Sync(SyncConfig(odometry_gap_s=0.1))
    events = [("pose", START), ("color", START + MS), ("depth", START + MS)]
    assert feed(sync, [*events, ("pose", START + 101 * MS)]) == []
    assert sync.counts["odometry_gap"] == 1


def test_depth_outside_the_tolerance_does_not_match() -> None:
    sync = Sync(SyncConfig(tolerance_s=0.01))
    events = [("pose", START - 1), ("color", START), ("depth", START + 10 * MS)]
    assert len(feed(sync, [*events, ("pose", START + MS)])) == 1
    sync = Sync(SyncConfig(tolerance_s=0.01))
    events = [("pose", START - 1), ("color", START), ("depth", START + 11 * MS)]
    assert feed(sync, [*events, ("pose", START + MS)]) == []
    assert sync.counts["color_unmatched"] == 1
    sync.finish()
    assert sync.counts["depth_unmatched"] == 1


@pytest.mark.parametrize("stream", ["color", "depth", "pose"])
def test_missing_repeated_and_late_stamps_are_counted(stream: str) -> None:
    sync = Sync(SyncConfig())
    feed(sync, [(stream, s) for s in (0, START, START, START - MS)])
    name = "odometry" if stream == "pose" else stream
    expected = {f"{name}_no_stamp": 1, f"{name}_repeated": 1, f"{name}_late": 1}
    assert dict(sync.counts) == expected


def test_a_bag_that_loops_starts_over() -> None:
    sync = Sync(SyncConfig(jump_s=0.5))
    first = feed(sync, lap(30))
    second = feed(sync, lap(30))
    assert sync.counts["clock_jump"] == 1
    assert len(first) == 30
    assert [frame.stamp_ns for frame in second] == [frame.stamp_ns for frame in first]


@pytest.mark.parametrize(("missing", "cause"), [("depth", "color_unmatched"), ("pose", "no_pose")])
def test_queues_stay_bounded_when_a_stream_is_missing(missing: str, cause: str) -> None:
    sync = Sync(SyncConfig(queue_size=5))
    events = [event for event in lap(50) if event[0] != missing]
    assert feed(sync, events) == []
    assert sync.counts[cause] == 45
    sync.finish()
    assert sync.counts[cause] == 50


def test_instances_are_awaited_where_there_is_such_a_stream() -> None:
    sync = Sync(SyncConfig(), with_instances=True)
    around = [("pose", START - 1), ("pose", START + 1)]
    assert feed(sync, [*around, ("color", START), ("depth", START)]) == []
    (frame,) = feed(sync, [("instances", START)])
    assert frame.instances == f"instances {START}"


@given(
    jitter_ms=st.lists(st.integers(-9, 9), min_size=1, max_size=12),
    choices=st.lists(st.integers(0, 2), max_size=120),
)
def test_any_interleaving_yields_every_frame_once_in_order(
    jitter_ms: list[int], choices: list[int]
) -> None:
    """Three streams, each in its own order; hypothesis chooses the stream of the next message."""
    colors = [START + i * 40 * MS for i in range(len(jitter_ms))]
    streams = {
        "color": list(colors),
        "depth": [stamp + j * MS for stamp, j in zip(colors, jitter_ms, strict=True)],
        "pose": [START - 50 * MS + i * 25 * MS for i in range(2 * len(colors) + 5)],
    }
    events = []
    names = list(streams)
    for choice in [*choices, *([0] * 12 + [1] * 12 + [2] * 40)]:
        if streams[names[choice]]:
            events.append((names[choice], streams[names[choice]].pop(0)))
    sync = Sync(SyncConfig(tolerance_s=0.01))
    frames = feed(sync, events) + sync.finish()
    assert [frame.color for frame in frames] == [f"color {stamp}" for stamp in colors]
    expected = [f"depth {s + j * MS}" for s, j in zip(colors, jitter_ms, strict=True)]
    assert [frame.depth for frame in frames] == expected
    for frame in frames:
        assert np.allclose(frame.pose.translation, pose_at(frame.stamp_ns).translation)
    assert not any(sync.counts.values())
