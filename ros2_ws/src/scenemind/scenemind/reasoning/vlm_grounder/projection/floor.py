"""What of a thing's surface is the floor's that came into its masks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import MemorySnapshot
from scenemind.reasoning.vlm_grounder.projection.surface import Surface

_NEAR_M = 0.06
_FLAT = 0.1  # a thing of which less stands out lies on the floor, as a rug does


def find_floor_z(snapshot: MemorySnapshot) -> float | None:
    """Height of the floor in metres; None as long as the map has none."""
    floors = (plane for plane in snapshot.structure.values() if plane.kind == "floor")
    return next((plane.box.top_z for plane in floors), None)


def on_floor(surface: Surface, floor_z: float) -> NDArray[np.bool_]:
    """Which samples (M,) lie on the floor; none of a thing that is itself flat."""
    found: NDArray[np.bool_] = np.abs(surface.points[:, 2] - np.float32(floor_z)) < _NEAR_M
    if np.count_nonzero(~found) < _FLAT * len(found):
        return np.zeros(len(found), np.bool_)
    return found


def beneath(ground: Surface, thing: Surface) -> Surface:
    """Those samples of the floor that are under the thing, seen from above: where its
    feet are; what lies around it is not its own.

    Args:
        thing: at least one sample.
    """
    plan = thing.points[:, :2]
    low, high = plan.min(axis=0), plan.max(axis=0)
    inside = (ground.points[:, :2] >= low) & (ground.points[:, :2] <= high)
    return ground.select(inside.all(axis=1))
