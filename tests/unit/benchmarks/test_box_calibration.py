"""`python -m benchmarks projection --calibrate`: its fit, and the shipped calibration on boxes of
rooms that were held out (`calibration.held-out.csv.gz`)."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from benchmarks.box_calibration import (
    CONDITIONS,
    Judged,
    brier_score,
    calibration_error,
    fitted,
    judged_boxes,
    judgement,
    of_kind,
    read_boxes,
    reliability,
    write_boxes,
)
from benchmarks.projection import bench_projection
from scenemind.errors import UsageError
from scenemind.reasoning.vlm_grounder.box_quality import (
    EVIDENCE_OF,
    EVIDENCE_RANGES,
    BoxKind,
    calibration,
)

HELD_OUT = Path(__file__).with_name("calibration.held-out.csv.gz")


def made_up(count: int, weights: dict[str, float], intercept: float) -> list[Judged]:
    """Boxes that are right as often as a logistic model says."""
    rng = np.random.default_rng(5)
    boxes = []
    for number in range(count):
        evidence = {name: rng.uniform(*limits) for name, limits in EVIDENCE_RANGES.items()}
        evidence["masks_by_model"] = float(rng.random() < 0.5)
        logit = intercept + sum(weight * evidence[name] for name, weight in weights.items())
        right = bool(rng.random() < 1.0 / (1.0 + np.exp(-logit)))
        boxes.append(Judged(1, number, "made up", "measured", right, evidence))
    return boxes


def test_weights_are_found_again() -> None:
    weights = {"fullest_view": 3.0, "views_agree": 2.0, "thickness": 1.0, "masks_by_model": -1.0}
    model = fitted(made_up(20_000, weights, -1.0), "measured")
    for name in EVIDENCE_OF["measured"]:
        assert model.weights.get(name, 0.0) == pytest.approx(weights.get(name, 0.0), abs=0.3)
    assert model.intercept == pytest.approx(-1.0, abs=0.5)


def test_evidence_that_speaks_against_boxes_has_no_weight() -> None:
    model = fitted(made_up(3000, {"fullest_view": 3.0, "usual_view": -3.0}, 0.0), "measured")
    assert "usual_view" not in model.weights
    assert model.weights["fullest_view"] > 2.0


def test_scores_in_closed_form() -> None:
    said = np.array([0.15, 0.15, 0.85, 0.85])
    right = np.array([False, False, True, False])
    assert calibration_error(said, right) == pytest.approx((0.15 + 0.35) / 2)
    assert brier_score(said, right) == pytest.approx((3 * 0.15**2 + 0.85**2) / 4)
    assert reliability(said, right, 5) == [
        {"boxes": 2, "said": 0.15, "right": 0.0},
        {"boxes": 2, "said": 0.85, "right": 0.5},
    ]
    assert calibration_error(np.array([1.0]), np.array([True])) == 0.0


@pytest.fixture(scope="module")
def held_out() -> list[Judged]:
    return read_boxes(HELD_OUT)


def test_boxes_are_of_the_held_out_rooms(held_out: list[Judged]) -> None:
    made = calibration().provenance
    rooms = {box.room for box in held_out}
    assert (min(rooms), max(rooms)) == made.held_out_rooms
    assert made.fitted_rooms[1] < made.held_out_rooms[0]
    assert sum(box.box == "measured" for box in held_out) == made.held_out_targets
    assert {box.condition for box in held_out} == set(made.conditions)
    assert made.conditions == tuple(condition.name for condition in CONDITIONS)


@pytest.mark.parametrize("kind", get_args(BoxKind))
def test_confidence_of_boxes_is_calibrated(held_out: list[Judged], kind: BoxKind) -> None:
    """With some 800 boxes chance alone makes an expected calibration error of about 0.03."""
    rows = of_kind(held_out, kind)
    said = np.array([calibration().probability(kind, row.evidence) for row in rows])
    right = np.array([row.right for row in rows])
    assert len(rows) > 500
    assert calibration_error(said, right) < 0.08
    assert brier_score(said, right) < 0.9 * right.mean() * (1.0 - right.mean())


def test_more_confident_box_is_right_more_often(held_out: list[Judged]) -> None:
    told = judgement(calibration(), held_out, held_out)
    assert told["likelier_first"] > max(told["measured_first"], told["mapped_first"]) + 0.03


def test_columns_come_back(held_out: list[Judged], tmp_path: Path) -> None:
    path = tmp_path / "boxes.csv.gz"
    write_boxes(held_out[:50], path)
    assert read_boxes(path) == held_out[:50]


def test_boxes_of_a_room_are_judged() -> None:
    boxes = list(judged_boxes(1, CONDITIONS[1], frames=6))
    measured = {box.target: box for box in boxes if box.box == "measured"}
    mapped = [box for box in boxes if box.box == "mapped"]
    assert len(measured) >= 5
    assert mapped
    assert 0 < sum(box.right for box in boxes) < len(boxes)
    for box in mapped:
        assert box.evidence["map_agrees"] == measured[box.target].evidence["map_agrees"]


def test_too_few_targets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="3 targets are too few"):
        bench_projection(3, calibrate=tmp_path / "out.yaml")
