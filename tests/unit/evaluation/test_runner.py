"""Benchmarks run: rows in order, the same ones every time, each with its prediction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from scenemind.evaluation import (
    EvaluationError,
    RecordedPrograms,
    RoutedMethod,
    Scenes,
    open_predictions,
    run_benchmark,
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
    assert run.evaluation.scores["accuracy"].percent == pytest.approx(200 / 3)
    assert run.evaluation.failures == {"not_found": 1}
    # Two of the rows are about one of two chairs, one about the only desk.
    baseline = run.evaluation.baselines["any object of the right class"]
    assert baseline["accuracy"].percent == pytest.approx((50 + 50 + 100) / 3)
    assert run.evaluation.breakdown["unique"].n == 1
    assert run.evaluation.breakdown["multiple"].scores["accuracy"].percent == 100.0


def test_a_robot_s_policy_may_refuse(tmp_path: Path, scenes: Scenes) -> None:
    rows = [made.zsvg3d_row("the bed on the desk", 4)]
    data = made.write_json(tmp_path, "nr3d.json", rows)
    always = run_benchmark("nr3d", data, scenes, RoutedMethod(scenes, "symbolic"))
    assert always.evaluation.scores["accuracy"].percent == 100.0
    balanced = RoutedMethod(scenes, "symbolic", policy="balanced")
    run = run_benchmark("nr3d", data, scenes, balanced)
    assert run.evaluation.failures == {"not_found": 1}


def test_questions(tmp_path: Path, scenes: Scenes) -> None:
    data = made.write_sqa3d(tmp_path)
    run = run_benchmark("sqa3d", data, scenes, RoutedMethod(scenes, "symbolic"))
    assert run.evaluation.scores["sense_match"].percent == 100.0
    assert run.evaluation.breakdown["how"].n == 1
    commonest = run.evaluation.baselines["the commonest answer to questions of this kind"]
    assert commonest["exact_match"].percent == 100.0  # there is only one


def test_recorded_programs(tmp_path: Path, scenes: Scenes) -> None:
    data = made.write_json(tmp_path, "nr3d.json", [made.zsvg3d_row()])
    run = run_benchmark("nr3d", data, scenes, RecordedPrograms(scenes))
    assert run.evaluation.method == "zsvg3d_programs"
    assert run.evaluation.scores["accuracy"].percent == 100.0


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
    assert result["source"] == "ground-truth objects"
    assert (result["n"], result["scores"]["accuracy"]) == (1, 100.0)
    easy = result["breakdown"]["easy"]
    assert (easy["n"], easy["accuracy"], easy["acc_50"]) == (1, 100.0, 100.0)
    assert result["seconds"] >= 0.0


def test_predictions_are_written(tmp_path: Path, scenes: Scenes) -> None:
    method, out = RoutedMethod(scenes, "symbolic"), tmp_path / "out.jsonl"
    descriptions = made.write_json(tmp_path, "nr3d.json", [made.zsvg3d_row()])
    with open_predictions(out) as write:
        run_benchmark("nr3d", descriptions, scenes, method, keep=write)
    (line,) = read_lines(out)
    assert (line["found"][0], line["target"], line["right"]) == (1, 1, True)
    questions, out = made.write_sqa3d(tmp_path), tmp_path / "answers.jsonl"
    with open_predictions(out) as write:
        run_benchmark("sqa3d", questions, scenes, method, keep=write)
    (line,) = read_lines(out)
    assert (line["question"], line["truth"]) == ("How many chairs are there?", ["two"])
    assert line["right"] is True


def test_an_interrupted_run_keeps_what_is_done(tmp_path: Path, scenes: Scenes) -> None:
    data = made.write_json(tmp_path, "nr3d.json", [made.zsvg3d_row()] * 3)
    out = tmp_path / "out.jsonl"

    def interrupted(rows: Sequence[Any]) -> Iterator[Any]:
        yield rows[0]
        yield rows[1]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), open_predictions(out) as write:
        run_benchmark(
            "nr3d", data, scenes, RoutedMethod(scenes, "symbolic"), None, interrupted, write
        )
    assert [line["found"][0] for line in read_lines(out)] == [1, 1]


def test_a_line_is_in_the_file_before_the_next_row_is_asked(tmp_path: Path, scenes: Scenes) -> None:
    data = made.write_json(tmp_path, "nr3d.json", [made.zsvg3d_row()] * 3)
    out = tmp_path / "out.jsonl"
    lines_before = []

    def watched(rows: Sequence[Any]) -> Iterator[Any]:
        for row in rows:
            lines_before.append(len(read_lines(out)))
            yield row

    with open_predictions(out) as write:
        run_benchmark("nr3d", data, scenes, RoutedMethod(scenes, "symbolic"), None, watched, write)
    assert lines_before == [0, 1, 2]


def test_predictions_need_a_file_that_can_be_written(tmp_path: Path) -> None:
    with (
        pytest.raises(EvaluationError, match=r"out\.jsonl cannot be written"),
        open_predictions(tmp_path / "nowhere" / "out.jsonl"),
    ):
        pass


def test_predictions_of_an_earlier_run_are_never_emptied(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.touch()
    with open_predictions(out):  # a run that failed before its first row
        out.write_text("{}\n")
    with (
        pytest.raises(EvaluationError, match=r"out\.jsonl is there already: name another"),
        open_predictions(out),
    ):
        pass
    assert read_lines(out) == [{}]


def test_errors_of_who_answers_are_not_the_files(tmp_path: Path) -> None:
    with pytest.raises(ConnectionError), open_predictions(tmp_path / "out.jsonl"):
        raise ConnectionError("no model there")


def test_poses_are_looked_at_before_anything_runs(tmp_path: Path) -> None:
    unaligned = Scenes(made.write_objects(tmp_path, axis_alignment=None))
    data, asked = made.write_sqa3d(tmp_path), list[Any]()
    with pytest.raises(EvaluationError, match="no axis_alignment"):
        run_benchmark(
            "sqa3d", data, unaligned, RoutedMethod(unaligned, "symbolic"), keep=asked.append
        )
    assert asked == []
    in_words = RoutedMethod(unaligned, "symbolic", has_pose=False)
    run = run_benchmark("sqa3d", data, unaligned, in_words)
    assert run.evaluation.scores["sense_match"].percent == 100.0


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
