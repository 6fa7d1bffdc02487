"""Episodes of OpenEQA as its extract-frames.py write them: NNNNNN-rgb.png, -depth.png and .txt.

Majumdar et al., "OpenEQA: Embodied Question Answering in the Era of Foundation Models", CVPR 2024.
Episodes of ScanNet are frames of a scan (`readers.scannet`) in one folder. Those of HM3D are
rendered by Habitat, which differs:

- the world is y-up, and poses are OpenGL's: the camera looks along -z, y is up;
- depth has 65535 units for 10 m; larger depths wrap around and cannot be recovered;
- the horizontal focal length is right, but the vertical one is computed as if angles were lengths:
  Habitat's pixels are square, and its principal point is the centre of the image.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scenemind.frames.frame import FrameError
from scenemind.frames.readers.folder import (
    FolderEntry,
    camera_of_matrix,
    image_size,
    read_numbers,
    read_pose,
    z_up_rotation,
)
from scenemind.frames.readers.scannet import (
    ExportedFrame,
    ExportedMatrices,
    numbered,
    read_exported,
    scene_name,
    world_T_scan_of,
)
from scenemind.frames.sequence import IndexedSequence, counted_stamp_ns
from scenemind.geometry import PinholeCamera, Pose

DESCRIPTION = "OpenEQA episode: NNNNNN-rgb.png NNNNNN-depth.png NNNNNN.txt"
_HM3D_UNITS_PER_M = 6553.5
_HM3D_RATE_HZ = 10.0  # no stamps are recorded, nor is the rate
_HM3D_DOWN = (0.0, -1.0, 0.0)
# OpenGL's camera axes and those of an optical frame differ by a half turn about x.
_GL_T_OPTICAL = Pose(np.diag((1.0, -1.0, -1.0)), np.zeros(3))


def recognises(path: Path) -> bool:
    """Whether the folder is one of this format."""
    return next(path.glob("*-rgb.png"), None) is not None


def read(path: Path) -> IndexedSequence:
    """Open an episode.

    Raises:
        FrameError: it has colour only, or a file is damaged.
    """
    frames = [
        ExportedFrame(number, color, path / f"{stem}-depth.png", path / f"{stem}.txt")
        for number, color in numbered([*path.glob("*-rgb.png")], "-rgb")
        for stem in (color.stem.removesuffix("-rgb"),)
    ]
    _check_complete(path, frames)
    if (path / "extrinsic_color.txt").is_file():
        return _read_scannet(path, frames)
    return _read_hm3d(path, frames)


def _check_complete(path: Path, frames: Sequence[ExportedFrame]) -> None:
    """Check for depth and poses. Habitat's pickles hold poses too, but reading them runs code."""
    kinds = ([frame.depth for frame in frames], [frame.pose for frame in frames])
    missing = [files[0].name for files in kinds if not any(file.is_file() for file in files)]
    if missing:
        raise FrameError(
            f"{path} has no {' and no '.join(missing)}: make the episode with depth and poses by"
            " data/hm3d/extract-frames.py or data/scannet/extract-frames.py of"
            " https://github.com/facebookresearch/open-eqa, without --rgb-only"
        )


def _read_scannet(path: Path, frames: list[ExportedFrame]) -> IndexedSequence:
    scene = scene_name(path)
    # OpenEQA's instructions put the scans beside the frames: data/raw/scannet, data/frames.
    data = path.resolve().parents[min(2, len(path.resolve().parents) - 1)]
    scans = [data / "raw/scannet" / part / scene for part in ("scans", "scans_test")]
    matrices = ExportedMatrices(
        path / "intrinsic_color.txt",
        path / "intrinsic_depth.txt",
        path / "extrinsic_color.txt",
        path / "extrinsic_depth.txt",
    )
    world_T_scan = world_T_scan_of(scene, (path, path.parent, *scans))
    return read_exported(path, path.resolve().name, frames, matrices, world_T_scan)


def _read_hm3d(path: Path, frames: list[ExportedFrame]) -> IndexedSequence:
    zup_T_world = z_up_rotation(_HM3D_DOWN)
    entries, left_out = [], Counter[str]()
    for frame in frames:
        world_T_gl = read_pose(frame.pose, left_out)
        if world_T_gl is None:
            continue
        entries.append(
            FolderEntry(
                stamp_ns=counted_stamp_ns(frame.number, _HM3D_RATE_HZ),
                color_path=frame.color,
                depth_path=frame.depth,
                world_T_camera=zup_T_world @ world_T_gl @ _GL_T_OPTICAL,
                depth_units_per_m=_HM3D_UNITS_PER_M,
            )
        )
    return IndexedSequence(
        name=path.resolve().name,
        path=path,
        camera=_habitat_camera(path / "intrinsic_color.txt", [frame.color for frame in frames]),
        entries=entries,
        world_T_recorded=zup_T_world,
        left_out=left_out,
    )


def _habitat_camera(matrix: Path, images: Sequence[Path]) -> PinholeCamera:
    width, height = image_size(images)
    written = camera_of_matrix(read_numbers(matrix, 16), width, height, source=str(matrix))
    return PinholeCamera(
        width, height, written.fx, written.fx, (width - 1) / 2.0, (height - 1) / 2.0
    )
