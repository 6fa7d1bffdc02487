"""Predictions scored: every row by every metric of its benchmark, and what that comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isnan

from scenemind.evaluation.benchmark import Benchmark
from scenemind.evaluation.columns import Column, mean_column, summed_up
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.result import Evaluation, ScoredRow
from scenemind.evaluation.scene_source import NamedSource
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.scored import Material


def evaluate(
    benchmark: Benchmark,
    method: str,
    source: NamedSource,
    predictions: Sequence[Prediction],
    truth: Scenes | None,
    judgements: Mapping[str, float] | None = None,
) -> Evaluation:
    """Of the same predictions always the same, in whichever order they are.

    Args:
        predictions: at least one, each of another row.
        truth: the scenes' true objects; None: what needs their boxes stays unscored.
        judgements: row id -> a judge's mark from 1 to 5 (`judging`); rows without one stay unscored
            by it.

    Raises:
        EvaluationError: there are no predictions, or the truth lacks a row's target.
    """
    if not predictions:
        raise EvaluationError("there are no predictions to evaluate: the run has no rows")
    scored = benchmark.score(predictions, Material(source, truth, judgements or {}))
    columns = dict(sorted(scored.columns.items(), key=lambda item: item[0] != benchmark.primary))
    groups = [
        (*benchmark.groups(prediction.row), *found)
        for prediction, found in zip(predictions, scored.groups, strict=True)
    ]
    rows = [
        ScoredRow(
            one.row.row_id,
            one.row.scene_id,
            {name: _or_none(column.values[k]) for name, column in columns.items()},
            groups[k],
            one.failure,
            one.seconds,
            one.usage,
        )
        for k, one in enumerate(predictions)
    ]
    return _evaluation(
        benchmark.name, method, source.name, rows, columns, scored.baselines, scored.notes
    )


def evaluation_of_rows(
    benchmark: str, method: str, source: str, rows: Sequence[ScoredRow]
) -> Evaluation:
    """Of rows that something else has scored, each by the same metrics, primary first.

    Args:
        rows: at least one.
    """
    columns = {name: mean_column([row.scores[name] for row in rows]) for name in rows[0].scores}
    return _evaluation(benchmark, method, source, rows, columns, {})


def _evaluation(
    benchmark: str,
    method: str,
    source: str,
    rows: Sequence[ScoredRow],
    columns: Mapping[str, Column],
    baselines: Mapping[str, Mapping[str, Column]],
    notes: tuple[str, ...] = (),
) -> Evaluation:
    order = [row.row_id for row in rows]
    scores, breakdown = summed_up(columns, [row.groups for row in rows], order)
    failures = Counter(row.failure for row in rows if row.failure)
    ungrouped = [()] * len(rows)
    return Evaluation(
        benchmark,
        method,
        source,
        tuple(rows),
        scores,
        breakdown,
        {name: summed_up(simple, ungrouped, order)[0] for name, simple in baselines.items()},
        dict(sorted(failures.items(), key=lambda item: (-item[1], item[0]))),
        notes,
    )


def _or_none(value: float) -> float | None:
    return None if isnan(value) else float(value)
