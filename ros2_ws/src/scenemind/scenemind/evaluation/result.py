"""What an evaluation comes to: mean scores, of all rows and of groups of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from scenemind.evaluation.objects_memory import SOURCE
from scenemind.models import Usage
from scenemind.models.usage import NOTHING_USED

Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """
    Attributes:
        scores: in [0, 1] by metric; the same metrics in every row.
        groups: what rows it is counted with in the breakdown.
        failure: an error code; empty where there is none.
    """

    scores: Scores
    groups: tuple[str, ...]
    seconds: float
    failure: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Group:
    """
    Attributes:
        scores: means by metric, in percent.
    """

    n: int
    scores: Scores


@dataclass(frozen=True, slots=True)
class Evaluation:
    """
    Attributes:
        benchmark, method: by name.
        scores: means over all rows by metric, in percent; a row without an answer counts 0.
        baselines: name -> the same of doing something simple instead.
        breakdown: group -> the same of a part of the rows.
        failures: error code -> how many rows.
        seconds: of all answers together. median_ms: of one.
        usage: of models, by all answers together.
    """

    benchmark: str
    method: str
    n: int
    scores: Scores
    baselines: Mapping[str, Scores]
    breakdown: Mapping[str, Group]
    failures: Mapping[str, int]
    seconds: float
    median_ms: float
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """For programs; percents with two digits."""
        return {
            "benchmark": self.benchmark,
            "method": self.method,
            "scene": SOURCE,
            "n": self.n,
            "scores": _rounded(self.scores),
            "baselines": {name: _rounded(scores) for name, scores in self.baselines.items()},
            "breakdown": {
                name: {"n": group.n, **_rounded(group.scores)}
                for name, group in self.breakdown.items()
            },
            "failures": dict(self.failures),
            "seconds": round(self.seconds, 3),
            "median_ms": round(self.median_ms, 3),
            "usage": {
                "calls": self.usage.calls,
                "prompt_tokens": self.usage.prompt_tokens,
                "reply_tokens": self.usage.reply_tokens,
                "cost": self.usage.cost,
            },
        }


def summed_up(
    benchmark: str, method: str, rows: Sequence[ScoredRow], baselines: Mapping[str, Scores]
) -> Evaluation:
    """
    Args:
        rows: at least one.
        baselines: in percent.
    """
    of_group: dict[str, list[Scores]] = defaultdict(list)
    for row in rows:
        for group in row.groups:
            of_group[group].append(row.scores)
    return Evaluation(
        benchmark,
        method,
        len(rows),
        mean_percents([row.scores for row in rows]),
        baselines,
        {name: Group(len(of), mean_percents(of)) for name, of in sorted(of_group.items())},
        dict(Counter(row.failure for row in rows if row.failure).most_common()),
        sum(row.seconds for row in rows),
        1000.0 * median(row.seconds for row in rows),
        sum((row.usage for row in rows), NOTHING_USED),
    )


def mean_percents(scores: Iterable[Scores]) -> Scores:
    """By metric; of at least one row."""
    every = list(scores)
    return {name: 100.0 * fmean(row[name] for row in every) for name in every[0]}


def _rounded(scores: Scores) -> dict[str, float]:
    return {name: round(value, 2) for name, value in scores.items()}
