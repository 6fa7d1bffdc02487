"""Scorers of answers, and overlaps of boxes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.evaluation.datasets import Question
from scenemind.evaluation.predictions import AnswerPrediction
from scenemind.evaluation.result import ScoringContext
from scenemind.evaluation.scenes import NO_SCENE
from scenemind.evaluation.scorers import answer_scorer, extents, iou_pairs
from scenemind.geometry import Box3D, iou_3d

METRICS = ("exact_match", "refined_match", "soft_match", "sense_match")


def scores(answer: str, truth: str) -> dict[str, float]:
    said = AnswerPrediction(Question("1", "scene", "What is it?", (truth,)), answer, 0.0)
    columns = answer_scorer(*METRICS)([said], ScoringContext(NO_SCENE)).columns
    return {name: float(column.values[0]) for name, column in columns.items()}


@pytest.mark.parametrize("answer", ["", " ", "...", "?", "\u2013", "\u6905\u5b50"])
def test_true_answers_of_ignored_words_match_nothing(answer: str) -> None:
    """Nothing is left of these answers, and an empty text is a part of every text."""
    assert scores(answer, "table") == dict.fromkeys(METRICS, 0.0)


def test_missing_judgements_are_reported() -> None:
    said = [AnswerPrediction(Question("1", "scene", "What is it?", ("a bed",)), "a bed", 0.0)]
    score = answer_scorer("llm_match")
    assert "--judge" in " ".join(score(said, ScoringContext(NO_SCENE)).notes)
    assert not score(said, ScoringContext(NO_SCENE, judgements={"1": 5.0})).notes


def test_answers_in_other_scripts_match_exactly_or_not_at_all() -> None:
    chair, desk = "\u6905\u5b50", "\u684c\u5b50"
    assert scores(chair, chair)["exact_match"] == 1.0
    assert scores(desk, chair) == dict.fromkeys(METRICS, 0.0)
    assert scores("desk", chair) == dict.fromkeys(METRICS, 0.0)


SIDE = st.floats(0.05, 3.0)
BOX = st.builds(
    Box3D,
    st.tuples(*[st.floats(-2.0, 2.0)] * 3),
    st.tuples(SIDE, SIDE, SIDE),
)


@pytest.mark.parametrize("shift_m", [0.0, 0.3, 0.34, 0.6, 1.0, 5.0])
def test_shifted_cubes(shift_m: float) -> None:
    """Unit cubes that are shifted by s share 1 - s, of 1 + s together."""
    boxes = [Box3D((x, 0.0, 0.0), (1.0, 1.0, 1.0)) for x in (0.0, shift_m)]
    (found,) = iou_pairs(extents(boxes[:1]), extents(boxes[1:]))
    assert found == pytest.approx(max(0.0, 1.0 - shift_m) / (1.0 + shift_m))


def test_a_turned_box_is_taken_with_the_box_around_it() -> None:
    """A unit square on its corner stands in one of side sqrt 2."""
    turned = Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), np.pi / 4)
    (found,) = iou_pairs(extents([turned]), extents([Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))]))
    assert found == pytest.approx(0.5)


def test_a_flat_box_shares_something_with_itself_alone() -> None:
    flat, other = (extents([Box3D((x, 0.0, 1.0), (1.0, 0.0, 1.0))]) for x in (0.0, 0.1))
    assert list(iou_pairs(flat, flat)) == [1.0]
    assert list(iou_pairs(flat, other)) == [0.0]


@settings(deadline=None)
@given(st.lists(st.tuples(BOX, BOX), min_size=1, max_size=8))
def test_many_pairs_are_as_each_by_itself(pairs: list[tuple[Box3D, Box3D]]) -> None:
    found = iou_pairs(extents([a for a, _ in pairs]), extents([b for _, b in pairs]))
    assert found == pytest.approx([iou_3d(a, b) for a, b in pairs], abs=1e-9)
