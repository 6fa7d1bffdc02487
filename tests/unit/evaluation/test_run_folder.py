"""The folder of a run and its identity."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scenemind.config import SceneMindConfig
from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import Question
from scenemind.evaluation.predictions import AnswerPrediction
from scenemind.evaluation.run_folder import RunFolder, identity_of

IDENTITY_ROWS = [Question("a", "scene", "How many \ud800?", ("two",))]


def identity(
    files: Sequence[Path] = (), rows: Sequence[Question] = IDENTITY_ROWS, **models: Any
) -> dict[str, Any]:
    settings = SceneMindConfig.from_nested({"models": models})
    return identity_of("sqa3d", rows, "symbolic", "objects", files, settings, policy="strict")


def test_identity_ignores_the_addresses_of_models() -> None:
    same = identity(parallel_calls=2, requests_per_minute=9, retries=0, record="file")
    assert same == identity()
    assert identity(question_tokens=5) != identity()


def test_identity_compares_rows_and_files_by_content(tmp_path: Path) -> None:
    assert identity(rows=[replace(IDENTITY_ROWS[0], answers=("three",))]) != identity()
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    one.write_text("{}")
    other.write_text("{}")
    assert identity([one]) == identity([other])
    other.write_text("[]")
    assert identity([one]) != identity([other])
    assert identity([tmp_path])["files"] == [str(tmp_path)]
    with pytest.raises(EvaluationError, match="nowhere cannot be read"):
        identity([tmp_path / "nowhere"])


ROWS = [Question(f"{k}", "scene", f"question {k}", ("yes",)) for k in range(3)]
IDENTITY: dict[str, Any] = {"benchmark": "sqa3d", "settings": {"memtree": {"frames": 3}}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "first"


def answer(row: Question, text: str = "yes") -> AnswerPrediction:
    return AnswerPrediction(row, text, 0.5)


def test_newest_prediction_of_each_row_is_read_again(path: Path) -> None:
    with RunFolder(path, IDENTITY) as folder:
        folder.keep(answer(ROWS[2]))
        folder.keep(answer(ROWS[0], "no"))
        folder.keep(answer(ROWS[0]))
    with RunFolder(path, IDENTITY) as folder:
        assert folder.predictions(ROWS) == {"2": answer(ROWS[2]), "0": answer(ROWS[0])}


def test_finished_predictions_are_in_the_order_of_the_rows(path: Path) -> None:
    said = [answer(row) for row in ROWS]
    with RunFolder(path, IDENTITY) as folder:
        for one in reversed(said):
            folder.keep(one)
        folder.put_in_order(said)
        assert list(folder.predictions(ROWS).values()) == said


def test_judgements_are_read_again(path: Path) -> None:
    with RunFolder(path, IDENTITY) as folder:
        folder.keep_judgement("0", {"mark": 3.0, "judge": "a"})
        folder.keep_judgement("0", {"mark": 4.0, "judge": "a"})
    with RunFolder(path, IDENTITY) as folder:
        assert folder.judgements() == {"0": {"row": "0", "mark": 4.0, "judge": "a"}}


def test_error_about_another_run_names_the_differences(path: Path) -> None:
    RunFolder(path, IDENTITY).close()
    other = {"benchmark": "scanqa", "settings": {"memtree": {"frames": 5}}}
    with pytest.raises(EvaluationError) as raised:
        RunFolder(path, other)
    assert "benchmark was sqa3d, and is scanqa" in str(raised.value)
    assert "settings.memtree.frames was 3, and is 5" in str(raised.value)
    assert json.loads((path / "run.json").read_text()) == IDENTITY
    with pytest.raises(EvaluationError, match="policy was not there, and is strict"):
        RunFolder(path, {**IDENTITY, "policy": "strict"})


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(EvaluationError, match="holds something else than a run"):
        RunFolder(tmp_path, IDENTITY)
    assert [one.name for one in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("text", ["", "[" * 100_000])
def test_a_damaged_identity_is_named(path: Path, text: str) -> None:
    path.mkdir(parents=True)
    (path / "run.json").write_text(text)
    with pytest.raises(EvaluationError, match=r"run\.json is damaged: name another folder"):
        RunFolder(path, IDENTITY)


def test_a_run_that_was_killed_while_it_began_begins(path: Path) -> None:
    path.mkdir(parents=True)
    (path / "run.json.half").write_text('{"bench')
    RunFolder(path, IDENTITY).close()
    assert json.loads((path / "run.json").read_text()) == IDENTITY


@pytest.mark.parametrize("line", ['{"row": "0", "answer": "yes"}', '{"row": ["0"]}'])
def test_a_line_that_is_no_prediction_is_named(path: Path, line: str) -> None:
    RunFolder(path, IDENTITY).close()
    (path / "predictions.jsonl").write_text(f"{line}\n")
    with (
        RunFolder(path, IDENTITY) as folder,
        pytest.raises(EvaluationError, match="line 1 is no prediction"),
    ):
        folder.predictions(ROWS)
