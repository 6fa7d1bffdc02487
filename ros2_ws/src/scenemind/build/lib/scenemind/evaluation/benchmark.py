"""Benchmarks by name: their files, the choice of their rows, and the scoring of predictions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Literal

from scenemind.errors import EvaluationError
from scenemind.evaluation.datasets import (
    Question,
    ReferringExpression,
    Row,
    openeqa_groups,
    read_nr3d,
    read_omni3d,
    read_openeqa,
    read_scanqa,
    read_scanrefer,
    read_sqa3d,
    read_sr3d,
    row_groups,
)
from scenemind.evaluation.metrics.captions import CAPTION_METRICS
from scenemind.evaluation.metrics.numerals import Spelling, spelled
from scenemind.evaluation.predictions import AnswerPrediction, Prediction
from scenemind.evaluation.reliability import find_reliability
from scenemind.evaluation.result import (
    BenchmarkScores,
    Evaluation,
    ScoredRow,
    Scorer,
    ScoringContext,
    mean_column,
    summarize,
)
from scenemind.evaluation.scenes import NamedSource, Scenes
from scenemind.evaluation.scorers import answer_scorer, score_groundings

Asks = Literal["ground", "answer"]
NeedsImages = Literal["none", "episode", "image"]
_NAMES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark: its rows, its metrics and its groups.

    Attributes:
        asks: for an object (`ReferringExpression`) or for an answer (`Question`).
        read: reads its file or folder row by row; raises EvaluationError with its source.
        score: computes all its metrics.
        primary: its main metric where it is scored, else the scorer's first one.
        needs_images: none, the frames of an episode, or one image a row.
        groups: names of the groups of a row, as far as the file contains them.
        spelling: of its answers.
        right_by: metrics by which confidences are compared with the truth: the first that is
            scored, else the primary one.
    """

    name: str
    asks: Asks
    read: Callable[[Path], Iterable[Row]]
    score: Scorer
    primary: str
    needs_images: NeedsImages = "none"
    groups: Callable[[Row], tuple[str, ...]] = row_groups
    spelling: Spelling = "as_said"
    right_by: tuple[str, ...] = ()

    def as_submitted(self, predictions: Iterable[Prediction]) -> list[Prediction]:
        """The predictions with answers in the benchmark's spelling, as they are scored and
        submitted; its own script compares texts."""
        return [
            replace(one, answer=spelled(one.answer, self.spelling))
            if isinstance(one, AnswerPrediction)
            else one
            for one in predictions
        ]


BENCHMARKS: Mapping[str, Benchmark] = {
    one.name: one
    for one in (
        Benchmark("scanrefer", "ground", read_scanrefer, score_groundings, "acc_25"),
        Benchmark("nr3d", "ground", read_nr3d, score_groundings, "accuracy"),
        Benchmark("sr3d", "ground", read_sr3d, score_groundings, "accuracy"),
        Benchmark(
            "sqa3d",
            "answer",
            read_sqa3d,
            answer_scorer("exact_match", "refined_match", "soft_match", "sense_match"),
            "exact_match",
            spelling="words",
            right_by=("sense_match",),
        ),
        Benchmark(
            "scanqa",
            "answer",
            read_scanqa,
            answer_scorer(
                "exact_match", "refined_match", *CAPTION_METRICS, "soft_match", "sense_match"
            ),
            "exact_match",
            spelling="figures",
            right_by=("sense_match",),
        ),
        Benchmark(
            "openeqa",
            "answer",
            read_openeqa,
            answer_scorer("llm_match", "exact_match", "soft_match", "sense_match"),
            "llm_match",
            "episode",
            openeqa_groups,
            right_by=("llm_match", "sense_match"),
        ),
        Benchmark(
            "omni3d",
            "answer",
            read_omni3d,
            answer_scorer("vadar_score", "exact_match", "sense_match"),
            "vadar_score",
            "image",
        ),
    )
}


def get_benchmark(name: str) -> Benchmark:
    """The benchmark of a name.

    Raises:
        EvaluationError: there is no such benchmark.
    """
    if name not in BENCHMARKS:
        raise EvaluationError(f"there is no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def select_rows(
    rows: Iterable[Row],
    groups: Callable[[Row], Sequence[str]],
    only: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
) -> list[Row]:
    """The rows to ask, in the order of the file.

    Args:
        groups: names of the groups of a row.
        only: groups to which a row must belong, all of them.
        limit: size of a random sample; None: all rows.
        seed: of the sample.

    Raises:
        EvaluationError: there are no rows, none is in these groups, or two have the same id.
    """
    every = list(rows)
    if not every:
        raise EvaluationError("the benchmark's file has no rows to ask")
    if copies := _repeated(every, lambda row: row.row_id):
        raise EvaluationError(
            f"{len(copies)} of {len(every)} rows have the id of an earlier one, the first is"
            f" {copies[0]!r}: take the copies out of the benchmark's file"
        )
    if only:
        wanted = set(only)
        known = {name for row in every for name in groups(row)}
        if missing := wanted - known:
            names = ", ".join(sorted(known)[:_NAMES_SHOWN]) or "none"
            raise EvaluationError(
                f"no row is in the group {min(missing)!r}; the groups of its file: {names}"
            )
        every = [row for row in every if wanted <= set(groups(row))]
        if not every:
            raise EvaluationError(f"no row is in all of the groups {', '.join(only)}")
    if limit is None or limit >= len(every):
        return every
    return [every[k] for k in sorted(random.Random(seed).sample(range(len(every)), limit))]


def _repeated(rows: Iterable[Row], key: Callable[[Row], Hashable]) -> list[str]:
    """Ids of the rows with the key of an earlier row."""
    seen: set[Hashable] = set()
    copies = []
    for row in rows:
        if key(row) in seen:
            copies.append(row.row_id)
        seen.add(key(row))
    return copies


def _text_of(row: Row) -> tuple[Hashable, ...]:
    """What a row asks, without its id."""
    if isinstance(row, ReferringExpression):
        return row.scene_id, row.text, row.target_id
    return row.scene_id, row.question, row.situation, row.pose


def unusable_scenes(
    scene_ids: Iterable[str], check: Callable[[str], object]
) -> dict[str, EvaluationError]:
    """Scenes that a check refuses, each with the error.

    Args:
        check: of a scene; raises EvaluationError.
    """
    refused: dict[str, EvaluationError] = {}
    for scene_id in dict.fromkeys(scene_ids):
        try:
            check(scene_id)
        except EvaluationError as error:
            refused[scene_id] = error
    return refused


def check_scenes(
    scene_ids: Collection[str], check: Callable[[str], object], way_out: str = ""
) -> None:
    """Check all scenes of a benchmark's rows.

    Args:
        check: see `unusable_scenes`.
        way_out: for the message, where only some are refused.

    Raises:
        EvaluationError: some are refused; the message counts them and gives the first reason.
    """
    refused, count = unusable_scenes(scene_ids, check), len(set(scene_ids))
    if not refused:
        return
    first = next(iter(refused.values()))
    if count == 1:
        raise first
    if len(refused) == count:
        raise EvaluationError(f"none of the {count} scenes of the rows is there: {first}")
    raise EvaluationError(
        f"{len(refused)} of the {count} scenes of the rows are not there: {first}{way_out}"
    )


def check_truth(rows: Sequence[Row], truth: Scenes, *, with_poses: bool) -> None:
    """Check that the truth covers all rows, before a run of hours.

    Args:
        with_poses: the method gets the asker's pose.

    Raises:
        EvaluationError: a scene, a target or an axis alignment is missing.
    """
    needs = [
        row
        for row in rows
        if isinstance(row, ReferringExpression) or (with_poses and row.pose is not None)
    ]
    check_scenes([row.scene_id for row in needs], truth.get_objects)
    posed: set[str] = set()
    for row in needs:
        if isinstance(row, ReferringExpression):
            truth.get_target(row.scene_id, row.target_id)
        elif row.pose is not None and row.scene_id not in posed:
            posed.add(row.scene_id)
            truth.get_viewpoint(row.scene_id, row.pose)


def has_poses(rows: Iterable[Row]) -> bool:
    """Whether any question has the asker's pose."""
    return any(isinstance(row, Question) and row.pose is not None for row in rows)


def evaluate(
    benchmark: Benchmark,
    method: str,
    source: NamedSource,
    predictions: Sequence[Prediction],
    truth: Scenes | None,
    judgements: Mapping[str, float] | None = None,
    policy: str = "",
) -> Evaluation:
    """Score the predictions of a run; the result does not depend on their order.

    Args:
        predictions: at least one, each of a different row.
        truth: true objects of the scenes; None: metrics that need their boxes are not computed.
        judgements: row id -> mark of a judge from 1 to 5 (`judge`); other rows are not scored by
            `llm_match`.
        policy: under which the method answered.

    Raises:
        EvaluationError: there are no predictions, or the truth lacks a row's target.
    """
    if not predictions:
        raise EvaluationError("there are no predictions to evaluate: the run has no rows")
    scored = benchmark.score(
        benchmark.as_submitted(predictions), ScoringContext(source, truth, judgements or {})
    )
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
            None if one.failure else one.confidence,
        )
        for k, one in enumerate(predictions)
    ]
    notes = scored.notes + _notes_on([one.row for one in predictions])
    scored = replace(scored, columns=columns, notes=notes)
    evaluation = _evaluation(benchmark.name, method, source.name, rows, scored)
    reliability = None
    if evaluation.scores:
        metric = next(name for name in (*benchmark.right_by, *columns) if name in evaluation.scores)
        reliability = find_reliability(
            metric, [row.confidence for row in rows], [row.scores[metric] for row in rows]
        )
    return replace(evaluation, policy=policy, reliability=reliability)


def evaluation_of_rows(
    benchmark: str, method: str, source: str, rows: Sequence[ScoredRow]
) -> Evaluation:
    """Evaluation of rows that are already scored by the same metrics, the primary one first.

    Args:
        rows: at least one.
    """
    columns = {name: mean_column([row.scores[name] for row in rows]) for name in rows[0].scores}
    return _evaluation(benchmark, method, source, rows, BenchmarkScores(columns, (), {}))


def _evaluation(
    benchmark: str, method: str, source: str, rows: Sequence[ScoredRow], scored: BenchmarkScores
) -> Evaluation:
    scenes = [row.scene_id for row in rows]
    scores, breakdown = summarize(scored.columns, [row.groups for row in rows], scenes)
    failures = Counter(row.failure for row in rows if row.failure)
    baselines = {
        name: found
        for name, simple in scored.baselines.items()
        if (found := summarize(simple, (), scenes)[0])
    }
    return Evaluation(
        benchmark,
        method,
        source,
        tuple(rows),
        scores,
        breakdown,
        baselines,
        dict(sorted(failures.items(), key=lambda item: (-item[1], item[0]))),
        scored.notes,
    )


def _notes_on(rows: Sequence[Row]) -> tuple[str, ...]:
    """Notes on rows that ask the same twice, as a few of the published ones do."""
    copies = _repeated(rows, _text_of)
    if not copies:
        return ()
    return (
        f"{len(copies)} of {len(rows)} rows ask what an earlier row asks, the first is"
        f" {copies[0]!r}: each counts; take copies that are not the benchmark's out of its file",
    )


def _or_none(value: float) -> float | None:
    return None if isnan(value) else float(value)
