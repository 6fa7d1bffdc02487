"""What of an object its relations depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Extent
from scenemind.memory.graph.relations.columns import Bounds
from scenemind.memory.graph.relations.level_surface import level_surface_z
from scenemind.memory.graph.verification.common_sense import Sense, sense_of
from scenemind.memory.types import MapObject


@dataclass(frozen=True, slots=True)
class Shape:
    """All of an object that its relations to other objects depend on.

    Attributes:
        surface_z: height of its level surface, where one is known.
    """

    bounds: Extent
    sense: Sense
    surface_z: float | None

    @property
    def volume(self) -> float:
        """Of its axis-aligned box, m3."""
        x0, y0, z0, x1, y1, z1 = self.bounds
        return (x1 - x0) * (y1 - y0) * (z1 - z0)


@dataclass(frozen=True, slots=True, eq=False)
class ShapeColumns:
    """Shapes as columns: bounds (P, 6), the rest (P,); NaN for no surface."""

    bounds: Bounds
    is_open_frame: NDArray[np.bool_]
    holds_nothing: NDArray[np.bool_]
    surface_z: NDArray[np.float64]

    def take(self, rows: NDArray[np.intp]) -> ShapeColumns:
        """These lines, in this order."""
        return ShapeColumns(
            self.bounds[rows],
            self.is_open_frame[rows],
            self.holds_nothing[rows],
            self.surface_z[rows],
        )


def shape_of(thing: MapObject) -> Shape:
    """The shape of an object as people see it: its label is theirs."""
    return Shape(thing.box.extent(), sense_of(thing.label), level_surface_z(thing.points))


def columns_of(shapes: Sequence[Shape]) -> ShapeColumns:
    """Shapes as columns."""
    return ShapeColumns(
        np.array([shape.bounds for shape in shapes], np.float64).reshape(-1, 6),
        np.array([shape.sense.is_open_frame for shape in shapes], bool),
        np.array([shape.sense.holds_nothing for shape in shapes], bool),
        np.array([shape.surface_z for shape in shapes], np.float64),
    )
