"""Folders of frames, as deep-video-mvs' HoloLens sample is one: images/ depth/ poses.txt K.txt.

Images are JPEG or PNG named by number, depth is 16-bit millimetres as PNG of the same names,
aligned to colour. A line of poses.txt is the 4x4 camera-to-world matrix of the image of the same
place by number, row-major. The world is y-up, unless `gravity-direction.txt` ("down" in the world)
or the way that pictures hang says otherwise.
"""

from __future__ import annotations

from pathlib import Path

from scenemind.frames.frame import FrameError
from scenemind.frames.readers.depth_units import with_depth_units
from scenemind.frames.readers.folder import (
    GRAVITY,
    FolderEntry,
    camera_of_matrix,
    find_down,
    find_pose,
    image_size,
    read_lines,
    read_numbers,
    z_up_rotation,
)
from scenemind.frames.sequence import IndexedSequence, counted_stamp_ns

DESCRIPTION = "frames as of the HoloLens sample: images/ depth/ poses.txt K.txt"
_IMAGES = (".png", ".jpg", ".jpeg")
_DOWN = (0.0, -1.0, 0.0)
# The format has no stamps. At ten frames per second the sample's wearer walks 0.8 m/s.
_RATE_HZ = 10.0


def recognises(path: Path) -> bool:
    """Whether the folder is one of this format."""
    return (path / "poses.txt").is_file() and (path / "images").is_dir()


def read(path: Path) -> IndexedSequence:
    """Open a folder of this format.

    Raises:
        FrameError: a part is missing, or the numbers of images and poses differ.
    """
    images = (path / "images").iterdir()
    colors = sorted((f for f in images if f.suffix.lower() in _IMAGES), key=_number)
    poses = _read_poses(path / "poses.txt")
    if not colors or len(colors) != len(poses):
        raise FrameError(f"{path}: {len(colors)} images, but {len(poses)} lines in poses.txt")
    tracked = {}
    for color_path, matrix in zip(colors, poses, strict=True):
        pose = find_pose(matrix, f"{path / 'poses.txt'}, pose of {color_path.name}")
        if pose is not None:
            tracked[color_path] = pose
    lost = len(colors) - len(tracked)
    down, remark = find_down(path, list(tracked.values()), _DOWN)
    zup_T_world = z_up_rotation(down)
    entries = [
        FolderEntry(
            stamp_ns=counted_stamp_ns(_number(color_path), _RATE_HZ),
            color_path=color_path,
            depth_path=path / "depth" / f"{color_path.stem}.png",
            world_T_camera=zup_T_world @ world_T_camera,
        )
        for color_path, world_T_camera in tracked.items()
    ]
    intrinsics = read_numbers(path / "K.txt", 9)
    camera = camera_of_matrix(intrinsics, *image_size(colors), source=f"{path / 'K.txt'}")
    entries, scale = with_depth_units(entries, camera)
    return IndexedSequence(
        name=path.resolve().name,
        path=path,
        camera=camera,
        entries=entries,
        world_T_recorded=zup_T_world,
        gravity_path=path / GRAVITY,
        assumed=tuple(filter(None, (remark, scale))),
        left_out={"pose_lost": lost} if lost else {},
    )


def _read_poses(path: Path) -> list[list[float]]:
    try:
        lines = filter(str.strip, read_lines(path))
        poses = [[float(word) for word in line.split()] for line in lines]
    except ValueError as error:
        raise FrameError(f"{path} holds something that is no number: {error}") from error
    for number, pose in enumerate(poses, start=1):
        if len(pose) != 16:
            raise FrameError(f"{path}, line {number}: {len(pose)} numbers, a 4x4 pose has 16")
    return poses


def _number(path: Path) -> int:
    if not path.stem.isdigit():
        raise FrameError(f"{path}: images of this format are named by their number")
    return int(path.stem)
