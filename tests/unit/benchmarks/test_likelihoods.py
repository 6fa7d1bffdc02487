"""Lines of how often replies are right, against the chances that the rows were drawn with."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.likelihoods import _Description, _line, _lines, _Row, fit_descriptions
from scenemind.reasoning.symbolic.likelihood import Evidence, shares


def row(kind: str, fit: float, right: bool) -> _Row:
    return _Row((kind, "any"), "standing", "", fit, 0.5, right, is_fitted=True)


def test_a_line_is_found_from_rows() -> None:
    rng = np.random.default_rng(0)
    fits = rng.uniform(size=4000)
    rows = [row("a", float(fit), bool(rng.random() < 0.2 + 0.5 * fit)) for fit in fits]
    assert _lines(rows)["a"] == pytest.approx((0.2, 0.5), abs=0.05)


def test_few_rows_are_drawn_towards_all() -> None:
    rows = [row("a", 1.0, True)] * 20
    constant, slope = _line(rows, overall=0.5)
    assert 0.5 < constant + slope < 1.0


def test_a_kind_of_very_few_rows_is_any() -> None:
    rows = [row("a", 1.0, True)] * 30 + [row("b", 1.0, False)] * 3
    assert _lines(rows).keys() == {"a", "any"}


def test_likelihood_does_not_fall_with_the_fit() -> None:
    rows = [row("a", 1.0, False)] * 30 + [row("a", 0.0, True)] * 30
    assert _line(rows, overall=0.5)[1] == 0.0


def test_weights_of_descriptions_are_found_from_rows() -> None:
    """Rows drawn with the likelihoods of known weights; what these weights say is found."""
    rng = np.random.default_rng(0)
    sharpness, trust = (0.5, -0.4), (2.5, -0.5, -0.3)
    rows = []
    for _ in range(1000):
        n = int(rng.integers(1, 8))
        of = Evidence(int(rng.integers(2, 30)), n, int(rng.integers(0, 3)))
        scores = -np.sort(-rng.uniform(0.1, 1.0, n))
        is_right = bool(rng.random() < shares(scores, of, sharpness, trust)[0])
        rows.append(_Description(scores, of, is_right, 0.5, is_right, is_fitted=True))
    found = fit_descriptions({"a": rows})
    apart = [
        shares(r.scores, r.evidence, found["sharpness"], found["trust"])[0]
        - shares(r.scores, r.evidence, sharpness, trust)[0]
        for r in rows
    ]
    assert np.abs(apart).mean() < 0.05
