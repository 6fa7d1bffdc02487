"""Metrics as columns over rows, and what columns come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.evaluation.result import Group, Score

Array = NDArray[np.float64]
OfSums = Callable[[Array], Array]

_ROUNDS = 1000
_SEED = 0
_PERCENTILES = (2.5, 97.5)
# Of draws that are held at once.
_MOST_DRAWN = 2_000_000


@dataclass(frozen=True, slots=True)
class Column:
    """One metric of N rows.

    Attributes:
        values: (N,), each row's score; NaN: not scored.
        statistics: (N, K); zero where a row is not scored.
        of_sums: the score of many rows from the sums of their statistics, (..., K) -> (...).
    """

    values: Array
    statistics: Array
    of_sums: OfSums


def mean_column(values: Sequence[float | None] | Array) -> Column:
    """A metric whose score of many rows is their mean; None or NaN: not scored."""
    column = np.array(values, dtype=np.float64)
    scored = ~np.isnan(column)
    return Column(column, np.column_stack((np.where(scored, column, 0.0), scored)), _mean)


def summed_up(
    columns: Mapping[str, Column], groups: Sequence[tuple[str, ...]], order: Sequence[str]
) -> tuple[dict[str, Score], dict[str, Group]]:
    """The scores of all rows, and of each group by name.

    Confidence intervals are percentile bootstraps: rows are drawn with replacement, 1000 times from
    a fixed seed. Rows of one scene are not independent, so that the truth is somewhat wider.

    Args:
        groups: of each row.
        order: of each row something that tells it from the others; sorted by it the rows are drawn
            from, so that their order does not matter.
    """
    sorted_rows = np.argsort(np.array(order), kind="stable")
    members: dict[str, list[int]] = {}
    for place, row in enumerate(sorted_rows):
        for group in groups[row]:
            members.setdefault(group, []).append(place)
    taken = [np.arange(len(sorted_rows)), *(np.array(members[name]) for name in sorted(members))]
    every, *of_groups = _scores(columns, sorted_rows, taken)
    return every, {
        name: Group(len(members[name]), scores)
        for name, scores in zip(sorted(members), of_groups, strict=True)
    }


def _scores(
    columns: Mapping[str, Column], rows: NDArray[np.intp], parts: Sequence[NDArray[np.intp]]
) -> list[dict[str, Score]]:
    """Of each part; a part is places in `rows`."""
    if not columns:
        return [{} for _ in parts]
    statistics = np.hstack([_with_count(column)[rows] for column in columns.values()])
    drawn = _drawn_sums(statistics, parts)
    results: list[dict[str, Score]] = []
    for part, sums_of_draws in zip(parts, drawn, strict=True):
        sums, first = statistics[part].sum(axis=0), 0
        scores: dict[str, Score] = {}
        for name, column in columns.items():
            last = first + column.statistics.shape[1]
            taken = slice(first, last + 1)
            scores[name] = _score(column.of_sums, sums[taken], sums_of_draws[:, taken])
            first = last + 1
        results.append(scores)
    return results


def _with_count(column: Column) -> Array:
    """(N, K + 1): the last one counts scored rows."""
    return np.column_stack((column.statistics, ~np.isnan(column.values)))


def _score(of_sums: OfSums, sums: Array, drawn: Array) -> Score:
    """
    Args:
        sums: (K + 1,). drawn: (rounds, K + 1); of a small group nothing may be drawn in some.
    """
    if sums[-1] == 0.0:
        return Score(None, 0)
    some = drawn[drawn[:, -1] > 0.0, :-1]
    low, high = np.percentile(100.0 * of_sums(some if len(some) else sums[None, :-1]), _PERCENTILES)
    return Score(float(100.0 * of_sums(sums[:-1])), int(sums[-1]), float(low), float(high))


def _drawn_sums(statistics: Array, parts: Sequence[NDArray[np.intp]]) -> list[Array]:
    """(rounds, K) of each part: the sums of its statistics among rows that are drawn anew."""
    n = len(statistics)
    random = np.random.default_rng(_SEED)
    sums = [np.empty((_ROUNDS, statistics.shape[1])) for _ in parts]
    at_once = max(1, _MOST_DRAWN // n)
    for start in range(0, _ROUNDS, at_once):
        rounds = min(at_once, _ROUNDS - start)
        drawn = random.integers(0, n, (rounds, n)) + n * np.arange(rounds)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rounds * n).reshape(rounds, n)
        times = times.astype(np.float64)
        for part, of_part in zip(parts, sums, strict=True):
            of_part[start : start + rounds] = times[:, part] @ statistics[part]
    return sums


def _mean(sums: Array) -> Array:
    mean: Array = sums[..., 0] / sums[..., 1]
    return mean
