"""Omni3D-Bench in its own files, answered by VADAR's programs with models on the loopback."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from scenemind.cli.main import app
from tests.chat_server import ChatServer
from tests.unit.cli.asking import at
from tests.unit.evaluation import made
from tests.unit.reasoning.learned_methods.talk import Author
from tests.unit.reasoning.vadar.eyes import RedDetector, SlopeEstimator, red_thing_on_a_desk

# The package's function of that name hides the module.
OPENING = import_module("scenemind.reasoning.shared_models")
MEASURE = "final_result = depth(image, loc(image, 'red thing')[0])"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The benchmark's folder; any name of a detector or a depth model needs no weights."""
    monkeypatch.setenv("SCENEMIND_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(OPENING, "make_detector", lambda _: RedDetector())
    estimator = "scenemind.perception.backends.depth_estimator.MonocularDepth"
    monkeypatch.setattr(estimator, lambda _: SlopeEstimator())
    folder = tmp_path / "omni3d"
    (folder / "images").mkdir(parents=True)
    red_thing_on_a_desk(folder / "images" / "desk.png")
    question = {
        "image_index": 3,
        "question_index": 0,
        "image_filename": "desk.png",
        "question": "How far away is the red thing?",
        "answer_type": "float",
        "answer": 3.0,
    }
    made.write_json(folder, "annotations.json", {"questions": [question]})
    return folder


def evaluate(data: Path, *more: object) -> Result:
    line = ["eval", "omni3d", "--data", data, "--json", *more]
    return CliRunner().invoke(app, [str(word) for word in line])


def test_questions_about_photographs(data: Path, tmp_path: Path) -> None:
    with ChatServer(Author(programs=(MEASURE,)).step) as server:
        result = evaluate(data, *at(server), "--depth-model", "slope", "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout.splitlines()[-1])
    assert (said["method"], said["source"], said["n"]) == ("vadar", "photographs", 1)
    assert said["scores"]["vadar_score"] > 90.0
    assert said["usage"]["calls"] > 0
    (row,) = (tmp_path / "run" / "predictions.jsonl").read_text().splitlines()
    assert "red detector finds things, slope (estimated) knows depths" in json.loads(row)["steps"]


def test_error_without_a_model_names_the_option(data: Path) -> None:
    result = evaluate(data)
    assert result.exit_code == 1
    assert "models.vision.model and models.language.model" in result.stderr


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("sofa.png", "there is no picture sofa.png"), ("../../secret.png", "leads out of")],
)
def test_missing_pictures_are_an_error_before_any_question(
    data: Path, name: str, complaint: str
) -> None:
    document = json.loads((data / "annotations.json").read_text())
    document["questions"][0]["image_filename"] = name
    made.write_json(data, "annotations.json", document)
    (data.parent / "secret.png").touch()
    result = evaluate(data)
    assert result.exit_code == 1
    assert complaint in result.stderr
