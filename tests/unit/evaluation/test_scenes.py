"""Scenes of an objects file."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import ScanPose
from scenemind.evaluation.scenes import Scenes
from tests.unit.evaluation import made

POSE = ScanPose((1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_a_scene_is_made_once(tmp_path: Path, suffix: str) -> None:
    path = made.write_objects(tmp_path)
    if suffix == ".json.gz":
        packed = tmp_path / "objects.json.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        path = packed
    scenes = Scenes(path)
    snapshot = scenes.get_snapshot(made.SCENE)
    assert sorted(snapshot.objects) == [0, 1, 2, 3, 4]
    assert scenes.get_snapshot(made.SCENE) is snapshot


def test_a_file_is_read_again_only_when_it_has_changed(tmp_path: Path) -> None:
    path = made.write_objects(tmp_path)
    objects = Scenes(path).get_objects(made.SCENE)
    assert Scenes(path).get_objects(made.SCENE) is objects
    made.write_objects(tmp_path, objects=made.OBJECTS[:2])
    assert sorted(Scenes(path).get_objects(made.SCENE)) == [0, 1]


def test_a_viewpoint_is_in_the_frame_of_the_boxes(tmp_path: Path) -> None:
    head = Scenes(made.write_objects(tmp_path)).get_viewpoint(made.SCENE, POSE)
    np.testing.assert_allclose(head.translation[:2], (0.0, 1.0), atol=1e-9)


def test_a_scene_that_is_not_there(tmp_path: Path) -> None:
    scenes = Scenes(made.write_objects(tmp_path))
    with pytest.raises(
        EvaluationError, match=r"no scene scene9 \(it has 1, such as scene0001_00\)"
    ):
        scenes.get_snapshot("scene9")


def test_poses_need_an_alignment(tmp_path: Path) -> None:
    scenes = Scenes(made.write_objects(tmp_path, axis_alignment=None))
    with pytest.raises(EvaluationError, match="no axis_alignment"):
        scenes.get_viewpoint(made.SCENE, POSE)


@pytest.mark.parametrize(
    "more", [{"objects": []}, {"objects": [{"id": 1}]}, {"axis_alignment": [1]}]
)
def test_a_bad_scene(tmp_path: Path, more: dict[str, object]) -> None:
    scenes = Scenes(made.write_objects(tmp_path, **more))
    with pytest.raises(EvaluationError, match=made.SCENE):
        scenes.get_viewpoint(made.SCENE, POSE)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"axis_alignment": [0] * 16}, "axis_alignment: the last row"),
        ({"axis_alignment": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1]}, "no rotation"),
        ({"objects": [made.OBJECTS[0]] * 2}, "two objects have the id 0"),
        (
            {"objects": [{**made.OBJECTS[0], "size": [1e308, 1e308, 1], "center": [1e308, 0, 0]}]},
            "inf",
        ),
    ],
)
def test_error_of_a_scene_names_file_and_scene(
    tmp_path: Path, more: dict[str, object], message: str
) -> None:
    scenes = Scenes(made.write_objects(tmp_path, **more))
    with pytest.raises(EvaluationError, match=rf"objects\.json: {made.SCENE}: .*{message}"):
        scenes.get_viewpoint(made.SCENE, POSE)


def test_error_of_a_missing_file_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"scan-net\.org.*`scenemind convert --labels SCANS"):
        Scenes(tmp_path / "objects.json.gz")


def test_a_folder_is_no_objects_file(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="is a folder: name the objects file in it"):
        Scenes(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"objects": []}'])
def test_other_files(tmp_path: Path, content: str) -> None:
    path = tmp_path / "objects.json"
    path.write_text(content)
    with pytest.raises(EvaluationError, match=r"objects\.json"):
        Scenes(path)


def test_an_empty_file_says_how_to_get_one(tmp_path: Path) -> None:
    path = tmp_path / "objects.json"
    path.touch()
    with pytest.raises(EvaluationError, match=r"is empty: .*`scenemind convert --labels"):
        Scenes(path)


def test_rows_that_are_given_as_objects(tmp_path: Path) -> None:
    for name, write in (("scanqa", made.write_scanqa), ("openeqa", made.write_openeqa)):
        folder = tmp_path / name
        folder.mkdir()
        (path,) = write(folder).iterdir()
        with pytest.raises(EvaluationError, match=f"holds rows of {name}, which --data takes"):
            Scenes(path)
