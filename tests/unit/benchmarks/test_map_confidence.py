"""The fit of confidences, against objects that were drawn from known weights."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.map_confidence import Judged, fit
from scenemind.memory.objects.plausible_labels import Weights, label_priors

TRUE = Weights(evidence=1.5, missed=-2.0, bias=-0.5)


def drawn(count: int, seed: int) -> list[Judged]:
    """Chairs that are there as often as `TRUE` says."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        votes, missed = float(rng.uniform(0.1, 6.0)), int(rng.integers(0, 10))
        chair = Judged({"chair": votes}, 5, missed, {"chair": 1.0}, "chair", False)
        is_right = bool(rng.random() < chair.confidence(TRUE))
        found.append(Judged({"chair": votes}, 5, missed, {"chair": 1.0}, "chair", is_right))
    return found


def test_what_was_drawn_from_weights_is_as_likely_by_the_fit() -> None:
    found = fit([drawn(500, 0), drawn(500, 1)])
    off = [abs(one.confidence(found) - one.confidence(TRUE)) for one in drawn(200, 2)]
    assert float(np.mean(off)) < 0.1


def test_the_confidence_is_that_of_the_map() -> None:
    """A chair of unusual size, a tenth as likely as by its votes."""
    votes = {"chair": 3.0, "couch": 1.0}
    judged = Judged(votes, 6, 2, {"chair": 0.1, "couch": 1.0}, "chair", True)
    priors, nothing = label_priors(votes, 6, 2)
    weighed = 0.1 * priors["chair"]
    expected = weighed / (weighed + priors["couch"] + nothing)
    assert judged.confidence(Weights()) == pytest.approx(expected)
