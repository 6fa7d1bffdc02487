"""Answers that say nothing get no credit."""

from __future__ import annotations

import pytest

from scenemind.evaluation.answering import answer_scorer
from scenemind.evaluation.datasets import Question
from scenemind.evaluation.predictions import AnswerPrediction
from scenemind.evaluation.scene_source import NO_SCENE
from scenemind.evaluation.scored import Material

METRICS = ("exact_match", "refined_match", "soft_match", "sense_match")


def scores(answer: str, truth: str) -> dict[str, float]:
    said = AnswerPrediction(Question("1", "scene", "What is it?", (truth,)), answer, 0.0)
    columns = answer_scorer(*METRICS)([said], Material(NO_SCENE)).columns
    return {name: float(column.values[0]) for name, column in columns.items()}


@pytest.mark.parametrize("answer", ["", " ", "...", "?", "\u2013", "\u6905\u5b50"])
def test_what_the_metrics_leave_out_is_no_part_of_the_truth(answer: str) -> None:
    """Of these nothing is left to compare, and nothing is part of everything."""
    assert scores(answer, "table") == dict.fromkeys(METRICS, 0.0)


def test_it_is_told_that_nobody_has_judged() -> None:
    said = [AnswerPrediction(Question("1", "scene", "What is it?", ("a bed",)), "a bed", 0.0)]
    score = answer_scorer("llm_match")
    assert "--judge" in " ".join(score(said, Material(NO_SCENE)).notes)
    assert not score(said, Material(NO_SCENE, judgements={"1": 5.0})).notes


def test_other_scripts_match_to_the_letter_or_not_at_all() -> None:
    chair, desk = "\u6905\u5b50", "\u684c\u5b50"
    assert scores(chair, chair)["exact_match"] == 1.0
    assert scores(desk, chair) == dict.fromkeys(METRICS, 0.0)
    assert scores("desk", chair) == dict.fromkeys(METRICS, 0.0)
