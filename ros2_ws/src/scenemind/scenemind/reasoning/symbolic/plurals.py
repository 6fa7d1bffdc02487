"""All objects that a plural means: "the chairs", "both chairs"."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.reasoning.symbolic.phrasing import said_plural
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.syntax import NounPhrase, Reference

# What fits almost as well as the best is meant, too.
_AS_WELL = 0.8


def is_plural(reference: object) -> bool:
    """Whether all that fit are meant, not one."""
    return isinstance(reference, NounPhrase) and reference.rank is None and said_plural(reference)


def every_row(reference: Reference, at: Resolver) -> NDArray[np.intp]:
    """Rows of all that fit as well as the best; of as many as were said, where the very best are.

    Raises:
        ReasoningError: `not_found`; `ambiguous`: "both chairs", and there are three.
    """
    rows, scores = at.existing(reference)
    rows = rows[scores >= _AS_WELL * scores.max()]
    said = reference.count if isinstance(reference, NounPhrase) else None
    if said in (None, len(rows)):
        return rows
    best = rows[: np.count_nonzero(scores == scores.max())]
    if len(best) != said:
        raise at.ambiguous(reference, rows)
    return best
