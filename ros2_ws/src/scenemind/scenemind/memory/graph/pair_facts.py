"""What may hold of pairs of objects, before it is known which of several things carries one.

Every relation is computed of all pairs at once, in both directions: the first half of the columns
has a as the subject, the second half b.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations import nearness, vertical
from scenemind.memory.graph.relations.columns import HEIGHT_NOISE_M
from scenemind.memory.graph.relations.vertical import SURFACE_NOISE_M
from scenemind.memory.graph.shapes import ShapeColumns

# What may hold of one subject and one other object: predicate -> score.
Facts = dict[str, float]
_PREDICATES = ("on", "inside", "embedded in", "above", "below", "next to", "besides", "near")


def pair_facts(
    shapes: ShapeColumns, a: NDArray[np.intp], b: NDArray[np.intp], config: RelationConfig
) -> tuple[list[Facts], list[Facts]]:
    """Facts of P pairs, with a as the subject and with b as the subject.

    Args:
        a, b: (P,) lines of `shapes`.
    """
    subjects, others = np.concatenate((a, b)), np.concatenate((b, a))
    scores = _scores(shapes.take(subjects), shapes.take(others), config)
    facts: list[Facts] = [{} for _ in subjects]
    pairs, predicates = np.nonzero(scores.T)
    for pair, predicate, score in zip(
        pairs.tolist(), predicates.tolist(), scores[predicates, pairs].tolist(), strict=True
    ):
        facts[pair][_PREDICATES[predicate]] = score
    return facts[: len(a)], facts[len(a) :]


def _scores(a: ShapeColumns, b: ShapeColumns, config: RelationConfig) -> NDArray[np.float64]:
    """(8, 2P) in the order of _PREDICATES."""
    on, inside, embedded = _carried(a, b, config)
    within = np.where(
        _either(on + embedded) > 0.0,
        0.0,
        vertical.within_frame(a.bounds, b.bounds, b.is_open_frame, config),
    )
    above = vertical.above(a.bounds, b.bounds, config)
    apart = _either(inside + embedded) == 0.0
    beside = apart & (_either(within) == 0.0)
    return np.stack(
        (
            on,
            inside,
            embedded,
            np.maximum(above, _swapped(within)),
            np.maximum(_swapped(above), within),
            np.where(beside, nearness.next_to(a.bounds, b.bounds, config), 0.0),
            np.where(beside, nearness.besides(a.bounds, b.bounds, config), 0.0),
            np.where(apart, nearness.near(a.bounds, b.bounds, config), 0.0),
        )
    )


def _carried(
    a: ShapeColumns, b: ShapeColumns, config: RelationConfig
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Scores (2P,) of on, inside and embedded in; of one pair at most one is above 0, one way.

    What lies within a closed box below its top is inside it (a book in a shelf), unless the box has
    a level surface right under it. What sticks out is on it, or embedded where it is sunk deep.
    """
    encloses = ~(b.is_open_frame | b.holds_nothing)
    inside = np.where(encloses, vertical.inside(a.bounds, b.bounds, config), 0.0)
    on = np.where(b.holds_nothing, 0.0, vertical.on(a.bounds, b.bounds, config, b.surface_z))
    stands = np.abs(a.bounds[:, 2] - b.surface_z) <= SURFACE_NOISE_M
    lower = a.bounds[:, 5] < b.bounds[:, 5] - HEIGHT_NOISE_M
    contained = np.where(lower & ~(stands & (on > 0.0)), inside, 0.0)
    on[_either(contained) > 0.0] = 0.0
    inside[_either(on) > 0.0] = 0.0
    sinks = encloses & np.isnan(b.surface_z) & (_either(inside) == 0.0)
    embedded = np.where(sinks, vertical.embedded_in(a.bounds, b.bounds, config), 0.0)
    embedded[_swapped(on) > 0.0] = 0.0
    # Two boxes can hardly be embedded in each other; then neither is.
    embedded[_swapped(embedded) > 0.0] = 0.0
    on[embedded > 0.0] = 0.0
    return on, inside, embedded


def _swapped(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same with subjects and objects exchanged."""
    half = len(scores) // 2
    return np.concatenate((scores[half:], scores[:half]))


def _either(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The larger one of the two directions."""
    return np.maximum(scores, _swapped(scores))
