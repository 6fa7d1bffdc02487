"""Relations between axis-aligned boxes: one function each, on columns of pairs.

Boxes come as (P, 6) arrays, lowest then highest corner, world, metres, compared line by line. Only
differences of heights are measured, never the height above the map's origin: a map may have its
floor anywhere. The papers name the relations (SynergAI, Table A.1; LLM-TPC, supplement 1.1.4; the
ternary one is ReferIt3D's).

Functions about a wall or a ceiling (hanging on, mounted on, affixed on) take a wall's pairs in its
own frame: x along it, y across it, z up, which lets walls run any way. A ceiling's come in the
world's frame. `across` is the axis across the surface: `WALL` or `CEILING`. The three differ by
the shape of the thing; for things whose usual attachment is known (a TV is mounted on a wall),
`common_sense` decides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.geometry import gaps_m

# (P, 6): x0, y0, z0, x1, y1, z1.
Bounds = NDArray[np.float64]
# (P,) in [0, 1]; 0 where a relation does not hold.
Scores = NDArray[np.float64]
# Depth and boxes are not sure to better than this.
HEIGHT_NOISE_M = 0.03
# Thickest of what hangs on a wall, and what stands so far before the wall is below it.
FLAT_M, HUNG_BEHIND_M = 0.12, 0.3


def sizes(a: Bounds) -> NDArray[np.float64]:
    """Lengths (P, 3) along x, y and z."""
    return np.asarray(a[:, 3:] - a[:, :3])


def heights(a: Bounds) -> NDArray[np.float64]:
    """Heights (P,) of the boxes themselves."""
    return np.asarray(a[:, 5] - a[:, 2])


def is_higher(a: Bounds, b: Bounds) -> NDArray[np.bool_]:
    """(P,): the centre of a is higher than that of b."""
    return np.asarray(a[:, 2] + a[:, 5] > b[:, 2] + b[:, 5])


def shared_sides(a: Bounds, b: Bounds) -> NDArray[np.float64]:
    """Lengths (P, 3) that two boxes have in common along each axis; 0 where none."""
    return np.clip(np.minimum(a[:, 3:], b[:, 3:]) - np.maximum(a[:, :3], b[:, :3]), 0.0, None)


def volumes(a: Bounds) -> NDArray[np.float64]:
    """(P,) in m3."""
    return np.asarray(np.prod(sizes(a), axis=1))


def footprints(a: Bounds) -> NDArray[np.float64]:
    """Areas (P,) seen from above, in m2."""
    return np.asarray((a[:, 3] - a[:, 0]) * (a[:, 4] - a[:, 1]))


def footprint_overlaps(a: Bounds, b: Bounds) -> NDArray[np.float64]:
    """Areas (P,) that two boxes share seen from above, in m2."""
    sides = shared_sides(a, b)
    return np.asarray(sides[:, 0] * sides[:, 1])


def overlap_shares(a: Bounds, b: Bounds) -> NDArray[np.float64]:
    """Area that two boxes share seen from above over the smaller footprint: (P,) in [0, 1]."""
    smaller = np.maximum(np.minimum(footprints(a), footprints(b)), 1e-9)
    return np.minimum(footprint_overlaps(a, b) / smaller, 1.0)


# How a level surface stands out of an object's points.
LAYER_M = 0.04
LEVEL_POINTS = 0.25
FEWEST_POINTS = 30
# Lower things carry at their top.
LOW_HEIGHT_M = 0.3
# Nothing is taller indoors; points that are further apart are wrong.
TALLEST_M = 20.0


def level_surface_z(points: NDArray[np.float32]) -> float | None:
    """Height of the level surface of a thing, to 1 cm, from its surface points (N, 3).

    A level surface has many points at one height: the layer of 4 cm with most points, if these are
    at least a quarter of all. None if there is no such layer, if points are not finite, and for
    things lower than 0.3 m, which carry at their top (the bottom of a bowl is inside it).
    """
    if len(points) < FEWEST_POINTS:
        return None
    z = np.ascontiguousarray(points[:, 2])
    low = z.min()
    if not LOW_HEIGHT_M <= z.max() - low <= TALLEST_M:  # NaN is neither
        return None
    layer = ((z - low) * np.float32(1.0 / LAYER_M)).astype(np.intp)
    counts = np.bincount(layer)
    best = int(counts.argmax())
    if counts[best] < LEVEL_POINTS * len(points):
        return None
    return round(float(z[layer == best].mean()), 2)


# The box of a supporter reaches above its carrying surface: back rests, uneven tops, things on it.
# Things may stand on it from this share of its height on; low things carry at their top.
SEAT_FROM = 0.4
LOW_RIM = 0.6
SURFACE_NOISE_M = 0.08


def on(
    upper: Bounds,
    lower: Bounds,
    config: RelationConfig,
    surface_z: NDArray[np.float64] | None = None,
) -> Scores:
    """The upper one is carried by the lower one (SynergAI: support; LLM-TPC, equations 1 and 2).

    Overlap is a share of the upper footprint: as a share of the lower one (LLM-TPC, equation 1), a
    cup would cover too little of any table. Tolerances do not grow with heights.

    - at least `support_overlap` of its footprint lies on the lower one's;
    - its centre is higher than the lower one's, which excludes cycles of support;
    - its bottom is at most `support_gap_m`, and no more than its own height (at least 3 cm),
      above the carrying surface (views often miss the bottom of things), or below it within noise.

    The carrying surface is the top of the lower box or, if known, its level surface (a seat below a
    back rest, a table top below monitors within its box). If unknown, a box may carry from 40 % of
    its height upwards; a low one (< 0.3 m) from 60 %: the content of a bowl is not on it.

    Args:
        surface_z: (P,) height of the lower one's level surface (`level_surface_z`), NaN where
            unknown; None where all are.

    The score falls from 1 at contact and full overlap to 0 at the limits; it ranks supporters.
    """
    overlap = footprint_overlaps(upper, lower) / np.maximum(footprints(upper), 1e-9)
    surface = np.full(len(upper), np.nan) if surface_z is None else surface_z
    height = heights(lower)
    sink = (1.0 - np.where(height < LOW_HEIGHT_M, LOW_RIM, SEAT_FROM)) * height
    below_limit = np.where(np.isnan(surface), np.maximum(sink, HEIGHT_NOISE_M), SURFACE_NOISE_M)
    above_limit = np.minimum(config.support_gap_m, np.maximum(heights(upper), HEIGHT_NOISE_M))
    closeness = np.fmax(
        _closeness(upper[:, 2] - lower[:, 5], below_limit, above_limit),
        _closeness(upper[:, 2] - surface, below_limit, above_limit),
    )
    holds = (overlap >= config.support_overlap) & (closeness > 0.0) & is_higher(upper, lower)
    return np.where(holds, np.minimum(overlap, 1.0) * closeness, 0.0)


def inside(inner: Bounds, outer: Bounds, config: RelationConfig) -> Scores:
    """At least `inside_share` of the inner box's volume lies within the larger outer box.

    The score is that share (SynergAI). Unlike SceneVerse's rule, which uses heights only, a thing
    that sticks out at the side is not inside.
    """
    shared = np.prod(shared_sides(inner, outer), axis=1)
    volume, outer_volume = volumes(inner), volumes(outer)
    share = shared / np.maximum(volume, 1e-12)
    holds = (share >= config.inside_share) & (volume < outer_volume)
    return np.where(holds, np.minimum(share, 1.0), 0.0)


def embedded_in(inner: Bounds, outer: Bounds, config: RelationConfig) -> Scores:
    """Sunk into the other one from above and sticking out of it, such as a sink in a counter.

    At least `embed_share` of its height, and less than all of it, lies below the other's top, and
    `inside_share` of its footprint within the other's. The score is the share of the height.
    (SynergAI names the relation; after SceneVerse's rules something is embedded where it is sunk by
    80 to 95 %, and inside beyond.)
    """
    height = np.maximum(heights(inner), 1e-9)
    sunk = (outer[:, 5] - inner[:, 2]) / height
    within = footprint_overlaps(inner, outer) >= config.inside_share * footprints(inner)
    deep = (sunk >= config.embed_share) & (sunk < 1.0)
    bottomed = inner[:, 2] >= outer[:, 2] - HEIGHT_NOISE_M
    return np.where(deep & within & bottomed, sunk, 0.0)


def above(upper: Bounds, lower: Bounds, config: RelationConfig) -> Scores:
    """Wholly higher (3 cm of noise allowed), over `above_overlap` of the smaller footprint; what
    is flat and upright over that of a thing within 0.3 m: a picture hangs behind the sofa.

    The score is that share of the footprint (SynergAI, LLM-TPC). Heights are those of the boxes'
    sides: by centres, as LLM-TPC's code falls back to, a wardrobe would be above the chair in it.
    """
    depth = sizes(upper)[:, :2].min(axis=1)
    hangs = (depth <= FLAT_M) & (heights(upper) >= depth)
    reach = np.array((-1.0, -1.0, 0.0, 1.0, 1.0, 0.0)) * HUNG_BEHIND_M
    share = overlap_shares(upper, lower + hangs[:, None] * reach)
    clear = upper[:, 2] >= lower[:, 5] - HEIGHT_NOISE_M
    holds = clear & is_higher(upper, lower) & (share >= config.above_overlap)
    return np.where(holds, share, 0.0)


def below(lower: Bounds, upper: Bounds, config: RelationConfig) -> Scores:
    """The other one is `above` this one."""
    return above(upper, lower, config)


def within_frame(
    lower: Bounds, frame: Bounds, frame_is_open: NDArray[np.bool_], config: RelationConfig
) -> Scores:
    """Score of `inside` for a thing that is mostly air, such as of a bin under a desk; else 0.

    It means below, not inside: the thing is open.
    """
    return np.where(frame_is_open, inside(lower, frame, config), 0.0)


def _closeness(
    gap: NDArray[np.float64], below_m: NDArray[np.float64], above_m: NDArray[np.float64]
) -> NDArray[np.float64]:
    """1 at no gap, 0 at the limits; NaN stays."""
    return np.asarray(1.0 - np.abs(gap) / (np.where(gap > 0.0, above_m, below_m) + 1e-3))


def higher_than(upper: Bounds, lower: Bounds, config: RelationConfig) -> Scores:
    """Neither its bottom nor its top is lower, and its middle is at least `higher_m` higher.

    A wardrobe is thus not lower than the switch beside it. 3 cm of noise are allowed at bottom and
    top. The score is 0.5 at the limit and 1 from twice the limit on.
    """
    middle = (upper[:, 2] + upper[:, 5] - lower[:, 2] - lower[:, 5]) / 2.0
    bottom, top = upper[:, 2] - lower[:, 2], upper[:, 5] - lower[:, 5]
    holds = (np.minimum(bottom, top) >= -HEIGHT_NOISE_M) & (middle >= config.higher_m)
    return np.where(holds, np.minimum(0.5 * middle / config.higher_m, 1.0), 0.0)


def lower_than(lower: Bounds, upper: Bounds, config: RelationConfig) -> Scores:
    """The other one is `higher_than` this one."""
    return higher_than(upper, lower, config)


# Share of the smaller height that neighbours on one level have in common.
LEVEL_SHARE = 0.5
# Neighbours of small things are closer than neighbours of large ones.
SMALLEST_NEIGHBOURHOOD_M = 0.3


def next_to(a: Bounds, b: Bounds, config: RelationConfig) -> Scores:
    """Beside each other on one level: 1 at contact, 0.5 at the largest distance.

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

    Seen from above they share at least `beside_share` of the shorter side along x or y: a thing off
    the corner of another is next to it but not besides it. The score is that of `next_to`.
    """
    shorter = np.minimum(sizes(a), sizes(b))[:, :2]
    faces = (shared_sides(a, b)[:, :2] >= config.beside_share * np.maximum(shorter, 1e-6)).any(1)
    return np.where(faces, next_to(a, b, config), 0.0)


def near(a: Bounds, b: Bounds, config: RelationConfig) -> Scores:
    """The boxes' gap is at most `near_m`: 1 where they touch, 0.5 at the limit."""
    gap = gaps_m(a[:, :3], a[:, 3:], b[:, :3], b[:, 3:])
    return np.where(gap <= config.near_m, 1.0 - 0.5 * gap / config.near_m, 0.0)


def between(targets: Bounds, a: Bounds, b: Bounds) -> Scores:
    """The target's centre lies between those of the anchors a and b; (P,).

    The score is 1 on the line between the anchors' centres and falls to 0.5 where the target lies
    off the line by half the larger anchor's width plus half its own; beyond that, and beside either
    end, it does not hold. Anchors whose centres coincide have nothing between them.
    """
    start, end = _footprint_centers(a), _footprint_centers(b)
    span = np.linalg.norm(end - start, axis=1)
    along = (end - start) / np.maximum(span, 1e-9)[:, None]
    offset = _footprint_centers(targets) - start
    progress = (offset * along).sum(axis=1)
    aside = np.abs(offset[:, 1] * along[:, 0] - offset[:, 0] * along[:, 1])
    reach = (np.maximum(_longer_sides(a), _longer_sides(b)) + _longer_sides(targets)) / 2.0
    score = 1.0 - 0.5 * aside / np.maximum(reach, 1e-9)
    holds = (progress > 0.0) & (progress < span) & (score >= 0.5)
    return np.where(holds, score, 0.0)


def _footprint_centers(a: Bounds) -> Bounds:
    return np.asarray((a[:, :2] + a[:, 3:5]) / 2.0)


def _longer_sides(a: Bounds) -> Scores:
    return np.asarray(np.maximum(a[:, 3] - a[:, 0], a[:, 4] - a[:, 1]))


WALL, CEILING = 1, 2
# Share of each side of a thing that lies before the surface.
BEFORE_SHARE = 0.5
# Largest depth of a thing that a wall carries.
DEEPEST_M = 1.0
# A switch, a socket, a sign: no side of a small thing is longer.
SMALL_M = 0.35


def attached(thing: Bounds, surface: Bounds, config: RelationConfig, across: int) -> Scores:
    """Touches the surface: 1 at no gap, 0.5 at `wall_gap_m`.

    At least half of its width and of its height lie before the surface, and it does not stand out
    by more than 1 m.
    """
    gap = np.maximum(
        np.maximum(surface[:, across] - thing[:, 3 + across], 0.0),
        np.maximum(thing[:, across] - surface[:, 3 + across], 0.0),
    )
    size = np.maximum(thing[:, 3:] - thing[:, :3], 1e-6)
    share = shared_sides(thing, surface) / size
    share[:, across] = 1.0
    holds = (
        (gap <= config.wall_gap_m)
        & (share >= BEFORE_SHARE).all(axis=1)
        & (size[:, across] <= DEEPEST_M)
    )
    return np.where(holds, 1.0 - 0.5 * gap / config.wall_gap_m, 0.0)


def hanging_on(thing: Bounds, surface: Bounds, config: RelationConfig, across: int) -> Scores:
    """Attached: large and flat to a wall, such as a picture, or not flat to a ceiling (a lamp)."""
    flat = _is_flat(thing, config, across)
    hangs = ~flat if across == CEILING else flat & ~_is_small(thing)
    return np.where(hangs, attached(thing, surface, config, across), 0.0)


def mounted_on(thing: Bounds, surface: Bounds, config: RelationConfig, across: int) -> Scores:
    """Attached to a wall, and not flat: a shelf, a cabinet."""
    mounted = ~_is_flat(thing, config, across) & (across == WALL)
    return np.where(mounted, attached(thing, surface, config, across), 0.0)


def affixed_on(thing: Bounds, surface: Bounds, config: RelationConfig, across: int) -> Scores:
    """Attached: small and flat to a wall (a switch), or flat to a ceiling (a smoke detector)."""
    flat = _is_flat(thing, config, across)
    affixed = flat if across == CEILING else flat & _is_small(thing)
    return np.where(affixed, attached(thing, surface, config, across), 0.0)


def set_into(thing: Bounds, surface: Bounds, config: RelationConfig, across: int) -> Scores:
    """Embedded in a wall or ceiling: attached, and going through both of its sides."""
    through = (thing[:, across] < surface[:, across] - HEIGHT_NOISE_M) & (
        thing[:, 3 + across] > surface[:, 3 + across] + HEIGHT_NOISE_M
    )
    return np.where(through, attached(thing, surface, config, across), 0.0)


def _is_flat(thing: Bounds, config: RelationConfig, across: int) -> NDArray[np.bool_]:
    return np.asarray(thing[:, 3 + across] - thing[:, across] <= config.flat_m)


def _is_small(thing: Bounds) -> NDArray[np.bool_]:
    return np.asarray((thing[:, 3:] - thing[:, :3]).max(axis=1) <= SMALL_M)
