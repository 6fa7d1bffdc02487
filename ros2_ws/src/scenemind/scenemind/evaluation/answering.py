"""Situated questions evaluated: SQA3D."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from scenemind.evaluation.datasets import Question
from scenemind.evaluation.metrics import answer_scores
from scenemind.evaluation.predictions import AnswerPrediction
from scenemind.evaluation.result import Evaluation, ScoredRow, Scores, mean_percents, summed_up

_COMMONEST = "the commonest answer to questions with this first word"
_FIRST_WORDS = ("what", "is", "how", "can", "which")


def evaluate_answers(
    benchmark: str, method: str, predictions: Sequence[AnswerPrediction]
) -> Evaluation:
    """Broken down by the question's first word, as SQA3D does.

    Args:
        predictions: at least one.
    """
    rows = [
        ScoredRow(
            answer_scores(one.answer, one.row.answers),
            (first_word(one.row.question),),
            one.seconds,
            one.failure,
            one.usage,
        )
        for one in predictions
    ]
    commonest = _commonest([prediction.row for prediction in predictions])
    return summed_up(benchmark, method, rows, {_COMMONEST: commonest})


def first_word(question: str) -> str:
    """One of SQA3D's kinds of question; "others" for the rest."""
    word = question.split(maxsplit=1)[0].lower() if question.strip() else ""
    return word if word in _FIRST_WORDS else "others"


def _commonest(rows: Sequence[Question]) -> Scores:
    """Of the very rows: who knew the answers' statistics, and nothing else, would have this."""
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        answers[first_word(row.question)].update(row.answers)
    return mean_percents(
        answer_scores(answers[first_word(row.question)].most_common(1)[0][0], row.answers)
        for row in rows
    )
