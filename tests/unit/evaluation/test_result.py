"""Columns of metrics, and their scores with intervals over scenes."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.evaluation.result import Column, Score, mean_column, summarize

ROWS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.floats(0.0, 1.0)),
        st.sampled_from(["", "a", "b"]),
        st.sampled_from(["scene1", "scene2", "scene3"]),
    ),
    min_size=1,
    max_size=30,
)


def score_of(column: Column, scenes: list[str]) -> Score:
    scores, _ = summarize({"m": column}, (), scenes)
    return scores["m"]


def interval_of(values: np.ndarray, scenes: list[str]) -> tuple[float, float]:
    interval = score_of(mean_column(values), scenes).interval
    assert interval is not None
    return interval


@pytest.mark.parametrize(("right", "n"), [(200, 400), (713, 1000), (30, 300)])
def test_rows_that_are_scenes_have_the_binomial_interval(right: int, n: int) -> None:
    """Against the normal approximation, p +- 1.96 sqrt(p (1 - p) / n)."""
    values = np.array([1.0] * right + [0.0] * (n - right))
    low, high = interval_of(values, [f"scene{k}" for k in range(n)])
    share = right / n
    half = 196.0 * math.sqrt(share * (1.0 - share) / n)
    assert low == pytest.approx(100.0 * share - half, abs=0.02 * half)
    assert high == pytest.approx(100.0 * share + half, abs=0.02 * half)


def test_copies_of_rows_within_their_scenes_change_no_interval() -> None:
    """Ten rows that say the same tell no more than one."""
    values, scenes = np.array([1.0, 0.0, 1.0, 1.0]), ["a", "b", "c", "d"]
    once = interval_of(values, scenes)
    assert interval_of(np.repeat(values, 10), list(np.repeat(scenes, 10))) == pytest.approx(once)


def test_intervals_agree_with_a_bootstrap_that_draws_scenes() -> None:
    chance = np.random.default_rng(7)
    sizes = chance.integers(5, 60, 50)
    right = chance.binomial(sizes, np.clip(chance.normal(0.6, 0.15, 50), 0.0, 1.0))
    values = np.concatenate([np.arange(n) < k for n, k in zip(sizes, right, strict=True)])
    low, high = interval_of(values.astype(float), list(np.repeat(np.arange(50), sizes).astype(str)))
    drawn = chance.integers(0, 50, (4000, 50))
    means = 100.0 * right[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    assert (low, high) == pytest.approx(np.percentile(means, (2.5, 97.5)), abs=0.6)


@pytest.mark.parametrize("count", [3, 5, 20])
def test_intervals_cover_the_truth_also_for_few_scenes(count: int) -> None:
    """The share of right answers differs between scenes by 15 %, and is 60 % on average."""
    chance, covered = np.random.default_rng(count), 0
    for _ in range(400):
        sizes = 1 + chance.poisson(20, count)
        right = chance.binomial(sizes, np.clip(chance.normal(0.6, 0.15, count), 0.0, 1.0))
        values = np.concatenate([np.arange(n) < k for n, k in zip(sizes, right, strict=True)])
        scenes = list(np.repeat(np.arange(count), sizes).astype(str))
        low, high = interval_of(values.astype(float), scenes)
        covered += low <= 60.0 <= high
    assert 0.91 <= covered / 400 <= 0.99


def test_one_scene_has_no_interval() -> None:
    assert score_of(mean_column([1.0, 0.0]), ["a", "a"]) == Score(50.0, 2)
    assert score_of(mean_column([1.0, None]), ["a", "b"]) == Score(100.0, 1)


def test_groups_are_parts_of_the_rows() -> None:
    column = mean_column([1.0, 0.0, None, 1.0])
    groups: list[tuple[str, ...]] = [("a",), ("a", "b"), ("b",), ()]
    scores, parts = summarize({"m": column}, groups, ["s1", "s2", "s3", "s1"])
    assert (scores["m"].percent, scores["m"].n) == (pytest.approx(200 / 3), 3)
    assert (parts["a"].n, parts["a"].scores["m"].percent) == (2, 50.0)
    assert parts["a"].scores["m"].interval is not None
    assert (parts["b"].n, parts["b"].scores["m"]) == (2, Score(0.0, 1)), "one scene is scored"


def test_nothing_scored_is_no_score() -> None:
    scores, groups = summarize(
        {"m": mean_column([None, None]), "other": mean_column([None, 1.0])}, [("a",), ()], ["s"] * 2
    )
    assert scores.keys() == {"other"}
    assert (groups["a"].n, groups["a"].scores) == (1, {})


@settings(deadline=None, max_examples=30)
@given(ROWS, st.randoms())
def test_the_order_of_rows_is_irrelevant(
    rows: list[tuple[float | None, str, str]], chance: random.Random
) -> None:
    one, other = (
        summarize(
            {"m": mean_column([value for value, _, _ in of])},
            [(group,) if group else () for _, group, _ in of],
            [scene for _, _, scene in of],
        )
        for of in (rows, chance.sample(rows, len(rows)))
    )
    assert one[0].keys() == other[0].keys()
    assert one[1].keys() == other[1].keys()
    for name, score in one[0].items():
        assert score.percent == pytest.approx(other[0][name].percent)
        assert score.interval == pytest.approx(other[0][name].interval, abs=1e-6)


@settings(deadline=None, max_examples=30)
@given(ROWS, st.integers(1, 20))
def test_unscored_rows_change_no_score(
    rows: list[tuple[float | None, str, str]], more: int
) -> None:
    values, scenes = [value for value, _, _ in rows], [scene for _, _, scene in rows]
    few, _ = summarize({"m": mean_column(values)}, (), scenes)
    many, _ = summarize({"m": mean_column(values + [None] * more)}, (), scenes + ["new"] * more)
    assert few == many


def test_scores_of_sums_are_no_means() -> None:
    """A share of shares: 1 of 1 and 1 of 9 are 2 of 10; without one of them 100 % or 11 % are
    left, and the interval ends at 100 %."""
    parts = np.array([[1.0, 1.0], [1.0, 9.0]])
    column = Column(parts[:, 0] / parts[:, 1], parts, lambda sums: sums[..., 0] / sums[..., 1])
    score = score_of(column, ["a", "b"])
    assert score.percent == pytest.approx(20.0)
    assert score.interval == (0.0, 100.0)


def test_intervals_end_where_the_metric_does() -> None:
    """CIDEr goes to 10, and is printed as percent."""
    assert score_of(mean_column([9.9, 1.0], best=10.0), ["a", "b"]).interval == (0.0, 1000.0)
