"""Next to, besides and near: how far boxes are from each other.

SynergAI (Table A.1) names all three and defines none; distances are between surfaces, so that long
things have neighbours at both of their ends.
"""

from __future__ import annotations

import numpy as np

from scenemind.config import RelationConfig
from scenemind.geometry import gaps_m
from scenemind.memory.graph.relations.columns import Bounds, Scores, heights, shared_sides, sizes

# Share of the smaller height that neighbours on one level have in common.
LEVEL_SHARE = 0.5
# Neighbours of small things are closer than neighbours of large ones.
SMALLEST_NEIGHBOURHOOD_M = 0.3


def next_to(a: Bounds, b: Bounds, config: RelationConfig) -> Scores:
    """Beside each other on one level: 1 where they touch, 0.5 at the largest distance.

    The gap seen from above is at most the longer side of the two, within 0.3 m and `next_to_m`,
    and they share at least half of the smaller height.
    """
    gap = gaps_m(a[:, :2], a[:, 3:5], b[:, :2], b[:, 3:5])
    longest = np.maximum(sizes(a).max(axis=1), sizes(b).max(axis=1))
    limit = np.clip(longest, min(SMALLEST_NEIGHBOURHOOD_M, config.next_to_m), config.next_to_m)
    height = np.minimum(heights(a), heights(b))
    shared = np.minimum(a[:, 5], b[:, 5]) - np.maximum(a[:, 2], b[:, 2])
    holds = (gap <= limit) & (shared >= LEVEL_SHARE * height)
    return np.where(holds, 1.0 - 0.5 * gap / limit, 0.0)


def besides(a: Bounds, b: Bounds, config: RelationConfig) -> Scores:
    """Side by side: next to each other, and facing each other with a side.

    Seen from above they share at least `beside_share` of the shorter side along x or y, so a thing
    off the corner of another is next to it and not besides it. The score is that of `next_to`.
    """
    shorter = np.minimum(sizes(a), sizes(b))[:, :2]
    faces = (shared_sides(a, b)[:, :2] >= config.beside_share * np.maximum(shorter, 1e-6)).any(1)
    return np.where(faces, next_to(a, b, config), 0.0)


def near(a: Bounds, b: Bounds, config: RelationConfig) -> Scores:
    """The boxes' gap is at most `near_m`: 1 where they touch, 0.5 at the limit."""
    gap = gaps_m(a[:, :3], a[:, 3:], b[:, :3], b[:, 3:])
    return np.where(gap <= config.near_m, 1.0 - 0.5 * gap / config.near_m, 0.0)
