"""What an evaluation comes to: scores of every row, and of all rows and groups of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from scenemind.models import Usage
from scenemind.models.usage import NOTHING_USED


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """
    Attributes:
        scores: by metric, in [0, 1] (CIDEr: in [0, 10]); None: the row is not scored by it.
        groups: what rows it is counted with in the breakdown.
        failure: an error code; empty where there is none.
    """

    row_id: str
    scene_id: str
    scores: Mapping[str, float | None]
    groups: tuple[str, ...]
    failure: str = ""
    seconds: float = 0.0
    usage: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True)
class Score:
    """One metric of many rows.

    Attributes:
        percent: None: no row was scored.
        n: rows that were scored; the others count neither as right nor as wrong.
        low, high: 95 % confidence interval, in percent; None as above.
    """

    percent: float | None
    n: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """
    Attributes:
        n: rows that belong to it, scored or not.
    """

    n: int
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """
    Attributes:
        benchmark, method, source: by name; the source is what the method knew of the scenes.
        rows: in the order of the predictions.
        scores: of all rows by metric, the benchmark's primary one first; a row without an answer
            counts 0, one that cannot be scored not at all.
        breakdown: group -> the same of a part of the rows.
        baselines: name -> the same of doing something simple instead.
        failures: error code -> how many rows, commonest first.
        notes: what who reads the scores has to know.
    """

    benchmark: str
    method: str
    source: str
    rows: tuple[ScoredRow, ...]
    scores: Mapping[str, Score]
    breakdown: Mapping[str, Group]
    baselines: Mapping[str, Mapping[str, Score]]
    failures: Mapping[str, int]
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Rows, scored or not."""
        return len(self.rows)

    @property
    def primary(self) -> str:
        """The metric that the benchmark goes by."""
        return next(iter(self.scores))

    @property
    def seconds(self) -> float:
        """Of all answers together."""
        return sum(row.seconds for row in self.rows)

    @property
    def median_ms(self) -> float:
        """Of one answer."""
        return 1000.0 * median(row.seconds for row in self.rows)

    @property
    def usage(self) -> Usage:
        """Of models, by all answers together."""
        return sum((row.usage for row in self.rows), NOTHING_USED)

    def as_json(self) -> dict[str, Any]:
        """For programs, without the rows; percents with two digits, null if nothing is scored."""
        usage = self.usage
        return {
            "benchmark": self.benchmark,
            "method": self.method,
            "source": self.source,
            "n": self.n,
            "scores": _percents(self.scores),
            **_certainty(self.scores),
            "breakdown": {
                name: {"n": group.n, **_percents(group.scores), **_certainty(group.scores)}
                for name, group in self.breakdown.items()
            },
            "baselines": {name: _percents(scores) for name, scores in self.baselines.items()},
            "failures": dict(self.failures),
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
            "median_ms": round(self.median_ms, 3),
            "usage": {
                "calls": usage.calls,
                "prompt_tokens": usage.prompt_tokens,
                "reply_tokens": usage.reply_tokens,
                "cost": usage.cost,
            },
        }


def _percents(scores: Mapping[str, Score]) -> dict[str, float | None]:
    return {name: _rounded(score.percent) for name, score in scores.items()}


def _certainty(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {
        "scored": {name: score.n for name, score in scores.items()},
        "interval_95": {
            name: [_rounded(score.low), _rounded(score.high)] for name, score in scores.items()
        },
    }


def _rounded(percent: float | None) -> float | None:
    return None if percent is None else round(percent, 2)
