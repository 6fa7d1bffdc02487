"""Results of an evaluation: metrics as columns over rows, and scores of all rows and of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from scenemind.evaluation.reliability import Reliability
from scenemind.evaluation.scenes import NamedSource, Scenes
from scenemind.models import Usage
from scenemind.models.chat import NOTHING_USED

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
ScoreOfSums = Callable[[Array], Array]
INTERVALS = (
    "95 %, over scenes: a scene is the unit, not a row (delete-one-scene jackknife, Student's t)"
)
ONE_SCENE = "all its rows are of one scene, and an interval is drawn over scenes"
_LEVEL = 0.975


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """The scores of one row.

    Attributes:
        scores: metric -> score in [0, 1] (CIDEr: in [0, 10]); None: not scored.
        groups: names of its groups in the breakdown.
        failure: an error code; empty: there is none.
        confidence: of the answer, in [0, 1]; None: no answer, or the method gives none.
    """

    row_id: str
    scene_id: str
    scores: Mapping[str, float | None]
    groups: tuple[str, ...]
    failure: str = ""
    seconds: float = 0.0
    usage: Usage = NOTHING_USED
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """One metric of many rows.

    Attributes:
        n: number of scored rows, at least one; others count neither as right nor as wrong.
        interval: 95 % confidence interval, percent (`INTERVALS`); None: the rows are of one scene.
    """

    percent: float
    n: int
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """The scores of a group of rows.

    Attributes:
        n: number of its rows, scored or not.
        scores: metric -> score, of the metrics that scored any of its rows.
    """

    n: int
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of a run.

    Attributes:
        benchmark, method, source: names; the source is the method's knowledge of the scenes.
        rows: in the order of the predictions.
        scores: metric -> score of all rows, the primary metric first, of the metrics that scored
            any row; a row without an answer counts 0, a row that cannot be scored does not count.
        breakdown: group -> scores of its rows.
        baselines: name -> scores of a simple method.
        failures: error code -> number of rows, most frequent first.
        notes: for readers of the scores.
        policy: under which the method answered; empty: not given.
        reliability: of the confidences; None: the method gives none.
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
    policy: str = ""
    reliability: Reliability | None = None

    @property
    def n(self) -> int:
        """Number of rows, scored or not."""
        return len(self.rows)

    @property
    def scenes(self) -> int:
        """Number of scenes of the rows."""
        return len({row.scene_id for row in self.rows})

    @property
    def primary(self) -> str | None:
        """The benchmark's main metric; None: no row could be scored."""
        return next(iter(self.scores), None)

    @property
    def seconds(self) -> float:
        """Time of all answers."""
        return sum(row.seconds for row in self.rows)

    @property
    def median_ms(self) -> float:
        """Median time of an answer, milliseconds."""
        return 1000.0 * median(row.seconds for row in self.rows)

    @property
    def slowest_ms(self) -> float:
        """Longest time of an answer, milliseconds."""
        return 1000.0 * max(row.seconds for row in self.rows)

    @property
    def usage(self) -> Usage:
        """Usage of models by all answers."""
        return sum((row.usage for row in self.rows), NOTHING_USED)

    def as_json(self) -> dict[str, Any]:
        """JSON without the rows; percents with two digits. What was not computed is left out."""
        usage = self.usage
        return {
            "benchmark": self.benchmark,
            "method": self.method,
            "source": self.source,
            **({"policy": self.policy} if self.policy else {}),
            "n": self.n,
            "scenes": self.scenes,
            "scores": _percents(self.scores),
            **_certainty(self.scores),
            "intervals": INTERVALS,
            "breakdown": {
                name: {"n": group.n, **_percents(group.scores), **_certainty(group.scores)}
                for name, group in self.breakdown.items()
            },
            "baselines": {name: _percents(scores) for name, scores in self.baselines.items()},
            **({"reliability": self.reliability.as_json()} if self.reliability else {}),
            "failures": dict(self.failures),
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
            "median_ms": round(self.median_ms, 3),
            "slowest_ms": round(self.slowest_ms, 3),
            "usage": {
                "calls": usage.calls,
                "prompt_tokens": usage.prompt_tokens,
                "reply_tokens": usage.reply_tokens,
                "cost": usage.cost,
            },
        }


def _percents(scores: Mapping[str, Score]) -> dict[str, float]:
    return {name: round(score.percent, 2) for name, score in scores.items()}


def _certainty(scores: Mapping[str, Score]) -> dict[str, Any]:
    """Numbers of scored rows, intervals, and why a metric has none."""
    without = {name: ONE_SCENE for name, score in scores.items() if score.interval is None}
    return {
        "scored": {name: score.n for name, score in scores.items()},
        "interval_95": {
            name: [round(bound, 2) for bound in score.interval]
            for name, score in scores.items()
            if score.interval is not None
        },
        **({"no_interval": without} if without else {}),
    }


@dataclass(frozen=True, slots=True)
class Column:
    """One metric of N rows.

    Attributes:
        values: (N,), each row's score; NaN: not scored.
        statistics: (N, K), sufficient statistics; zero where a row is not scored.
        of_sums: score of many rows from the sums of their statistics, (..., K) -> (...).
        best: the highest possible score.
    """

    values: Array
    statistics: Array
    of_sums: ScoreOfSums
    best: float = 1.0


def mean_column(values: Sequence[float | None] | Array, best: float = 1.0) -> Column:
    """A metric whose score of many rows is their mean; None or NaN: not scored."""
    column = np.array(values, dtype=np.float64)
    scored = ~np.isnan(column)
    return Column(column, np.column_stack((np.where(scored, column, 0.0), scored)), _mean, best)


def summarize(
    columns: Mapping[str, Column], groups: Iterable[tuple[str, ...]], scenes: Sequence[str]
) -> tuple[dict[str, Score], dict[str, Group]]:
    """The scores of all rows, and of each group by name; metrics without a scored row are left out.

    Rows of one scene are alike, so the scene is the unit of the confidence intervals: the score
    without each scene in turn gives its standard error (the jackknife over clusters), times the
    quantile of Student's t for that number of scenes. A percentile bootstrap over scenes agrees
    for many of them, and is too narrow for few: of five it covers the truth in 83 % of cases.

    Args:
        groups: names of each row's groups.
        scenes: name of each row's scene.
    """
    members: dict[str, list[int]] = {}
    for row, names in enumerate(groups):
        for name in names:
            members.setdefault(name, []).append(row)
    scene_of = np.unique(scenes, return_inverse=True)[1]
    every = _scores(columns, scene_of, np.arange(len(scenes)))
    return every, {
        name: Group(len(rows), _scores(columns, scene_of, np.array(rows)))
        for name, rows in sorted(members.items())
    }


def _scores(columns: Mapping[str, Column], scene_of: Rows, rows: Rows) -> dict[str, Score]:
    scores = {}
    for name, column in columns.items():
        scored = rows[~np.isnan(column.values[rows])]
        if len(scored):
            scores[name] = _score(column, scored, scene_of[scored])
    return scores


def _score(column: Column, rows: Rows, scene_of: Rows) -> Score:
    """
    Args:
        rows: (N,), scored rows. scene_of: (N,), number of each row's scene.
    """
    scenes, place = np.unique(scene_of, return_inverse=True)
    sums = np.zeros((len(scenes), column.statistics.shape[1]))
    np.add.at(sums, place, column.statistics[rows])
    total, count = sums.sum(axis=0), len(scenes)
    percent = 100.0 * float(column.of_sums(total))
    if count < 2:
        return Score(percent, len(rows))
    without = 100.0 * column.of_sums(total - sums)
    error = np.sqrt((count - 1) / count * np.square(without - without.mean()).sum())
    reach = float(stdtrit(count - 1, _LEVEL) * error)
    return Score(
        percent, len(rows), (max(0.0, percent - reach), min(100.0 * column.best, percent + reach))
    )


def _mean(sums: Array) -> Array:
    mean: Array = sums[..., 0] / sums[..., 1]
    return mean


@dataclass(frozen=True, slots=True)
class ScoringContext:
    """The context in which predictions are scored.

    Attributes:
        source: the method's knowledge of the scenes.
        truth: true objects of the scenes; None: not given.
        judgements: row id -> mark of a judge from 1 to 5.
    """

    source: NamedSource
    truth: Scenes | None = None
    judgements: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BenchmarkScores:
    """Scores of predictions.

    Attributes:
        columns: metric -> scores of the predictions.
        groups: further groups of each prediction.
        baselines: name -> columns of a simple method.
        notes: for readers of the scores.
    """

    columns: Mapping[str, Column]
    groups: Sequence[tuple[str, ...]]
    baselines: Mapping[str, Mapping[str, Column]]
    notes: tuple[str, ...] = ()


Scorer = Callable[[Sequence[Any], ScoringContext], BenchmarkScores]
"""Predictions of one benchmark, all of its kind, in any order."""
