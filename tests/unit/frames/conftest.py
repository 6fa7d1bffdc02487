"""Small recordings written to disk, in every folder format that can be read."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from scenemind.frames import SensorFrame

from .made import MadeSequence


@pytest.fixture
def made() -> MadeSequence:
    return MadeSequence()


def write_images(frame: SensorFrame, color: Path, depth: Path, units_per_m: float) -> None:
    for path in (color, depth):
        path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(color), cv2.cvtColor(frame.color, cv2.COLOR_RGB2BGR))
    cv2.imwrite(str(depth), np.rint(frame.depth_m * units_per_m).astype(np.uint16))


@pytest.fixture
def hololens_folder(tmp_path: Path, made: MadeSequence) -> Path:
    return write_hololens(tmp_path / "hololens", made)


def write_hololens(folder: Path, made: MadeSequence) -> Path:
    for i, frame in enumerate(made):
        name = f"{i:05d}.png"
        write_images(frame, folder / "images" / name, folder / "depth" / name, 1000.0)
    matrices = [frame.world_T_camera.matrix().reshape(-1) for frame in made]
    np.savetxt(folder / "poses.txt", matrices)
    (folder / "gravity-direction.txt").write_text("0 -1 0")
    np.savetxt(folder / "K.txt", [(20.0, 0.0, 7.5), (0.0, 20.0, 5.5), (0.0, 0.0, 1.0)])
    return folder


@pytest.fixture
def seven_scenes_folder(tmp_path: Path, made: MadeSequence) -> Path:
    return write_seven_scenes(tmp_path / "seven", made)


def write_seven_scenes(folder: Path, made: MadeSequence) -> Path:
    for i, frame in enumerate(made):
        stem = f"frame-{5 * i:06d}"
        color, depth = folder / f"{stem}.color.png", folder / f"{stem}.depth.png"
        write_images(frame, color, depth, 1000.0)
        np.savetxt(folder / f"{stem}.pose.txt", frame.world_T_camera.matrix())
    return folder


@pytest.fixture
def tum_folder(tmp_path: Path, made: MadeSequence) -> Path:
    return write_tum(tmp_path / "rgbd_dataset_freiburg3_made", made)


def write_tum(folder: Path, made: MadeSequence) -> Path:
    """Depth is 5 ms late, poses come between the images, as on a real recording."""
    lists: dict[str, list[str]] = {name: ["# comment"] for name in ("rgb", "depth", "groundtruth")}
    for frame in made:
        stamp = f"{frame.stamp_ns / 1e9:.6f}"
        late = f"{frame.stamp_ns / 1e9 + 0.005:.6f}"
        color, depth = f"rgb/{stamp}.png", f"depth/{late}.png"
        write_images(frame, folder / color, folder / depth, 5000.0)
        lists["rgb"].append(f"{stamp} {color}")
        lists["depth"].append(f"{late} {depth}")
        for before_s in (-0.02, 0.02):
            at = frame.stamp_ns / 1e9 + before_s
            x, y, z = frame.world_T_camera.translation + np.array([before_s, 0.0, 0.0])
            q = " ".join(map(str, frame.world_T_camera.quaternion_xyzw()))
            lists["groundtruth"].append(f"{at:.4f} {x} {y} {z} {q}")
    for name, lines in lists.items():
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    (folder / "gravity-direction.txt").write_text("0 0 -1")
    return folder
