"""How likely boxes are right: what holds for any evidence, and what is refused."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scenemind.reasoning.vlm_grounder.box_quality import (
    EVIDENCE_OF,
    EVIDENCE_RANGES,
    MASKS_BY_MODEL,
    BoxKind,
    Calibration,
    LogisticModel,
    calibration,
)

KINDS = get_args(BoxKind)


@st.composite
def evidences(draw: st.DrawFn) -> dict[str, float]:
    """Also beyond what was ever measured."""
    ranges = EVIDENCE_RANGES.items()
    return {name: draw(st.floats(low - 1.0, high + 1.0)) for name, (low, high) in ranges}


@given(evidences(), st.sampled_from(KINDS), st.data())
def test_more_evidence_never_speaks_against_a_box(
    evidence: dict[str, float], kind: BoxKind, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from([n for n in EVIDENCE_OF[kind] if n != MASKS_BY_MODEL]))
    more = {**evidence, name: evidence[name] + data.draw(st.floats(0.0, 3.0))}
    before = calibration().probability(kind, evidence)
    assert 0.0 < before < 1.0
    assert calibration().probability(kind, more) >= before


@pytest.mark.parametrize("kind", KINDS)
def test_some_evidence_matters(kind: BoxKind) -> None:
    worst = {name: low for name, (low, _) in EVIDENCE_RANGES.items()}
    best = {name: high for name, (_, high) in EVIDENCE_RANGES.items()}
    said = [calibration().probability(kind, evidence) for evidence in (worst, best)]
    assert said[0] < 0.2
    assert said[1] > 0.8
    assert calibration().models[kind].weights.keys() <= set(EVIDENCE_OF[kind])


def test_a_logistic_model_in_closed_form() -> None:
    model = LogisticModel(intercept=-1.0, weights={"map_agrees": 2.0})
    assert model.probability({"map_agrees": 0.5}) == 0.5
    assert model.probability({"map_agrees": 1.0}) == pytest.approx(0.7310586)
    assert model.probability({"map_agrees": 9.0}) == model.probability({"map_agrees": 1.0})


def test_logits_of_any_size_have_a_probability() -> None:
    for intercept in (-1e6, 1e6):
        assert 0.0 < LogisticModel(intercept=intercept, weights={}).probability({}) < 1.0


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"weights": {"luck": 1.0}}, "there is no evidence 'luck'"),
        ({"weights": {"looks": -1.0}}, "more evidence would speak against"),
        ({"bias": 1.0}, "bias"),
    ],
)
def test_a_model_that_cannot_be_is_refused(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        LogisticModel.model_validate({"intercept": 0.0, "weights": {}, **change})


def test_a_calibration_has_all_kinds() -> None:
    tree = calibration().model_dump()
    del tree["models"]["mapped"]
    with pytest.raises(ValidationError, match="models"):
        Calibration.model_validate(tree)


def test_who_drew_masks_may_speak_either_way() -> None:
    model = LogisticModel(intercept=0.0, weights={MASKS_BY_MODEL: -1.0})
    assert model.probability({MASKS_BY_MODEL: 1.0}) < 0.5
