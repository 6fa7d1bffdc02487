"""Weights of evidence, by what turned out right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from scenemind.cli.bench.projection.calibration.judged import Judged
from scenemind.reasoning.vlm_grounder.box_quality import (
    EVIDENCE_OF,
    EVIDENCE_RANGES,
    MASKS_BY_MODEL,
    BoxKind,
    LogisticModel,
)

_RIDGE = 1e-3  # on weights of standardised columns
_DIGITS = 3


def of_kind(boxes: Sequence[Judged], kind: BoxKind) -> list[Judged]:
    """Boxes that a kind's model can judge: a box that the map knows, too, is also one of which one
    may look at less."""
    whose = "measured" if kind.startswith("measured") else "mapped"
    names = EVIDENCE_OF[kind]
    return [row for row in boxes if row.box == whose and row.evidence.keys() >= set(names)]


def fitted(boxes: Sequence[Judged], kind: BoxKind) -> LogisticModel:
    """Logistic regression with a little ridge, weights from 0 on (`LogisticModel`), by L-BFGS-B."""
    names = EVIDENCE_OF[kind]
    rows = of_kind(boxes, kind)
    columns = np.array([[_within(row.evidence[name], name) for name in names] for row in rows])
    right = np.array([row.right for row in rows], np.float64)
    center, spread = columns.mean(axis=0), np.maximum(columns.std(axis=0), 1e-6)
    table = np.column_stack((np.ones(len(rows)), (columns - center) / spread))
    free = (None, None)
    bounds = [free, *(free if name == MASKS_BY_MODEL else (0.0, None) for name in names)]
    found = minimize(
        _loss, np.zeros(len(bounds)), (table, right), jac=True, method="L-BFGS-B", bounds=bounds
    ).x
    weights = found[1:] / spread
    kept = {
        name: round(float(weight), _DIGITS)
        for name, weight in zip(names, weights, strict=True)
        if round(float(weight), _DIGITS) != 0.0
    }
    return LogisticModel(intercept=round(float(found[0] - weights @ center), _DIGITS), weights=kept)


def _within(value: float, name: str) -> float:
    low, high = EVIDENCE_RANGES[name]
    return min(max(value, low), high)


def _loss(
    weights: NDArray[np.float64], table: NDArray[np.float64], right: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Mean log loss with its ridge, and the gradient."""
    logit = table @ weights
    ridge = np.concatenate(([0.0], weights[1:]))
    loss = np.mean(np.logaddexp(0.0, logit) - right * logit) + _RIDGE * ridge @ ridge
    off = 1.0 / (1.0 + np.exp(-logit)) - right
    return float(loss), table.T @ off / len(right) + 2.0 * _RIDGE * ridge
