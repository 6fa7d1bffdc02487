"""ScanNet's annotations as objects, and the file that collects them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.exchange import (
    ExchangeError,
    LabelledScene,
    LabelsFile,
    ObjectRow,
    read_labels,
    read_rows,
    scene_folders,
)
from tests.unit.exchange.scannet_scan import GROUPS, SEGMENTS, VERTICES, write_scan


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
    mesh.write_bytes(mesh.read_bytes().replace(b"vertex 6", b"vertex " + b"9" * 30))
    with pytest.raises(ExchangeError, match=r"cannot hold 9+ vertices"):
        read_labels(folder)
    folder = write_scan(tmp_path, "scene0011_03", segments=[*SEGMENTS[1:], 2**70])
    with pytest.raises(ExchangeError, match=r"segIndices\.5"):
        read_labels(folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"groups": [GROUPS[0], {**GROUPS[1], "objectId": 1}]}, "two objects have the objectId 1"),
        ({"groups": [{**GROUPS[0], "label": ""}]}, r"segGroups\.0\.label"),
        ({"vertices": [*VERTICES[:-1], (float("nan"), 0.0, 0.0, 0, 0, 0)]}, "at NaN or infinity"),
    ],
)
def test_values_that_no_objects_file_may_hold(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
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


CHAIR = ObjectRow(id=3, label="chair", center=(1, 2, 3), size=(1, 1, 1), avg_rgb=(1, 2, 3))
SCENE = LabelledScene(axis_alignment=(1.0, *[0.0] * 15), objects=[CHAIR])


def test_written_file_is_read_as_an_objects_file(tmp_path: Path) -> None:
    path = tmp_path / "objects.json.gz"
    with LabelsFile(path) as file:
        file.add("scene0001_00", SCENE)
        file.add("scene0000_00", SCENE)
        file.finish()
    assert read_rows(path, "scene0001_00") == [CHAIR]
    document = json.loads(gzip.decompress(path.read_bytes()))
    assert list(document) == ["scene0000_00", "scene0001_00"]
    assert document["scene0000_00"] == {
        "axis_alignment": [1.0, *[0.0] * 15],
        "objects": [
            {
                "id": 3,
                "label": "chair",
                "center": [1.0, 2.0, 3.0],
                "size": [1.0, 1.0, 1.0],
                "avg_rgb": [1, 2, 3],
            }
        ],
    }
    assert list(tmp_path.iterdir()) == [path]


def test_scenes_added_before_a_kill_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "objects.json"
    with LabelsFile(path) as file:
        file.add("a", SCENE)
        file.add("b", SCENE)
    part = tmp_path / "objects.json.part"
    part.write_bytes(part.read_bytes()[:-20])  # killed within the line of b
    with LabelsFile(path) as file:
        assert set(file.scenes) == {"a"}
        file.add("c", SCENE)
        file.finish()
    assert set(json.loads(path.read_text())) == {"a", "c"}


def test_scenes_are_added_to_those_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "objects.json"
    for name in ("a", "b"):
        with LabelsFile(path) as file:
            file.add(name, SCENE)
            file.finish()
    assert set(json.loads(path.read_text())) == {"a", "b"}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("objects.json", "{", "cannot be read"),
        ("objects.json", '{"objects": []}', "no objects file of several scenes"),
        ("objects.json.part", "no line of ours\n", "remove it to begin again"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ExchangeError, match=words):
        LabelsFile(tmp_path / "objects.json")


def test_a_folder_in_its_way(tmp_path: Path) -> None:
    (tmp_path / "objects.json.part").mkdir()
    with pytest.raises(ExchangeError, match=r"objects\.json\.part cannot be read"):
        LabelsFile(tmp_path / "objects.json")


def test_no_file_is_left_without_scenes(tmp_path: Path) -> None:
    with LabelsFile(tmp_path / "objects.json"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_several_scenes_are_json(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match=r"objects\.csv: .* is \.json or \.json\.gz"):
        LabelsFile(tmp_path / "objects.csv")
