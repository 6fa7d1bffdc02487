"""Room on a table: the places that the things on it leave free, by their boxes seen from above."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.language import trees
from scenemind.language.trees import NounPhrase, ObjectNumber
from scenemind.memory import MapObject
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver

_CELL_M = 0.02
# Of what only a length is told, the least depth as a share of it: that of a tray or a screen.
_DEPTH = 0.5
# How sure it is that nothing else lies there: detectors name no papers and crumbs.
_NOTHING_ELSE = 0.7


def room_on(question: trees.HasRoomOn, at: Resolver) -> Reply:
    """Yes or no: whether a free place on a thing is as long as what is to stand there, and as deep;
    of what has no known size, the largest square place."""
    table, known = at.scene.objects[at.single(question.subject)], _find(question.thing, at)
    on_it = NounPhrase("", conditions=(trees.Related("on", (ObjectNumber(table.object_id),)),))
    things = [thing.yaw_box for thing in at.rows(on_it).objects if thing is not known]
    the_table = say.the(table)
    if question.length_m is not None:
        long_m, deep_m = question.length_m, _DEPTH * question.length_m
    elif known is not None:
        deep_m, long_m = sorted(known.yaw_box.size[:2])
    else:
        what = say.noun_of(question.thing or NounPhrase("thing"))
        side = say.metres(largest_square_m(table.yaw_box, things))
        unknown = f"I know no {what}, and not its size"
        text = f"the largest free place on {the_table} is about {side} by {side}; {unknown}"
        return Reply(text, ABSENCE_CONFIDENCE, (table,))
    free_m = free_depth_m(table.yaw_box, things, long_m)
    word = say.yes_or_no(free_m >= deep_m)
    place = f"is a free place of {say.metres(long_m)} by {say.metres(free_m)}"
    if word == "no":
        place = f"is no free place of {say.metres(long_m)} by {say.metres(deep_m)}"
        place += f", only one {say.metres(free_m)} deep" if free_m > 0.0 else ""
    text = f"{word}, on {the_table} {place}, as far as I know what lies there"
    return Reply(text, _NOTHING_ELSE * table.confidence, (table,), word)


def _find(reference: trees.Reference | None, at: Resolver) -> MapObject | None:
    try:
        return None if reference is None else at.existing(reference).objects[0]
    except ReasoningError:
        return None


def free_depth_m(table: Box3D, things: Sequence[Box3D], long_m: float) -> float:
    """Depth of the deepest free place of a length that stands along a side of a table, in metres;
    0 where there is none."""
    covered = _covered(table, things)
    long = math.ceil(round(long_m / _CELL_M, 6))
    depths = (_most(sums, lambda deep: (long, deep)) for sums in map(_sums, (covered, covered.T)))
    return _CELL_M * max(depths)


def largest_square_m(table: Box3D, things: Sequence[Box3D]) -> float:
    """Side of the largest free square on a table, in metres."""
    return _CELL_M * _most(_sums(_covered(table, things)), lambda side: (side, side))


def _covered(table: Box3D, things: Sequence[Box3D]) -> NDArray[np.bool_]:
    """Cells of a table's top, along its length and width, that a thing covers."""
    shape = [max(1, int(round(size / _CELL_M, 6))) for size in table.size[:2]]
    covered = np.zeros(shape, bool)
    cos, sin = math.cos(table.yaw), math.sin(table.yaw)
    for thing in things:
        corners = (thing.footprint() - table.center[:2]) @ np.array([(cos, -sin), (sin, cos)])
        cells = (corners + np.asarray(table.size[:2]) / 2.0) / _CELL_M
        low = np.maximum(np.floor(cells.min(axis=0)).astype(int), 0)
        high = np.maximum(np.ceil(cells.max(axis=0)).astype(int), 0)
        covered[low[0] : high[0], low[1] : high[1]] = True
    return covered


def _sums(covered: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Numbers of covered cells (X + 1, Y + 1) before each corner of the cells."""
    return np.pad(covered.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))


def _most(sums: NDArray[np.intp], cells_of: Callable[[int], tuple[int, int]]) -> int:
    """The largest size whose rectangle of cells is free somewhere; a smaller one is there as
    well."""
    sizes = range(1, max(sums.shape))
    return bisect_left(sizes, True, key=lambda size: not _is_free(sums, *cells_of(size)))


def _is_free(sums: NDArray[np.intp], long: int, deep: int) -> bool:
    """Whether a rectangle of cells lies somewhere without a covered one."""
    if long >= sums.shape[0] or deep >= sums.shape[1]:
        return False
    inside = sums[long:, deep:] - sums[:-long, deep:] - sums[long:, :-deep] + sums[:-long, :-deep]
    return bool((inside == 0).any())
