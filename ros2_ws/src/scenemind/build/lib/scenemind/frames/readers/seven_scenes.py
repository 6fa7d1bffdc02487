"""7-Scenes folders: frame-NNNNNN.color, .depth.png and .pose.txt side by side.

Glocker et al., "Real-Time RGB-D Camera Relocalization", ISMAR 2013. Depth is 16-bit millimetres
(0 and 65535 are holes), poses are camera-to-world 4x4 of the depth camera, and depth is not
registered to colour. Three files of the folder say what the images do not:

- `calibration.json`: `depth` and `color` intrinsics (fx fy cx cy width height), `color_T_depth`.
- `camera-intrinsics.txt`: one 3x3 matrix for both where there is no calibration.
- `gravity-direction.txt`: "down" in the recorded world. Without it y is taken to point down, unless
  pictures clearly hang along another axis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.frames.frame import DepthCalibration, FrameError
from scenemind.frames.readers.folder import (
    GRAVITY,
    FolderEntry,
    camera_of_matrix,
    find_down,
    image_size,
    read_numbers,
    read_pose,
    z_up_rotation,
)
from scenemind.frames.sequence import IndexedSequence, counted_stamp_ns
from scenemind.geometry import PinholeCamera, Pose
from scenemind.untrusted import MOST_JSON_BYTES, load_json, read_regular

DESCRIPTION = "7-Scenes: frame-NNNNNN.color.* .depth.png .pose.txt"
_RATE_HZ = 30.0  # no stamps are recorded; the Kinect ran at this rate
_Y_DOWN = (0.0, 1.0, 0.0)
_PUBLISHED_INTRINSICS = (585.0, 0.0, 320.0, 0.0, 585.0, 240.0, 0.0, 0.0, 1.0)


def recognises(path: Path) -> bool:
    """Whether the folder is one of this format."""
    return next(path.glob("frame-*.pose.txt"), None) is not None


def read(path: Path) -> IndexedSequence:
    """Open a folder of this format.

    Raises:
        FrameError: a part is missing or damaged.
    """
    colors = sorted((*path.glob("frame-*.color.jpg"), *path.glob("frame-*.color.png")))
    if not colors:
        raise FrameError(f"{path} has poses but no frame-*.color.jpg or .png")
    assumed: list[str] = []
    camera, calibration = _read_cameras(path, colors, assumed)
    depth_T_color = Pose.identity()
    if calibration is not None:
        depth_T_color = calibration.color_T_depth.inverse()
    tracked, left_out = {}, Counter[str]()
    for color_path in colors:
        world_T_depth = read_pose(path / f"{_stem(color_path)}.pose.txt", left_out)
        if world_T_depth is not None:
            tracked[color_path] = world_T_depth
    zup_T_world = z_up_rotation(_find_down(path, list(tracked.values()), assumed))
    entries = [
        FolderEntry(
            stamp_ns=counted_stamp_ns(_number(color_path), _RATE_HZ),
            color_path=color_path,
            depth_path=path / f"{_stem(color_path)}.depth.png",
            world_T_camera=zup_T_world @ world_T_depth @ depth_T_color,
        )
        for color_path, world_T_depth in tracked.items()
    ]
    return IndexedSequence(
        name=path.resolve().name,
        path=path,
        camera=camera,
        entries=entries,
        depth_calibration=calibration,
        world_T_recorded=zup_T_world,
        gravity_path=path / GRAVITY,
        assumed=tuple(assumed),
        left_out=left_out,
    )


def _read_cameras(
    path: Path, colors: Sequence[Path], assumed: list[str]
) -> tuple[PinholeCamera, DepthCalibration | None]:
    file = path / "calibration.json"
    if not file.is_file():
        assumed.append(f"{file} is missing: depth is taken as aligned to colour")
        return _read_shared_camera(path, colors, assumed), None
    try:
        data = load_json(read_regular(file, MOST_JSON_BYTES, follow=True))
        color, depth = _camera(data["color"]), _camera(data["depth"])
        color_T_depth = Pose.from_matrix(data["color_T_depth"])
    except (OSError, KeyError, TypeError, ValueError) as error:  # no pose is a ValueError
        raise FrameError(f"{file} is no calibration: {error!r}") from error
    return color, DepthCalibration(depth, color_T_depth)


def _camera(values: dict[str, Any]) -> PinholeCamera:
    fx, fy, cx, cy = (float(values[name]) for name in ("fx", "fy", "cx", "cy"))
    return PinholeCamera(int(values["width"]), int(values["height"]), fx, fy, cx, cy)


def _read_shared_camera(path: Path, colors: Sequence[Path], assumed: list[str]) -> PinholeCamera:
    file = path / "camera-intrinsics.txt"
    size = image_size(colors)
    if file.is_file():
        return camera_of_matrix(read_numbers(file, 9), *size, source=str(file))
    camera = camera_of_matrix(_PUBLISHED_INTRINSICS, *size, source="7-Scenes intrinsics")
    assumed.append(
        f"{file} is missing: the data set's published intrinsics are taken,"
        f" fx = fy = {camera.fx:g}, cx = {camera.cx:g}, cy = {camera.cy:g}"
    )
    return camera


def _find_down(
    path: Path, world_T_cameras: Sequence[Pose], assumed: list[str]
) -> NDArray[np.float64]:
    down, remark = find_down(path, world_T_cameras, _Y_DOWN)
    if remark:
        assumed.append(remark)
    elif not (path / GRAVITY).is_file():
        assumed.append(f"{path / GRAVITY} (three numbers) is missing: +y is taken as down")
    return down


def _stem(path: Path) -> str:
    return path.name.split(".")[0]


def _number(path: Path) -> int:
    number = _stem(path).removeprefix("frame-")
    if not number.isdigit():
        raise FrameError(f"{path}: frames of this format are named frame-NNNNNN")
    return int(number)
