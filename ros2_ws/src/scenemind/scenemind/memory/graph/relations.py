"""Relations between two boxes that do not depend on where one stands: one function each.

Boxes come as (P, 6) arrays, lowest then highest corner, compared line by line; a result is a score
(P,) in [0, 1], 0 where the relation does not hold. Only differences of heights matter, never the
height above the map's origin (a map may have its floor anywhere).

Each true statement is made in both directions: "a above b" with "b below a", "a near b" with
"b near a". `on` and `inside` have no inverse of their own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.geometry import gaps_m

PREDICATES = ("on", "inside", "above", "below", "next to", "near")
# What is true the other way round. Those of directions are for what people say.
INVERSE = {
    "above": "below",
    "below": "above",
    "near": "near",
    "next to": "next to",
    "left of": "right of",
    "right of": "left of",
    "in front of": "behind",
    "behind": "in front of",
}
# Boxes of these are mostly air: what stands within one stands below its top, not inside it.
OPEN_FRAMES = frozenset(
    {
        *("table", "dining table", "coffee table", "desk", "bed", "couch", "sofa", "bench"),
        *("chair", "armchair", "office chair", "stool", "ladder", "lamp", "person"),
        *("tree", "plant", "potted plant"),
    }
)

Bounds = NDArray[np.float64]
Scores = NDArray[np.float64]

# Depth and boxes are not sure to better than this.
HEIGHT_NOISE_M = 0.03
# A supporter's box rises above the surface that carries: back rests, uneven tops, things on it.
# From this share of its height on something may stand on it; low things carry at their top.
SEAT_FROM = 0.4
LOW_RIM = 0.6
LOW_HEIGHT_M = 0.3
SURFACE_NOISE_M = 0.08
# How a level surface stands out of an object's points: see `level_surface_z`.
LAYER_M = 0.04
LEVEL_POINTS = 0.25
FEWEST_POINTS = 30
# Share of the volume within the other box.
INSIDE_SHARE = 0.8
# Share of the smaller footprint that must lie over the other one.
OVER_SHARE = 0.2
# Share of the smaller height that neighbours on one level have in common.
LEVEL_SHARE = 0.5
# Neighbours of small things are closer than neighbours of large ones.
SMALLEST_NEIGHBOURHOOD_M = 0.3


def on(
    upper: Bounds,
    lower: Bounds,
    config: RelationConfig,
    surface_z: NDArray[np.float64] | None = None,
) -> Scores:
    """The upper one is carried by the lower one.

    - at least `support_overlap` of its footprint lies on the lower one's;
    - its centre is higher than the lower one's (so support has no cycles);
    - its bottom is at most `support_gap_m`, and no more than its own height (at least 3 cm),
      above what carries it (views often miss the bottom of things), or as far below as noise goes.

    What carries is the top of the lower box or, where one is known, its level surface (a seat
    below a back rest, a table top below the monitors that belong to its box). Where none is
    known, a box may carry from 40 % of its height upwards; a low one (< 0.3 m) from 60 %, so that
    a rim keeps what is in a bowl from being on it.

    Args:
        surface_z: (P,) height of the lower one's level surface (`level_surface_z`), NaN where
            unknown; None where all are.

    The score falls from 1 at contact and full overlap to 0 at the limits; it ranks supporters.
    """
    overlap = _footprint_overlap(upper, lower) / np.maximum(_footprint(upper), 1e-9)
    surface = np.full(len(upper), np.nan) if surface_z is None else surface_z
    height = lower[:, 5] - lower[:, 2]
    sink = (1.0 - np.where(height < LOW_HEIGHT_M, LOW_RIM, SEAT_FROM)) * height
    below_limit = np.where(np.isnan(surface), np.maximum(sink, HEIGHT_NOISE_M), SURFACE_NOISE_M)
    above_limit = np.minimum(
        config.support_gap_m, np.maximum(upper[:, 5] - upper[:, 2], HEIGHT_NOISE_M)
    )
    closeness = np.fmax(
        _closeness(upper[:, 2] - lower[:, 5], below_limit, above_limit),
        _closeness(upper[:, 2] - surface, below_limit, above_limit),
    )
    higher = upper[:, 2] + upper[:, 5] > lower[:, 2] + lower[:, 5]
    holds = (overlap >= config.support_overlap) & (closeness > 0.0) & higher
    return np.where(holds, np.minimum(overlap, 1.0) * closeness, 0.0)


def level_surface_z(points: NDArray[np.float32]) -> float | None:
    """Height of the level surface of a thing, to 1 cm, from its surface points (N, 3).

    A level surface shows as many points at one height: those within 4 cm that are most, if they
    are at least a quarter of all. None where no height stands out, and for things lower than
    0.3 m, which carry at their top (the bottom of a bowl is inside it).
    """
    if len(points) < FEWEST_POINTS:
        return None
    z = np.ascontiguousarray(points[:, 2])
    low = z.min()
    if z.max() - low < LOW_HEIGHT_M:
        return None
    layer = ((z - low) * np.float32(1.0 / LAYER_M)).astype(np.intp)
    counts = np.bincount(layer)
    best = int(counts.argmax())
    if counts[best] < LEVEL_POINTS * len(points):
        return None
    return round(float(z[layer == best].mean()), 2)


def inside(inner: Bounds, outer: Bounds) -> Scores:
    """At least 80 % of the inner box's volume lies within the larger outer box; the share."""
    shared = np.prod(_shared_sides(inner, outer), axis=1)
    volume, outer_volume = _volume(inner), _volume(outer)
    share = shared / np.maximum(volume, 1e-12)
    return np.where((share >= INSIDE_SHARE) & (volume < outer_volume), np.minimum(share, 1.0), 0.0)


def above(upper: Bounds, lower: Bounds) -> Scores:
    """Wholly higher (3 cm of noise allowed), over at least 20 % of the smaller footprint.

    The score is that share of the footprint.
    """
    share = _overlap_share(upper, lower)
    clear = upper[:, 2] >= lower[:, 5] - HEIGHT_NOISE_M
    higher = upper[:, 2] + upper[:, 5] > lower[:, 2] + lower[:, 5]
    return np.where(clear & higher & (share >= OVER_SHARE), share, 0.0)


def within_frame(lower: Bounds, frame: Bounds, frame_is_open: NDArray[np.bool_]) -> Scores:
    """Below the top of an open frame (`OPEN_FRAMES`), such as a bin under a desk; the share.

    Holds where the box would be inside the frame if that were not mostly air.
    """
    return np.where(frame_is_open, inside(lower, frame), 0.0)


def next_to(a: Bounds, b: Bounds, config: RelationConfig) -> Scores:
    """Beside each other on one level: 1 where they touch, 0.5 at the largest distance.

    The gap seen from above is at most the longer side of the two, within 0.3 m and `next_to_m`,
    and they share at least half of the smaller height.
    """
    gap = gaps_m(a[:, :2], a[:, 3:5], b[:, :2], b[:, 3:5])
    longest = np.maximum((a[:, 3:] - a[:, :3]).max(axis=1), (b[:, 3:] - b[:, :3]).max(axis=1))
    limit = np.clip(longest, min(SMALLEST_NEIGHBOURHOOD_M, config.next_to_m), config.next_to_m)
    height = np.minimum(a[:, 5] - a[:, 2], b[:, 5] - b[:, 2])
    shared = np.minimum(a[:, 5], b[:, 5]) - np.maximum(a[:, 2], b[:, 2])
    holds = (gap <= limit) & (shared >= LEVEL_SHARE * height)
    return np.where(holds, 1.0 - 0.5 * gap / limit, 0.0)


def near(a: Bounds, b: Bounds, config: RelationConfig) -> Scores:
    """The boxes' gap is at most `near_m`: 1 where they touch, 0.5 at the limit."""
    gap = gaps_m(a[:, :3], a[:, 3:], b[:, :3], b[:, 3:])
    return np.where(gap <= config.near_m, 1.0 - 0.5 * gap / config.near_m, 0.0)


def _closeness(
    gap: NDArray[np.float64], below: NDArray[np.float64], above: NDArray[np.float64]
) -> NDArray[np.float64]:
    """1 at no gap, 0 at the limits; NaN stays."""
    return np.asarray(1.0 - np.abs(gap) / (np.where(gap > 0.0, above, below) + 1e-3))


def _shared_sides(a: Bounds, b: Bounds) -> NDArray[np.float64]:
    shared = np.minimum(a[:, 3:], b[:, 3:]) - np.maximum(a[:, :3], b[:, :3])
    return np.clip(shared, 0.0, None)


def _footprint_overlap(a: Bounds, b: Bounds) -> NDArray[np.float64]:
    sides = _shared_sides(a, b)
    return np.asarray(sides[:, 0] * sides[:, 1])


def _footprint(a: Bounds) -> NDArray[np.float64]:
    return np.asarray((a[:, 3] - a[:, 0]) * (a[:, 4] - a[:, 1]))


def _overlap_share(a: Bounds, b: Bounds) -> NDArray[np.float64]:
    smaller = np.maximum(np.minimum(_footprint(a), _footprint(b)), 1e-9)
    return np.minimum(_footprint_overlap(a, b) / smaller, 1.0)


def _volume(a: Bounds) -> NDArray[np.float64]:
    return np.asarray(np.prod(a[:, 3:] - a[:, :3], axis=1))
