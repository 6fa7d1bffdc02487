"""`scenemind find`: objects of a stored memory by words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory
from tests.unit.memory import walk

CONFIG = SceneMindConfig()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`row`: red chairs, one of which a person called a sofa of leather."""
    folder = tmp_path_factory.mktemp("memories")
    with Memory.create(folder / "row", CONFIG) as memory:
        walk.go(memory, range(60))
        (first, *_) = memory.snapshot().objects
        rename = Edit("rename", (first,), value="sofa")
        leather = Edit("set_attribute", (first,), key="material", value="leather")
        memory.apply([rename, leather], "ann", "")
    return folder


def run(root: Path, *arguments: str) -> tuple[int, str]:
    place = ["--memory", "row", "--memory-root", str(root)]
    done = CliRunner().invoke(app, ["find", *arguments, *place])
    return done.exit_code, done.output


def test_matches_are_shown_best_first_with_reasons(root: Path) -> None:
    status, output = run(root, "leather couch")
    assert status == 0
    assert "another word for couch, material=leather" in output
    status, output = run(root, "chair", "--count", "2", "--json")
    said = json.loads(output.splitlines()[-1])
    assert said["words"] == "chair"
    assert [(o["label"], o["score"], o["reasons"]) for o in said["objects"]] == [
        ("chair", 1.0, ["label"])
    ] * 2


def test_what_is_left_out_is_said(root: Path) -> None:
    every = json.loads(run(root, "chair", "--json")[1].splitlines()[-1])
    assert every["found"] == len(every["objects"]) > 1
    output = run(root, "chair", "--count", "1")[1]
    assert f"1 of {every['found']}; --count {every['found']} shows all" in output
    assert "shows all" not in run(root, "chair")[1]


def test_search_without_matches_lists_the_labels(root: Path) -> None:
    status, output = run(root, "unicorn")
    assert (status, output.strip()) == (1, "nothing fits unicorn. Known are: chair, sofa.")


def test_no_words_are_an_error(root: Path) -> None:
    status, output = run(root, "the")
    assert status == 1
    assert "names nothing" in output
