"""TUM RGB-D folders: rgb.txt, depth.txt and groundtruth.txt list files and poses by stamp.

Sturm et al., "A Benchmark for the Evaluation of RGB-D SLAM Systems", IROS 2012. Depth is aligned to
colour, 5000 units a metre. Poses are of the colour camera in the motion capture's world, which is
z-up already and is left as it is, unless `gravity-direction.txt` ("down" in the world) or the way
that pictures hang says otherwise: others write such lists with worlds of their own. Colour is
matched to depth and poses as a live camera's is.

Intrinsics come from `calibration.yaml` (fx fy cx cy) in the folder, else from the number of the
data set's camera in the folder's name (freiburg1, 2, 3), else they are a Kinect's. Lens distortion
is not removed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import yaml

from scenemind.config import SyncConfig
from scenemind.frames.frame import FrameError
from scenemind.frames.readers.depth_units import with_depth_units
from scenemind.frames.readers.folder import (
    GRAVITY,
    FolderEntry,
    find_down,
    image_size,
    read_lines,
    z_up_rotation,
)
from scenemind.frames.sequence import IndexedSequence
from scenemind.frames.synchronizer import Synchronizer
from scenemind.geometry import GeometryError, PinholeCamera, Pose
from scenemind.untrusted import check_yaml, read_regular

DESCRIPTION = "TUM RGB-D: rgb.txt depth.txt groundtruth.txt"
_UNITS_PER_M = 5000.0
_MOST_S = 2**63 // 10**9  # of a stamp, which is 64 bits of nanoseconds
_MOST_SETTINGS_BYTES = 2**20
_DOWN = (0.0, 0.0, -1.0)
# fx, fy, cx, cy as the benchmark's page gives them.
_OF_FREIBURG = {
    "1": (517.3, 516.5, 318.6, 255.3),
    "2": (520.9, 521.0, 325.1, 249.7),
    "3": (535.4, 539.2, 320.1, 247.6),
}
_OF_KINECT = (525.0, 525.0, 319.5, 239.5)


def recognises(path: Path) -> bool:
    """Whether the folder is one of this format."""
    return all((path / name).is_file() for name in ("rgb.txt", "depth.txt", "groundtruth.txt"))


def read(path: Path) -> IndexedSequence:
    """Open a folder of this format.

    Raises:
        FrameError: a list that cannot be read, or nothing in it that belongs together.
    """
    sync: Synchronizer[Path, Path, None] = Synchronizer(SyncConfig())
    colors = {stamp: path / words[0] for stamp, words in _read_list(path / "rgb.txt", 1)}
    depths = {stamp: path / words[0] for stamp, words in _read_list(path / "depth.txt", 1)}
    poses = _read_poses(path / "groundtruth.txt")
    matched = []
    for stamp_ns in sorted({*colors, *depths, *poses}):
        if stamp_ns in poses:
            matched += sync.add_pose(stamp_ns, poses[stamp_ns])
        if stamp_ns in colors:
            matched += sync.add_color(stamp_ns, colors[stamp_ns])
        if stamp_ns in depths:
            matched += sync.add_depth(stamp_ns, depths[stamp_ns])
    matched += sync.finish()
    if not matched:
        raise FrameError(f"{path}: no colour image has depth and a pose: {dict(sync.counts)}")
    down, remark = find_down(path, [frame.pose for frame in matched], _DOWN)
    zup_T_world = z_up_rotation(down)
    assumed = [remark] if remark else []
    camera = _camera(path, [frame.color for frame in matched], assumed)
    entries = [
        FolderEntry(f.stamp_ns, f.color, f.depth, zup_T_world @ f.pose, _UNITS_PER_M)
        for f in matched
    ]
    entries, scale = with_depth_units(entries, camera)
    if scale:
        assumed.append(scale)
    return IndexedSequence(
        name=path.resolve().name,
        path=path,
        camera=camera,
        entries=entries,
        world_T_recorded=zup_T_world,
        gravity_path=path / GRAVITY,
        assumed=tuple(assumed),
        left_out={cause: count for cause, count in sync.counts.items() if count},
    )


def _read_list(path: Path, words: int) -> list[tuple[int, list[str]]]:
    """Lines "stamp word ..." as stamps in nanoseconds, each with its words."""
    entries = []
    for number, line in enumerate(read_lines(path), start=1):
        stamp, *rest = line.split("#")[0].split() or [""]
        if not stamp:
            continue
        try:
            seconds = Decimal(stamp)
            if not abs(seconds) < _MOST_S:
                raise ValueError("no stamp in nanoseconds")
            stamp_ns = int(seconds * 10**9)
        except (ArithmeticError, ValueError) as error:  # no number, infinity, NaN
            raise FrameError(f"{path}, line {number}: {stamp!r} is no stamp in seconds") from error
        if len(rest) != words:
            raise FrameError(f"{path}, line {number}: {words} words after the stamp: {line!r}")
        entries.append((stamp_ns, rest))
    return entries


def _read_poses(path: Path) -> dict[int, Pose]:
    poses = {}
    for stamp_ns, words in _read_list(path, 7):
        try:
            x, y, z, *xyzw = (float(word) for word in words)
            poses[stamp_ns] = Pose.from_quaternion((x, y, z), xyzw)
        except ValueError as error:  # a GeometryError is one too
            raise FrameError(f"{path}, pose at {stamp_ns * 1e-9:.4f} s: {error}") from error
    return poses


def _camera(path: Path, colors: Sequence[Path], assumed: list[str]) -> PinholeCamera:
    file = path / "calibration.yaml"
    freiburg = re.search(r"freiburg([123])", path.resolve().name)
    if file.is_file():
        intrinsics = _read_calibration(file)
    else:
        intrinsics = _OF_FREIBURG[freiburg[1]] if freiburg else _OF_KINECT
        whose = (
            f"those of {freiburg[0]}, by the folder's name" if freiburg else "a Kinect's nominal"
        )
        numbers = ", ".join(f"{value:g}" for value in intrinsics)
        assumed.append(
            f"{file} (fx, fy, cx, cy) is missing: {whose} are taken: {numbers}, without distortion"
        )
    try:
        return PinholeCamera(*image_size(colors), *intrinsics)
    except GeometryError as error:
        raise FrameError(f"{file}: {error}") from error


def _read_calibration(file: Path) -> tuple[float, float, float, float]:
    try:
        text = read_regular(file, _MOST_SETTINGS_BYTES, follow=True).decode()
        check_yaml(text)
        data = yaml.safe_load(text)
        return float(data["fx"]), float(data["fy"]), float(data["cx"]), float(data["cy"])
    except (yaml.YAMLError, OSError, RecursionError, KeyError, TypeError, ValueError) as error:
        raise FrameError(f"{file} has no numbers fx, fy, cx, cy: {error!r}") from error
