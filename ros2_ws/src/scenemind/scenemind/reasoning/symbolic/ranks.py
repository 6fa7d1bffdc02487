"""Ranks: superlatives and ordinals among candidates, and rows of things of one kind.

Things of one kind stand along two directions at right angles, which most of them share with their
nearest neighbour: seats of a hall, cabinets along a wall. Rows run across the view where one is
known, else along the direction that gives the fewest of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.language.lexicon import MOST_OF
from scenemind.language.trees import Rank, Reference, Viewer
from scenemind.memory.graph.relations.superlatives import OF_A_VIEWER, superlative_values
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic.attribute_scores import colourfulness, darkness
from scenemind.reasoning.symbolic.graded_relations import Onlooker, Pairs
from scenemind.reasoning.symbolic.relation_scores import Anchor, gaps_to
from scenemind.reasoning.symbolic.scene import Scene, Scores

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]
# More anchors than these are not measured one by one.
_MANY = 20
# Below this share of the best score a candidate is a stopgap, not a rival.
_SERIOUS = 0.5
# Loss of log score by the distance to a side, in shares of the group's extent, and by places off.
_SIDE, _ORDER, _MOST_OFF = 2.0, 1.2, 2.0
# Least score of a denied rank that holds.
_LEAST_DENIED = 0.1
# Half the depth of a row, and the room that is more before it than behind it by which 1 / e fewer
# look at it from behind; least score of a thing in it.
_IN_ROW_M, _FREER_M, _LEAST_IN_ROW = 0.35, 0.6, 0.02
# Smallest spread of heights with a top object; below it "top" means the back of a plan.
_LEVEL_M = 0.25
_SHORTEST_SPREAD_M = 0.3
_UPWARDS = {"highest": 1.0, "topmost": 1.0, "lowest": -1.0, "bottommost": -1.0}
# Smallest step between rows; score of a thing one row off.
_STEP_M = 0.45
_ONE_OFF = 0.3


def rank_keys(
    scene: Scene,
    rank: Rank,
    rows: NDArray[np.intp],
    anchors_of: Callable[[Reference], Sequence[Anchor]],
    viewpoint_of: Callable[[], Viewpoint],
) -> Scores:
    """Sort keys of the rows, ascending; infinite for rows that are no candidates.

    Args:
        anchors_of, viewpoint_of: asked for where the rank depends on them.
    """
    match rank.superlative:
        case "closest" | "farthest":
            return _distances(scene, anchors_of(rank.anchor or Viewer()), rank, rows)
        case "earliest":
            return np.array([thing.first_seen_ns for thing in scene.objects_at(rows)], np.float64)
        case "latest":
            seen_ns = [thing.last_seen_ns for thing in scene.objects_at(rows)]
            return -np.array(seen_ns, np.float64)
        case "surest" | "doubtful" as name:
            return scene.confidence[rows] * (1.0 if name == "doubtful" else -1.0)
        case "oftenest" | "rarest" as name:
            counts = [thing.observation_count for thing in scene.objects_at(rows)]
            return np.array(counts, np.float64) * (1.0 if name == "rarest" else -1.0)
        case "darkest" | "lightest" as name:
            dark = darkness(scene.objects_at(rows))
            return -dark if name == "darkest" else dark
        case (
            "reddest" | "bluest" | "greenest" | "yellowest" | "brownest" | "blackest" | "whitest"
            | "greyest" | "pinkest"
        ) as name:  # fmt: skip
            return -colourfulness(scene.objects_at(rows), MOST_OF[name])
        case name:
            viewpoint = viewpoint_of() if name in OF_A_VIEWER else None
            return superlative_values(scene.bounds[rows], name, viewpoint)


def _distances(
    scene: Scene, anchors: Sequence[Anchor], rank: Rank, rows: NDArray[np.intp]
) -> Scores:
    best = max(anchor.score for anchor in anchors)
    serious = [anchor for anchor in anchors if anchor.score >= _SERIOUS * best]
    things = np.array([a.row for a in serious if a.row is not None], np.intp)
    if len(things) == len(serious) > _MANY:
        is_far_measured = rank.superlative != "closest"
        gaps, offsets = scene.nearest_gaps_m(rows, things, is_far_measured=is_far_measured)
    else:
        gaps = np.min([gaps_to(scene, anchor) for anchor in serious], axis=0)[rows]
        centers = np.array([anchor.box.center for anchor in serious])
        offsets = np.linalg.norm(scene.center[rows] - centers[:, None], axis=2).min(axis=0)
    gaps[np.isin(rows, things)] = np.inf
    # Centres decide between touching objects; the term is too small to change any other order.
    gaps = gaps + 1e-3 * offsets
    return gaps if rank.superlative == "closest" else np.where(np.isfinite(gaps), -gaps, np.inf)


def compared(scene: Scene, anchors: Sequence[int], among: Mask, *, farthest: bool) -> Vector:
    """(N,) metres, higher for things nearer to the nearest anchor other than themselves, or
    farther from it; 0 for others than these."""
    things, ends = np.flatnonzero(among), np.array(anchors)[:, None]
    of_things, of_ends = ((scene.low[rows], scene.high[rows]) for rows in (things, ends))
    each = Pairs(*of_things, *of_ends).distance_m
    if len(anchors) > 1:
        each[things == ends] = np.inf
    metres = np.zeros(len(among))
    metres[things] = each.min(axis=0) * (1.0 if farthest else -1.0)
    return metres


def rank_scores(scene: Scene, rank: Rank, among: Mask, onlooker: Onlooker) -> Vector:
    """(N,) log scores of a place in a group, the best 0 or below; all 0 where it decides nothing.

    Args:
        among: things to compare with.
    """
    scores = _affirmed_scores(scene, rank, among, onlooker)
    if rank.negated and scores.any():
        return np.asarray(np.log(np.maximum(1.0 - np.exp(scores), _LEAST_DENIED)))
    return scores


def _affirmed_scores(scene: Scene, rank: Rank, among: Mask, onlooker: Onlooker) -> Vector:
    if rank.superlative == "middle":
        center = scene.center[among]
        spread_m = float(center.std(axis=0).max()) + 0.1
        off_m = np.linalg.norm(scene.center - center.mean(axis=0), axis=1)
        return np.asarray(-off_m / spread_m)
    values_m = _to_side(scene, rank.superlative, among, onlooker)
    if values_m is None:
        return np.zeros(len(among))
    if rank.order > 1:
        return order_scores(values_m, among, rank.order)
    spread_m = max(float(np.ptp(values_m[among])), _SHORTEST_SPREAD_M)
    return np.asarray(_SIDE * np.minimum((values_m - values_m[among].max()) / spread_m, 0.0))


def order_scores(values: Vector, among: Mask, order: int) -> Vector:
    """(N,) log scores of being the second, third, ... highest of some."""
    rows = np.flatnonzero(among)
    ranked = rows[np.argsort(-values[rows], kind="stable")]
    off = np.full(len(values), _MOST_OFF)
    off[ranked] = np.minimum(np.abs(np.arange(1, len(ranked) + 1) - order), _MOST_OFF)
    return np.asarray(-_ORDER * off)


def row_order_scores(scene: Scene, rank: Rank, among: Mask) -> Vector:
    """(N,) log scores of being the first, second, ... from the left or right of a row of these
    things, seen from where there is more room before the row, or the middle one."""
    rows, scores = np.flatnonzero(among), np.full(len(among), _LEAST_IN_ROW)
    points, room = scene.center[rows, :2], np.array(scene.room)
    axes = _grid_axes(points)
    for ahead in (*axes, *-axes):
        right = np.array((ahead[1], -ahead[0]))
        along_m = points @ (right if rank.superlative == "rightmost" else -right)
        across_m, (near_m, far_m) = points @ ahead, np.sort(room @ ahead)
        off_m = across_m - across_m[:, None]
        in_row = np.abs(off_m) < _IN_ROW_M
        rear_m = np.where(off_m >= _IN_ROW_M, off_m, np.inf).min(axis=1)
        front_m = np.where(off_m <= -_IN_ROW_M, -off_m, np.inf).min(axis=1)
        rear_m = np.minimum(rear_m, far_m - across_m)
        front_m = np.minimum(front_m, across_m - near_m)
        count = in_row.sum(axis=1)
        before = (in_row & (along_m > along_m[:, None])).sum(axis=1)
        wanted = (count - 1) / 2.0 if rank.superlative == "middle" else rank.order - 1
        fit = _off(np.minimum(np.abs(before - wanted), _MOST_OFF))
        fit *= np.minimum(count / max(rank.order + 1.0, 3.0), 1.0)
        fit /= 1.0 + np.exp((rear_m - front_m) / _FREER_M)
        scores[rows] = np.maximum(scores[rows], fit)
    return np.log(scores)


def along(scene: Scene, side: str, onlooker: Onlooker, group: Vector) -> Vector | None:
    """(N,) coordinates towards a side of a group's middle (2,), in metres; None where unknown."""
    axis = onlooker.axis(side, group)
    return None if np.isnan(axis).any() else np.asarray(scene.center[:, :2] @ axis)


def _to_side(scene: Scene, side: str, among: Mask, onlooker: Onlooker) -> Vector | None:
    """(N,) coordinates towards a side in metres; None where the side is unknown."""
    if side in _UPWARDS:
        heights, sign = scene.center[:, 2], _UPWARDS[side]
        if side in ("highest", "lowest") or np.ptp(heights[among]) > _LEVEL_M:
            return np.asarray(sign * heights)
        side = "rearmost" if sign > 0 else "frontmost"
    group = scene.center[among, :2].mean(axis=0)
    return along(scene, side.removesuffix("most"), onlooker, group)


class Rows:
    """Rows of N things.

    Attributes:
        index: (N,) int64: the row of each thing. count: number of rows.
        across: (2,) unit vector over which rows follow each other.
    """

    def __init__(self, points: Vector, across: Vector | None = None) -> None:
        """
        Args:
            points: (N, 2) float64, metres; N at least 1.
            across: (2,) the direction over which rows follow each other, roughly; None: unknown.
        """
        axes = _grid_axes(points)
        if across is not None:
            axes = axes[np.argsort(-np.abs(axes @ across), kind="stable")[:1]]
        each = [_steps(points @ axis, _STEP_M) for axis in axes]
        fewest = int(np.argmin([index.max() for index in each]))
        self._points = points
        self.across: Vector = axes[fewest]
        self.index = each[fewest]
        self.count = int(self.index.max()) + 1

    def ordered(self, values: Vector, order: int) -> Vector:
        """Scores (N,) of things by how many rows off the wanted one they are.

        Args:
            values: (N,), highest in the first row.
            order: 1 for the first row.
        """
        means = np.array([values[self.index == row].mean() for row in range(self.count)])
        place_of_row = np.argsort(np.argsort(-means, kind="stable"), kind="stable")
        return _off(place_of_row[self.index] - (min(order, self.count) - 1))

    def middle(self) -> Vector:
        """Scores (N,) of the things in the middle row."""
        return _off(np.asarray(self.index - (self.count - 1) / 2.0, np.float64))

    def ends(self) -> Vector:
        """Scores (N,): 1 for the first and the last of each row, less for those between."""
        first, last = self._from_ends()
        return _off(np.minimum(first, last))

    def middles(self) -> Vector:
        """Scores (N,): 1 for what is in the middle of its row, less towards its ends."""
        first, last = self._from_ends()
        return _off(np.abs(first - last) / 2.0)

    def _from_ends(self) -> tuple[Vector, Vector]:
        """How many things of its row each has on one side (N,), and on the other."""
        along = self._points @ np.array((-self.across[1], self.across[0]))
        same = self.index[:, None] == self.index
        first = (same & (along[:, None] > along)).sum(axis=1)
        return first.astype(np.float64), same.sum(axis=1) - 1.0 - first


def levels(heights: Vector) -> NDArray[np.int64]:
    """Levels (N,) of heights in metres, the lowest 0."""
    return _steps(heights, _LEVEL_M)


def level_scores(heights: Vector, order: int, *, highest: bool) -> Vector:
    """Scores (N,) by how many levels off the wanted one they are, from the top or the bottom."""
    index = levels(heights)
    place = index.max() - index if highest else index
    return _off(place - (order - 1))


def _off(count: Vector | NDArray[np.int64]) -> Vector:
    return np.asarray(_ONE_OFF ** np.abs(count), np.float64)


def _steps(values: Vector, step: float) -> NDArray[np.int64]:
    """Groups (N,) of values in ascending order, with gaps above a step between them."""
    order = np.argsort(values, kind="stable")
    starts = np.diff(values[order], prepend=values[order[0]]) > step
    groups = np.empty(len(values), np.int64)
    groups[order] = np.cumsum(starts)
    return groups


def _grid_axes(points: Vector) -> Vector:
    """Unit vectors (2, 2), at right angles, along which most things have their neighbours."""
    if len(points) < 2:
        return np.eye(2)
    ways = points[:, None] - points
    gaps = np.hypot(ways[..., 0], ways[..., 1])
    np.fill_diagonal(gaps, np.inf)
    nearest = gaps.argmin(axis=1)
    way = ways[np.arange(len(points)), nearest]
    # Four times the angle is the same for all four directions of a grid.
    angles = 4.0 * np.arctan2(way[:, 1], way[:, 0])
    turn = np.arctan2(np.sin(angles).mean(), np.cos(angles).mean()) / 4.0
    return np.array(((np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))))
