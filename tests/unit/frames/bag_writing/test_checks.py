"""A bag that is not what was to be written is noticed."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.frames import FrameError
from scenemind.frames.bag_options import BagTopics
from scenemind.frames.bag_writing import write_bag
from scenemind.frames.bag_writing.checks import check_files, check_frames
from scenemind.frames.bag_writing.metadata import read_information

from ..made import MadeSequence, pose


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bag(MadeSequence(), tmp_path_factory.mktemp("bags") / "run").path


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"stamp_ns": 2_500_000_001}, "stamp"),
        ({"color": np.zeros((12, 16, 3), np.uint8)}, "colour"),
        ({"depth_m": np.ones((12, 16), np.float32)}, "depth"),
        ({"world_T_camera": pose(4)}, "pose"),
    ],
)
def test_a_last_frame_that_is_another(bag: Path, changes: dict[str, Any], what: str) -> None:
    first, *_, last = MadeSequence()
    files = [bag / "run_0.mcap"]
    check_frames(files, BagTopics(), first, last)
    with pytest.raises(FrameError, match=f"reads back with another {what}"):
        check_frames(files, BagTopics(), first, dataclasses.replace(last, **changes))


def test_messages_that_are_missing(bag: Path) -> None:
    files, information = [bag / "run_0.mcap"], read_information(bag / "metadata.yaml")
    check_files(files, "/odom", [information])
    information["topics_with_message_count"][0]["message_count"] += 1
    with pytest.raises(FrameError, match=r"run_0\.mcap holds .* and should"):
        check_files(files, "/odom", [information])


def test_files_that_overlap(bag: Path) -> None:
    information = read_information(bag / "metadata.yaml")
    with pytest.raises(FrameError, match="begins before the file in front of it ends"):
        check_files([bag / "run_0.mcap"] * 2, "/odom", [information] * 2)


def test_metadata_that_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "metadata.yaml").write_text("rosbag2: [")
    with pytest.raises(FrameError, match="no metadata of a bag"):
        read_information(tmp_path / "metadata.yaml")
