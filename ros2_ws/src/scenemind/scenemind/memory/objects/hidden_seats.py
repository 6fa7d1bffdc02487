"""Seats that a table hides: the back of a chair is seen over the table, its seat is below.

Such a chair is a thin sheet in the map. Its kind is known to be deeper than that, and people sit at
tables with their backs away from them: what is missing lies towards the table.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from math import cos, sin

import numpy as np

from scenemind.geometry import Box3D, gap_m
from scenemind.memory.attributes.sizes import find_stance
from scenemind.memory.objects.box_table import BoxTable
from scenemind.memory.objects.carriers import carrier_group
from scenemind.memory.types import MapObject
from scenemind.perception.standing import TOLERANCE

# A table this near to the back hides the seat.
NEAR_M = 0.3


class HiddenSeats:
    """The seats of a map of which less was measured than their kind is deep."""

    def __init__(self) -> None:
        self._measured: dict[int, MapObject] = {}

    @property
    def ids(self) -> Set[int]:
        return self._measured.keys()

    def note(self, object_id: int, measured: MapObject | None) -> None:
        """Note an object as it was measured; None: it is not in the map."""
        if measured is not None and hidden_depth_m(measured):
            self._measured[object_id] = measured
        else:
            self._measured.pop(object_id, None)

    def complete(self, values: dict[int, MapObject], boxes: BoxTable) -> None:
        """Replace these seats in the map; those that stay as they were remain the same objects.

        Args:
            boxes: of all objects, as they were measured.
        """
        if not self._measured:
            return
        seats = list(self._measured)
        rows, ids, _ = boxes.pairs(boxes.bounds_of(seats), NEAR_M)
        tables: dict[int, list[Box3D]] = {}
        for row, other in zip(rows.tolist(), ids.tolist(), strict=True):
            if other in values and is_table(values[other].label):
                tables.setdefault(seats[row], []).append(values[other].box)
        for object_id, measured in self._measured.items():
            whole = with_hidden_seat(measured, tables.get(object_id, ()))
            before = values[object_id]
            if (whole.box, whole.known_yaw_box) != (before.box, before.known_yaw_box):
                values[object_id] = whole


def hidden_depth_m(thing: MapObject) -> float:
    """How deep a seat on the floor is at least, metres, where less of it was measured; else 0."""
    stance = find_stance(thing.label)
    if stance is None or stance.depth_m is None or not stance.on_floor:
        return 0.0
    if thing.box.size[2] * TOLERANCE < stance.height_m[0]:  # not its back is what was seen
        return 0.0
    least_m = stance.depth_m[0]
    if thing.known_yaw_box is not None or min(thing.box.size[:2]) * TOLERANCE >= least_m:
        return 0.0
    is_thin = min(thing.yaw_box.size[:2]) * TOLERANCE < least_m
    return least_m if is_thin and carrier_group(thing.label) == "seats" else 0.0


def is_table(label: str) -> bool:
    """Whether people sit at things with this label."""
    stance = find_stance(label)
    return stance is not None and stance.on_floor and carrier_group(label) == "tables"


def with_hidden_seat(chair: MapObject, tables: Sequence[Box3D]) -> MapObject:
    """A seat as deep as its kind is at least, towards the nearest of the tables; the same where
    none is near.

    Args:
        tables: axis-aligned boxes.
    """
    seen = chair.yaw_box
    gaps_m = [gap_m(seen, table) for table in tables]
    if min(gaps_m, default=np.inf) > NEAR_M:
        return chair
    x, y, _ = tables[gaps_m.index(min(gaps_m))].center
    whole = _deepened(seen, hidden_depth_m(chair), (x - seen.center[0], y - seen.center[1]))
    (low, high), (own_low, own_high) = whole.bounds(), chair.box.bounds()
    return replace(
        chair,
        box=Box3D.from_bounds(np.minimum(low, own_low), np.maximum(high, own_high)),
        known_yaw_box=whole,
        measured_share=chair.measured_share * seen.volume / whole.volume,
    )


def _deepened(box: Box3D, depth_m: float, towards: tuple[float, float]) -> Box3D:
    """An upright box whose shorter horizontal side is that long, by what lies in a direction."""
    length, width, height = box.size
    if length <= width:
        along, size, grown_m = (cos(box.yaw), sin(box.yaw)), (depth_m, width), depth_m - length
    else:
        along, size, grown_m = (-sin(box.yaw), cos(box.yaw)), (length, depth_m), depth_m - width
    is_ahead = along[0] * towards[0] + along[1] * towards[1] >= 0.0
    half_m = grown_m / 2.0 if is_ahead else -grown_m / 2.0
    x, y, z = box.center
    return Box3D((x + half_m * along[0], y + half_m * along[1], z), (*size, height), box.yaw)
