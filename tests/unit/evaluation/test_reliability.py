"""Confidences beside the truth, in ten bins."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from scenemind.evaluation.reliability import BINS, Reliability, find_reliability

SHARE = st.floats(0.0, 1.0)


def found(confidences: list[float | None], scores: list[float | None]) -> Reliability:
    reliability = find_reliability("accuracy", confidences, scores)
    assert reliability is not None
    return reliability


def test_a_worked_example() -> None:
    """Two answers that are 75 % sure, one right: 25 % off; two that are 95 % sure, both right: 5 %
    off. Of those that are 80 % sure all are right."""
    reliability = found([0.75, 0.75, 0.95, 0.95], [1.0, 0.0, 1.0, 1.0])
    assert [(one.low, one.high, one.n) for one in reliability.bins] == [(0.7, 0.8, 2), (0.9, 1, 2)]
    assert reliability.calibration_error == pytest.approx(15.0)
    assert reliability.sure == (2, 100.0)


@pytest.mark.parametrize(
    ("confidence", "low"), [(0.0, 0.0), (0.1, 0.1), (0.3, 0.3), (0.8, 0.8), (0.999, 0.9), (1, 0.9)]
)
def test_bins_begin_with_their_lower_bound(confidence: float, low: float) -> None:
    (one,) = found([confidence], [1.0]).bins
    assert (one.low, one.high) == (low, pytest.approx(low + 0.1))


def test_rows_without_a_confidence_or_a_score_do_not_count() -> None:
    assert found([None, 0.5, 0.5], [1.0, None, 0.0]).n == 1
    assert find_reliability("accuracy", [None, 0.5], [1.0, None]) is None


def test_nobody_is_sure() -> None:
    reliability = found([0.5], [1.0])
    assert reliability.sure == (0, None)
    assert reliability.as_json()["sure"] == {"n": 0}


def test_a_perfect_confidence_is_off_by_chance() -> None:
    """One answer that is 30 % sure is off by 70 % or 30 %: 42 % in the mean. Of two that are 50 %
    sure none, one or both are right: 25 %."""
    assert found([0.3], [1.0]).error_if_perfect == pytest.approx(42.0)
    assert found([0.5, 0.5], [1.0, 1.0]).error_if_perfect == pytest.approx(25.0)
    assert found([0.0, 1.0], [0.0, 1.0]).error_if_perfect == 0.0


def test_the_interval_of_a_perfect_confidence() -> None:
    """Of every outcome of three bins its probability and error, against the draws'."""
    bins = {0.15: 4, 0.55: 6, 0.85: 12}
    outcomes = list(product(*(range(n + 1) for n in bins.values())))
    errors = np.array(
        [sum(abs(k - n * p) for k, (p, n) in zip(of, bins.items(), strict=True)) for of in outcomes]
    )
    errors *= 100.0 / sum(bins.values())
    chances = np.array(
        [
            np.prod([binom.pmf(k, n, p) for k, (p, n) in zip(of, bins.items(), strict=True)])
            for of in outcomes
        ]
    )
    order = np.argsort(errors)
    so_far = np.cumsum(chances[order])
    exact = [errors[order][np.searchsorted(so_far, share)] for share in (0.025, 0.975)]
    sure = [p for p, n in bins.items() for _ in range(n)]
    reliability = found(sure, [1.0] * len(sure))
    assert reliability.interval_if_perfect == pytest.approx(exact, abs=0.6)
    assert reliability.error_if_perfect == pytest.approx(float(errors @ chances))
    far = float(chances[errors >= reliability.calibration_error - 1e-9].sum())
    assert reliability.as_far_off == pytest.approx(100.0 * far, abs=1.0)


def test_95_of_100_perfect_confidences_lie_inside() -> None:
    """Confidences of their own, not the middle of a bin, and what chance makes right."""
    chance = np.random.default_rng(5)
    inside = 0
    for _ in range(400):
        sure = chance.beta(2.0, 1.0, 25)
        right = chance.random(25) < sure
        reliability = found(sure.tolist(), right.astype(float).tolist())
        low, high = reliability.interval_if_perfect
        inside += low <= reliability.calibration_error <= high
    assert inside / 400 == pytest.approx(0.95, abs=0.03)


def test_how_often_a_perfect_confidence_is_as_far_off() -> None:
    """Of one object at 0.75 a quarter of the draws is wrong, which is 75 off, else 25."""
    assert found([0.75], [1.0]).as_far_off == 100.0
    assert found([0.75], [0.0]).as_far_off == pytest.approx(25.0, abs=2.0)
    half = [1.0, 0.0] * 20
    assert found([0.95] * 40, half).as_far_off == 0.0, "half of forty sure ones are wrong"


@given(st.lists(st.tuples(SHARE, SHARE), min_size=1))
def test_error_against_the_definition(pairs: list[tuple[float, float]]) -> None:
    """Naeini et al., AAAI 2015: the sum over bins of |sum of confidences - sum of scores| / n."""
    error = 0.0
    for k in range(BINS):
        inside = [
            confidence - score
            for confidence, score in pairs
            if k / BINS <= confidence < (k + 1) / BINS or (k == BINS - 1 and confidence == 1.0)
        ]
        error += abs(sum(inside)) / len(pairs)
    reliability = found(*map(list, zip(*pairs, strict=True)))
    assert reliability.calibration_error == pytest.approx(100.0 * error, abs=1e-9)
    assert reliability.n == len(pairs)
