"""What a variable of a program stands for: objects, each with how well it fits so far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import MapObject
from scenemind.memory.graph.relations.columns import Bounds

# An object that a step speaks against keeps this share: the step may be wrong.
_LEFT_OVER = 0.05
# As anchors serve those that fit nearly as well as the best.
_ANCHOR_SHARE = 0.9


@dataclass(frozen=True, eq=False)
class Candidates:
    """
    Attributes:
        scores: (N,) in [0, 1].
    """

    things: tuple[MapObject, ...]
    scores: NDArray[np.float64]

    @cached_property
    def bounds(self) -> Bounds:
        """(N, 6) lowest and highest corners, world, metres."""
        return np.array([thing.box.extent() for thing in self.things]).reshape(-1, 6)

    @cached_property
    def best(self) -> tuple[MapObject, ...]:
        """Those that are as good as the best, or nearly."""
        if not self.things:
            return ()
        least = _ANCHOR_SHARE * float(self.scores.max())
        return tuple(
            thing for thing, score in zip(self.things, self.scores, strict=True) if score >= least
        )

    def graded(self, grades: NDArray[np.float64]) -> Candidates:
        """After one more step that gives (N,) grades in [0, 1]."""
        return Candidates(self.things, self.scores * (_LEFT_OVER + (1.0 - _LEFT_OVER) * grades))

    def ranked(self) -> tuple[list[int], int]:
        """Ids, best first, and how many share the first place."""
        if not self.things:
            return [], 0
        order = np.argsort(-self.scores, kind="stable")
        tied = int(np.isclose(self.scores, self.scores.max()).sum())
        return [self.things[row].object_id for row in order], tied
