"""`scenemind up`, and questions to what it started."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

import scenemind
from scenemind.cli.main import app

from .running_nodes import ENVIRONMENT, SCENEMIND, running_nodes


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(part) for part in (SCENEMIND, *arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, env=ENVIRONMENT
    )


@pytest.fixture(scope="module")
def _running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nodes with the memory of a simulated room."""
    folder = tmp_path_factory.mktemp("live")
    scenemind.map("sim:1:frames=12", memory=folder / "room").close()
    with running_nodes(folder):
        yield


@pytest.mark.usefixtures("_running")
def test_running_nodes_answer_and_take_corrections(capfd: pytest.CaptureFixture[str]) -> None:
    def live(*words: str) -> Any:
        """The JSON that a command of this process prints, or its child, which asks the nodes."""
        done = CliRunner().invoke(app, [*words, "--live", "--json"], env=ENVIRONMENT)
        said = capfd.readouterr()
        lines = [*said.out.splitlines(), *done.stdout.splitlines()]
        assert lines, done.output + said.err
        return json.loads(lines[-1])

    answer = live("ask", "is there a dining table?")
    assert answer["error"] is None
    assert answer["answer"].startswith("Yes")

    found = live("ground", "the red chair")
    assert found["objects"][0]["attributes"]["color"] == "red"

    aligned = live("align", "the dining table is a workbench", "--by", "Ada")
    (number,) = aligned["correction_ids"]
    (workbench,) = live("ask", "where is the workbench?")["objects"]
    assert workbench["id"] == answer["objects"][0]["id"]
    (undone,) = live("align", "--undo")["corrections"]
    assert (undone["id"], undone["undone"], undone["by"]) == (number, True, "Ada")


@pytest.mark.usefixtures("_running")
def test_unanswerable_question_to_running_nodes_gives_a_status() -> None:
    done = run("ask", "where is the gnu?", "--live", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout.splitlines()[-1])["error"]["code"] == "not_found"


def test_error_names_nodes_that_do_not_run() -> None:
    alone = {**ENVIRONMENT, "ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"}
    done = subprocess.run(
        [SCENEMIND, "ask", "where is the cup?", "--live"],
        capture_output=True, text=True, check=False, timeout=60, env=alone,
    )  # fmt: skip
    assert done.returncode == 1
    assert "mapping_node" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("_running")
def test_a_detector_of_fixed_classes_takes_no_words() -> None:
    done = run("vocabulary", "set", "Fire Extinguisher", "--json")
    assert done.returncode == 1, done.stderr
    refused = json.loads(done.stdout.splitlines()[-1])
    assert refused["error"]["code"] == "unsupported"
    assert "simulated instance camera" in refused["error"]["message"]
