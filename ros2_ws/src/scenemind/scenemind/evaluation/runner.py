"""A benchmark run: its rows, a method's prediction for each, and what they come to."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, get_args, runtime_checkable

from scenemind.evaluation.benchmark import get_benchmark
from scenemind.evaluation.datasets import (
    Question,
    ReferringExpression,
    read_nr3d,
    read_scanrefer,
    read_sqa3d,
    read_sr3d,
)
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.objects_memory import SOURCE
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction, Prediction
from scenemind.evaluation.result import Evaluation
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.scoring import evaluate

Benchmark = Literal["scanrefer", "nr3d", "sr3d", "sqa3d"]
BENCHMARKS: tuple[Benchmark, ...] = get_args(Benchmark)

_GROUNDING: Mapping[str, Callable[[Path], Iterator[ReferringExpression]]] = {
    "scanrefer": read_scanrefer,
    "nr3d": read_nr3d,
    "sr3d": read_sr3d,
}
_SEED = 0

Row = TypeVar("Row", ReferringExpression, Question)
Predicted = TypeVar("Predicted", GroundingPrediction, AnswerPrediction)
Predictions = Sequence[GroundingPrediction] | Sequence[AnswerPrediction]
# Hands rows on, and may show how many of them are done.
Watch = Callable[[Sequence[Any]], Iterable[Any]]
# Gets each prediction before the next row is asked.
Keep = Callable[[Prediction], object]


class Grounder(Protocol):
    """Finds what descriptions mean; what it cannot do is a failure in the prediction."""

    name: str

    def ground(self, row: ReferringExpression) -> GroundingPrediction: ...


@runtime_checkable
class Answerer(Protocol):
    """Answers questions too; as `Grounder`.

    Attributes:
        has_pose: it is told where who asks stands as a pose, which needs scenes that have their
            alignment.
    """

    has_pose: bool

    def ask(self, row: Question) -> AnswerPrediction: ...


@dataclass(frozen=True, slots=True)
class Run:
    """What a method said of each row, in the order of the file, and what it comes to."""

    predictions: Predictions
    evaluation: Evaluation


def run_benchmark(
    benchmark: Benchmark,
    data: Path,
    scenes: Scenes,
    method: Grounder,
    limit: int | None = None,
    watch: Watch = iter,
    keep: Keep | None = None,
) -> Run:
    """
    Args:
        data: the benchmark's file or folder.
        limit: so many rows, the same ones every time; None: all.
        keep: gets the predictions as they come; the run may be interrupted.

    Raises:
        EvaluationError: the files are missing or not as they should be, or do not belong together,
            or the method does not do what this benchmark asks.
    """
    if benchmark in _GROUNDING:
        described = chosen(_GROUNDING[benchmark](data), limit)
        for row in described:  # before hours of work
            scenes.get_target(row.scene_id, row.target_id)
        found = list(_predictions(method.ground, watch(described), keep))
        return Run(found, _evaluated(benchmark, method, found, scenes))
    if not isinstance(method, Answerer):
        raise EvaluationError(f"{method.name} answers no questions, and {benchmark} asks them")
    asked = chosen(read_sqa3d(data), limit)
    for question in {row.scene_id: row for row in asked}.values():
        scenes.get_snapshot(question.scene_id)
        if method.has_pose and question.pose is not None:
            scenes.get_viewpoint(question.scene_id, question.pose)
    answers = list(_predictions(method.ask, watch(asked), keep))
    return Run(answers, _evaluated(benchmark, method, answers, scenes))


@dataclass(frozen=True, slots=True)
class _Named:
    name: str = SOURCE
    has_true_ids: bool = True


def _evaluated(
    benchmark: Benchmark, method: Grounder, predictions: Predictions, scenes: Scenes
) -> Evaluation:
    return evaluate(get_benchmark(benchmark), method.name, _Named(), predictions, scenes)


def _predictions(
    predict: Callable[[Row], Predicted], rows: Iterable[Row], keep: Keep | None
) -> Iterator[Predicted]:
    for row in rows:
        prediction = predict(row)
        if keep is not None:
            keep(prediction)
        yield prediction


def chosen(rows: Iterable[Row], limit: int | None) -> Sequence[Row]:
    """All rows, or so many of them, drawn with a fixed seed; in the order of the file.

    Raises:
        EvaluationError: there are none.
    """
    every = list(rows)
    if not every:
        raise EvaluationError("the benchmark's file has no rows")
    if limit is None or limit >= len(every):
        return every
    return [every[k] for k in sorted(random.Random(_SEED).sample(range(len(every)), limit))]
