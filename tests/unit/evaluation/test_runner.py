"""Runs: each row is asked once, predictions are kept, and an interrupted run goes on."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from scenemind.evaluation.datasets import Question, Row
from scenemind.evaluation.method import Predict
from scenemind.evaluation.predictions import AnswerPrediction, Prediction
from scenemind.evaluation.run_folder import RunFolder
from scenemind.evaluation.runner import Budget, run
from scenemind.evaluation.workers import InProcess, SceneJob
from scenemind.models import Usage

ROWS = [Question(f"{k}", f"scene{k % 3}", f"question {k}", ("yes",)) for k in range(9)]


def said(row: Row, failure: str = "", tokens: int = 0) -> AnswerPrediction:
    assert isinstance(row, Question)
    usage = Usage(1, tokens) if tokens else Usage()
    answer = "" if failure else f"answer to {row.question}"
    return AnswerPrediction(row, answer, 0.0, failure=failure, usage=usage)


class Saying:
    """A method whose answers come from `say`.

    Attributes:
        asked: ids of the rows that it was asked.
    """

    name = "saying"

    def __init__(self, say: Callable[[Row], Prediction] = said) -> None:
        self.asked: list[str] = []
        self._say = say

    @contextmanager
    def at(self, scene_id: str) -> Iterator[Predict]:
        def predict(row: Row) -> Prediction:
            assert row.scene_id == scene_id
            self.asked.append(row.row_id)
            return self._say(row)

        yield predict

    def here(self) -> InProcess:
        return InProcess(lambda _: nullcontext(self))


def test_rows_are_asked_scene_by_scene_and_given_in_their_order() -> None:
    method = Saying()
    done = run(ROWS, method.here())
    assert method.asked == ["0", "3", "6", "1", "4", "7", "2", "5", "8"]
    assert [one.row for one in done.predictions] == ROWS
    assert done.unasked == 0


def test_each_prediction_is_kept_before_the_next_question(tmp_path: Path) -> None:
    kept: list[int] = []
    with RunFolder(tmp_path / "run", {}) as folder:

        def say(row: Row) -> Prediction:
            kept.append(len(folder.predictions(ROWS)))
            return said(row)

        run(ROWS, Saying(say).here(), folder)
    assert kept == list(range(9))


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    def interrupted(row: Row) -> Prediction:
        if row.row_id == "4":
            raise KeyboardInterrupt
        return said(row)

    with RunFolder(tmp_path / "run", {}) as folder, pytest.raises(KeyboardInterrupt):
        run(ROWS, Saying(interrupted).here(), folder)
    method = Saying()
    with RunFolder(tmp_path / "run", {}) as folder:
        done = run(ROWS, method.here(), folder)
        assert list(folder.predictions(ROWS)) == [row.row_id for row in ROWS]
    assert method.asked == ["2", "5", "8", "4", "7"]
    assert done == run(ROWS, Saying().here())


def test_rows_with_a_temporary_failure_are_asked_again(tmp_path: Path) -> None:
    codes = {"1": "model_failed", "2": "not_found", "3": "worker_lost"}

    def failing(row: Row) -> Prediction:
        return said(row, codes.get(row.row_id, ""))

    with RunFolder(tmp_path / "run", {}) as folder:
        run(ROWS, Saying(failing).here(), folder)
    method = Saying()
    with RunFolder(tmp_path / "run", {}) as folder:
        done = run(ROWS, method.here(), folder)
    assert sorted(method.asked) == ["1", "3"]
    assert [one.row.row_id for one in done.predictions if one.failure] == ["2"]


def test_a_spent_budget_begins_no_other_scene_and_is_that_of_the_whole_run(tmp_path: Path) -> None:
    method = Saying(lambda row: said(row, tokens=100))
    with RunFolder(tmp_path / "run", {}) as folder:
        done = run(ROWS, method.here(), folder, Budget(tokens=301))
    assert [one.row.row_id for one in done.predictions] == ["0", "1", "3", "4", "6", "7"]
    assert done.unasked == 3
    with RunFolder(tmp_path / "run", {}) as folder:
        assert run(ROWS, method.here(), folder, Budget(tokens=600)).unasked == 3
        assert run(ROWS, method.here(), folder, Budget(tokens=601)).unasked == 0


def test_cost_of_failed_rows_counts(tmp_path: Path) -> None:
    failing = Saying(lambda row: said(row, "model_failed", tokens=100))
    for times in (1, 2):
        with RunFolder(tmp_path / "run", {}) as folder:
            done = run(ROWS[:2], failing.here(), folder, Budget(tokens=1000))
        assert [one.usage.tokens for one in done.predictions] == [100 * times] * 2
    with RunFolder(tmp_path / "run", {}) as folder:
        assert run(ROWS, failing.here(), folder, Budget(tokens=400)).unasked == 7


def test_watcher_gets_kept_and_new_predictions(tmp_path: Path) -> None:
    class Watching:
        def __init__(self) -> None:
            self.rows, self.kept, self.came = 0, 0, 0

        def begin(self, rows: int, kept: Sequence[Prediction]) -> None:
            self.rows, self.kept = rows, len(kept)

        def answered(self, prediction: Prediction) -> None:
            del prediction
            self.came += 1

    with RunFolder(tmp_path / "run", {}) as folder:
        for row in ROWS[:4]:
            folder.keep(said(row))
        watch = Watching()
        run(ROWS, Saying().here(), folder, watch=watch)
    assert (watch.rows, watch.kept, watch.came) == (9, 4, 5)


def test_workers_are_closed_when_the_run_is_interrupted() -> None:
    closed = []

    class Endless:
        def predictions(self, jobs: Iterator[SceneJob]) -> Generator[Prediction]:
            try:
                while True:
                    yield said(next(jobs).rows[0])
            finally:
                closed.append(True)

    class Interrupting:
        def begin(self, rows: int, kept: Sequence[Prediction]) -> None:
            """Nothing."""

        def answered(self, prediction: Prediction) -> None:
            del prediction
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(ROWS, Endless(), watch=Interrupting())
    assert closed == [True]
