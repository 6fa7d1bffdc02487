"""Relations that may hold of pairs of objects, before it is known which of several things carries
one.

Every relation is computed of all pairs at once, in both directions: the first half of the columns
has a as the subject, the second half b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.geometry import Extent
from scenemind.memory.graph.common_sense import Sense, sense_of
from scenemind.memory.graph.relations import box_relations
from scenemind.memory.graph.relations.box_relations import (
    HEIGHT_NOISE_M,
    SURFACE_NOISE_M,
    Bounds,
    level_surface_z,
)
from scenemind.memory.types import MapObject


@dataclass(frozen=True, slots=True)
class Shape:
    """The properties of an object that its relations depend on.

    Attributes:
        surface_z: height of its level surface, if one is known.
    """

    bounds: Extent
    sense: Sense
    surface_z: float | None

    @property
    def volume(self) -> float:
        """Volume of its axis-aligned box, m3."""
        x0, y0, z0, x1, y1, z1 = self.bounds
        return (x1 - x0) * (y1 - y0) * (z1 - z0)


@dataclass(frozen=True, slots=True, eq=False)
class ShapeColumns:
    """Shapes as columns: bounds (P, 6), the rest (P,); NaN for no surface."""

    bounds: Bounds
    is_open_frame: NDArray[np.bool_]
    holds_nothing: NDArray[np.bool_]
    has_back: NDArray[np.bool_]
    has_seat: NDArray[np.bool_]
    has_foot: NDArray[np.bool_]
    reaches_floor: NDArray[np.bool_]
    surface_z: NDArray[np.float64]

    def take(self, rows: NDArray[np.intp]) -> ShapeColumns:
        """The given rows, in this order."""
        return ShapeColumns(
            self.bounds[rows],
            self.is_open_frame[rows],
            self.holds_nothing[rows],
            self.has_back[rows],
            self.has_seat[rows],
            self.has_foot[rows],
            self.reaches_floor[rows],
            self.surface_z[rows],
        )


def shape_of(thing: MapObject) -> Shape:
    """The shape of a corrected object."""
    return Shape(thing.box.extent(), sense_of(thing.label), level_surface_z(thing.points))


def columns_of(shapes: Sequence[Shape]) -> ShapeColumns:
    """Shapes as columns."""
    return ShapeColumns(
        np.array([shape.bounds for shape in shapes], np.float64).reshape(-1, 6),
        np.array([shape.sense.is_open_frame for shape in shapes], bool),
        np.array([shape.sense.holds_nothing for shape in shapes], bool),
        np.array([shape.sense.has_back for shape in shapes], bool),
        np.array([shape.sense.has_seat for shape in shapes], bool),
        np.array([shape.sense.has_foot for shape in shapes], bool),
        np.array([shape.sense.reaches_floor for shape in shapes], bool),
        np.array([shape.surface_z for shape in shapes], np.float64),
    )


# Share of the height of what has a back in which nothing stands on it.
BACK_SHARE = 0.2
# Share of the height of what has a seat at which that is.
SEAT_SHARE = 0.5
# Longest foot of a screen, and the most that it scores: a wall may hold the screen.
FOOT_M, FOOT_SCORE = 0.25, 0.5
# Relations that may hold of one subject and one object: predicate -> score.
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
        box_relations.within_frame(a.bounds, b.bounds, b.is_open_frame, config),
    )
    above = box_relations.above(a.bounds, b.bounds, config)
    apart = _either(inside + embedded) == 0.0
    beside = apart & (_either(within) == 0.0)
    one, other = _down_to(a, b), _down_to(b, a)
    return np.stack(
        (
            on,
            inside,
            embedded,
            np.maximum(above, _swapped(within)),
            np.maximum(_swapped(above), within),
            np.where(beside, box_relations.next_to(one, other, config), 0.0),
            np.where(beside, box_relations.besides(one, other, config), 0.0),
            np.where(apart, box_relations.near(a.bounds, b.bounds, config), 0.0),
        )
    )


def _down_to(a: ShapeColumns, b: ShapeColumns) -> Bounds:
    """Bounds (2P, 6) of a, down to the bottom of b where a reaches the floor unseen."""
    if not a.reaches_floor.any():
        return a.bounds
    bounds = a.bounds.copy()
    bounds[:, 2] = np.where(a.reaches_floor, np.minimum(bounds[:, 2], b.bounds[:, 2]), bounds[:, 2])
    return bounds


def _carried(
    a: ShapeColumns, b: ShapeColumns, config: RelationConfig
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Scores (2P,) of on, inside and embedded in; for a pair at most one is above 0, one way.

    A thing in a closed box below its top is inside it (a book in a shelf), unless the box has a
    level surface right under the thing. A thing that sticks out is on the box, or embedded in it if
    it is sunk deep.
    """
    encloses = ~(b.is_open_frame | b.holds_nothing)
    inside = np.where(encloses, box_relations.inside(a.bounds, b.bounds, config), 0.0)
    # A cup at the height of a chair's back stands on the table behind it.
    is_at_top = a.bounds[:, 2] > b.bounds[:, 5] - BACK_SHARE * box_relations.heights(b.bounds)
    holds_none = b.holds_nothing | (b.has_back & is_at_top)
    on = np.where(holds_none, 0.0, box_relations.on(a.bounds, b.bounds, config, b.surface_z))
    rows = np.flatnonzero(b.has_seat & np.isnan(b.surface_z) & ~holds_none)
    if len(rows):
        seats = b.bounds[rows]
        seats[:, 5] -= (1.0 - SEAT_SHARE) * box_relations.heights(seats)
        on[rows] = np.maximum(on[rows], box_relations.on(a.bounds[rows], seats, config))
    rows = np.flatnonzero(a.has_foot & ~holds_none & (on == 0.0))
    if len(rows):
        screens, under = a.bounds[rows], b.bounds[rows]
        screens[:, 2] -= np.clip(screens[:, 2] - under[:, 5], 0.0, FOOT_M)
        on[rows] = FOOT_SCORE * box_relations.on(screens, under, config, b.surface_z[rows])
    stands = np.abs(a.bounds[:, 2] - b.surface_z) <= SURFACE_NOISE_M
    lower = a.bounds[:, 5] < b.bounds[:, 5] - HEIGHT_NOISE_M
    contained = np.where(lower & ~(stands & (on > 0.0)), inside, 0.0)
    on[_either(contained) > 0.0] = 0.0
    inside[_either(on) > 0.0] = 0.0
    sinks = encloses & np.isnan(b.surface_z) & (_either(inside) == 0.0)
    embedded = np.where(sinks, box_relations.embedded_in(a.bounds, b.bounds, config), 0.0)
    embedded[_swapped(on) > 0.0] = 0.0
    # Two boxes can hardly be embedded in each other; then neither is.
    embedded[_swapped(embedded) > 0.0] = 0.0
    on[embedded > 0.0] = 0.0
    return on, inside, embedded


def _swapped(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores with subjects and objects exchanged."""
    half = len(scores) // 2
    return np.concatenate((scores[half:], scores[:half]))


def _either(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The larger one of the two directions."""
    return np.maximum(scores, _swapped(scores))
