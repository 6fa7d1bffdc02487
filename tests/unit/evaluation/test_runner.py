"""Benchmarks run: rows in order, the same ones every time, each with its prediction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scenemind.evaluation import (
    EvaluationError,
    RecordedPrograms,
    RoutedMethod,
    Scenes,
    run_benchmark,
    write_predictions,
)
from scenemind.evaluation.runner import chosen
from tests.unit.evaluation import made


@pytest.fixture
def scenes(tmp_path: Path) -> Scenes:
    return Scenes(made.write_objects(tmp_path))


def test_descriptions(tmp_path: Path, scenes: Scenes) -> None:
    texts = ("the chair closest to the desk", "the chair farthest from the desk", "the zeppelin")
    rows = [made.zsvg3d_row(text, target) for text, target in zip(texts, (1, 2, 3), strict=True)]
    data = made.write_json(tmp_path, "nr3d.json", rows)
    run = run_benchmark("nr3d", data, scenes, RoutedMethod(scenes, "symbolic"))
    assert [one.object_ids[:1] for one in run.predictions] == [(1,), (2,), ()]
    assert run.evaluation.n == 3
    assert run.evaluation.scores["accuracy"] == pytest.approx(200 / 3)
    assert run.evaluation.failures == {"not_found": 1}
    # Two of the rows are about one of two chairs, one about the only desk.
    baseline = run.evaluation.baselines["any object of the right class"]
    assert baseline["accuracy"] == pytest.approx((50 + 50 + 100) / 3)
    assert run.evaluation.breakdown["unique"].n == 1
    assert run.evaluation.breakdown["multiple"].scores["accuracy"] == 100.0


def test_questions(tmp_path: Path, scenes: Scenes) -> None:
    data = made.write_sqa3d(tmp_path)
    run = run_benchmark("sqa3d", data, scenes, RoutedMethod(scenes, "symbolic"))
    assert run.evaluation.scores["sense_match"] == 100.0
    assert run.evaluation.breakdown["how"].n == 1
    commonest = run.evaluation.baselines["the commonest answer to questions with this first word"]
    assert commonest["exact_match"] == 100.0  # there is only one


def test_recorded_programs(tmp_path: Path, scenes: Scenes) -> None:
    data = made.write_json(tmp_path, "nr3d.json", [made.zsvg3d_row()])
    run = run_benchmark("nr3d", data, scenes, RecordedPrograms(scenes))
    assert run.evaluation.method == "zsvg3d_programs"
    assert run.evaluation.scores["accuracy"] == 100.0


def test_programs_answer_no_questions(tmp_path: Path, scenes: Scenes) -> None:
    with pytest.raises(EvaluationError, match="answers no questions, and sqa3d asks them"):
        run_benchmark("sqa3d", made.write_sqa3d(tmp_path), scenes, RecordedPrograms(scenes))


def test_targets_that_are_not_there_are_told_before_anything_runs(
    tmp_path: Path, scenes: Scenes
) -> None:
    rows = [made.zsvg3d_row(), made.zsvg3d_row(target=77)]
    data = made.write_json(tmp_path, "nr3d.json", rows)
    with pytest.raises(EvaluationError, match="scene0001_00 has no object 77"):
        run_benchmark("nr3d", data, scenes, RoutedMethod(scenes, "symbolic"))


def test_rows_without_a_program(tmp_path: Path, scenes: Scenes) -> None:
    with pytest.raises(EvaluationError, match=r"no recorded program: .*ZSVG3D"):
        run_benchmark("nr3d", made.write_nr3d_csv(tmp_path), scenes, RecordedPrograms(scenes))


def test_a_limit_draws_the_same_rows_in_order() -> None:
    rows = list(range(100))
    drawn = chosen(rows, 10)  # type: ignore[type-var]
    assert drawn == chosen(rows, 10) == sorted(drawn)  # type: ignore[type-var]
    assert drawn != rows[:10]
    assert chosen(rows, 100) == chosen(rows, None) == rows  # type: ignore[type-var]
    with pytest.raises(EvaluationError, match="no rows"):
        chosen([], None)


def test_a_result_for_programs(tmp_path: Path, scenes: Scenes) -> None:
    data = made.write_json(tmp_path, "nr3d.json", [made.zsvg3d_row()])
    run = run_benchmark("nr3d", data, scenes, RoutedMethod(scenes, "symbolic"))
    result = json.loads(json.dumps(run.evaluation.as_json()))
    assert result["scene"] == "ground-truth objects"
    assert (result["n"], result["scores"]["accuracy"]) == (1, 100.0)
    assert result["breakdown"]["easy"] == {
        "n": 1,
        "accuracy": 100.0,
        "acc_25": 100.0,
        "acc_50": 100.0,
    }
    assert result["seconds"] >= 0.0


def test_predictions_are_written(tmp_path: Path, scenes: Scenes) -> None:
    descriptions = made.write_json(tmp_path, "nr3d.json", [made.zsvg3d_row()])
    grounded = run_benchmark("nr3d", descriptions, scenes, RoutedMethod(scenes, "symbolic"))
    (line,) = written(tmp_path / "grounded.jsonl", grounded.predictions)
    assert (line["found"][0], line["target"], line["right"]) == (1, 1, True)
    questions = made.write_sqa3d(tmp_path)
    answered = run_benchmark("sqa3d", questions, scenes, RoutedMethod(scenes, "symbolic"))
    (line,) = written(tmp_path / "answered.jsonl", answered.predictions)
    assert (line["question"], line["truth"]) == ("How many chairs are there?", ["two"])
    assert line["right"] is True


def written(path: Path, predictions: Any) -> list[dict[str, Any]]:
    write_predictions(path, predictions)
    return [json.loads(line) for line in path.read_text().splitlines()]
