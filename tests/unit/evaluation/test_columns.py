"""Columns come to scores with honest intervals, whatever the order of the rows."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.evaluation.columns import Column, mean_column, summed_up

ROWS = st.lists(
    st.tuples(st.one_of(st.none(), st.floats(0.0, 1.0)), st.sampled_from(["", "a", "b"])),
    min_size=1,
    max_size=30,
)


def ids(count: int) -> list[str]:
    return [f"row-{k}" for k in range(count)]


@pytest.mark.parametrize(("right", "n"), [(200, 400), (713, 1000), (30, 300)])
def test_the_interval_is_the_binomial_s(right: int, n: int) -> None:
    """Against the normal approximation, p +- 1.96 sqrt(p (1 - p) / n)."""
    scores, _ = summed_up({"m": mean_column([1.0] * right + [0.0] * (n - right))}, [()] * n, ids(n))
    score, share = scores["m"], right / n
    half = 196.0 * math.sqrt(share * (1.0 - share) / n)
    assert (score.percent, score.n) == (pytest.approx(100.0 * share), n)
    assert score.low == pytest.approx(100.0 * share - half, abs=0.15 * half + 100.0 / n)
    assert score.high == pytest.approx(100.0 * share + half, abs=0.15 * half + 100.0 / n)


def test_groups_are_parts_of_the_rows() -> None:
    column = mean_column([1.0, 0.0, None, 1.0])
    scores, groups = summed_up({"m": column}, [("a",), ("a", "b"), ("b",), ()], ids(4))
    assert (scores["m"].percent, scores["m"].n) == (pytest.approx(200 / 3), 3)
    assert (groups["a"].n, groups["a"].scores["m"].percent) == (2, 50.0)
    assert (groups["b"].n, groups["b"].scores["m"].n, groups["b"].scores["m"].percent) == (2, 1, 0)


def test_nothing_scored_is_no_score() -> None:
    scores, groups = summed_up({"m": mean_column([None, None])}, [("a",), ()], ids(2))
    assert (scores["m"].percent, scores["m"].n, scores["m"].low) == (None, 0, None)
    assert groups["a"].scores["m"].percent is None


@settings(deadline=None, max_examples=30)
@given(ROWS, st.randoms())
def test_the_order_of_rows_is_irrelevant(
    rows: list[tuple[float | None, str]], chance: random.Random
) -> None:
    named = list(zip(ids(len(rows)), rows, strict=True))
    mixed = chance.sample(named, len(named))
    results = [
        summed_up(
            {"m": mean_column([value for _, (value, _) in of])},
            [(group,) if group else () for _, (_, group) in of],
            [name for name, _ in of],
        )
        for of in (named, mixed)
    ]
    assert results[0] == results[1]


@settings(deadline=None, max_examples=30)
@given(ROWS, st.integers(1, 20))
def test_unscored_rows_change_no_mean(rows: list[tuple[float | None, str]], more: int) -> None:
    values = [value for value, _ in rows]
    (few, _), (many, _) = (
        summed_up({"m": mean_column(of)}, [()] * len(of), ids(len(of)))
        for of in (values, values + [None] * more)
    )
    assert few["m"].n == many["m"].n
    if few["m"].percent is not None:
        assert many["m"].percent == pytest.approx(few["m"].percent, abs=1e-9)


def test_scores_of_sums_are_no_means() -> None:
    """A share of shares: 1 of 1 and 1 of 9 are 2 of 10."""
    parts = np.array([[1.0, 1.0], [1.0, 9.0]])
    column = Column(parts[:, 0] / parts[:, 1], parts, lambda sums: sums[..., 0] / sums[..., 1])
    scores, _ = summed_up({"m": column}, [(), ()], ids(2))
    assert scores["m"].percent == pytest.approx(20.0)
    assert scores["m"].low == pytest.approx(100.0 / 9.0)
    assert scores["m"].high == pytest.approx(100.0)


def test_draws_without_any_row_of_a_small_group_count_nothing() -> None:
    """One row of fifty: it is drawn, or nothing can be said."""
    column = mean_column([1.0] + [0.0] * 49)
    _, groups = summed_up({"m": column}, [("a",)] + [()] * 49, ids(50))
    assert (groups["a"].scores["m"].low, groups["a"].scores["m"].high) == (100.0, 100.0)
