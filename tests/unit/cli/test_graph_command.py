"""`scenemind graph`: trees, single objects, pictures and exports."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import cv2
import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

from scenemind.cli.graph import print_object
from scenemind.cli.main import app
from scenemind.config import SceneMindConfig
from scenemind.exchange import SceneExport, read_scene
from scenemind.geometry import Box3D
from scenemind.memory import Memory, MemorySnapshot
from tests.unit.memory import walk
from tests.unit.report.made import make_object

ROWS = [
    {"id": 0, "label": "floor", "center": [0, 0, 0], "size": [6, 6, 0.05], "avg_rgb": [90, 60, 30]},
    {"id": 1, "label": "table", "center": [0, 0, 0.4], "size": [1.2, 0.8, 0.8]},
    {"id": 2, "label": "cup", "center": [0.2, 0, 0.85], "size": [0.1, 0.1, 0.1], "color": "red"},
    {"id": 3, "label": "[b]chair", "center": [1.2, 0, 0.5], "size": [0.5, 0.5, 1.0]},
]


@pytest.fixture
def objects(tmp_path: Path) -> Path:
    """An objects file of a cup on a table, with a chair beside it."""
    path = tmp_path / "objects.json"
    path.write_text(json.dumps({"room": {"objects": ROWS}}))
    return path


def run(*arguments: str) -> tuple[int, str]:
    """Exit status, and both outputs together."""
    result = CliRunner().invoke(app, ["graph", *arguments])
    return result.exit_code, result.output


def of_room(objects: Path, *arguments: str) -> str:
    status, output = run("--objects", str(objects), "--scene", "room", *arguments)
    assert status == 0, output
    return output


def test_a_tree_by_levels(objects: Path) -> None:
    lines = of_room(objects).splitlines()
    assert lines[0].startswith("floor 0 ")
    assert lines[1].startswith("├── table 1 ")
    assert lines[2] == "│   └── cup 2 red, 0.10 x 0.10 x 0.10 m"
    assert lines[3].startswith("└── [b]chair 3")


def test_one_object_with_all_its_relations(objects: Path) -> None:
    words = [line.split() for line in of_room(objects, "--object", "1").splitlines()]
    assert words[0] == ["table", "1"]
    assert ["level", "0"] in words
    assert ["size", "m", "1.20", "x", "0.80", "x", "0.80"] in words
    assert any(line[:3] == ["supports", "cup", "2"] for line in words)
    assert any(line[:3] == ["on", "floor", "0"] for line in words)


def test_an_object_has_the_box_that_tables_have(
    capsys: pytest.CaptureFixture[str],
) -> None:
    at = Box3D.from_bounds([0.0, 0.0, 0.0], [2.0, 2.0, 1.0])
    turned = Box3D((1.0, 1.0, 0.5), (2.0, 0.5, 1.0), math.radians(45.0))
    table = replace(make_object(1, "table", at.center), box=at, known_yaw_box=turned)
    print_object(SceneExport(MemorySnapshot(1, 0, {1: table}, (), None)), table)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "size m 2.00 x 2.00 x 1.00" in lines
    assert "turned box m 2.00 x 0.50 x 1.00, by 45 degrees" in lines


def test_json_output(objects: Path) -> None:
    tree = json.loads(of_room(objects, "--json").splitlines()[-1])
    assert (tree["objects"], tree["tree"][2]) == (
        4,
        {"depth": 2, "id": 2, "label": "cup", "predicate": "on"},
    )
    cup = json.loads(of_room(objects, "--object", "2", "--json").splitlines()[-1])
    assert (cup["label"], cup["level"], cup["attributes"]["color"]) == ("cup", 1, "red")
    assert {"predicate": "on", "id": 1, "name": "table 1"}.items() <= cup["relations"][0].items()


def test_a_memory_is_exported_and_read_again(tmp_path: Path) -> None:
    with Memory.create(tmp_path / "kitchen", SceneMindConfig()) as memory:
        walk.go(memory, range(20))
        snapshot, locations = memory.snapshot(), memory.tree()
    out = tmp_path / "scene.json"
    status, output = run(
        "--memory", "kitchen", "--memory-root", str(tmp_path), "--out", str(out), "--points"
    )
    assert status == 0, output
    back = read_scene(out)
    assert back.snapshot.relations == snapshot.relations
    assert back.snapshot.levels == snapshot.levels
    some = next(iter(snapshot.objects.values()))
    assert (back.snapshot.objects[some.object_id].points == some.points).all()
    saw = {t.object_id for location in locations for t in location.tracklets}
    assert back.seen_from.keys() == saw - {None}
    # The exported file is a source itself.
    status, output = run("--objects", str(out), "--json")
    assert json.loads(output.splitlines()[-1])["objects"] == len(snapshot.objects)


@pytest.mark.parametrize("name", ["scene.graphml", "objects.csv", "scene.ply"])
def test_suffix_decides_the_format(objects: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    of_room(objects, "--out", str(out))
    content = out.read_bytes()
    if name.endswith(".graphml"):
        assert len(nx.read_graphml(out, force_multigraph=True)) == len(ROWS)
    elif name.endswith(".csv"):
        rows = list(csv.DictReader(io.StringIO(content.decode())))
        assert [row["label"] for row in rows] == [row["label"] for row in ROWS]
    else:
        assert content.startswith(b"ply\nformat binary_little_endian")


def test_thresholds_of_relations_come_from_the_config(objects: Path, tmp_path: Path) -> None:
    config = tmp_path / "scenemind.yaml"
    config.write_text("relations: {near_m: 0.05, next_to_m: 0.05}")
    chair = json.loads(of_room(objects, "--object", "3", "--json").splitlines()[-1])
    strict = of_room(objects, "--object", "3", "--json", "--config", str(config))
    assert any(relation["predicate"] == "near" for relation in chair["relations"])
    found = json.loads(strict.splitlines()[-1])["relations"]
    assert not any(relation["predicate"] == "near" for relation in found)


def test_an_export_may_go_to_standard_output(objects: Path) -> None:
    document: Any = json.loads(of_room(objects, "--format", "json"))
    assert document["format"] == "scenemind scene graph"


@pytest.mark.parametrize("view", ["above", "levels"])
def test_pictures(objects: Path, tmp_path: Path, view: str) -> None:
    picture = tmp_path / "graph.svg"
    of_room(objects, "--picture", str(picture), "--view", view, "--object", "2")
    words = {text.text for text in ElementTree.parse(picture).iter() if text.text}
    assert {"cup 2", "table 1"} <= words


def test_relations_for_the_picture_may_be_chosen(objects: Path, tmp_path: Path) -> None:
    picture = tmp_path / "graph.svg"
    of_room(objects, "--picture", str(picture), "--relation", "close-to")
    titles = {text.text for text in ElementTree.parse(picture).iter() if text.tag.endswith("title")}
    assert titles & {"table 1 near [b]chair 3", "[b]chair 3 near table 1"}
    assert "cup 2 on table 1" not in titles


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scene", "hall"], "no scene hall"),
        (["--live"], "leave out --objects"),
        (["--scene", "room", "--object", "77"], "no object 77"),
        (["--scene", "room", "--format", "dot"], "none of json, graphml, ply, objects"),
        (["--scene", "room", "--out", "scene.dot"], "say a --format"),
        (["--scene", "room", "--picture", "scene.bmp"], ".svg, .png, .gif, .webp"),
        (["--scene", "room", "--relation", "loves"], "no relation 'loves'"),
        (["--scene", "room", "--format", "json", "--json"], "say --out FILE"),
        (["--scene", "room", "--format", "json", "--out", "none/s.json"], "cannot be written"),
    ],
)
def test_invalid_options_are_an_error(objects: Path, arguments: list[str], words: str) -> None:
    status, output = run("--objects", str(objects), *arguments)
    assert status == 1
    assert words in output.replace("\n", " ")


def test_error_names_a_missing_memory(tmp_path: Path) -> None:
    status, output = run("--memory", "attic", "--memory-root", str(tmp_path))
    assert status == 1
    assert "there is no memory attic" in output


@pytest.mark.extras
@pytest.mark.browser
def test_a_browser_draws_png(objects: Path, tmp_path: Path) -> None:
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        pytest.skip("no browser is installed")
    picture = tmp_path / "graph.png"
    of_room(objects, "--picture", str(picture))
    of_room(objects, "--picture", str(picture.with_suffix(".svg")))
    svg = ElementTree.parse(picture.with_suffix(".svg")).getroot().attrib
    height, width, _ = cv2.imread(str(picture)).shape
    assert (width, height) == (math.ceil(float(svg["width"])), math.ceil(float(svg["height"])))
    # A blank picture has one colour.
    assert len(np.unique(cv2.imread(str(picture)).reshape(-1, 3), axis=0)) > 10


def test_without_a_browser_a_png_is_refused(
    objects: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    picture = tmp_path / "graph.png"
    status, output = run("--objects", str(objects), "--scene", "room", "--picture", str(picture))
    assert status == 1
    assert "take --picture graph.svg" in output.replace("\n", " ")
