"""`scenemind approach`: where to stand, of a stored memory."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import scenemind as sm
from scenemind.cli.main import app
from tests.simulated_memory import stored_room


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stored_room(tmp_path_factory.mktemp("memories") / "room").parent


def run(root: Path, *arguments: str) -> tuple[int, str]:
    place = ["--memory", "room", "--memory-root", str(root)]
    done = CliRunner().invoke(app, ["approach", *arguments, *place])
    return done.exit_code, done.output


def test_poses_of_a_phrase_are_those_of_the_library_best_first(root: Path) -> None:
    status, output = run(root, "the dining table", "--json", "--count", "3", "--for", "reach")
    assert status == 0
    said = json.loads(output.splitlines()[-1])
    with sm.open(root / "room", read_only=True) as scene:
        poses = scene.approach_poses("the dining table", purpose="reach", k=3)
    assert [(pose["x"], pose["y"], pose["yaw"]) for pose in said["poses"]] == [
        (pose.x, pose.y, pose.yaw) for pose in poses
    ]
    scores = [pose["score"] for pose in said["poses"]]
    assert scores == sorted(scores, reverse=True)


def test_picture_shows_free_floor_and_the_poses(root: Path, tmp_path: Path) -> None:
    drawing = tmp_path / "stand.svg"
    status, output = run(root, "the dining table", "--count", "2", "--picture", str(drawing))
    assert status == 0
    assert "heading rad" in output
    svg = ElementTree.parse(drawing)
    names = [element.tag.rpartition("}")[2] for element in svg.iter()]
    assert names.count("image") == 1
    titles = [element.text or "" for element in svg.iter() if element.tag.endswith("title")]
    assert sum("m from it" in title for title in titles) == 2


def test_nowhere_to_stand_is_an_error_with_why(root: Path) -> None:
    status, output = run(root, "the dining table", "--robot", "50", "50")
    assert status == 1
    assert "no way there from the robot at (50.00, 50.00)" in output
    assert run(root, "the elephant")[0] == 1
    status, output = run(root, "the dining table", "--for", "dance")
    assert status == 1
    assert "--for takes look or reach" in output
    status, output = run(root, "the dining table", "--robot", "0", "0", "--anywhere")
    assert status == 1
    assert "leave one of them out" in output


def test_anywhere_of_a_stored_memory_is_all_of_it(root: Path) -> None:
    assert run(root, "the dining table", "--anywhere", "--json") == run(
        root, "the dining table", "--json"
    )
