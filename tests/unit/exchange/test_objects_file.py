"""Objects files of ground truth load as scene graphs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.exchange import (
    ExchangeError,
    ObjectRow,
    load_objects,
    read_rows,
    rows_csv,
    rows_json,
    rows_of,
    scene_of_rows,
)
from tests.unit.exchange.made import make_scene

TABLE = {"id": 4, "label": "table", "center": [0.0, 0.0, 0.4], "size": [1.2, 0.8, 0.8]}
CUP = {"id": 0, "label": "cup", "center": [0.2, 0.0, 0.85], "size": [0.1, 0.1, 0.1]}

metres = st.floats(-100.0, 100.0)
lengths = st.floats(0.0, 10.0)
channels = st.integers(0, 255)
rows = st.lists(
    st.builds(
        ObjectRow,
        id=st.integers(0, 10**6),
        # CSV keeps no lone carriage return, JSON no lone surrogate.
        label=st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1),
        center=st.tuples(metres, metres, metres),
        size=st.tuples(lengths, lengths, lengths),
        yaw=st.floats(-3.2, 3.2),
        avg_rgb=st.none() | st.tuples(channels, channels, channels),
        color=st.none() | st.sampled_from(["red", "dark brown"]),
    )
)


@given(rows)
@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_rows_come_back_equal(
    suffix: str, tmp_path_factory: pytest.TempPathFactory, written: list[ObjectRow]
) -> None:
    path = tmp_path_factory.mktemp("rows") / f"objects{suffix}"
    text = rows_csv(written) if suffix == ".csv" else rows_json(written)
    path.write_text(text, encoding="utf-8", newline="")
    assert read_rows(path) == written


def test_relations_and_levels_are_computed(tmp_path: Path) -> None:
    path = tmp_path / "objects.json"
    path.write_text(json.dumps({"objects": [TABLE, CUP]}))
    scene = load_objects(path)
    assert list(scene.objects) == [0, 4]
    said = [(r.subject_id, r.predicate, r.object_id) for r in scene.relations]
    assert (0, "on", 4) in said
    assert scene.levels == {0: 1, 4: 0}


def test_colours_become_names() -> None:
    row = ObjectRow.model_validate({**CUP, "avg_rgb": [200, 20, 25]})
    scene = scene_of_rows([row], RelationConfig())
    assert scene.objects[0].attributes["color"] == "red"
    assert rows_of(scene)[0].color == "red"


def test_a_map_is_written_by_its_yaw_boxes() -> None:
    picture = rows_of(make_scene().snapshot)[2]
    assert (picture.label, picture.yaw) == ("picture", 0.123456789)
    assert picture.size == (0.6, 0.02, 0.4)


def test_one_of_several_scenes(tmp_path: Path) -> None:
    path = tmp_path / "scenes.json.gz"
    path.write_bytes(
        gzip.compress(json.dumps({"a": {"objects": [TABLE]}, "b": {"objects": []}}).encode())
    )
    assert [row.label for row in read_rows(path, "a")] == ["table"]
    assert read_rows(path, "b") == []
    with pytest.raises(ExchangeError, match=r"no scene c \(there are 2: a, b\)"):
        read_rows(path, "c")
    with pytest.raises(ExchangeError, match="name one of its scenes"):
        read_rows(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no objects file"),
        ("3", "scene"),
        ('[{"id": 1}]', "0.label: Field required"),
        (json.dumps([{**CUP, "center": [0.0, 0.0, float("nan")]}]), "0.center.2"),
        (json.dumps([{**CUP, "size": [0.1, -0.1, 0.1]}]), "0.size.1"),
        (json.dumps([{**CUP, "label": ""}]), "0.label"),
        (json.dumps([{**CUP, "id": -1}]), "0.id"),
        (json.dumps([CUP, CUP]), "two objects have the id 0"),
    ],
)
def test_error_names_the_place_in_a_bad_file(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "objects.json"
    path.write_text(text)
    with pytest.raises(ExchangeError, match=words):
        load_objects(path)


def test_error_names_the_place_in_a_bad_table(tmp_path: Path) -> None:
    path = tmp_path / "objects.csv"
    path.write_text("id,label\n1,cup\n")
    with pytest.raises(ExchangeError, match="columns are missing: height, length"):
        read_rows(path)
    path.write_text(rows_csv([]) + f"1,{'x' * 200_000},0,0,0,1,1,1\n")
    with pytest.raises(ExchangeError, match="no objects file: field larger"):
        read_rows(path)
    with pytest.raises(ExchangeError, match="cannot be read"):
        read_rows(tmp_path / "none.csv")
    (tmp_path / "bad.json.gz").write_bytes(b"\x1f\x8bno gzip")
    with pytest.raises(ExchangeError, match="cannot be read"):
        read_rows(tmp_path / "bad.json.gz")


def test_a_scannet_scene_loads(shared_data: Path) -> None:
    path = shared_data / "annotations" / "scannet_objects.json.gz"
    scene = load_objects(path, "scene0011_00")
    truth = json.loads(gzip.decompress(path.read_bytes()))["scene0011_00"]["objects"]
    assert {i: thing.label for i, thing in scene.objects.items()} == {
        row["id"]: row["label"] for row in truth
    }
    assert scene.levels.keys() == scene.objects.keys()
    assert any(r.predicate == "on" for r in scene.relations)


def test_a_list_of_objects_has_no_scenes_by_name(tmp_path: Path) -> None:
    path = tmp_path / "room.json"
    path.write_text('[{"id": 1, "label": "cup", "center": [0, 0, 0], "size": [1, 1, 1]}]')
    assert [row.label for row in read_rows(path)] == ["cup"]
    with pytest.raises(ExchangeError, match="one scene only: leave the scene kitchen out"):
        read_rows(path, "kitchen")
