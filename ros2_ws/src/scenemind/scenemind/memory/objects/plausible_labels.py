"""How likely each label of an object is: what detectors said, weighed with where and how large the
thing is.

Detectors take a print on a poster for a person and a door for a refrigerator, from every side and
with a good score. Geometry knows better: a thing is usually as long as its kind is, what lies in
the plane of a wall is no person, and what stands on a couch no refrigerator. Bayes' rule over the
labels that were ever given to the object and "something else":

    odds(label) = prior(label) * p(size | label) / p(size) * p(in a wall | label) / p(in a wall)
                  * p(carrier | label) / p(carrier)

where the densities below the line are those of any thing. Ratios above 1 are taken as 1: the prior
was fitted on things of usual sizes at usual places, which are therefore no news. They have a floor,
because tables and boxes may be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.attributes.form import Form
from scenemind.memory.attributes.sizes import find_kind
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.objects.carriers import NO_CARRIERS, weigh_carrier
from scenemind.memory.types import StructurePlane


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of a logistic regression: of the logarithm of 1 + votes, of the share of plain views
    without a detection, and the constant."""

    evidence: float = 1.77
    missed: float = -1.66
    bias: float = -0.44


# Fitted on 2,848 mapped objects and their true labels: simulated rooms 1 to 5, 300
# frames at 640x480 and 150 at 320x240 (equal weight), a detector with the usual `DetectorNoise`,
# sampled every 25 frames. On rooms 6 and 21 to 23 the expected calibration error is 0.07. With the
# evidence of sizes and walls, which was not fitted, it is 0.03 on the former rooms at 320x240.
# Weights fitted on one of two real rooms are no nearer to the truth in the other one:
# docs/evaluation.md.
_WEIGHTS = Weights()


def label_priors(
    votes: Mapping[str, float], observations: int, missed: int, weights: Weights = _WEIGHTS
) -> tuple[dict[str, float], float]:
    """Label -> probability that an object of it is there, with a 3D IoU of 0.25 or more, by what
    detectors said alone; and the probability that it is something else, or nothing.

    Args:
        votes: for each label; repeated views from one viewpoint weigh less.
        observations: number of detections.
        missed: number of times its place was in plain view without a detection.
    """
    said = sum(votes.values())
    rarely = missed / (missed + observations)
    score = weights.evidence * log1p(said) + weights.missed * rarely + weights.bias
    exists = 1.0 / (1.0 + exp(-score))
    first = best_label(votes)
    others = said - votes[first]
    # Votes for other labels lower the probability; the root reflects that they are mostly errors.
    surest = sqrt(votes[first] / said) * exists
    priors = {
        label: (exists - surest) * each / others for label, each in votes.items() if label != first
    }
    return {first: surest, **priors}, 1.0 - exists


def best_label(weights: Mapping[str, float]) -> str:
    """The label with the largest weight; of equals the first in the alphabet."""
    if len(weights) == 1:
        return next(iter(weights))
    return min(weights, key=lambda label: (-weights[label], label))


def label_probabilities(
    priors: Mapping[str, float],
    something_else: float,
    form: Form,
    in_wall: float,
    carriers: Mapping[str, float] = NO_CARRIERS,
) -> dict[str, float]:
    """Label -> probability, most likely first; what they lack to 1 is something else, or nothing.

    Args:
        priors, something_else: as `label_priors` gives them.
        form: of its surface, world, metres.
        in_wall: share of its surface in the plane of a wall, see `WallPlanes.share_of`.
        carriers: group of carriers -> probability that it stands on one: see `carriers`.
    """
    weights = {
        label: prior
        * _form_evidence(label, form)
        * wall_evidence(label, in_wall)
        * min(max(weigh_carrier(label, carriers), LEAST_EVIDENCE), 1.0)
        for label, prior in priors.items()
    }
    total = sum(weights.values()) + something_else
    order = sorted(weights, key=lambda label: (-weights[label], label))
    return {label: weights[label] / total for label in order}


def _form_evidence(label: str, form: Form) -> float:
    """Evidence of size, by the turned box if the axis-aligned one, which costs nothing, is
    unusual."""
    x, y, z = form.box.size
    aligned = size_evidence(label, max(x, y, z))
    if aligned == 1.0 or x * x + y * y <= z * z:  # turned it is as high, and no longer
        return aligned
    return max(aligned, size_evidence(label, max(form.yaw_box.size)))


# Longest sides of 14,600 things of 572 scanned rooms (ScanNet), whatever they are: the logarithm's
# mean and standard deviation.
_ANYTHING_M, _ANY_SPREAD = 0.79, 0.70
# The table's ranges hold four things of five: so many standard deviations from end to end.
_RANGE = 2.0 * 1.2816
# Standard deviation of the logarithm of measured sides beyond that of the kinds in the same rooms:
# masks take neighbours with them, and parts are hidden.
_TOO_LONG, _TOO_SHORT = 0.25, 0.40
LEAST_EVIDENCE = 0.05  # against a label, of size, of place and of what carries it


@lru_cache(maxsize=4096)
def _spread_of(label: str) -> tuple[float, float, float] | None:
    """Of the logarithm of a kind's measured longest side: the middle, and the standard deviation
    below and above it; None for an unknown kind."""
    kind = find_kind(label)
    if kind is None:
        return None
    low, high = log(kind.shortest_m), log(kind.longest_m)
    own = (high - low) / _RANGE
    return (low + high) / 2.0, (own**2 + _TOO_SHORT**2) ** 0.5, (own**2 + _TOO_LONG**2) ** 0.5


def size_evidence(label: str, longest_m: float) -> float:
    """How much likelier a thing of this label is as long as this than any thing is, in (0, 1]."""
    spread = _spread_of(label)
    if spread is None:
        return 1.0
    middle, below, above = spread
    length = log(max(longest_m, 1e-3))
    apart = length - middle
    own = exp(-0.5 * (apart / (below if apart < 0.0 else above)) ** 2) / (0.5 * (below + above))
    any_apart = (length - log(_ANYTHING_M)) / _ANY_SPREAD
    anything = exp(-0.5 * any_apart**2) / _ANY_SPREAD
    return min(max(own / anything, LEAST_EVIDENCE), 1.0)


# A surface lies in a wall up to this share of its longest side, and within these distances: the
# front of a bottle that stands before a wall is farther from it.
_THIN, _LEAST_M, _MOST_M = 0.15, 0.03, 0.08
BESIDE_M = 0.3  # beyond the end of what was seen of a wall
# Points of a surface that are compared with a wall's plane; every so many are compared with all
# planes first, and a smaller share of these makes it no candidate.
_MOST_POINTS, _COARSE, _MAYBE = 256, 8, 0.25
# Of its points in a wall's plane: up to the one it may stand before it, from the other on it is
# flat on it. One in six things of those scanned rooms is; of kinds that are not, one in a hundred,
# such as a built-in refrigerator.
_BEFORE_WALL, _ON_WALL = 0.5, 0.8


class WallPlanes:
    """The planes of some walls, as columns.

    Attributes:
        planes: the walls.
    """

    def __init__(self, walls: Iterable[StructurePlane] = ()) -> None:
        """Args: walls: other planes are left out."""
        self.planes = planes = tuple(plane for plane in walls if plane.kind == "wall")
        self._centers = np.array([plane.box.center for plane in planes]).reshape(-1, 3)
        yaws = np.array([plane.box.yaw for plane in planes])
        normals = np.array([plane.normal for plane in planes]).reshape(-1, 3)
        along = np.column_stack((np.cos(yaws), np.sin(yaws), np.zeros(len(yaws))))
        self._axes = np.stack((normals, along), axis=2)  # (W, 3, 2)
        self._normals = np.ascontiguousarray(normals.T)
        self._offsets_m = (self._centers * normals).sum(axis=1)
        self._half_m = np.array([plane.box.size[0] / 2.0 for plane in planes]) + BESIDE_M

    def changes_from(self, before: WallPlanes) -> NDArray[np.float64]:
        """(N, 6): bounds, at all heights, of the planes that are of one of both alone."""
        here = [plane for plane in self.planes if plane not in before.planes]
        there = [plane for plane in before.planes if plane not in self.planes]
        changed = np.array([plane.box.extent() for plane in (*here, *there)]).reshape(-1, 6)
        changed[:, 2], changed[:, 5] = -np.inf, np.inf
        return changed

    def share_of(self, points: NDArray[np.float32], longest_m: float) -> float:
        """The largest share of points (M, 3), of a thing as long as this, in one wall's plane."""
        if not len(points) or not len(self._half_m):
            return 0.0
        within_m = min(max(_THIN * longest_m, _LEAST_M), _MOST_M)
        some = points[:: -(-len(points) // _MOST_POINTS)]
        is_near = np.abs(some[::_COARSE] @ self._normals - self._offsets_m) <= within_m
        maybe = np.add.reduce(is_near, axis=0, dtype=np.intp) * _COARSE >= _MAYBE * len(some)
        share = 0.0
        for wall in maybe.nonzero()[0].tolist():
            placed = np.abs((some - self._centers[wall]) @ self._axes[wall])
            is_in = (placed[:, 0] <= within_m) & (placed[:, 1] <= self._half_m[wall])
            share = max(share, float(is_in.mean()))
        return share


def wall_evidence(label: str, in_wall: float) -> float:
    """How much likelier a thing of this label has this share of its surface in a wall's plane than
    any thing has, in (0, 1]."""
    flat = min(max((in_wall - _BEFORE_WALL) / (_ON_WALL - _BEFORE_WALL), 0.0), 1.0)
    if flat == 0.0 or _may_be_flat_on_wall(label):
        return 1.0
    return 1.0 - flat * (1.0 - LEAST_EVIDENCE)


@lru_cache(maxsize=4096)
def _may_be_flat_on_wall(label: str) -> bool:
    """True for what hangs on walls or is set into something, and for what nothing is known of."""
    sense = sense_of(label)
    if sense.attached or sense.is_part_of_wall or sense.is_on_walls or sense.hosts:
        return True
    return sense.structure is not None or not (sense.stands or find_kind(label))
