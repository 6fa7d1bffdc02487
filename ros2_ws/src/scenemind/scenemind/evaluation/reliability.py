"""Reliability: how often answers are right that a method is equally sure of.

Ten bins of equal width, as in Guo et al., "On Calibration of Modern Neural Networks" (ICML 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 10
SURE = 0.8
_DRAWS = 10_000
_WITHIN = (0.025, 0.975)  # the quantiles around 95 % of the draws


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The answers with a confidence in [low, high); the last bin includes 1.

    Attributes:
        n: number of answers, at least one.
        confidence: their mean confidence, percent.
        right: their mean score, percent.
    """

    low: float
    high: float
    n: int
    confidence: float
    right: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """The confidence of answers beside their scores.

    Attributes:
        metric: the score, in [0, 1].
        bins: those with answers, by confidence.
    """

    metric: str
    bins: tuple[ReliabilityBin, ...]

    @property
    def n(self) -> int:
        """Number of answers with a confidence and a score."""
        return sum(one.n for one in self.bins)

    @property
    def calibration_error(self) -> float:
        """Expected calibration error: the mean over answers of |confidence - right| of their bin,
        percent."""
        return sum(one.n * abs(one.confidence - one.right) for one in self.bins) / self.n

    @property
    def error_if_perfect(self) -> float:
        """The calibration error, percent, that a perfect confidence would have in these bins: what
        chance alone makes of so few answers.

        The mean deviation of a binomial number (de Moivre, 1730).
        """
        off = 0.0
        for n, p in ((one.n, one.confidence / 100.0) for one in self.bins):
            if 0.0 < p < 1.0:
                k = int(n * p) + 1
                ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
                off += 2.0 * k * (1.0 - p) * exp(ways + k * log(p) + (n - k) * log1p(-p))
        return 100.0 * off / self.n

    @property
    def interval_if_perfect(self) -> tuple[float, float]:
        """The calibration errors, percent, between which 95 % of perfect confidences in these bins
        lie. Between them an error cannot be told from a perfect confidence's; below the lower one
        it is luck."""
        low, high = np.quantile(self._errors_if_perfect(), _WITHIN)
        return float(low), float(high)

    @property
    def as_far_off(self) -> float:
        """The share of perfect confidences in these bins whose calibration error is as large,
        percent."""
        least = self.calibration_error - 1e-9  # sums in another order differ by rounding
        return 100.0 * float(np.mean(self._errors_if_perfect() >= least))

    def _errors_if_perfect(self) -> NDArray[np.float64]:
        """Calibration errors, percent, where chance alone decides what is right; the same ones at
        each call."""
        chance, off = np.random.default_rng(0), np.zeros(_DRAWS)
        for one in self.bins:
            p = one.confidence / 100.0
            off += np.abs(chance.binomial(one.n, min(p, 1.0), _DRAWS) - one.n * p)
        return 100.0 * off / self.n

    @property
    def sure(self) -> tuple[int, float | None]:
        """Number of answers with a confidence of `SURE` or more, and how many are right, percent;
        None: there is none."""
        bins = [one for one in self.bins if one.low >= SURE]
        n = sum(one.n for one in bins)
        return n, sum(one.n * one.right for one in bins) / n if n else None

    def as_json(self) -> dict[str, Any]:
        """Percents with two digits."""
        n_sure, right = self.sure
        return {
            "right_by": self.metric,
            "n": self.n,
            "calibration_error": round(self.calibration_error, 2),
            "error_if_perfect": round(self.error_if_perfect, 2),
            "interval_if_perfect": [round(bound, 2) for bound in self.interval_if_perfect],
            "sure": {"n": n_sure} | ({} if right is None else {"right": round(right, 2)}),
            "bins": [
                {
                    "from": one.low,
                    "to": one.high,
                    "n": one.n,
                    "confidence": round(one.confidence, 2),
                    "right": round(one.right, 2),
                }
                for one in self.bins
            ],
        }


def find_reliability(
    metric: str, confidences: Sequence[float | None], scores: Sequence[float | None]
) -> Reliability | None:
    """The reliability of answers; None: no answer has a confidence and a score.

    Args:
        confidences: of each row, in [0, 1]; None: no answer, or the method gives no confidence.
        scores: of each row, in [0, 1]; None: not scored.
    """
    told = [
        (confidence, score)
        for confidence, score in zip(confidences, scores, strict=True)
        if confidence is not None and score is not None
    ]
    if not told:
        return None
    pairs = np.array(told)
    place = np.searchsorted(np.arange(1, BINS) / BINS, pairs[:, 0], side="right")
    found = []
    for k in np.unique(place):
        confidence, right = 100.0 * pairs[place == k].mean(axis=0)
        n = int((place == k).sum())
        bounds = int(k) / BINS, (int(k) + 1) / BINS
        found.append(ReliabilityBin(*bounds, n, float(confidence), float(right)))
    return Reliability(metric, tuple(found))
