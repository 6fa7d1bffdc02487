"""ScanNet's annotations as objects, by files that are written byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.exchange import ExchangeError, ObjectRow, read_labels, scene_folders

from .scannet_scan import GROUPS, SEGMENTS, VERTICES, write_scan


@pytest.mark.parametrize("layout", ["binary_little_endian", "ascii"])
def test_boxes_stand_in_the_aligned_frame(tmp_path: Path, layout: str) -> None:
    scene = read_labels(write_scan(tmp_path, layout=layout))
    # x of the scan is y of the world, y is 10 - x.
    assert scene.objects == [
        ObjectRow(
            id=0, label="chair", center=(9, 0.5, 0.25), size=(2, 1, 0.5), avg_rgb=(20, 30, 40)
        ),
        ObjectRow(
            id=1,
            label="coffee table",
            center=(5.75, 4.5, 1),
            size=(0.5, 1, 0),
            avg_rgb=(200, 100, 0),
        ),
    ]
    assert scene.axis_alignment == (0, -1, 0, 10, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)


def test_without_an_alignment_boxes_stand_as_the_scan_does(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    scene = read_labels(write_scan(tmp_path, alignment=""))
    assert scene.objects[0].center == (0.5, 1.0, 0.25)
    assert scene.axis_alignment == tuple(np.eye(4).ravel())
    assert "has no axisAlignment" in caplog.text


def test_an_object_without_a_vertex_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lamp = {"id": 2, "objectId": 2, "segments": [99], "label": "lamp"}
    scene = read_labels(write_scan(tmp_path, groups=[*GROUPS, lamp]))
    assert [row.id for row in scene.objects] == [0, 1]
    assert "lamp 2 has no vertex" in caplog.text


@pytest.mark.parametrize(
    "name",
    [
        "scene0011_00_vh_clean_2.ply",
        "scene0011_00_vh_clean_2.0.010000.segs.json",
        "scene0011_00.aggregation.json",
        "scene0011_00.txt",
    ],
)
def test_a_missing_file_is_named_with_where_to_get_it(tmp_path: Path, name: str) -> None:
    folder = write_scan(tmp_path)
    (folder / name).unlink()
    with pytest.raises(ExchangeError, match=rf"lacks {name}\..*terms of use \(https://github"):
        read_labels(folder)


def test_segments_of_another_mesh(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match=r"5 vertices, and .* has 6"):
        read_labels(write_scan(tmp_path, segments=SEGMENTS[:-1]))


def test_files_that_are_not_as_scannet_has_them(tmp_path: Path) -> None:
    folder = write_scan(tmp_path)
    (folder / "scene0011_00.aggregation.json").write_text('{"segGroups": [{"label": "x"}]}')
    with pytest.raises(ExchangeError, match=r"segGroups\.0\.objectId"):
        read_labels(folder)
    folder = write_scan(tmp_path, "scene0011_01", alignment="1 2 3")
    with pytest.raises(ExchangeError, match="axisAlignment"):
        read_labels(folder)
    folder = write_scan(tmp_path, "scene0011_02", vertices=VERTICES)
    mesh = folder / "scene0011_02_vh_clean_2.ply"
    mesh.write_bytes(mesh.read_bytes()[:-40])
    with pytest.raises(ExchangeError, match="cut short"):
        read_labels(folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"groups": [GROUPS[0], {**GROUPS[1], "objectId": 1}]}, "two objects have the objectId 1"),
        ({"groups": [{**GROUPS[0], "label": ""}]}, r"segGroups\.0\.label"),
        ({"vertices": [*VERTICES[:-1], (float("nan"), 0.0, 0.0, 0, 0, 0)]}, "at NaN or infinity"),
    ],
)
def test_what_no_objects_file_may_hold(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ExchangeError, match=words):
        read_labels(write_scan(tmp_path, **changes))


def test_folders_of_scans(tmp_path: Path) -> None:
    one, two = write_scan(tmp_path, "scene0001_00"), write_scan(tmp_path, "scene0000_00")
    assert scene_folders(tmp_path) == [two, one]
    assert scene_folders(one) == [one]
    (tmp_path / "empty").mkdir()
    with pytest.raises(ExchangeError, match="no folder of a scan"):
        scene_folders(tmp_path / "empty")
    with pytest.raises(ExchangeError, match="there is no folder"):
        scene_folders(tmp_path / "none")
