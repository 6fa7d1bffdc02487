"""Bags: a sequence that is written and read back is the same, through real files."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from scenemind.frames import DepthCalibration, FrameError, RecordedSequence, open_sequence
from scenemind.frames.bag_options import BagOptions, BagTopics
from scenemind.frames.readers import seven_scenes
from scenemind.geometry import PinholeCamera, Pose
from tests.unit.frames.bag_writer import FORWARD_MOUNTING, write_bag

from .made import CAMERA, MadeSequence, pose

OTHER_CAMERA = PinholeCamera(16, 12, 22.0, 22.0, 7.5, 5.5)


def assert_equal(read: RecordedSequence, written: RecordedSequence) -> None:
    assert len(read) == len(written)
    for a, b in zip(read, written, strict=True):
        assert a.stamp_ns == b.stamp_ns
        assert np.array_equal(a.color, b.color)
        assert np.array_equal(a.depth_m, b.depth_m)
        assert np.allclose(a.world_T_camera.matrix(), b.world_T_camera.matrix())


@pytest.mark.parametrize("storage", ["mcap", "db3"])
def test_a_sequence_survives(
    tmp_path: Path, made: MadeSequence, storage: Literal["mcap", "db3"]
) -> None:
    assert write_bag(made, tmp_path / "run", storage=storage) == 6
    sequence = open_sequence(tmp_path / "run")
    assert (sequence.camera, sequence.depth_calibration) == (CAMERA, None)
    assert_equal(sequence, made)
    assert_equal(sequence, made)  # again
    assert sequence.drops == {}


def test_depth_that_is_not_aligned_keeps_its_calibration(tmp_path: Path) -> None:
    made = MadeSequence(depth_calibration=DepthCalibration(OTHER_CAMERA, pose(1)))
    write_bag(made, tmp_path / "run")
    sequence = open_sequence(tmp_path / "run")
    calibration = sequence.depth_calibration
    assert calibration is not None
    assert calibration.camera == OTHER_CAMERA
    assert np.allclose(calibration.color_T_depth.matrix(), pose(1).matrix())
    assert_equal(sequence, made)


def test_odometry_is_of_the_base_and_the_mounting_can_be_given(
    tmp_path: Path, made: MadeSequence
) -> None:
    write_bag(made, tmp_path / "run")
    sequence = open_sequence(tmp_path / "run", BagOptions(base_T_camera=Pose.identity()))
    for i, frame in enumerate(sequence):
        world_T_base = pose(i) @ FORWARD_MOUNTING.inverse()
        assert np.allclose(frame.world_T_camera.matrix(), world_T_base.matrix())


def test_topics_can_be_named(tmp_path: Path, made: MadeSequence) -> None:
    topics = BagTopics(color="/left/rgb", camera_info="/left/info", depth="/left/depth")
    write_bag(made, tmp_path / "run", topics=topics)
    with pytest.raises(FrameError, match=r"no topic /camera/.*/left/rgb \(sensor_msgs"):
        open_sequence(tmp_path / "run")
    assert_equal(open_sequence(tmp_path / "run", BagOptions(topics=topics)), made)


def test_nothing_is_overwritten(tmp_path: Path, made: MadeSequence) -> None:
    (tmp_path / "run").mkdir()
    with pytest.raises(FrameError, match="exists already"):
        write_bag(made, tmp_path / "run")


def test_a_real_recording_survives(tmp_path: Path, shared_data: Path) -> None:

    whole = seven_scenes.read(shared_data / "sequences" / "redkitchen")
    sequence = dataclasses.replace(whole, entries=whole.entries[:5])
    write_bag(sequence, tmp_path / "run")
    assert_equal(open_sequence(tmp_path / "run"), sequence)
