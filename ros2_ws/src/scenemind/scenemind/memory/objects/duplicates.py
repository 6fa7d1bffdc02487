"""Objects of the map that are one thing, and one object that is two things.

When two objects were merged by mistake, their tracklets go on feeding one object: the better
observation of a frame is fused, the other one doubles it. Doubles that lie apart from what was
fused are collected as a rival. A view that shows both as one speaks against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D
from scenemind.memory.attributes.sizes import find_stance
from scenemind.memory.objects.box_table import BoxTable, compare_boxes
from scenemind.memory.objects.map_entry import MapEntry, View
from scenemind.memory.objects.matching import (
    LABEL_SHARE,
    OTHER_LABEL_SIZE,
    SAME_OFFSET,
    Match,
    is_one_of_several,
)
from scenemind.memory.objects.stretches import never_seen_apart
from scenemind.memory.objects.surface_evidence import shared_surface
from scenemind.perception.standing import TOLERANCE
from scenemind.perception.types import Observation

# Same label: two things of a kind may touch, but do not share this much of their surfaces. It joins
# two views of a refrigerator, its door and its side.
SAME_LABEL_SURFACE = 0.3
# Same label: a thing this small beside a much larger one (ratio of diagonals) is a part of it, such
# as the leg of a chair at the image border. Only if confirmed: before that it may still grow.
PART_SIZE = 0.3
PART_GAP_M = 0.05
# Any labels: boxes of about the same size, mostly one inside the other, whose surfaces coincide. A
# keyboard within a desk's box is far smaller; the surface of a chair under a table is elsewhere.
CROSS_LABEL_SHARE = 0.7
CROSS_LABEL_SIZE = 0.6
CROSS_LABEL_SURFACE = 0.6
# After poses were corrected, what is left of drift: centres this close (relative to the size) of
# things about as large are one thing, if no frames showed two.
DRIFTED_OFFSET, DRIFTED_SIZE = 0.33, 0.6
# Surfaces are compared only every so many observations, because it costs a millisecond.
SURFACE_EVERY = 8


def find_duplicates(
    changed: Iterable[int],
    entries: Mapping[int, MapEntry],
    boxes: BoxTable,
    config: ObjectMapConfig,
    *,
    at_once: bool = False,
) -> Iterator[tuple[int, int]]:
    """Pairs (kept, gone) among the changed objects and their neighbours, oldest kept.

    Merge each pair before taking the next one: an object is merged away only once.

    Args:
        at_once: compare all surfaces now; else those of an object every so many observations.
    """
    asked = sorted(changed)
    bounds = boxes.bounds_of(asked)
    rows, ids, others = boxes.pairs(bounds, PART_GAP_M)
    comparison = compare_boxes(bounds[rows], others)
    least = min(config.match_overlap, config.merge_overlap, CROSS_LABEL_SHARE)
    may_be = (comparison.share >= least) | (comparison.offset <= SAME_OFFSET)
    may_be |= comparison.size_ratio <= PART_SIZE
    if at_once:
        may_be |= comparison.offset <= DRIFTED_OFFSET
    space = np.array([_space_of_one(entries[i].label) for i in asked]).reshape(-1, 3)
    both = np.maximum(bounds[rows, 3:], others[:, 3:]) - np.minimum(bounds[rows, :3], others[:, :3])
    fills_one = np.all(both <= space[rows], axis=1)
    may_be |= fills_one
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
        if comparison.size_ratio[pair] < OTHER_LABEL_SIZE and is_named_alike:
            small, large = sorted((a.box, b.box), key=lambda box: max(box.size))
            is_named_alike = not is_one_of_several(a.label, small, large)
        if is_named_alike:
            is_part = comparison.size_ratio[pair] <= PART_SIZE or fills_one[pair]
            is_part &= a.confirmed and b.confirmed
            same = share >= config.merge_overlap or offset <= SAME_OFFSET or is_part
            same = same or (
                share >= config.match_overlap and _shares_surface(a, b, SAME_LABEL_SURFACE, at_once)
            )
            same = same or (
                at_once
                and offset <= DRIFTED_OFFSET
                and comparison.size_ratio[pair] >= DRIFTED_SIZE
                and never_seen_apart(a.stretches, b.stretches)
            )
        else:
            same = (
                share >= CROSS_LABEL_SHARE
                and comparison.size_ratio[pair] >= CROSS_LABEL_SIZE
                and _shares_surface(a, b, CROSS_LABEL_SURFACE, at_once)
            )
        if same:
            yield min(first, second), max(first, second)


def _space_of_one(label: str) -> tuple[float, float, float]:
    """Longest sides, metres, of a space that two things of a kind cannot share; 0 if unknown.

    The back of a chair over the table, and its legs below, are one chair.
    """
    stance = find_stance(label)
    if stance is None or stance.depth_m is None:
        return 0.0, 0.0, 0.0
    least_m, most_m = stance.depth_m
    side_m = min(2.0 * least_m, most_m)
    return side_m, side_m, stance.height_m[1] * TOLERANCE


def _shares_surface(a: MapEntry, b: MapEntry, least: float, at_once: bool) -> bool:
    if not at_once and a.observation_count % SURFACE_EVERY and b.observation_count % SURFACE_EVERY:
        return False
    within_m = max(a.surface.cell_m, b.surface.cell_m)
    return shared_surface(a.surface.surface(), b.surface.surface(), within_m) >= least


# An object is split when frames that show both parts exceed those that show one by this number.
SPLIT_AFTER = 12
# An observation that covers this share of the rival shows both parts as one.
COVERS = 0.5


class Rivals:
    """Candidates for splitting, by object: what doubles of its observations show apart from it."""

    def __init__(self, config: ObjectMapConfig) -> None:
        self._config = config
        self._of: dict[int, tuple[MapEntry, int]] = {}

    def watch(
        self, observations: Sequence[Observation], matches: Sequence[Match], view: View
    ) -> dict[int, MapEntry]:
        """Collect from one frame, whose matches are noted as `apart`; returns parts to split off
        now, by the id of their object.

        The entries of the parts have no id and no tracklets yet.
        """
        fused: dict[int, Observation] = {}
        doubles: list[tuple[Match, int, Observation]] = []
        for observation, match in zip(observations, matches, strict=True):
            if match.object_id is not None and match.doubles:
                doubles.append((match, match.object_id, observation))
            elif match.object_id is not None:
                fused[match.object_id] = observation
        for match, object_id, observation in doubles:
            if object_id in fused and _share(observation.box, fused[object_id].box) == 0.0:
                match.apart = True
                self._add(object_id, observation, view)
        ready = {}
        for object_id in sorted(self._of.keys() & fused.keys()):
            rival, votes = self._of[object_id]
            if _share(fused[object_id].box, rival.box) >= COVERS:
                self._of[object_id] = rival, votes - 2
            if votes <= 0:
                del self._of[object_id]
            elif votes >= SPLIT_AFTER:
                ready[object_id] = self._of.pop(object_id)[0]
        return ready

    def forget(self, object_ids: Iterable[int]) -> None:
        """Drop the rivals of removed objects."""
        for object_id in object_ids:
            self._of.pop(object_id, None)

    def _add(self, object_id: int, observation: Observation, view: View) -> None:
        rival, votes = self._of.get(object_id, (None, 0))
        if rival is None:
            rival = MapEntry(0, self._config, view.stamp_ns)
        rival.add(observation, view)
        self._of[object_id] = rival, votes + 1


def split(entry: MapEntry, rival: MapEntry) -> bool:
    """Split a rival's part off an object, which keeps the larger part; False if nothing would be
    left of it. Afterwards the rival is the other part.
    """
    if not entry.surface.leave_out(rival.box):
        return False
    if rival.box.volume > entry.box.volume:
        entry.exchange_surface(rival)
    rival.confirmed = True
    return True


def _share(a: Box3D, b: Box3D) -> float:
    """Share of the smaller box that lies in the other one."""
    compared = compare_boxes(np.array([a.extent()]), np.array([b.extent()]))
    return float(compared.share[0])
