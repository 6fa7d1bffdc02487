"""Constellations: two sets of objects that may show one place, and the transforms that map one onto
the other.

Both worlds are z-up, so four degrees of freedom are unknown: x, y, yaw, and a small z. Two pairs of
objects that may be the same, and are as far from each other in both maps, give a transform; those
that many pairs of pairs give are found by votes, fitted in closed form (Umeyama, 1991, in the
plane), and scored by how little they can be chance: an object explained at its place is worth
log2(area of the place / area in which one of its kind would have been accepted) bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are imported when they are first used
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.language.english import normal
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.types import MapObject

# Where an object's centre is known to: part of it may be unseen.
_PLACE_M, _PLACE_SHARE = 0.12, 0.15  # plus a share of its diagonal
# Least likeness of two objects that may be one, and of their diagonals.
_LIKE, _LEAST_SIZE = 0.25, 0.45
_NO_COLORS = {"and", "dark", "light"}
_OTHER_COLOR = 0.5  # colours change with the light
# Of nearer objects the direction from one to the other says little.
_LEAST_BASE_M = 0.6
_MOST_SEEDS, _MOST_CANDIDATES, _MOST_VOTED = 450, 3000, 96
_CELL_M, _CELL_RAD = 0.4, math.radians(8.0)
_REFINEMENTS = 4
# Transforms that are nearer to each other are one.
SAME_M, SAME_RAD = 0.6, math.radians(15.0)
_LEAST_AREA_M2 = 6.0
_MOST_KEPT = 6


@dataclass(frozen=True, slots=True, eq=False)
class Landmarks:
    """The objects of a map that stay where they are, as columns.

    Attributes:
        ids: (N,) int64.
        centers: (N, 3) float64, world, metres. sizes: (N, 3), longer and shorter side, height.
        labels: of each, label -> probability.
        colors: of each, its colour words; empty: unknown.
        floor_z: height of the floor, world; None: unknown.
    """

    ids: NDArray[np.int64]
    centers: NDArray[np.float64]
    sizes: NDArray[np.float64]
    labels: tuple[Mapping[str, float], ...]
    colors: tuple[frozenset[str], ...]
    floor_z: float | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, objects: Iterable[MapObject], floor_z: float | None) -> Landmarks:
        """Those of a map: without people and animals."""
        kept = [thing for thing in objects if not sense_of(thing.label).moves]
        boxes = [thing.yaw_box for thing in kept]
        sizes = [(*sorted(box.size[:2], reverse=True), box.size[2]) for box in boxes]
        return cls(
            np.array([thing.object_id for thing in kept], np.int64),
            np.array([box.center for box in boxes], np.float64).reshape(-1, 3),
            np.array(sizes, np.float64).reshape(-1, 3),
            tuple(_label_shares(thing) for thing in kept),
            tuple(
                frozenset(thing.attributes.get("color", "").split()) - _NO_COLORS for thing in kept
            ),
            floor_z,
        )


def _label_shares(thing: MapObject) -> dict[str, float]:
    if thing.label != thing.perceived_label or not thing.label_probabilities:
        return {normal(thing.label): 1.0}
    shares: dict[str, float] = {}
    for label, probability in thing.label_probabilities.items():
        shares[normal(label)] = shares.get(normal(label), 0.0) + probability
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """A transform between two maps, and what speaks for it.

    Attributes:
        b_T_a: turns about z only.
        pairs: (K, 2) int64, ids in a and in b of objects that are one, each at most once.
        bits: how little it can be chance; all transforms that were tried share the first
            `chance_bits` of it.
        chance_bits: log2 of the number of different transforms that there are.
        residual_m: RMS distance of the pairs' centres in the plane.
    """

    b_T_a: Pose
    pairs: NDArray[np.int64]
    bits: float
    chance_bits: float
    residual_m: float

    @property
    def yaw(self) -> float:
        return yaw_of(self.b_T_a)

    def is_like(self, other: Hypothesis, around: NDArray[np.float64]) -> bool:
        """True if both put a place (3,) of a at about the same pose."""
        apart = self.b_T_a.transform(around) - other.b_T_a.transform(around)
        return bool(np.linalg.norm(apart[:2]) <= SAME_M) and (
            abs(math.remainder(self.yaw - other.yaw, 2.0 * math.pi)) <= SAME_RAD
        )


def yaw_of(pose: Pose) -> float:
    """The turn about z of a pose, radians."""
    return math.atan2(pose.rotation[1, 0], pose.rotation[0, 0])


def turn_about_z(yaw: float, x: float, y: float, z: float) -> Pose:
    """The transform that turns about z, then shifts."""
    c, s = math.cos(yaw), math.sin(yaw)
    return Pose(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([x, y, z]))


def find_transforms(a: Landmarks, b: Landmarks, drift_m: float = 0.0) -> list[Hypothesis]:
    """Transforms b_T_a that map objects of a onto objects of b, the likeliest first; no two of them
    are alike. Whether the first one is right is for the caller to judge, from its bits, from those
    of the second, and from what depth says.

    Args:
        drift_m: by how much places in either map may be wrong.
    """
    if len(a) < 2 or len(b) < 2:
        return []
    matcher = _Matcher(a, b, drift_m)
    if len(matcher.first) < 2:
        return []
    middle = a.centers.mean(axis=0)
    found: list[Hypothesis] = []
    for yaw, shift in matcher.voted():
        fitted = matcher.fit(yaw, shift)
        if fitted is not None and not any(fitted.is_like(known, middle) for known in found):
            found.append(fitted)
    return sorted(found, key=lambda h: -h.bits)[:_MOST_KEPT]


class _Matcher:
    """Candidate pairs (first, second) of rows of a and b, by ascending first row."""

    def __init__(self, a: Landmarks, b: Landmarks, drift_m: float) -> None:
        self._a, self._b = a, b
        like = _likeness(a, b)
        diagonals_a = np.linalg.norm(a.sizes, axis=1)[:, None]
        diagonals_b = np.linalg.norm(b.sizes, axis=1)[None]
        within = _PLACE_M + drift_m + _PLACE_SHARE * np.minimum(diagonals_a, diagonals_b)
        self._z = None
        if a.floor_z is not None and b.floor_z is not None:
            self._z = b.floor_z - a.floor_z
            apart_m = np.abs(a.centers[:, 2, None] + self._z - b.centers[None, :, 2])
            like = np.where(apart_m <= within, like, 0.0)
        # Bits of an object that is explained: how seldom one of its kind stands there by chance.
        side = np.ptp(b.centers[:, :2], axis=0) + 1.0
        area_m2 = max(_LEAST_AREA_M2, float(side[0] * side[1]))
        accepted_m2 = np.pi * within**2 * like
        by_chance = np.minimum(1.0, accepted_m2.sum(axis=1) / area_m2)
        self._worth = -np.log2(np.maximum(by_chance, 1e-6))
        # As many places as objects would be told apart at, times as many headings.
        cells = area_m2 / (np.pi * (_PLACE_M + drift_m) ** 2)
        self.chance_bits = math.log2(2.0 * math.pi / SAME_RAD * max(1.0, cells))
        first, second = np.nonzero(like >= _LIKE)
        if len(first) > _MOST_CANDIDATES:
            best = np.argpartition(-(like * self._worth[:, None])[first, second], _MOST_CANDIDATES)
            kept = np.sort(best[:_MOST_CANDIDATES])
            first, second = first[kept], second[kept]
        self.first, self.second = first, second
        self._like, self._within = like[first, second], within[first, second]
        self._starts = np.flatnonzero(np.r_[True, first[1:] != first[:-1]]) if len(first) else first

    def voted(self) -> list[tuple[float, NDArray[np.float64]]]:
        """Yaw and shift (2,) of the transforms that most pairs of candidates give."""
        worth = self._like * self._worth[self.first]
        seeds = np.argsort(-worth, kind="stable")[:_MOST_SEEDS]
        one, other = np.triu_indices(len(seeds), 1)
        one, other = seeds[one], seeds[other]
        differ = (self.first[one] != self.first[other]) & (self.second[one] != self.second[other])
        one, other = one[differ], other[differ]
        from_a = self._a.centers[self.first[other]] - self._a.centers[self.first[one]]
        from_b = self._b.centers[self.second[other]] - self._b.centers[self.second[one]]
        base_a, base_b = np.hypot(*from_a[:, :2].T), np.hypot(*from_b[:, :2].T)
        within = np.hypot(self._within[one], self._within[other])
        agree = np.abs(base_a - base_b) <= within
        agree &= np.abs(from_a[:, 2] - from_b[:, 2]) <= within
        agree &= np.minimum(base_a, base_b) >= _LEAST_BASE_M
        one, other, from_a, from_b = one[agree], other[agree], from_a[agree], from_b[agree]
        if not len(one):
            return []
        yaw = np.arctan2(from_b[:, 1], from_b[:, 0]) - np.arctan2(from_a[:, 1], from_a[:, 0])
        middle = self._a.centers[:, :2].mean(axis=0)
        # Shifts are measured at the middle of a, where an error of yaw moves them least.
        between_a = (
            self._a.centers[self.first[one], :2] + self._a.centers[self.first[other], :2]
        ) / 2.0
        between_b = (
            self._b.centers[self.second[one], :2] + self._b.centers[self.second[other], :2]
        ) / 2.0
        at = between_b + _turned(middle - between_a, yaw)
        weight = np.minimum(worth[one], worth[other])
        headings = round(2.0 * math.pi / _CELL_RAD)
        cells = np.column_stack(
            (
                np.floor(yaw / (2.0 * math.pi) * headings).astype(np.int64) % headings,
                np.floor(at / _CELL_M).astype(np.int64),
            )
        )
        of = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
        votes = np.bincount(of, weight)
        best = np.argsort(-votes, kind="stable")[:_MOST_VOTED]
        total = np.maximum(votes, 1e-12)
        sine, cosine = (np.bincount(of, weight * f(yaw)) / total for f in (np.sin, np.cos))
        x, y = (np.bincount(of, weight * at[:, k]) / total for k in (0, 1))
        yaws = np.arctan2(sine, cosine)
        places = np.column_stack((x, y)) - _turned(np.broadcast_to(middle, (len(x), 2)), yaws)
        scores = self._scores(yaws[best], places[best])
        return [(float(yaws[row]), places[row]) for row in best[np.argsort(-scores)][:24]]

    def _scores(
        self, yaws: NDArray[np.float64], shifts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """(M,): bits that M transforms explain, each object by the candidate that fits best."""
        a, b = self._a.centers[self.first, :2], self._b.centers[self.second, :2]
        x = np.cos(yaws)[:, None] * a[:, 0] - np.sin(yaws)[:, None] * a[:, 1] + shifts[:, :1]
        y = np.sin(yaws)[:, None] * a[:, 0] + np.cos(yaws)[:, None] * a[:, 1] + shifts[:, 1:]
        apart = np.hypot(x - b[:, 0], y - b[:, 1]) / (1.5 * self._within)
        fits = np.maximum(0.0, 1.0 - apart**2) * self._like
        best = np.maximum.reduceat(fits, self._starts, axis=1)
        return np.asarray(best @ self._worth[self.first[self._starts]])

    def fit(self, yaw: float, shift: NDArray[np.float64]) -> Hypothesis | None:
        """The transform near a voted one that fits best in the least-squares sense."""
        rows = np.zeros(0, np.intp)
        slack = 1.5
        for _ in range(_REFINEMENTS):
            rows = self._assigned(yaw, shift, slack)
            if len(rows) < 2:
                return None
            yaw, shift = self._least_squares(rows)
            slack = 1.0
        first, second = self.first[rows], self.second[rows]
        apart_m = np.linalg.norm(
            _turned(self._a.centers[first, :2], np.full(len(rows), yaw))
            + shift
            - self._b.centers[second, :2],
            axis=1,
        )
        lift = self._b.centers[second, 2] - self._a.centers[first, 2]
        z = float(np.median(lift)) if self._z is None else self._z
        level = np.abs(lift - z) <= self._within[rows]
        fits = np.maximum(0.0, 1.0 - 0.5 * (apart_m / self._within[rows]) ** 2)
        bits = float((fits * self._like[rows] * self._worth[first])[level].sum())
        return Hypothesis(
            turn_about_z(yaw, float(shift[0]), float(shift[1]), z),
            np.column_stack((self._a.ids[first[level]], self._b.ids[second[level]])),
            bits,
            self.chance_bits,
            float(np.sqrt((apart_m[level] ** 2).mean())) if level.any() else math.inf,
        )

    def _assigned(self, yaw: float, shift: NDArray[np.float64], slack: float) -> NDArray[np.intp]:
        """Candidates that a transform makes one, each object at most once."""
        moved = _turned(self._a.centers[self.first, :2], np.full(len(self.first), yaw)) + shift
        apart = np.linalg.norm(moved - self._b.centers[self.second, :2], axis=1)
        share = apart / (slack * self._within)
        near = np.flatnonzero(share < 1.0)
        if not len(near):
            return near
        ones, one = np.unique(self.first[near], return_inverse=True)
        others, other = np.unique(self.second[near], return_inverse=True)
        gain = np.zeros((len(ones), len(others)))
        gain[one, other] = (1.0 - share[near] ** 2) * self._like[near]
        number = np.full(gain.shape, -1)
        number[one, other] = near
        chosen = number[scipy.optimize.linear_sum_assignment(gain, maximize=True)]
        return np.asarray(chosen[chosen >= 0], np.intp)

    def _least_squares(self, rows: NDArray[np.intp]) -> tuple[float, NDArray[np.float64]]:
        a, b = self._a.centers[self.first[rows], :2], self._b.centers[self.second[rows], :2]
        weight = self._like[rows] / self._within[rows] ** 2
        weight = (weight / weight.sum())[:, None]
        middle_a, middle_b = (weight * a).sum(axis=0), (weight * b).sum(axis=0)
        a, b = a - middle_a, b - middle_b
        sine = (weight[:, 0] * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])).sum()
        cosine = (weight[:, 0] * (a * b).sum(axis=1)).sum()
        yaw = math.atan2(float(sine), float(cosine))
        return yaw, middle_b - _turned(middle_a[None], np.array([yaw]))[0]


def _turned(points: NDArray[np.float64], yaw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (N, 2), each turned about the origin by its yaw (N,)."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.column_stack(
        (c * points[:, 0] - s * points[:, 1], s * points[:, 0] + c * points[:, 1])
    )


def _likeness(a: Landmarks, b: Landmarks) -> NDArray[np.float64]:
    """(Na, Nb) in [0, 1]: how well each pair of objects could be one, wherever they stand."""
    names = sorted({name for one in (*a.labels, *b.labels) for name in one})
    words = sorted(frozenset().union(*a.colors, *b.colors))
    like = np.sqrt(_table(a.labels, names)) @ np.sqrt(_table(b.labels, names)).T
    diagonals_a, diagonals_b = np.linalg.norm(a.sizes, axis=1), np.linalg.norm(b.sizes, axis=1)
    ratio = diagonals_a[:, None] / np.maximum(diagonals_b[None], 1e-6)
    ratio = np.minimum(ratio, 1.0 / np.maximum(ratio, 1e-6))
    like *= np.where(ratio >= _LEAST_SIZE, np.sqrt(ratio), 0.0)
    colors_a, colors_b = (
        _table([dict.fromkeys(one, 1.0) for one in colors], words)
        for colors in (a.colors, b.colors)
    )
    known = (colors_a.sum(axis=1)[:, None] > 0.0) & (colors_b.sum(axis=1)[None] > 0.0)
    return np.asarray(np.where(known & (colors_a @ colors_b.T == 0.0), _OTHER_COLOR * like, like))


def _table(rows: Iterable[Mapping[str, float]], names: list[str]) -> NDArray[np.float64]:
    rows = list(rows)
    column = {name: number for number, name in enumerate(names)}
    table = np.zeros((len(rows), len(names)))
    for number, row in enumerate(rows):
        for name, value in row.items():
            table[number, column[name]] = value
    return table
