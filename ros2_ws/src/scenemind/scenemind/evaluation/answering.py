"""Answers to questions scored: SQA3D, ScanQA, OpenEQA, Omni3D-Bench."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from scenemind.evaluation.columns import Column, mean_column
from scenemind.evaluation.datasets import Question
from scenemind.evaluation.metrics.captions import CAPTION_METRICS, caption_columns
from scenemind.evaluation.metrics.exact_match import exact_match
from scenemind.evaluation.metrics.llm_match import llm_match
from scenemind.evaluation.metrics.refined_match import refined_match
from scenemind.evaluation.metrics.sense_match import sense_match
from scenemind.evaluation.metrics.soft_match import soft_match
from scenemind.evaluation.metrics.vadar_score import vadar_score
from scenemind.evaluation.predictions import AnswerPrediction
from scenemind.evaluation.scored import Material, Scored, Scorer

_READ_BY_METRICS = re.compile(r"[a-zA-Z0-9]")
_NO_JUDGE = "llm_match is of missing answers alone, as nobody has judged others: --judge MODEL does"
COMMONEST = "the commonest answer to questions of this kind"
_MATCHES: Mapping[str, Callable[[str, str], bool]] = {
    "exact_match": exact_match,
    "refined_match": refined_match,
    "soft_match": soft_match,
    "sense_match": sense_match,
}


def answer_scorer(*metrics: str) -> Scorer:
    """What scores predictions of answers by these metrics; by `llm_match` too where there are
    judgements.

    An answer that is empty, or holds nothing that a metric reads ("...", other scripts), is wrong
    also by those that give credit for it in their papers: a method that fails is not to profit
    from that. Rows whose answers nobody tells stay unscored.
    """

    def score(predictions: Sequence[AnswerPrediction], material: Material) -> Scored:
        wanted = dict.fromkeys((*metrics, *(["llm_match"] if material.judgements else [])))
        captions = {} if wanted.keys().isdisjoint(CAPTION_METRICS) else _captions(predictions)
        columns: dict[str, Column] = {}
        for name in wanted:
            if name == "llm_match":
                columns[name] = _judged(predictions, material.judgements)
            elif name in captions:
                columns[name] = captions[name]
            else:
                columns[name] = _by_words(name, predictions, [one.answer for one in predictions])
        commonest = _commonest([one.row for one in predictions])
        by_words = wanted.keys() - captions.keys() - {"llm_match"}
        baseline = {
            name: _by_words(name, predictions, commonest) for name in wanted if name in by_words
        }
        notes = (_NO_JUDGE,) if "llm_match" in metrics and not material.judgements else ()
        baselines = {COMMONEST: baseline} if baseline else {}
        return Scored(columns, [()] * len(predictions), baselines, notes)

    return score


def _captions(predictions: Sequence[AnswerPrediction]) -> dict[str, Column]:
    return caption_columns(
        [(one.answer, one.row.answers) if one.row.answers else None for one in predictions]
    )


def _judged(predictions: Sequence[AnswerPrediction], marks: Mapping[str, float]) -> Column:
    return mean_column(
        [
            llm_match(one.answer, marks.get(one.row.row_id)) if one.row.answers else None
            for one in predictions
        ]
    )


def _by_words(
    metric: str, predictions: Sequence[AnswerPrediction], answers: Sequence[str]
) -> Column:
    """Of these answers to the predictions' questions."""
    return mean_column(
        [
            _row_score(metric, answer, one.row)
            for one, answer in zip(predictions, answers, strict=True)
        ]
    )


def _row_score(metric: str, answer: str, row: Question) -> float | None:
    """By the truth that fits best; None: nobody tells it."""
    if not row.answers:
        return None
    if not any(map(str.isalnum, answer)):
        return 0.0
    if metric == "vadar_score":
        return max(vadar_score(answer, truth, row.category) for truth in row.answers)
    return float(any(_matches(metric, answer, truth) for truth in row.answers))


def _matches(metric: str, answer: str, truth: str) -> bool:
    """Of what the other metrics leave out altogether nothing is left, which is part of anything."""
    is_read = all(map(_READ_BY_METRICS.search, (answer, truth)))
    return (is_read or metric == "exact_match") and _MATCHES[metric](answer, truth)


def _commonest(rows: Sequence[Question]) -> list[str]:
    """Each row's; who knew the answers' statistics, and nothing else, would say this. Of several
    that are as common it is the first by letters, so that the order of the rows does not matter."""
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        answers[row.category].update(row.answers)
    first = {
        kind: min(counts, key=lambda one: (-counts[one], one))
        for kind, counts in answers.items()
        if counts
    }
    return [first.get(row.category, "") for row in rows]
