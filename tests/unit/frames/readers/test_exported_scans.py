"""ScanNet's exported frames and OpenEQA's episodes, laid out as their own scripts write them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from scenemind.frames import FrameError, open_sequence, read_sequence
from scenemind.frames.sequence import IndexedSequence
from scenemind.geometry import PinholeCamera
from tests.unit.frames.scannet_bytes import COLOR_K, DEPTH_K, LOST, jpeg, made_color, made_depths

from ..made import pose

POSES = [pose(i).matrix() for i in range(3)]
NUMBERS = (0, 2, 10)  # in the order of numbers, which is not that of names
ALIGNED = np.array([(0, -1, 0, 0.5), (1, 0, 0, -2), (0, 0, 1, 0.1), (0, 0, 0, 1.0)])


def save_matrix(path: Path, matrix: NDArray[np.float64]) -> None:
    """Write a matrix in the format of SensReader."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savetxt(path, matrix, fmt="%f")


def save_alignment(path: Path) -> None:
    numbers = " ".join(f"{value:f}" for value in ALIGNED.ravel())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"sceneType = Office\naxisAlignment = {numbers}\n")


def save_image(path: Path, image: NDArray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if image.ndim == 3 and path.suffix == ".jpg":
        path.write_bytes(jpeg(image))
    else:
        cv2.imwrite(str(path), image[..., ::-1] if image.ndim == 3 else image)


def save_frames(
    folder: Path, names: Sequence[str], poses: Sequence[NDArray[np.float64]] = POSES
) -> Path:
    """`names` are those of colour, depth and pose, with a place for the frame's number."""
    for number, pose_, depth in zip(NUMBERS, poses, made_depths(len(poses)), strict=True):
        color_name, depth_name, pose_name = (name.format(number) for name in names)
        save_image(folder / color_name, made_color(number))
        save_image(folder / depth_name, depth)
        save_matrix(folder / pose_name, pose_)
    return folder


def save_scan(scans: Path) -> Path:
    folder = save_frames(scans / "scene0011_00", ("color/{}.jpg", "depth/{}.png", "pose/{}.txt"))
    for name, matrix in (("intrinsic", (COLOR_K, DEPTH_K)), ("extrinsic", (np.eye(4), np.eye(4)))):
        save_matrix(folder / f"intrinsic/{name}_color.txt", matrix[0])
        save_matrix(folder / f"intrinsic/{name}_depth.txt", matrix[1])
    save_alignment(folder / "scene0011_00.txt")
    return folder


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    return save_scan(tmp_path)


@pytest.fixture
def scannet_episode(tmp_path: Path) -> Path:
    folder = save_frames(
        tmp_path / "data/frames/scannet-v0/002-scannet-scene0011_00",
        ("{:06d}-rgb.png", "{:06d}-depth.png", "{:06d}.txt"),
    )
    for name, matrix in (("intrinsic", (COLOR_K, DEPTH_K)), ("extrinsic", (np.eye(4), np.eye(4)))):
        save_matrix(folder / f"{name}_color.txt", matrix[0])
        save_matrix(folder / f"{name}_depth.txt", matrix[1])
    return folder


def opened(folder: Path) -> IndexedSequence:
    sequence = open_sequence(folder)
    assert isinstance(sequence, IndexedSequence)
    return sequence


def assert_is_the_scan(sequence: IndexedSequence, world: NDArray[np.float64]) -> None:
    assert sequence.camera == PinholeCamera(32, 24, 40.0, 41.0, 15.5, 11.5)
    assert sequence.depth_calibration is not None
    assert sequence.depth_calibration.camera == PinholeCamera(16, 12, 20.0, 21.0, 7.5, 5.5)
    for frame, number, scan_T_depth, depth in zip(
        sequence, NUMBERS, POSES, made_depths(3), strict=True
    ):
        assert frame.stamp_ns == 10**9 + round(number * 1e9 / 30)
        assert np.abs(frame.color.astype(int) - made_color(number)).max() < 4
        assert np.array_equal(frame.depth_m, depth / np.float32(1000.0))
        assert np.allclose(frame.world_T_camera.matrix(), world @ scan_T_depth, atol=1e-5)


def test_exported_frames(exported: Path) -> None:
    assert_is_the_scan(opened(exported), ALIGNED)


def test_the_published_25k_frames(exported: Path) -> None:
    for camera in ("color", "depth"):
        matrix = exported / f"intrinsic/intrinsic_{camera}.txt"
        matrix.rename(exported / f"intrinsics_{camera}.txt")
    assert_is_the_scan(opened(exported), ALIGNED)


def test_an_episode_of_scannet_finds_its_alignment_where_open_eqa_has_scans(
    scannet_episode: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert_is_the_scan(opened(scannet_episode), np.eye(4))
    assert "axisAlignment is missing" in caplog.text
    save_alignment(tmp_path / "data/raw/scannet/scans/scene0011_00/scene0011_00.txt")
    assert_is_the_scan(opened(scannet_episode), ALIGNED)


def test_poses_are_turned_from_the_depth_camera_to_the_colour_camera(exported: Path) -> None:
    """Poses are the depth camera's; extrinsics go from each camera to their common base."""
    base_T_color, base_T_depth = pose(1).matrix(), pose(4).matrix()
    save_matrix(exported / "intrinsic/extrinsic_color.txt", base_T_color)
    save_matrix(exported / "intrinsic/extrinsic_depth.txt", base_T_depth)
    sequence = opened(exported)
    assert sequence.depth_calibration is not None
    color_T_depth = np.linalg.solve(base_T_color, base_T_depth)
    np.testing.assert_allclose(
        sequence.depth_calibration.color_T_depth.matrix(), color_T_depth, atol=1e-5
    )
    for frame, scan_T_depth in zip(sequence, POSES, strict=True):
        seen_by_depth = frame.world_T_camera.matrix() @ color_T_depth
        np.testing.assert_allclose(seen_by_depth, ALIGNED @ scan_T_depth, atol=1e-5)


def test_lost_frames_are_left_out(exported: Path) -> None:
    save_matrix(exported / "pose/2.txt", LOST)
    sequence = opened(exported)
    assert (len(sequence), sequence.drops) == (2, {"pose_lost": 1})


def test_an_export_without_depth(exported: Path) -> None:
    (exported / "depth").rename(exported / "other")
    with pytest.raises(FrameError, match="--export_depth_images"):
        open_sequence(exported)


def test_frames_that_are_not_numbered(exported: Path) -> None:
    (exported / "color/first.jpg").write_bytes(b"")
    with pytest.raises(FrameError, match=r"first\.jpg: frames are named by their number"):
        open_sequence(exported)


def test_images_of_another_size_than_their_intrinsics(exported: Path) -> None:
    for number in NUMBERS:
        save_image(exported / f"color/{number}.jpg", np.zeros((240, 320, 3), np.uint8))
    with pytest.raises(FrameError, match="were they resized"):
        open_sequence(exported)


@pytest.fixture
def hm3d_episode(tmp_path: Path) -> Path:
    """A wall 2 m in front of a camera that stands 1.5 m high and looks along -z of a y-up world."""
    folder = tmp_path / "hm3d-v0/000-hm3d-BFRyYbPCCPE"
    habitat_T_gl = np.eye(4)
    habitat_T_gl[:3, 3] = (3.0, 1.5, -1.0)
    wall = np.full((24, 32), round(2.0 / 10.0 * 65535), np.uint16)
    for number in range(2):
        save_image(folder / f"{number:05d}-rgb.png", made_color(number))
        save_image(folder / f"{number:05d}-depth.png", wall)
        save_matrix(folder / f"{number:05d}.txt", habitat_T_gl)
        (folder / f"{number:05d}.pkl").write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")
    # The focal length down by open-eqa's formula, of angles in the ratio of the sides.
    across = 16.0 / np.tan(np.pi / 4)
    down = 12.0 / np.tan(np.pi / 4 * 24 / 32)
    matrix = np.array([(across, 0, 16, 0), (0, down, 12, 0), (0, 0, 1, 0), (0, 0, 0, 1)])
    save_matrix(folder / "intrinsic_color.txt", matrix)
    save_matrix(folder / "intrinsic_depth.txt", matrix)
    return folder


def test_an_episode_of_hm3d_becomes_z_up_with_square_pixels(hm3d_episode: Path) -> None:
    sequence = opened(hm3d_episode)
    assert sequence.camera == PinholeCamera(32, 24, 16.0, 16.0, 15.5, 11.5)
    assert sequence.depth_calibration is None
    frame = next(read_sequence(sequence))
    assert frame.depth_m == pytest.approx(2.0, abs=1e-4)
    # Habitat's x, y, z are x, -z, y here: the camera is at z = 1.5 and looks along y.
    assert np.allclose(frame.world_T_camera.translation, (3.0, 1.0, 1.5))
    in_front = frame.world_T_camera.transform(np.array([(0.0, 0.0, 2.0)]))
    assert np.allclose(in_front, (3.0, 3.0, 1.5))
    below = frame.world_T_camera.transform(np.array([(0.0, 1.0, 0.0)]))
    assert np.allclose(below, (3.0, 1.0, 0.5))
    assert np.isclose(Rotation.from_matrix(frame.world_T_camera.rotation).magnitude(), np.pi / 2)


@pytest.mark.parametrize("missing", ["-depth.png", ".txt"])
def test_error_of_an_episode_without_depth_says_how_to_get_it(
    hm3d_episode: Path, missing: str
) -> None:
    """Its pickles are never read."""
    for file in hm3d_episode.glob(f"*{missing}"):
        file.unlink()
    with pytest.raises(FrameError, match=rf"has no 00000{missing}.*without --rgb-only"):
        open_sequence(hm3d_episode)
