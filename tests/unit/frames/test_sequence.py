"""Recorded sequences, and frames that cannot be used."""

from __future__ import annotations

import itertools
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.frames import DepthCalibration, FrameError, open_sequence, read_sequence
from scenemind.frames.sequence import IndexedSequence, UnusableFrame, UnusableFrames
from scenemind.geometry import PinholeCamera, Pose

from .made import CAMERA, MadeSequence


def test_frames_are_numbered_and_aligned_depth_is_passed_on(made: MadeSequence) -> None:
    frames = list(read_sequence(made))
    assert [frame.number for frame in frames] == list(range(len(made)))
    for raw, frame in zip(made, frames, strict=True):
        assert frame.stamp_ns == raw.stamp_ns
        assert np.array_equal(frame.depth_m, raw.depth_m)


def test_depth_with_a_calibration_is_registered() -> None:
    depth_camera = PinholeCamera(16, 12, 30.0, 30.0, 7.5, 5.5)
    made = MadeSequence(depth_calibration=DepthCalibration(depth_camera, Pose.identity()))
    for raw, frame in zip(made, read_sequence(made), strict=True):
        assert frame.camera == CAMERA
        # The depth camera sees 2/3 of the angle: the border of colour has no depth.
        assert not frame.depth_m[0].any()
        assert set(np.unique(frame.depth_m)) <= {0.0, *np.unique(raw.depth_m)}


@pytest.mark.parametrize(("name", "count"), [("hololens", 125), ("redkitchen", 140)])
def test_real_worlds_are_z_up(shared_data: Path, name: str, count: int) -> None:
    """The largest level surface is one, and pixels look down on it: floor or table, not wall."""
    sequence = open_sequence(shared_data / "sequences" / name)
    assert len(sequence) == count
    heights = []
    assert isinstance(sequence, IndexedSequence)
    for frame in read_sequence(sequence.part(slice(None, None, 10))):
        v, u = (index[::20] for index in np.nonzero(frame.depth_m))
        points = frame.camera.unproject(u, v, frame.depth_m[v, u])
        heights.append(frame.world_T_camera.transform(points)[:, 2])
        # Nobody held the camera upside down: "down" in the image is down in the world.
        assert frame.world_T_camera.rotation[2, 1] < 0
    z = np.concatenate(heights)
    share, edges = np.histogram(z, bins=np.arange(z.min(), z.max(), 0.06))
    level = edges[share.argmax()]
    assert share.max() / z.size > 0.12
    assert level < -0.5  # below the camera, which starts at about 0


@pytest.mark.parametrize("name", ["hololens", "redkitchen"])
def test_depth_of_one_real_frame_reprojects_into_the_next(shared_data: Path, name: str) -> None:
    """Depth, poses, registration and turning agree: a few centimetres between frames."""
    frames = []
    for frame in read_sequence(open_sequence(shared_data / "sequences" / name)):
        frames.append(frame)
        if len(frames) == 6:
            break
    errors = []
    for a, b in itertools.pairwise(frames):
        v, u = (index[::30] for index in np.nonzero(a.depth_m))
        world = a.world_T_camera.transform(a.camera.unproject(u, v, a.depth_m[v, u]))
        pixels, z = b.camera.project(b.world_T_camera.inverse().transform(world))
        with np.errstate(invalid="ignore"):
            column, row = np.rint(pixels).astype(int).T
        inside = (z > 0) & (column >= 0) & (column < b.camera.width)
        inside &= (row >= 0) & (row < b.camera.height)
        measured = b.depth_m[row[inside], column[inside]]
        errors.append(np.abs(measured - z[inside])[measured > 0])
    assert np.median(np.concatenate(errors)) < 0.03


PATH = Path("kitchen")
BAD = UnusableFrame("depth_invalid", "7.png is no image")


@given(st.lists(st.sampled_from([0, 1, BAD]), max_size=40))
def test_usable_frames_stay_in_order(frames: list[int | UnusableFrame]) -> None:
    usable = [frame for frame in frames if frame is not BAD]
    unusable = UnusableFrames()
    assert list(unusable.sort_out(PATH, frames, has_some=True)) == usable
    assert unusable.counts.total() == len(frames) - len(usable)


def test_some_damage_at_the_start_does_not_end_the_sequence() -> None:
    frames = [*[BAD] * 29, 1, *[BAD] * 99, 2]
    assert list(UnusableFrames().sort_out(PATH, frames)) == [1, 2]


def test_sequence_ends_after_thirty_unusable_frames_at_the_start() -> None:
    frames = iter([BAD] * 100)
    with pytest.raises(FrameError, match=r"kitchen: none of the first 30 .*7\.png is no image"):
        next(UnusableFrames().sort_out(PATH, frames))
    assert len(list(frames)) == 70


def test_no_frames_at_all_are_no_error() -> None:
    """A conversion may have no frames left to write."""
    assert list(UnusableFrames().sort_out(PATH, [])) == []


def test_each_cause_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    unusable = UnusableFrames()
    other = UnusableFrame("color_missing", "8.png is not there")
    for _ in range(2):
        list(islice(unusable.sort_out(PATH, [1, BAD, other, BAD, 1]), 2))
        assert unusable.counts == {"depth_invalid": 2, "color_missing": 1}
    assert [record.getMessage() for record in caplog.records] == [
        "kitchen: a frame is left out (depth_invalid): 7.png is no image",
        "kitchen: a frame is left out (color_missing): 8.png is not there",
    ]
