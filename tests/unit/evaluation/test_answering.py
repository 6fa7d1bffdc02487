"""Questions by first word, as SQA3D counts them."""

from __future__ import annotations

import pytest

from scenemind.evaluation.answering import evaluate_answers, first_word
from scenemind.evaluation.datasets import Question, ScanPose
from scenemind.evaluation.predictions import AnswerPrediction

POSE = ScanPose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("question", "word"),
    [("What is it?", "what"), ("Is it?", "is"), ("Are they?", "others"), ("", "others")],
)
def test_first_words(question: str, word: str) -> None:
    assert first_word(question) == word


def predicted(question: str, truth: str, answer: str, failure: str = "") -> AnswerPrediction:
    row = Question("1", "scene0001_00", question, (truth,), pose=POSE)
    return AnswerPrediction(row, answer, 0.5, failure=failure)


def test_scores_are_means_in_percent() -> None:
    evaluation = evaluate_answers(
        "sqa3d",
        "symbolic",
        [
            predicted("Is it red?", "yes", "yes"),
            predicted("Is it green?", "no", "yes"),
            predicted("Is it blue?", "yes", "no"),
            predicted("What is it?", "sofa", "couch"),
            predicted("What is that?", "lamp", "", "not_understood"),
        ],
    )
    assert evaluation.scores["sense_match"] == pytest.approx(40.0)
    assert evaluation.scores["exact_match"] == pytest.approx(20.0)
    assert evaluation.breakdown["is"].scores["sense_match"] == pytest.approx(100 / 3)
    # "yes" to what starts with "is", and one of the two answers to what starts with "what".
    (commonest,) = evaluation.baselines.values()
    assert commonest["exact_match"] == pytest.approx(60.0)
    assert evaluation.failures == {"not_understood": 1}
    assert evaluation.seconds == pytest.approx(2.5)
    assert evaluation.median_ms == pytest.approx(500.0)
