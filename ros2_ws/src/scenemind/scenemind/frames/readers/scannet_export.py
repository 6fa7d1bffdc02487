"""Scans of ScanNet as its SensReader exports them: color/ depth/ pose/ and intrinsic/.

Images and poses are named by the number of their frame. The 25k frames that ScanNet publishes lie
alike, with `intrinsics_color.txt` and `intrinsics_depth.txt` beside the folders.
"""

from __future__ import annotations

from pathlib import Path

from scenemind.frames.errors import FrameError
from scenemind.frames.indexed_sequence import IndexedSequence
from scenemind.frames.readers.exported_scan import (
    ExportedFrame,
    ExportedMatrices,
    numbered,
    read_exported,
)
from scenemind.frames.readers.scannet_files import scene_name, world_T_scan_of

DESCRIPTION = "ScanNet as exported: color/ depth/ pose/ intrinsic/"


def recognises(path: Path) -> bool:
    """Whether the folder is one of this format."""
    return (path / "color").is_dir() and (path / "pose").is_dir()


def read(path: Path) -> IndexedSequence:
    """Open a folder of this format.

    Raises:
        FrameError: a part is missing or damaged.
    """
    colors = numbered([*path.glob("color/*.jpg"), *path.glob("color/*.png")])
    if not colors or not (path / "depth").is_dir():
        raise FrameError(
            f"{path} has {len(colors)} images in color/ and"
            f" {len([*path.glob('depth/*.png')])} in depth/: export both with ScanNet's SensReader"
            " (--export_color_images --export_depth_images --export_poses --export_intrinsics)"
        )
    frames = [
        ExportedFrame(n, color, path / f"depth/{color.stem}.png", path / f"pose/{color.stem}.txt")
        for n, color in colors
    ]
    scene = scene_name(path)
    world_T_scan = world_T_scan_of(scene, (path, path.parent))
    return read_exported(path, path.resolve().name, frames, _matrices(path), world_T_scan)


def _matrices(path: Path) -> ExportedMatrices:
    folder = path / "intrinsic"
    published = [path / f"intrinsics_{camera}.txt" for camera in ("color", "depth")]
    exported = [folder / f"intrinsic_{camera}.txt" for camera in ("color", "depth")]
    color_k, depth_k = published if published[0].is_file() else exported
    return ExportedMatrices(
        color_k, depth_k, folder / "extrinsic_color.txt", folder / "extrinsic_depth.txt"
    )
