"""Sequences made ready to use, and the two real ones against what is known of them."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from scenemind.frames import DepthCalibration, open_sequence, read_sequence
from scenemind.frames.indexed_sequence import IndexedSequence
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
