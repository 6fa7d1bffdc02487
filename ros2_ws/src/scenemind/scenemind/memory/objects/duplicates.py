"""Objects of the map that are one thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from scenemind.config import ObjectMapConfig
from scenemind.memory.objects.association import BoxTable, compare_boxes
from scenemind.memory.objects.map_entry import MapEntry
from scenemind.memory.objects.matching import LABEL_SHARE, OTHER_LABEL_SIZE, SAME_OFFSET
from scenemind.memory.objects.voxels import shared_surface

# One label: two things of a kind touch, but they do not share this much of their surfaces. So two
# views of a refrigerator, its door and its side, are found to be one.
SAME_LABEL_SURFACE = 0.3
# One label: a thing this small beside a much larger one (diagonals) is a part of it, such as the
# leg of a chair that alone reaches into the image. Only once confirmed: it may still grow.
PART_SIZE = 0.3
PART_GAP_M = 0.05
# Whatever the labels: boxes of about one size, mostly one inside the other, whose surfaces
# coincide. A keyboard within a desk's box is far smaller; a chair under a table is elsewhere.
CROSS_LABEL_SHARE = 0.7
CROSS_LABEL_SIZE = 0.6
CROSS_LABEL_SURFACE = 0.6
# Comparing surfaces costs a millisecond, so a changed object pays it every so many observations.
SURFACE_EVERY = 8


def find_duplicates(
    changed: Iterable[int],
    entries: Mapping[int, MapEntry],
    boxes: BoxTable,
    config: ObjectMapConfig,
) -> Iterator[tuple[int, int]]:
    """Pairs (kept, gone) among the changed objects and their neighbours, oldest kept.

    Each pair must be merged before the next is asked for: an object goes only once.
    """
    asked = sorted(changed)
    bounds = boxes.bounds_of(asked)
    rows, ids, others = boxes.pairs(bounds, PART_GAP_M)
    comparison = compare_boxes(bounds[rows], others)
    least = min(config.match_overlap, config.merge_overlap, CROSS_LABEL_SHARE)
    may_be = (comparison.share >= least) | (comparison.offset <= SAME_OFFSET)
    may_be |= comparison.size_ratio <= PART_SIZE
    for pair in np.flatnonzero(may_be).tolist():
        first, second = asked[rows[pair]], int(ids[pair])
        if first == second or first not in entries or second not in entries:
            continue
        a, b = entries[first], entries[second]
        share, offset = comparison.share[pair], comparison.offset[pair]
        is_named_alike = a.label == b.label or (
            comparison.size_ratio[pair] >= OTHER_LABEL_SIZE
            and (a.speaks_for(b.label, LABEL_SHARE) or b.speaks_for(a.label, LABEL_SHARE))
        )
        if is_named_alike:
            is_part = comparison.size_ratio[pair] <= PART_SIZE and a.confirmed and b.confirmed
            same = share >= config.merge_overlap or offset <= SAME_OFFSET or is_part
            same = same or (
                share >= config.match_overlap and _shares_surface(a, b, SAME_LABEL_SURFACE)
            )
        else:
            same = (
                share >= CROSS_LABEL_SHARE
                and comparison.size_ratio[pair] >= CROSS_LABEL_SIZE
                and _shares_surface(a, b, CROSS_LABEL_SURFACE)
            )
        if same:
            yield min(first, second), max(first, second)


def _shares_surface(a: MapEntry, b: MapEntry, least: float) -> bool:
    if a.observation_count % SURFACE_EVERY and b.observation_count % SURFACE_EVERY:
        return False
    within_m = max(a.surface.cell_m, b.surface.cell_m)
    return shared_surface(a.surface.surface(), b.surface.surface(), within_m) >= least
