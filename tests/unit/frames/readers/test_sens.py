"""ScanNet's .sens files: reading by the published format, and errors about damaged files."""

from __future__ import annotations

import dataclasses
import logging
import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from scenemind.frames import FrameError, open_sequence, read_sequence
from scenemind.frames.images import decode_color_file
from scenemind.frames.sequence import IndexedSequence
from scenemind.geometry import PinholeCamera, Pose
from tests.unit.frames.scannet_bytes import LOST, Sens, jpeg, made_depths, made_frames

from ..made import pose

POSES = [pose(i).matrix() for i in range(4)]
# A quarter turn about z, in the form of `axisAlignment`.
ALIGNMENT = "0 -1 0 0.5  1 0 0 -2  0 0 1 0.1  0 0 0 1"


def written(folder: Path, sens: Sens, alignment: str = ALIGNMENT) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "scene0011_00.sens"
    path.write_bytes(sens.data())
    if alignment:
        text = f"axisAlignment = {alignment} \ncolorHeight = 24\nsceneType = Office\n"
        (folder / "scene0011_00.txt").write_text(text)
    return path


def opened(path: Path) -> IndexedSequence:
    sequence = open_sequence(path)
    assert isinstance(sequence, IndexedSequence)
    return sequence


def test_a_scan(tmp_path: Path) -> None:
    frames = made_frames(POSES)
    sequence = opened(written(tmp_path / "scene0011_00", Sens(frames)))
    assert (sequence.name, len(sequence), sequence.drops) == ("scene0011_00", 4, {})
    assert sequence.camera == PinholeCamera(32, 24, 40.0, 41.0, 15.5, 11.5)
    assert sequence.depth_calibration is not None
    assert sequence.depth_calibration.camera == PinholeCamera(16, 12, 20.0, 21.0, 7.5, 5.5)
    assert np.array_equal(sequence.depth_calibration.color_T_depth.matrix(), np.eye(4))
    aligned = np.array([(0, -1, 0, 0.5), (1, 0, 0, -2), (0, 0, 1, 0.1), (0, 0, 0, 1)])
    assert np.allclose(sequence.world_T_recorded.matrix(), aligned)
    for read, frame, depth in zip(sequence, frames, made_depths(4), strict=True):
        assert read.stamp_ns == frame.color_us * 1000
        assert read.color_file == frame.color
        assert np.array_equal(read.color, decode_color_file(frame.color))
        assert np.array_equal(read.depth_m, depth / np.float32(1000.0))
        assert np.allclose(read.world_T_camera.matrix(), aligned @ frame.pose, atol=1e-6)


def test_depth_comes_to_the_size_of_colour(tmp_path: Path) -> None:
    sequence = opened(written(tmp_path, Sens(made_frames(POSES))))
    for frame, depth in zip(read_sequence(sequence), made_depths(4), strict=True):
        assert frame.depth_m.shape == (24, 32)
        # Each depth pixel covers two by two of colour.
        assert frame.depth_m[10, 12] in depth[4:7, 5:8] / np.float32(1000.0)


def test_folder_of_a_scan_can_be_opened(tmp_path: Path) -> None:
    folder = tmp_path / "scene0011_00"
    written(folder, Sens(made_frames(POSES)))
    assert len(open_sequence(folder)) == 4


def test_poses_are_of_the_depth_camera(tmp_path: Path) -> None:
    color_T_depth = Pose(np.eye(3), np.array([0.05, 0.0, 0.0]))
    sens = Sens(made_frames(POSES), base_T_depth=color_T_depth.matrix())
    sequence = opened(written(tmp_path, sens, alignment=""))
    assert sequence.depth_calibration is not None
    found = sequence.depth_calibration.color_T_depth
    assert np.allclose(found.matrix(), color_T_depth.matrix())
    for frame, scan_T_depth in zip(sequence, POSES, strict=True):
        expected = scan_T_depth @ color_T_depth.inverse().matrix()
        assert np.allclose(frame.world_T_camera.matrix(), expected, atol=1e-6)


def test_frames_whose_tracking_was_lost_are_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    frames = made_frames([POSES[0], LOST, POSES[2], np.zeros((4, 4))])
    sequence = opened(written(tmp_path, Sens(frames)))
    assert sequence.drops == {"pose_lost": 2}
    assert "pose_lost" in caplog.text
    assert [f.stamp_ns for f in sequence] == [frames[n].color_us * 1000 for n in (0, 2)]
    with pytest.raises(FrameError, match=r"no usable frame.*pose_lost': 1"):
        open_sequence(written(tmp_path, Sens(made_frames([LOST]))))


def test_stamps_that_are_zero_become_30_a_second(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    frames = [dataclasses.replace(frame, color_us=0) for frame in made_frames(POSES)]
    sequence = opened(written(tmp_path, Sens(frames)))
    assert np.diff([entry.stamp_ns for entry in sequence.entries]) == pytest.approx(1e9 / 30, abs=1)
    assert caplog.text.count("no increasing stamps") == 1


def test_stamps_from_zero_on_begin_later(tmp_path: Path) -> None:
    """ROS takes 0 for "no stamp"."""
    frames = [
        dataclasses.replace(frame, color_us=frame.color_us - 1_000_000)
        for frame in made_frames(POSES)
    ]
    entries = opened(written(tmp_path, Sens(frames))).entries
    assert [entry.stamp_ns - 10**9 for entry in entries] == [n * 33_333_000 for n in range(4)]


def test_missing_alignment_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        sequence = opened(written(tmp_path, Sens(made_frames(POSES)), alignment=""))
        list(sequence)
    assert caplog.text.count("axisAlignment is missing") == 1
    assert np.array_equal(sequence.world_T_recorded.matrix(), np.eye(4))


def test_images_that_are_not_compressed(tmp_path: Path) -> None:
    depths = made_depths(4)
    color = np.random.default_rng(2).integers(0, 256, (24, 32, 3), dtype=np.uint8)
    frames = [
        dataclasses.replace(frame, color=color.tobytes(), depth=depth.tobytes())
        for frame, depth in zip(made_frames(POSES), depths, strict=True)
    ]
    sequence = opened(written(tmp_path, Sens(frames, color_kind=0, depth_kind=0)))
    for read, depth in zip(sequence, depths, strict=True):
        assert np.array_equal(read.color, color)
        assert read.color_file == b""
        assert np.array_equal(read.depth_m, depth / np.float32(1000.0))


def test_depth_in_other_units(tmp_path: Path) -> None:
    sequence = opened(written(tmp_path, Sens(made_frames(POSES), units_per_m=5000.0)))
    first = next(iter(sequence))
    assert np.array_equal(first.depth_m, made_depths(1)[0] / np.float32(5000.0))


@pytest.mark.parametrize("cut_at", [3, 20, 200, 380, 700, -600])
def test_a_file_that_was_cut_short(tmp_path: Path, cut_at: int) -> None:
    path = written(tmp_path, Sens(made_frames(POSES)))
    path.write_bytes(path.read_bytes()[:cut_at])
    with pytest.raises(FrameError, match=r"scene0011_00\.sens was cut short.*download it again"):
        open_sequence(path)


def test_other_files_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(FrameError, match=r"no \.sens file of version 4 \(it says version 3\)"):
        open_sequence(written(tmp_path, Sens(made_frames(POSES), version=3)))
    (tmp_path / "other.sens").write_bytes(b"<html>not found</html>" * 10)
    with pytest.raises(FrameError, match=r"no \.sens file of version 4"):
        open_sequence(tmp_path / "other.sens")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"depth_kind": 2}, "export the frames"),
        ({"color_kind": 7}, "unknown compression 7"),
        ({"units_per_m": 0.0}, "depth units"),
        ({"depth_size": (0, 0)}, "without pixels"),
        ({"color_size": (320, 240)}, "were they resized"),
        ({"base_T_depth": LOST}, "extrinsics of depth hold NaN or infinity"),
    ],
)
def test_unusable_header_is_an_error(tmp_path: Path, changes: dict, words: str) -> None:
    with pytest.raises(FrameError, match=words):
        open_sequence(written(tmp_path, Sens(made_frames(POSES), **changes)))


@pytest.mark.parametrize(
    ("changes", "cause", "words"),
    [
        ({"depth": b"no zlib"}, "depth_invalid", "frame 1: depth cannot be decompressed"),
        ({"depth": made_frames(POSES)[1].depth[:-60]}, "depth_invalid", "frame 1: depth of"),
        (
            {"color": b"\xff\xd8broken"},
            "color_invalid",
            "frame 1: .*8 bytes .*no JPEG or PNG",
        ),
        ({"color": jpeg(np.zeros((8, 9, 3), np.uint8))}, "color_size", "frame 1: colour has 9x8"),
    ],
)
def test_a_damaged_image_costs_its_frame_and_names_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, changes: dict, cause: str, words: str
) -> None:
    frames = made_frames(POSES)
    frames[1] = dataclasses.replace(frames[1], **changes)
    sequence = opened(written(tmp_path, Sens(frames)))
    stamps = [frame.stamp_ns for frame in read_sequence(sequence)]
    assert stamps == [frames[n].color_us * 1000 for n in (0, 2, 3)]
    assert sequence.drops == {cause: 1}
    assert re.search(rf"scene0011_00\.sens: .*{words}", caplog.text)


def test_depth_that_would_inflate_to_more_is_refused(tmp_path: Path) -> None:
    frames = made_frames(POSES[:1])
    bomb = np.zeros(10**6, np.uint8).tobytes()
    frames[0] = dataclasses.replace(frames[0], depth=zlib.compress(bomb))
    with pytest.raises(FrameError, match="depth of 385 bytes is not 16x12"):
        list(opened(written(tmp_path, Sens(frames))))


def test_a_count_that_cannot_be_is_cut_short(tmp_path: Path) -> None:
    """The header is damaged; no memory is allocated for the count that it states."""
    path = written(tmp_path, Sens([]))
    data = path.read_bytes()
    count_at = len(data) - struct.calcsize("<Q") - 2 * struct.calcsize("<15dQ") - 8
    path.write_bytes(data[:count_at] + struct.pack("<Q", 2**60) + data[count_at + 8 :])
    with pytest.raises(FrameError, match=f"cannot hold {2**60} frames"):
        open_sequence(path)


def test_error_of_a_scan_without_recording_says_where_to_get_it(tmp_path: Path) -> None:
    folder = tmp_path / "scene0011_00"
    folder.mkdir()
    (folder / "scene0011_00_vh_clean_2.ply").touch()
    with pytest.raises(FrameError, match=r"put scene0011_00\.sens there.*terms of use"):
        open_sequence(folder)


def test_a_damaged_alignment(tmp_path: Path) -> None:
    for alignment, words in (("1 2 3", "pose is a 4x4"), ("one", "could not convert")):
        with pytest.raises(FrameError, match=words):
            open_sequence(written(tmp_path, Sens(made_frames(POSES)), alignment))


def test_images_larger_than_any_cameras_are_not_unpacked(tmp_path: Path) -> None:
    frames = made_frames(POSES)
    with pytest.raises(FrameError, match="larger than any camera's"):
        open_sequence(written(tmp_path, Sens(frames, depth_size=(2**31, 2**31))))
