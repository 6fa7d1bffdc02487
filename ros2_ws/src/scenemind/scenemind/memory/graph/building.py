"""The building: its floors, walls and ceilings as surfaces, and which things touch them, and
how.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D, Extent
from scenemind.memory.graph.common_sense import Sense
from scenemind.memory.graph.pair_facts import Facts, Shape
from scenemind.memory.graph.relations import box_relations
from scenemind.memory.graph.relations.box_relations import CEILING, WALL, Bounds, heights
from scenemind.memory.objects.box_table import BoxTable
from scenemind.memory.types import MapObject, StructureKind

# A thicker box of a wall goes around a corner: the wall is at the faces of the box.
THICKEST_M = 0.5
FACE_M = 0.1
# A floor extends a little beyond the seen part, and has a depth.
FLOOR_MARGIN_M = 1.0
FLOOR_DEPTH_M = 0.5


@dataclass(frozen=True, slots=True)
class Surface:
    """One flat piece of the building.

    Attributes:
        reach: axis-aligned bounds, world, in which things may touch it.
        axis: (x, y), unit: the direction along a wall; the world's x for floors and ceilings.
        bounds: in its own frame: x along `axis`, y across it, z up.
    """

    kind: StructureKind
    reach: Extent
    axis: tuple[float, float]
    bounds: Extent


def surfaces_of(kind: StructureKind, box: Box3D) -> list[Surface]:
    """The surfaces of a structure node from its box, world."""
    if kind == "wall":
        return list(_walls(box))
    x0, y0, z0, x1, y1, z1 = box.extent()
    if kind == "ceiling":
        # A thick box contains lamps and noise: the ceiling is at its bottom.
        bounds = (x0, y0, z0, x1, y1, z1)
    else:
        # Likewise the box of a floor may contain things that stand on it.
        top = z1 if z1 - z0 <= FACE_M else z0 + FACE_M / 2
        m = FLOOR_MARGIN_M
        bounds = (x0 - m, y0 - m, top - FLOOR_DEPTH_M, x1 + m, y1 + m, top)
    return [Surface(kind, bounds, (1.0, 0.0), bounds)]


def in_frame(bounds: NDArray[np.float64], axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """World boxes (P, 6) around which boxes (P, 6) stand in frames turned to `axes` (P, 2).

    Exact where the axis runs along the world's x or y; else the box around the turned box.
    """
    center, half = (bounds[:, :3] + bounds[:, 3:]) / 2.0, (bounds[:, 3:] - bounds[:, :3]) / 2.0
    c, s = axes[:, 0], axes[:, 1]
    along, across = c * center[:, 0] + s * center[:, 1], c * center[:, 1] - s * center[:, 0]
    c, s = np.abs(c), np.abs(s)
    half_along, half_across = c * half[:, 0] + s * half[:, 1], s * half[:, 0] + c * half[:, 1]
    return np.column_stack(
        (
            along - half_along,
            across - half_across,
            bounds[:, 2],
            along + half_along,
            across + half_across,
            bounds[:, 5],
        )
    )


def extent_of_points(points: NDArray[np.float32], axis: tuple[float, float]) -> NDArray[np.float64]:
    """x0, y0, x1, y1 (4,) of points (N, 3) in a frame turned to an axis."""
    c, s = axis
    turned = points[:, :2].astype(np.float64) @ np.array(((c, -s), (s, c)))
    return np.concatenate((turned.min(axis=0), turned.max(axis=0)))


def _walls(box: Box3D) -> Iterator[Surface]:
    length, thickness, yaw = box.size[0], box.size[1], box.yaw
    if length < thickness:
        length, thickness, yaw = thickness, length, yaw + math.pi / 2.0
    if thickness <= THICKEST_M:
        yield _wall(box, (math.cos(yaw), math.sin(yaw)), (length, thickness), (0.0, 0.0))
        return
    for side in (-1.0, 1.0):
        off = side * (thickness - FACE_M) / 2.0
        yield _wall(box, (math.cos(yaw), math.sin(yaw)), (length, FACE_M), (0.0, off))
        off = side * (length - FACE_M) / 2.0
        axis = (-math.sin(yaw), math.cos(yaw))
        yield _wall(box, axis, (thickness, FACE_M), (0.0, -off))


def _wall(
    box: Box3D,
    axis: tuple[float, float],
    size: tuple[float, float],
    offset: tuple[float, float],
) -> Surface:
    """A piece of a wall's box: its sides and where its middle is, along and across its axis."""
    c, s = _snapped(axis)
    x, y, z = box.center
    along, across = c * x + s * y + offset[0], c * y - s * x + offset[1]
    half_along, half_across, half_z = size[0] / 2.0, size[1] / 2.0, box.size[2] / 2.0
    bounds = (
        *(along - half_along, across - half_across, z - half_z),
        *(along + half_along, across + half_across, z + half_z),
    )
    middle = (c * along - s * across, s * along + c * across, z)
    reach = Box3D(middle, (size[0], size[1], box.size[2]), math.atan2(s, c)).extent()
    return Surface("wall", reach, (c, s), bounds)


def _snapped(axis: tuple[float, float]) -> tuple[float, float]:
    """The axis, snapped to x or y if nearly along them, where boxes of things are exact."""
    c, s = axis
    if abs(s) < 1e-3:
        return (math.copysign(1.0, c), 0.0)
    return (0.0, math.copysign(1.0, s)) if abs(c) < 1e-3 else (c, s)


# The bottom of a thing that a wall holds is this far above the wall's; else it stands before it.
CLEARANCE_M = 0.15
# Views miss the feet of furniture: a standing thing that is this tall and begins at most this far
# above a floor (farther if it has thin legs) is assumed to be on it. The score is low: only
# doubtful supporters have lower ones, such as a table for the chair that is pushed under it.
TALL_M, FEET_M, LEGS_M, ASSUMED = 0.3, 0.3, 0.8, 0.3
# Depth by which doors and windows, for which a wall has holes, lie before or behind it.
RECESS_M = 0.3
# Factor on the score of a door or window that runs across its wall: it stands open, or belongs to
# the neighbouring wall in a corner of the room.
_AJAR = 0.5
# Factor on the score of a ceiling: a thing that touches a wall too is rather held by the wall.
_OF_CEILING = 0.9
_WAYS = ("hanging on", "mounted on", "affixed on", "embedded in")


def floor_facts(
    things: Bounds, surfaces: Sequence[Surface], senses: Sequence[Sense], config: RelationConfig
) -> list[Facts]:
    """Facts of things and floors: `on`, of things that stand on a floor."""
    floor = _bounds(surfaces)
    score = box_relations.on(things, floor, config, floor[:, 5])
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
    """Facts of things and walls: how a wall holds a thing, next to, and near.

    Args:
        points: (N, 3) of each thing, N may be 0: they give its extent along a wall that is not
            along x or y, for which its axis-aligned box is too wide.
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
    beside = box_relations.next_to(turned, wall, config).tolist()
    near = box_relations.near(turned, wall, config).tolist()
    return [
        {**(way if is_held else {}), **_positive({"next to": b, "near": n})}
        for way, is_held, b, n in zip(ways, held.tolist(), beside, near, strict=True)
    ]


def ceiling_facts(
    things: Bounds, surfaces: Sequence[Surface], senses: Sequence[Sense], config: RelationConfig
) -> list[Facts]:
    """Facts of things and ceilings: how a ceiling holds a thing."""
    ways = _ways(things, _bounds(surfaces), senses, config, CEILING)
    return [{name: _OF_CEILING * score for name, score in way.items()} for way in ways]


def _ways(
    things: Bounds,
    surface: Bounds,
    senses: Sequence[Sense],
    config: RelationConfig,
    across: int,
) -> list[Facts]:
    """The one way in which each thing is attached: by common sense, or by its shape."""
    touching = box_relations.attached(things, surface, config, across)
    found: list[Facts] = [{} for _ in senses]
    some = np.flatnonzero(touching)
    if not len(some):  # as mostly
        return found
    held, holds = things[some], surface[some]
    by_shape = np.stack(
        [
            box_relations.hanging_on(held, holds, config, across),
            box_relations.mounted_on(held, holds, config, across),
            box_relations.affixed_on(held, holds, config, across),
            2.0 * box_relations.set_into(held, holds, config, across),
        ]
    ).argmax(axis=0)
    for row, way in zip(some.tolist(), by_shape.tolist(), strict=True):
        found[row] = {senses[row].attached or _WAYS[way]: float(touching[row])}
    return found


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


Node = tuple[StructureKind, Box3D]
# Surfaces of one node at most; a surface's key is its node's id times this, and its number.
_PIECES = 4


class Building:
    """Floors, walls and ceilings by node id, with an index of where they are."""

    def __init__(self, config: RelationConfig) -> None:
        self._config = config
        self._nodes: dict[int, Node] = {}
        self._surfaces: dict[int, Surface] = {}
        self._boxes = BoxTable()

    def __contains__(self, node_id: int) -> bool:
        return node_id in self._nodes

    def set(self, node_id: int, node: Node | None) -> bool:
        """Set the place of a node, or remove it (None); True if that changes anything."""
        if self._nodes.get(node_id) == node:
            return False
        for key in self._keys(node_id):
            self._boxes.remove(key)
            del self._surfaces[key]
        self._nodes.pop(node_id, None)
        if node is not None:
            self._nodes[node_id] = node
            for key, surface in enumerate(surfaces_of(*node), node_id * _PIECES):
                self._surfaces[key] = surface
                self._boxes.set(key, np.array(surface.reach))
        return True

    def reach_of(self, node_id: int) -> Bounds:
        """(S, 6): where its surfaces are, world."""
        return self._boxes.bounds_of(self._keys(node_id))

    def facts(
        self,
        things: Sequence[MapObject],
        shapes: Sequence[Shape],
        among: Collection[int] | None = None,
    ) -> list[dict[int, Facts]]:
        """Facts of each thing and the nodes that it touches: node -> facts.

        Args:
            shapes: of the things, in their order.
            among: nodes to compare with; None: all.
        """
        found: list[dict[int, Facts]] = [{} for _ in things]
        bounds = np.array([shape.bounds for shape in shapes], np.float64).reshape(-1, 6)
        lines, keys, _ = self._boxes.pairs(bounds, self._config.near_m)
        pairs: dict[StructureKind, list[tuple[int, int]]] = {}
        for line, key in zip(lines.tolist(), keys.tolist(), strict=True):
            if among is None or key // _PIECES in among:
                pairs.setdefault(self._surfaces[key].kind, []).append((line, key))
        for kind, of_kind in pairs.items():
            facts = self._facts_of_kind(kind, of_kind, bounds, things, shapes)
            for (line, key), fact in zip(of_kind, facts, strict=True):
                if fact:
                    _keep_best(found[line].setdefault(key // _PIECES, {}), fact)
        return found

    def _facts_of_kind(
        self,
        kind: StructureKind,
        pairs: list[tuple[int, int]],
        bounds: Bounds,
        things: Sequence[MapObject],
        shapes: Sequence[Shape],
    ) -> list[Facts]:
        lines = [line for line, _ in pairs]
        surfaces = [self._surfaces[key] for _, key in pairs]
        senses = [shapes[line].sense for line in lines]
        if kind == "floor":
            return floor_facts(bounds[lines], surfaces, senses, self._config)
        if kind == "ceiling":
            return ceiling_facts(bounds[lines], surfaces, senses, self._config)
        points = [things[line].points for line in lines]
        return wall_facts(bounds[lines], surfaces, senses, points, self._config)

    def _keys(self, node_id: int) -> list[int]:
        keys = range(node_id * _PIECES, (node_id + 1) * _PIECES)
        return [key for key in keys if key in self._surfaces]


def _keep_best(known: Facts, facts: Facts) -> None:
    for predicate, score in facts.items():
        known[predicate] = max(score, known.get(predicate, 0.0))
