"""What carries, contains or is over what (SynergAI, Table A.1; LLM-TPC, supplement 1.1.4).

The papers name the relations; where they give thresholds they are in `RelationConfig`'s profiles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations.columns import (
    HEIGHT_NOISE_M,
    Bounds,
    Scores,
    footprint_overlaps,
    footprints,
    heights,
    is_higher,
    overlap_shares,
    shared_sides,
    volumes,
)
from scenemind.memory.graph.relations.level_surface import LOW_HEIGHT_M

# A supporter's box rises above the surface that carries: back rests, uneven tops, things on it.
# From this share of its height on something may stand on it; low things carry at their top.
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

    Overlap is a share of the upper footprint: of the lower one, as LLM-TPC's equation 1 says, a cup
    would cover too little of any table. Tolerances do not grow with the height above anything.

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

    The score is that share (SynergAI; unlike SceneVerse's rule, which looks at heights only, what
    sticks out at the side is not inside).
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
    """Wholly higher (3 cm of noise allowed), over `above_overlap` of the smaller footprint.

    The score is that share of the footprint (SynergAI, LLM-TPC). Heights are those of the boxes'
    sides: by centres, as LLM-TPC's code falls back to, a wardrobe would be above the chair in it.
    """
    share = overlap_shares(upper, lower)
    clear = upper[:, 2] >= lower[:, 5] - HEIGHT_NOISE_M
    holds = clear & is_higher(upper, lower) & (share >= config.above_overlap)
    return np.where(holds, share, 0.0)


def below(lower: Bounds, upper: Bounds, config: RelationConfig) -> Scores:
    """The other one is `above` this one."""
    return above(upper, lower, config)


def within_frame(
    lower: Bounds, frame: Bounds, frame_is_open: NDArray[np.bool_], config: RelationConfig
) -> Scores:
    """Below the top of a thing that is mostly air, such as a bin under a desk; the share.

    Holds where the box would be inside the frame if that were not mostly air.
    """
    return np.where(frame_is_open, inside(lower, frame, config), 0.0)


def _closeness(
    gap: NDArray[np.float64], below_m: NDArray[np.float64], above_m: NDArray[np.float64]
) -> NDArray[np.float64]:
    """1 at no gap, 0 at the limits; NaN stays."""
    return np.asarray(1.0 - np.abs(gap) / (np.where(gap > 0.0, above_m, below_m) + 1e-3))
