"""A calibration, held against boxes that it was not made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from scenemind.cli.bench.projection.calibration.fit import of_kind
from scenemind.cli.bench.projection.calibration.judged import Judged
from scenemind.cli.bench.projection.calibration.reliability import (
    brier_score,
    calibration_error,
    reliability,
)
from scenemind.reasoning.vlm_grounder.box_quality import BoxKind, Calibration

_SHOWN_BINS = 5


def judgement(
    calibration: Calibration, fitted: Sequence[Judged], held_out: Sequence[Judged]
) -> dict[str, Any]:
    """
    - `kinds`: of each kind of box the share that is `right`, what was `said` on average, the
      expected calibration error (`off`), the Brier score, and that of always saying the share that
      was right where the calibration was made (`constant_brier`);
    - `reliability`: what was said and what was right, by what was said;
    - `by_condition`: the same, by what makes boxes wrong;
    - `likelier_first`: share of right boxes where the likelier of two boxes is taken, beside
      `measured_first` and `mapped_first`.
    """
    kinds, bins, conditions = [], [], []
    for kind in get_args(BoxKind):
        rows = of_kind(held_out, kind)
        said, right = _said(calibration, kind, rows), _right(rows)
        usual = float(_right(of_kind(fitted, kind)).mean())
        kinds.append(
            {
                "kind": kind,
                "boxes": len(rows),
                "right": float(right.mean()),
                "said": float(said.mean()),
                "off": calibration_error(said, right),
                "brier": brier_score(said, right),
                "constant_brier": brier_score(np.full(len(rows), usual), right),
            }
        )
        bins += [{"kind": kind, **row} for row in reliability(said, right, _SHOWN_BINS)]
        for name in dict.fromkeys(row.condition for row in rows):
            own = np.array([row.condition == name for row in rows])
            told = {"said": float(said[own].mean()), "right": float(right[own].mean())}
            conditions.append({"kind": kind, "condition": name, "boxes": int(own.sum()), **told})
    return {
        "kinds": kinds,
        "reliability": bins,
        "by_condition": conditions,
        **_order(calibration, held_out),
    }


def _order(calibration: Calibration, boxes: Sequence[Judged]) -> dict[str, float]:
    """Of things that have both boxes."""
    both = {
        whose: {(row.room, row.target): row for row in of_kind(boxes, kind)}
        for whose, kind in _PAIR.items()
    }
    measured = [both["measured"][key] for key in both["mapped"]]
    mapped = list(both["mapped"].values())
    is_measured = _said(calibration, _PAIR["measured"], measured) >= _said(
        calibration, _PAIR["mapped"], mapped
    )
    right = np.where(is_measured, _right(measured), _right(mapped))
    return {
        "likelier_first": float(right.mean()),
        "measured_first": float(_right(measured).mean()),
        "mapped_first": float(_right(mapped).mean()),
    }


_PAIR: dict[str, BoxKind] = {"measured": "measured_and_mapped", "mapped": "mapped_and_measured"}


def _said(calibration: Calibration, kind: BoxKind, rows: Sequence[Judged]) -> NDArray[np.float64]:
    return np.array([calibration.probability(kind, row.evidence) for row in rows])


def _right(rows: Sequence[Judged]) -> NDArray[np.bool_]:
    return np.array([row.right for row in rows], np.bool_)
