"""The scale of depth images of a slanted wall, whose distances are known in closed form."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from scenemind.frames.readers.depth_units import with_depth_units
from scenemind.frames.readers.folder import FolderEntry
from scenemind.geometry import PinholeCamera, Pose

CAMERA = PinholeCamera(192, 144, 160.0, 160.0, 95.5, 71.5)


def depth_m(pose: Pose) -> np.ndarray:
    """Of the wall z = 2 + 0.4 x, seen from a pose that is not turned."""
    u = np.tile(np.arange(CAMERA.width), (CAMERA.height, 1))
    x, _, z = pose.translation
    return (2.0 + 0.4 * x - z) / (1.0 - 0.4 * (u - CAMERA.cx) / CAMERA.fx)


def recording(folder: Path, units: float, told: float, step_m: float) -> list[FolderEntry]:
    """Ten views along the wall. Args: units: to the metre, as written. told: by the format."""
    entries = []
    for number in range(10):
        pose = Pose(np.eye(3), np.array((step_m * number, 0.0, 0.5 * step_m * number)))
        path = folder / f"{number}.png"
        cv2.imwrite(str(path), np.round(depth_m(pose) * units).astype(np.uint16))
        entries.append(FolderEntry(number + 1, path, path, pose, told))
    return entries


@pytest.mark.parametrize("units", [1000.0, 5000.0])
@pytest.mark.parametrize("told", [1000.0, 5000.0])
def test_the_scale_with_which_views_agree_is_taken(
    tmp_path: Path, units: float, told: float
) -> None:
    entries, remark = with_depth_units(recording(tmp_path, units, told, 0.06), CAMERA)
    assert {entry.depth_units_per_m for entry in entries} == {units}
    assert (f"{units:g} is taken" in remark) == (units != told)


def test_without_a_way_nothing_tells_the_scale(tmp_path: Path) -> None:
    entries, remark = with_depth_units(recording(tmp_path, 5000.0, 1000.0, 0.0), CAMERA)
    assert {entry.depth_units_per_m for entry in entries} == {1000.0}
    assert "check the scale" in remark


def test_a_hall_stays_a_hall(tmp_path: Path) -> None:
    """Far away in truth: other scales are plausible, but the views agree with what is told."""
    entries = recording(tmp_path, 5000.0, 1000.0, 0.3)
    far = [
        FolderEntry(e.stamp_ns, e.color_path, e.depth_path, moved, 1000.0)
        for e in entries
        for moved in [Pose(np.eye(3), 5.0 * e.world_T_camera.translation)]
    ]
    found, remark = with_depth_units(far, CAMERA)
    assert {entry.depth_units_per_m for entry in found} == {1000.0}
    assert "check the scale" in remark


def test_a_near_desk_stays_near(tmp_path: Path) -> None:
    entries = recording(tmp_path, 1000.0, 5000.0, 0.3)
    near = [
        FolderEntry(e.stamp_ns, e.color_path, e.depth_path, moved, 5000.0)
        for e in entries
        for moved in [Pose(np.eye(3), e.world_T_camera.translation / 5.0)]
    ]
    found, remark = with_depth_units(near, CAMERA)
    assert ({entry.depth_units_per_m for entry in found}, remark) == ({5000.0}, "")


def test_without_depth_nothing_is_said(tmp_path: Path) -> None:
    (entry, *_) = recording(tmp_path, 1000.0, 1000.0, 0.0)
    cv2.imwrite(str(entry.depth_path), np.zeros((144, 192), np.uint16))
    assert with_depth_units([entry], CAMERA) == ([entry], "")
    assert with_depth_units([], CAMERA) == ([], "")
