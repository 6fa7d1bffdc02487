"""7-Scenes folders: frame-NNNNNN.color, .depth.png and .pose.txt side by side.

Glocker et al., "Real-Time RGB-D Camera Relocalization", ISMAR 2013. Depth is 16-bit millimetres
(0 and 65535 are holes), poses are camera-to-world 4x4 of the depth camera, and depth is not
registered to colour. Three files of the folder say what the images do not:

- `calibration.json`: `depth` and `color` intrinsics (fx fy cx cy width height), `color_T_depth`.
- `camera-intrinsics.txt`: one 3x3 matrix for both where there is no calibration.
- `gravity-direction.txt`: "down" in the recorded world. Without it y is taken to point down.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scenemind.frames.frame import DepthCalibration, FrameError
from scenemind.frames.readers.folder import (
    FolderEntry,
    camera_of_matrix,
    image_size,
    read_numbers,
    read_pose,
    z_up_rotation,
)
from scenemind.frames.sequence import IndexedSequence, counted_stamp_ns
from scenemind.geometry import PinholeCamera, Pose

_log = logging.getLogger(__name__)

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
    camera, calibration = _read_cameras(path, colors)
    depth_T_color = Pose.identity()
    if calibration is not None:
        depth_T_color = calibration.color_T_depth.inverse()
    zup_T_world = z_up_rotation(_read_down(path))
    entries, left_out = [], Counter[str]()
    for color_path in colors:
        stem = color_path.name.split(".")[0]
        pose_path = path / f"{stem}.pose.txt"
        world_T_depth = read_pose(pose_path, left_out)
        if world_T_depth is None:
            continue
        entries.append(
            FolderEntry(
                stamp_ns=counted_stamp_ns(_number(stem, color_path), _RATE_HZ),
                color_path=color_path,
                depth_path=path / f"{stem}.depth.png",
                world_T_camera=zup_T_world @ world_T_depth @ depth_T_color,
            )
        )
    return IndexedSequence(
        name=path.resolve().name,
        path=path,
        camera=camera,
        entries=entries,
        depth_calibration=calibration,
        world_T_recorded=zup_T_world,
        left_out=left_out,
    )


def _read_cameras(
    path: Path, colors: Sequence[Path]
) -> tuple[PinholeCamera, DepthCalibration | None]:
    file = path / "calibration.json"
    if not file.is_file():
        _log.warning("%s is missing: assuming that depth is aligned to colour", file)
        return _read_shared_camera(path, colors), None
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        color, depth = _camera(data["color"]), _camera(data["depth"])
        color_T_depth = Pose.from_matrix(data["color_T_depth"])
    except (KeyError, TypeError, ValueError) as error:  # no JSON, no text, no pose: all ValueErrors
        raise FrameError(f"{file} is no calibration: {error!r}") from error
    return color, DepthCalibration(depth, color_T_depth)


def _camera(values: dict[str, Any]) -> PinholeCamera:
    fx, fy, cx, cy = (float(values[name]) for name in ("fx", "fy", "cx", "cy"))
    return PinholeCamera(int(values["width"]), int(values["height"]), fx, fy, cx, cy)


def _read_shared_camera(path: Path, colors: Sequence[Path]) -> PinholeCamera:
    file = path / "camera-intrinsics.txt"
    if file.is_file():
        return camera_of_matrix(read_numbers(file, 9), *image_size(colors), source=str(file))
    _log.warning("%s is missing: using the data set's published intrinsics", file)
    size = image_size(colors)
    return camera_of_matrix(_PUBLISHED_INTRINSICS, *size, source="7-Scenes intrinsics")


def _read_down(path: Path) -> tuple[float, ...]:
    file = path / "gravity-direction.txt"
    if file.is_file():
        return tuple(read_numbers(file, 3).tolist())
    _log.warning("%s (three numbers) is missing: assuming that y points down", file)
    return _Y_DOWN


def _number(stem: str, path: Path) -> int:
    number = stem.removeprefix("frame-")
    if not number.isdigit():
        raise FrameError(f"{path}: frames of this format are named frame-NNNNNN")
    return int(number)
