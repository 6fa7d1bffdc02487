"""Folder formats."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.frames import FrameError, RecordedSequence, open_sequence, read_sequence
from scenemind.frames.readers.folder import find_down, z_up_rotation
from scenemind.geometry import Pose
from scenemind.simulation.trajectory import look

from ..made import CAMERA, MadeSequence, pose

_COORDINATE = st.floats(-10.0, 10.0)


@given(st.tuples(_COORDINATE, _COORDINATE, _COORDINATE).filter(lambda d: np.linalg.norm(d) > 1e-3))
def test_down_becomes_minus_z_by_a_proper_rotation(down: tuple[float, float, float]) -> None:
    turn = z_up_rotation(down).rotation
    assert np.allclose(turn @ (np.array(down) / np.linalg.norm(down)), (0, 0, -1), atol=1e-6)
    assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-6)
    assert np.linalg.det(turn) == pytest.approx(1.0, abs=1e-6)


def test_a_world_that_is_z_up_stays() -> None:
    assert np.array_equal(z_up_rotation((0, 0, -9.81)).rotation, np.eye(3))


def test_y_up_keeps_x() -> None:
    turn = z_up_rotation((0, -1, 0))
    assert np.allclose(turn.transform(np.array([1.0, 2.0, 3.0])), (1.0, -3.0, 2.0))


@pytest.mark.parametrize("down", [(0, 0, 0), (1, 2), (np.nan, 0, 1)])
def test_no_direction(down: tuple[float, ...]) -> None:
    with pytest.raises(FrameError, match="three numbers"):
        z_up_rotation(down)


Y_UP, Z_UP = np.array([(1, 0, 0), (0, 0, 1), (0, -1, 0)]), np.eye(3)  # of a world that is z-up


def turned(turn: np.ndarray, poses: list[Pose]) -> list[Pose]:
    return [Pose(turn @ pose.rotation, turn @ pose.translation) for pose in poses]


@pytest.mark.parametrize("usual", [(0.0, -1.0, 0.0), (0.0, 0.0, -1.0)])
@pytest.mark.parametrize("turn", [Y_UP, Z_UP])
@pytest.mark.parametrize("pitch", [0.0, -0.6])
def test_down_is_found_by_how_pictures_hang(
    tmp_path: Path, turn: np.ndarray, usual: tuple[float, float, float], pitch: float
) -> None:
    walk = [look(0.1 * i, 0, 1.5, 0.5 * i, pitch) for i in range(13)]
    down, remark = find_down(tmp_path, turned(turn, walk), usual)
    true = turn @ (0, 0, -1)
    assert np.array_equal(down, true)
    assert bool(remark) == (not np.array_equal(true, usual))


def test_a_camera_that_looks_at_the_floor_does_not_say_where_down_is(tmp_path: Path) -> None:
    usual = (0.0, 0.0, -1.0)
    steep = [look(0, 0, 1.5, 0.1, -1.5)] * 3
    assert np.array_equal(find_down(tmp_path, steep, usual)[0], usual)
    assert np.array_equal(find_down(tmp_path, [], usual)[0], usual)


def test_what_is_said_about_gravity_counts(tmp_path: Path) -> None:
    (tmp_path / "gravity-direction.txt").write_text("0.1 0.9 0.4")
    down, remark = find_down(tmp_path, [look(0, 0, 1, 0, 0)], (0.0, 0.0, -1.0))
    assert (down.tolist(), remark) == ([0.1, 0.9, 0.4], "")


CALIBRATION = {
    "color": {"width": 16, "height": 12, "fx": 20.0, "fy": 20.0, "cx": 7.5, "cy": 5.5},
    "depth": {"width": 16, "height": 12, "fx": 22.0, "fy": 22.0, "cx": 7.5, "cy": 5.5},
    "color_T_depth": pose(2).matrix().tolist(),
}


def assert_images_equal(sequence: RecordedSequence, made: MadeSequence) -> None:
    for read, written in zip(sequence, made, strict=True):
        assert np.array_equal(read.color, written.color)
        assert np.allclose(read.depth_m, written.depth_m, atol=1e-6)


def poses_of(sequence: RecordedSequence) -> list[np.ndarray]:
    return [frame.world_T_camera.matrix() for frame in sequence]


def test_hololens(hololens_folder: Path, made: MadeSequence) -> None:
    sequence = open_sequence(hololens_folder)
    assert sequence.camera == CAMERA
    assert sequence.depth_calibration is None
    assert_images_equal(sequence, made)
    turn = z_up_rotation((0, -1, 0))
    assert np.allclose(poses_of(sequence), [(turn @ pose(i)).matrix() for i in range(6)])
    assert [frame.stamp_ns for frame in sequence][:3] == [10**9, 10**9 + 10**8, 10**9 + 2 * 10**8]


def test_frames_are_in_the_order_of_their_numbers_however_written(hololens_folder: Path) -> None:
    before = list(open_sequence(hololens_folder))
    for kind in ("images", "depth"):
        for number, file in enumerate(sorted((hololens_folder / kind).iterdir())):
            file.rename(file.with_name(f"{8 + number}{file.suffix}"))  # "10" sorts before "8"
    after = open_sequence(hololens_folder)
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(new.color, old.color)
        np.testing.assert_array_equal(new.depth_m, old.depth_m)
        assert new.world_T_camera.matrix() == pytest.approx(old.world_T_camera.matrix())


def test_frames_may_be_jpeg(hololens_folder: Path) -> None:
    before = open_sequence(hololens_folder)
    depths, poses = [entry.read_depth() for entry in before.entries], poses_of(before)
    for file in sorted((hololens_folder / "images").iterdir()):
        grey = np.full((12, 16, 3), 10 * int(file.stem), np.uint8)
        cv2.imwrite(str(file.with_suffix(".jpg")), grey)
        file.unlink()
    after = open_sequence(hololens_folder)
    assert np.array_equal(poses_of(after), poses)
    for number, (frame, depth_m) in enumerate(zip(after, depths, strict=True)):
        assert np.allclose(frame.color, 10 * number, atol=2)
        assert np.array_equal(frame.depth_m, depth_m)
        assert frame.color_file[:2] == b"\xff\xd8"


def test_seven_scenes_poses_are_of_the_depth_camera(
    seven_scenes_folder: Path, made: MadeSequence
) -> None:
    (seven_scenes_folder / "calibration.json").write_text(json.dumps(CALIBRATION))
    (seven_scenes_folder / "gravity-direction.txt").write_text("0\n0\n-9.81\n")
    sequence = open_sequence(seven_scenes_folder)
    assert sequence.camera == CAMERA
    assert sequence.depth_calibration is not None
    assert sequence.depth_calibration.camera.fx == 22.0
    assert_images_equal(sequence, made)
    expected = [(pose(i) @ pose(2).inverse()).matrix() for i in range(6)]
    assert np.allclose(poses_of(sequence), expected, atol=1e-6)
    # Every fifth frame at 30 Hz.
    assert np.diff([frame.stamp_ns for frame in sequence]) == pytest.approx(1e9 / 6, abs=1)


def test_seven_scenes_without_its_extra_files_logs_its_assumptions(
    seven_scenes_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        sequence = open_sequence(seven_scenes_folder)
    for file in ("calibration.json", "camera-intrinsics.txt", "gravity-direction.txt"):
        assert file in caplog.text
    assert (sequence.camera.fx, sequence.depth_calibration) == (585.0, None)
    turn = z_up_rotation((0, 1, 0))
    assert np.allclose(poses_of(sequence), [(turn @ pose(i)).matrix() for i in range(6)])


def test_tum_interpolates_poses_and_takes_intrinsics_by_name(
    tum_folder: Path, made: MadeSequence
) -> None:
    sequence = open_sequence(tum_folder)
    assert (sequence.camera.fx, sequence.camera.width) == (535.4, 16)
    assert_images_equal(sequence, made)
    assert np.allclose(poses_of(sequence), [pose(i).matrix() for i in range(6)], atol=1e-6)
    assert [f.stamp_ns for f in sequence] == [f.stamp_ns for f in made]


def test_tum_says_which_intrinsics_it_takes(tum_folder: Path) -> None:
    assert "freiburg3" in "".join(open_sequence(tum_folder).assumed)
    unknown = tum_folder.rename(tum_folder.parent / "desk")
    (remark,) = open_sequence(unknown).assumed
    assert "Kinect" in remark
    assert "525, 525, 319.5, 239.5" in remark
    (unknown / "calibration.yaml").write_text("{fx: 20, fy: 20, cx: 7.5, cy: 5.5}")
    assert open_sequence(unknown).assumed == ()


def test_tum_takes_a_calibration_file_first(tum_folder: Path) -> None:
    (tum_folder / "calibration.yaml").write_text("{fx: 20, fy: 20, cx: 7.5, cy: 5.5}")
    assert open_sequence(tum_folder).camera == CAMERA
    for wrong in ("{fx: 20}", "[" * 100_000, "fx: " + "9" * 2**20):
        (tum_folder / "calibration.yaml").write_text(wrong)
        with pytest.raises(FrameError, match=r"calibration\.yaml has no numbers"):
            open_sequence(tum_folder)


def test_a_frame_whose_tracking_was_lost_is_left_out_and_counted(
    seven_scenes_folder: Path, hololens_folder: Path
) -> None:
    np.savetxt(seven_scenes_folder / "frame-000010.pose.txt", np.full((4, 4), -np.inf))
    lines = (hololens_folder / "poses.txt").read_text().splitlines()
    lines[1] = " ".join(["nan"] * 16)
    (hololens_folder / "poses.txt").write_text("\n".join(lines))
    for folder in (seven_scenes_folder, hololens_folder):
        sequence = open_sequence(folder)
        assert (len(sequence), sequence.drops) == (5, {"pose_lost": 1})


def test_a_pose_that_is_no_rotation_names_its_file(seven_scenes_folder: Path) -> None:
    np.savetxt(seven_scenes_folder / "frame-000010.pose.txt", np.diag((2.0, 2.0, 2.0, 1.0)))
    with pytest.raises(FrameError, match=r"frame-000010\.pose\.txt.*no rotation"):
        open_sequence(seven_scenes_folder)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("poses.txt", "1 2 3", "line 1: 3 numbers"),
        ("poses.txt", "one two", "no number"),
        ("poses.txt", "", "6 images.* 0 lines"),
        ("K.txt", "1 2 3", "3 numbers, expected 9"),
        ("K.txt", "0 0 0 0 0 0 0 0 0", "no pinhole intrinsics"),
    ],
)
def test_damaged_hololens_files(hololens_folder: Path, file: str, text: str, message: str) -> None:
    (hololens_folder / file).write_text(text)
    with pytest.raises(FrameError, match=message):
        open_sequence(hololens_folder)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("rgb.txt", "soon rgb/1.png", "line 1: 'soon' is no stamp"),
        ("depth.txt", "nan depth/1.png", "line 1: 'nan' is no stamp"),
        ("depth.txt", "inf depth/1.png", "line 1: 'inf' is no stamp"),
        ("depth.txt", "1e200000 depth/1.png", "line 1: '1e200000' is no stamp"),
        ("depth.txt", "1.0 a b", "line 1: 1 words"),
        ("groundtruth.txt", "1.0 0 0 0 0 0 0 0", "has norm 0"),
        ("groundtruth.txt", "1.0 0 0 0 0 0 0 1", "no_pose"),
    ],
)
def test_damaged_tum_lists(tum_folder: Path, file: str, text: str, message: str) -> None:
    (tum_folder / file).write_text(text)
    with pytest.raises(FrameError, match=message):
        open_sequence(tum_folder)


NOT_A_NUMBER = '{"color": {"fx": "far", "fy": 1, "cx": 1, "cy": 1, "width": 1, "height": 1}}'


@pytest.mark.parametrize(
    "text", ["{", "{}", "[]", '{"color": {}, "depth": {}}', NOT_A_NUMBER, "caf\xe9"]
)
def test_a_damaged_calibration(seven_scenes_folder: Path, text: str) -> None:
    (seven_scenes_folder / "calibration.json").write_text(text, encoding="latin-1")
    with pytest.raises(FrameError, match=r"calibration\.json is no calibration"):
        open_sequence(seven_scenes_folder)


def damage(file: Path, how: str) -> None:
    data = file.read_bytes()
    if how == "missing":
        file.unlink()
    elif how == "size":
        kind = np.uint16 if "depth" in str(file) else np.uint8
        cv2.imwrite(str(file), np.ones((6, 8), kind))
    else:
        file.write_bytes(data[: len(data) // 2])


# Where colour is not listed anywhere, a file that is missing is no frame.
LISTED = [("hololens", "depth/*"), ("tum", "rgb/*"), ("tum", "depth/*"), ("seven_scenes", "*h.png")]
ALL = [*LISTED, ("hololens", "images/*"), ("seven_scenes", "*.color.png")]


@pytest.mark.parametrize(
    ("format_name", "images", "how"),
    [*((*f, "missing") for f in LISTED), *((*f, h) for f in ALL for h in ("invalid", "size"))],
)
def test_an_image_that_cannot_be_used_costs_its_frame(
    request: pytest.FixtureRequest,
    caplog: pytest.LogCaptureFixture,
    format_name: str,
    images: str,
    how: str,
) -> None:
    """The first image, which decides the camera, is no exception."""
    folder = request.getfixturevalue(f"{format_name}_folder")
    stamps = [frame.stamp_ns for frame in open_sequence(folder)]
    first, *_, last = sorted(folder.glob(images))
    stream = "color" if "rgb" in images or "images" in images or "color" in images else "depth"
    damage(first, how)
    sequence = open_sequence(folder)
    for _ in range(2):
        assert [frame.stamp_ns for frame in read_sequence(sequence)] == stamps[1:]
        assert sequence.drops == {f"{stream}_{how}": 1}
    assert caplog.text.count("a frame is left out") == 1
    assert first.name.split(".")[0] in caplog.text
    damage(last, how)
    assert [frame.stamp_ns for frame in open_sequence(folder)] == stamps[1:-1]


def test_a_pose_file_that_is_missing_costs_its_frame(seven_scenes_folder: Path) -> None:
    (seven_scenes_folder / "frame-000010.pose.txt").unlink()
    sequence = open_sequence(seven_scenes_folder)
    assert (len(sequence), sequence.drops) == (5, {"pose_missing": 1})


def test_images_none_of_which_can_be_used(hololens_folder: Path) -> None:
    for file in (hololens_folder / "depth").iterdir():
        damage(file, "size")
    with pytest.raises(
        FrameError,
        match=r"none of the first 6 frames .*00000\.png: depth has 8x6 .*its camera 16x12",
    ):
        list(open_sequence(hololens_folder))
    for file in (hololens_folder / "images").iterdir():
        damage(file, "invalid")
    with pytest.raises(FrameError, match=r"00005\.png .*recording again"):
        open_sequence(hololens_folder)


def test_a_calibration_that_repeats_itself_without_end(tum_folder: Path) -> None:
    lines = ["a0: &a0 {fx: 1}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 12)]
    (tum_folder / "calibration.yaml").write_text("\n".join([*lines, "<<: *a11"]))
    with pytest.raises(FrameError, match=r"calibration\.yaml has no numbers.*by reference"):
        open_sequence(tum_folder)


def test_lists_without_end(
    tum_folder: Path, hololens_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (tum_folder / "groundtruth.txt", hololens_folder / "poses.txt"):
        with path.open("a") as file:
            file.write("\n" * 500_000)
        with pytest.raises(FrameError, match=f"{path.name} has 5000.. lines"):
            open_sequence(path.parent)
    monkeypatch.setattr("scenemind.frames.readers.folder._LONGEST_LIST", 100_000)
    with pytest.raises(FrameError, match=r"cannot be read: has 50\d+ bytes"):
        open_sequence(tum_folder)


def test_a_sequence_can_be_iterated_again(hololens_folder: Path) -> None:
    sequence = open_sequence(hololens_folder)
    assert np.array_equal(poses_of(sequence), poses_of(sequence))


def test_colour_poses_of_redkitchen_use_the_calibration(shared_data: Path) -> None:
    folder = shared_data / "sequences" / "redkitchen"
    sequence = open_sequence(folder)
    assert sequence.depth_calibration is not None
    color_T_depth = sequence.depth_calibration.color_T_depth
    first = next(iter(sequence))
    recorded = Pose.from_matrix(np.loadtxt(folder / "frame-000000.pose.txt"))
    turn = z_up_rotation(np.loadtxt(folder / "gravity-direction.txt"))
    back = (first.world_T_camera @ color_T_depth).matrix()
    assert np.allclose(back, (turn @ recorded).matrix())
