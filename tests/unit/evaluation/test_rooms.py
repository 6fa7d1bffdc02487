"""Simulated rooms as a benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from scenemind.errors import EvaluationError
from scenemind.evaluation.datasets import Question, ReferringExpression, Row, row_groups
from scenemind.evaluation.methods import RoutedMethod
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction, Prediction
from scenemind.evaluation.result import BenchmarkScores, ScoringContext
from scenemind.evaluation.rooms import (
    MappedRooms,
    RoomSource,
    TrueRooms,
    get_room,
    room_names,
    room_questions,
    room_rows,
    simulation_benchmark,
)
from scenemind.simulation import SimulatedSequence

SCENE = room_names(1)[0]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(room_rows([SCENE]))


def answered(source: RoomSource, rows: Sequence[Row]) -> list[Prediction]:
    with RoutedMethod(source, "symbolic", policy="balanced").at(SCENE) as predict:
        return [predict(row) for row in rows]


def scored(source: RoomSource, predictions: Sequence[Prediction]) -> BenchmarkScores:
    benchmark = simulation_benchmark([SCENE], source)
    return benchmark.score(predictions, ScoringContext(source))


def test_rows_are_the_same_every_time_and_of_every_kind(rows: list[Row]) -> None:
    assert rows == list(room_rows([SCENE]))
    assert len({row.row_id for row in rows}) == len(rows) > 100
    groups = {group for row in rows for group in row_groups(row)}
    assert {"exists", "count", "where", "on", "color", "closest", "verify", "wall"} <= groups
    assert {"ground_closest_to", "ground_colour"} <= groups


def test_symbolic_answers_rightly_on_true_objects(rows: list[Row]) -> None:
    source = TrueRooms()
    result = scored(source, answered(source, rows))
    assert result.columns["right"].values.mean() == 1.0
    phrases = [isinstance(row, ReferringExpression) for row in rows]
    assert (result.columns["acc_50"].values[phrases] == 1.0).all()
    assert sum(phrases) == (result.columns["acc_50"].values == 1.0).sum()


def test_failure_is_wrong_whatever_its_text(rows: list[Row]) -> None:
    source = TrueRooms()
    failed = [replace(one, failure="budget_exceeded") for one in answered(source, rows)]
    assert scored(source, failed).columns["right"].values.max() == 0.0


def test_wrong_replies_are_wrong(rows: list[Row]) -> None:
    source = TrueRooms()
    with source.opened(SCENE) as memory:
        objects = memory.snapshot().objects
    wrong: list[Prediction] = []
    for row in rows:
        if isinstance(row, ReferringExpression):
            other = next(i for i in objects if i != row.target_id)
            wrong.append(GroundingPrediction(row, (other,), (objects[other].yaw_box,), 1, 0.0))
        else:
            wrong.append(AnswerPrediction(row, "nothing", 0.0, "Nothing at all."))
    result = scored(source, wrong)
    assert result.columns["right"].values.max() == 0.0


def test_walls_carry_the_things_that_hang_on_them() -> None:
    with TrueRooms().opened(SCENE) as memory:
        snapshot = memory.snapshot()
    hanging = {thing.instance_id for thing in get_room(SCENE).objects if thing.on_wall}
    carried = {r.subject_id for r in snapshot.relations if r.object_id in snapshot.structure}
    assert hanging <= carried


def test_rooms_are_mapped_once_and_scored_by_their_true_objects(
    tmp_path: Path, rows: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = MappedRooms(tmp_path, frames=24, image_size=(240, 180))
    assert "instance camera with noise" in source.name
    chosen = [row for row in rows if isinstance(row, Question) and row.category == "exists"]
    predictions = answered(source, chosen)
    assert scored(source, predictions).columns["right"].values.mean() > 0.6
    assert set(source.instance_of(SCENE).values()) <= {
        thing.instance_id for thing in get_room(SCENE).objects
    }
    monkeypatch.delattr(SimulatedSequence, "__iter__")  # nothing can be mapped any more
    assert answered(source, chosen[:3])
    assert [path.name for path in tmp_path.iterdir()] == [f"room-{SCENE.removeprefix('sim:')}"]


@pytest.mark.parametrize("name", ["scene0011_00", "sim:", "sim:x", "7"])
def test_other_scenes_are_refused(name: str) -> None:
    with pytest.raises(EvaluationError, match="no simulated room"):
        TrueRooms().check(name)
    with pytest.raises(EvaluationError):
        room_questions(name)
