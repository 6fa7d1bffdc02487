"""What may hold of things and the floors, walls and ceilings near them: P pairs at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.memory.graph.pair_facts import Facts
from scenemind.memory.graph.relations import attached, nearness, vertical
from scenemind.memory.graph.relations.attached import CEILING, WALL
from scenemind.memory.graph.relations.columns import Bounds, heights
from scenemind.memory.graph.surfaces import Surface, extent_of_points, in_frame
from scenemind.memory.graph.verification.common_sense import Sense

# The bottom of a thing that a wall holds is this far above the wall's; else it stands before it.
CLEARANCE_M = 0.15
# Views miss the feet of furniture: what stands, is this tall and begins at most this far above a
# floor is assumed to be on it; further where it has thin legs. Only doubtful supporters are less
# sure, such as a table for the chair that is pushed under it.
TALL_M, FEET_M, LEGS_M, ASSUMED = 0.3, 0.3, 0.8, 0.3
# Where doors and windows are a wall has holes, and these lie before or behind it.
RECESS_M = 0.3
# A door or window runs along its wall; one that runs across is rather the neighbouring wall's, in a
# corner of the room, unless it stands open.
_AJAR = 0.5
# What touches a wall and the ceiling is rather held by the wall.
_OF_CEILING = 0.9
_WAYS = ("hanging on", "mounted on", "affixed on", "embedded in")


def floor_facts(
    things: Bounds, surfaces: Sequence[Surface], senses: Sequence[Sense], config: RelationConfig
) -> list[Facts]:
    """`on`, of things that stand on a floor."""
    floor = _bounds(surfaces)
    score = vertical.on(things, floor, config, floor[:, 5])
    gap = things[:, 2] - floor[:, 5]
    stands = np.array([sense.stands for sense in senses], bool) & (heights(things) >= TALL_M)
    has_legs = np.array([sense.has_legs for sense in senses], bool)
    reach_m = np.where(has_legs, LEGS_M, np.where(stands, FEET_M, 0.0))
    assumed = (gap > 0.0) & (gap <= reach_m) & _is_over(things, floor)
    score = np.maximum(score, ASSUMED * assumed)
    return [_positive({"on": s}) for s in score.tolist()]


def wall_facts(
    things: Bounds,
    surfaces: Sequence[Surface],
    senses: Sequence[Sense],
    points: Sequence[NDArray[np.float32]],
    config: RelationConfig,
) -> list[Facts]:
    """How a wall holds things, and what is next to it and near it.

    Args:
        points: (N, 3) of each thing, N may be 0: along a wall that runs askew a thing is as wide
            as its points say; its axis-aligned box is too wide.
    """
    wall = _bounds(surfaces)
    turned = in_frame(things, np.array([surface.axis for surface in surfaces]))
    for row, surface in enumerate(surfaces):
        if 0.0 not in surface.axis and len(points[row]):
            turned[row, [0, 1, 3, 4]] = extent_of_points(points[row], surface.axis)
    belongs = np.array([sense.is_part_of_wall for sense in senses], bool)
    held = belongs | (things[:, 2] >= wall[:, 2] + CLEARANCE_M)
    ways = _ways(turned, _with_holes(wall, turned, belongs), senses, config, WALL)
    runs_across = belongs & (turned[:, 4] - turned[:, 1] > turned[:, 3] - turned[:, 0])
    for row in np.flatnonzero(runs_across).tolist():
        ways[row] = {name: _AJAR * score for name, score in ways[row].items()}
    beside = nearness.next_to(turned, wall, config).tolist()
    near = nearness.near(turned, wall, config).tolist()
    return [
        {**(way if is_held else {}), **_positive({"next to": b, "near": n})}
        for way, is_held, b, n in zip(ways, held.tolist(), beside, near, strict=True)
    ]


def ceiling_facts(
    things: Bounds, surfaces: Sequence[Surface], senses: Sequence[Sense], config: RelationConfig
) -> list[Facts]:
    """How a ceiling holds things."""
    ways = _ways(things, _bounds(surfaces), senses, config, CEILING)
    return [{name: _OF_CEILING * score for name, score in way.items()} for way in ways]


def _ways(
    things: Bounds,
    surface: Bounds,
    senses: Sequence[Sense],
    config: RelationConfig,
    across: int,
) -> list[Facts]:
    """The one way in which each thing is attached: as people say it of such things, or by shape."""
    touching = attached.attached(things, surface, config, across).tolist()
    by_shape = np.stack(
        [
            attached.hanging_on(things, surface, config, across),
            attached.mounted_on(things, surface, config, across),
            attached.affixed_on(things, surface, config, across),
            2.0 * attached.set_into(things, surface, config, across),
        ]
    ).argmax(axis=0)
    return [
        _positive({sense.attached or _WAYS[way]: score})
        for sense, way, score in zip(senses, by_shape.tolist(), touching, strict=True)
    ]


def _with_holes(wall: Bounds, things: Bounds, belongs: NDArray[np.bool_]) -> Bounds:
    """Walls, larger for what belongs to them: by half of its width along, and by recesses."""
    grow = np.zeros_like(wall[:, :2])
    grow[:, 0], grow[:, 1] = (things[:, 3] - things[:, 0]) / 2.0, RECESS_M
    grow[~belongs] = 0.0
    grown = wall.copy()
    grown[:, :2] -= grow
    grown[:, 3:5] += grow
    return grown


def _bounds(surfaces: Sequence[Surface]) -> Bounds:
    return np.array([surface.bounds for surface in surfaces], np.float64).reshape(-1, 6)


def _is_over(things: Bounds, floor: Bounds) -> NDArray[np.bool_]:
    center = (things[:, :2] + things[:, 3:5]) / 2.0
    return np.asarray(((center >= floor[:, :2]) & (center <= floor[:, 3:5])).all(axis=1))


def _positive(facts: Facts) -> Facts:
    return {name: score for name, score in facts.items() if score > 0.0}
