"""An objects file that grows scene by scene."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from scenemind.exchange import ExchangeError, LabelledScene, LabelsFile, ObjectRow, read_rows

CHAIR = ObjectRow(id=3, label="chair", center=(1, 2, 3), size=(1, 1, 1), avg_rgb=(1, 2, 3))
SCENE = LabelledScene(axis_alignment=(1.0, *[0.0] * 15), objects=[CHAIR])


def test_it_is_an_objects_file_as_others_read_it(tmp_path: Path) -> None:
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


def test_what_was_added_before_a_kill_is_there(tmp_path: Path) -> None:
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
def test_files_that_are_something_else(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ExchangeError, match=words):
        LabelsFile(tmp_path / "objects.json")


def test_a_folder_in_its_way(tmp_path: Path) -> None:
    (tmp_path / "objects.json.part").mkdir()
    with pytest.raises(ExchangeError, match=r"objects\.json\.part cannot be read"):
        LabelsFile(tmp_path / "objects.json")


def test_nothing_is_left_where_nothing_was_added(tmp_path: Path) -> None:
    with LabelsFile(tmp_path / "objects.json"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_several_scenes_are_json(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match=r"objects\.csv: .* is \.json or \.json\.gz"):
        LabelsFile(tmp_path / "objects.csv")
