"""Scene graphs as JSON: equal after reading, and errors with reasons about other files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.exchange import (
    ExchangeError,
    SceneExport,
    read_scene,
    scene_from_json,
    scene_schema,
    scene_to_json,
)
from scenemind.memory import MapObject, MemorySnapshot, Relation
from tests.unit.exchange.made import make_scene

# The yaw box is compared itself: one that was computed comes back as known.
COMPARED = [f.name for f in fields(MapObject) if f.name not in ("points", "known_yaw_box")]
COMPARED = ["yaw_box", *(name for name in COMPARED if not name.startswith("_"))]


def assert_same_objects(back: dict[int, MapObject], scene: dict[int, MapObject]) -> None:
    assert list(back) == list(scene)
    for object_id, thing in scene.items():
        for name in COMPARED:
            assert getattr(back[object_id], name) == getattr(thing, name), (object_id, name)


def test_a_scene_comes_back_equal() -> None:
    scene = make_scene()
    back = scene_from_json(scene_to_json(scene, with_points=True))
    for name in ("revision", "stamp_ns", "relations", "structure", "levels"):
        assert getattr(back.snapshot, name) == getattr(scene.snapshot, name), name
    assert back.seen_from == scene.seen_from
    for name in ("objects", "gone"):
        assert_same_objects(getattr(back.snapshot, name), getattr(scene.snapshot, name))
    assert np.array_equal(back.snapshot.objects[0].points, scene.snapshot.objects[0].points)
    assert back.snapshot.world_T_camera.matrix() == pytest.approx(
        scene.snapshot.world_T_camera.matrix(), abs=1e-12
    )


def test_contradicting_relations_are_logged_and_read(caplog: pytest.LogCaptureFixture) -> None:
    """They may have been written on purpose."""
    scene = make_scene()
    wrong = replace(scene.snapshot, relations=(Relation(0, "on", 5), Relation(5, "on", 0)))
    back = scene_from_json(scene_to_json(SceneExport(wrong)))
    assert back.snapshot.relations == wrong.relations
    assert "round in a circle" in caplog.text


def test_points_are_left_out_unless_asked_for_and_the_yaw_box_stays() -> None:
    scene = make_scene()
    back = scene_from_json(scene_to_json(scene))
    assert len(back.snapshot.objects[0].points) == 0
    assert back.snapshot.objects[0].yaw_box == scene.snapshot.objects[0].yaw_box


def test_an_empty_scene_comes_back() -> None:
    back = scene_from_json(scene_to_json(SceneExport(MemorySnapshot(0, 0, {}, (), None))))
    assert back.snapshot.objects == {}
    assert back.snapshot.world_T_camera is None


def test_the_schema_in_the_package_is_that_of_the_document() -> None:
    """Written again with `json.dumps(scene_schema(), indent=2)` when the document changes."""
    text = files("scenemind.exchange").joinpath("scene_graph.schema.json").read_text("utf-8")
    assert json.loads(text) == scene_schema()


def test_document_names_its_format() -> None:
    document = json.loads(scene_to_json(make_scene()))
    assert (document["format"], document["version"]) == ("scenemind scene graph", 1)
    cup = document["objects"][1]
    assert (cup["id"], cup["label"], cup["level"], cup["seen_from"]) == (5, "tasse à café", 1, [1])
    assert document["relations"][0] == {
        "subject": 0,
        "predicate": "on",
        "object": -1,
        "confidence": 0.9,
        "source": "geometry",
    }


def _set(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Set the value at the path without its last step to that step."""

    def change(document: dict[str, Any]) -> None:
        *way, key, value = path
        place: Any = document
        for step in way:
            place = place[step]
        place[key] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_set("format", "spark dsg"), "format"),
        (_set("version", 2), "version"),
        (_set("rooms", []), "rooms: Extra inputs"),
        (_set("objects", 0, "id", -4), "objects.0.id"),
        (_set("objects", 1, "id", 0), "same id"),
        (_set("objects", 0, "box", "size", [1.0, -1.0, 1.0]), "negative size"),
        (_set("objects", 0, "confidence", 1.5), "objects.0.confidence"),
        (_set("objects", 0, "points", "AAAA"), "points of object 0"),
        (_set("objects", 0, "points", "é"), "points of object 0"),
        (_set("relations", 0, "object", 77), "0 on 77.*names 77"),
        (_set("world_T_camera", [[0.0] * 4] * 4), "pose"),
    ],
)
def test_other_documents_are_refused(change: Callable[[dict[str, Any]], None], words: str) -> None:
    document = json.loads(scene_to_json(make_scene()))
    change(document)
    with pytest.raises(ExchangeError, match=words):
        scene_from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": NaN}', b"\xff\xfe"])
def test_invalid_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(ExchangeError, match="no scene graph"):
        scene_from_json(text)


def test_error_names_a_bad_file(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match=r"none\.json cannot be read"):
        read_scene(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(ExchangeError, match=r"bad\.json: this is no scene graph"):
        read_scene(tmp_path / "bad.json")
