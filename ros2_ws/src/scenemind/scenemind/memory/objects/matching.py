"""Data association: the object of the map that each observation of a frame belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D
from scenemind.memory.objects.box_table import BoxTable, compare_boxes
from scenemind.memory.objects.map_entry import MapEntry
from scenemind.memory.objects.plausible_labels import LEAST_EVIDENCE, size_evidence
from scenemind.perception.text.labels import LabelSimilarity
from scenemind.perception.types import Observation

# Labels at least this similar are one: sofa and couch are, cat and dog are not.
ALIKE = 0.9
# A label with this share of an object's votes is one that the object may have.
LABEL_SHARE = 0.2
# Boxes with at least this IoU are one thing, whatever their labels.
CROSS_LABEL_IOU = 0.45
# Centres this close, relative to the size, are one thing where the label fits.
SAME_OFFSET = 0.2
# Agreement that a tracklet needs to go on feeding its object.
TRACK_SHARE = 0.1
TRACK_OFFSET = 0.5
# Under another label only what is about as large (diagonals) is the same thing: a chair whose
# tracklet goes on as the table beside it is not that table.
OTHER_LABEL_SIZE = 0.5
# Evidence of size of a thing that is about as long as its kind usually is.
USUAL_SIZE = 0.5
# Boxes from pictures are whole, and overlap so much at least where they are one thing.
WHOLE_IOU = 0.2
# Standard deviations of the shake of poses within which an observation is of an object.
SHAKE_SIGMAS = 2.0
# A known box may cover only the part seen up to now, such as the back of a chair.
UNSEEN_M = 0.15


@dataclass(slots=True)
class Match:
    """The object that an observation belongs to.

    Attributes:
        object_id: the object; None: a new one must be made.
        doubles: another observation of the frame shows the same thing better.
        apart: it doubles, and yet shows a place apart from that one: see `Rivals`.
        followers: doubles of this match that wait for the id of its new object.
    """

    object_id: int | None = None
    doubles: bool = False
    apart: bool = False
    followers: tuple[Match, ...] = ()

    def resolve(self, object_id: int) -> None:
        """Set the id of the new object, here and in the followers."""
        self.object_id = object_id
        for follower in self.followers:
            follower.object_id = object_id


@dataclass(frozen=True, slots=True, eq=False)
class KnownObjects:
    """The objects of the map that observations are matched with.

    Attributes:
        entries: by id. boxes: of all entries.
        object_of_track: track id -> id of the object that the track fed last.
    """

    entries: Mapping[int, MapEntry]
    boxes: BoxTable
    object_of_track: Mapping[int, int]


def match_observations(
    observations: Sequence[Observation],
    known: KnownObjects,
    viewer: NDArray[np.float64],
    config: ObjectMapConfig,
    similarity: LabelSimilarity,
    shake_rad: float = 0.0,
) -> list[Match]:
    """One match for each observation, in their order; an object gets at most one that is no double.

    Args:
        viewer: (3,) world, metres: position of the camera.
        similarity: of two labels.
        shake_rad: how much poses of single frames shake: what is left is looked for within it.
    """
    if not observations:
        return []
    bounds = np.array([o.box.extent() for o in observations])
    rows = range(len(observations))
    candidates = _candidates(observations, bounds, rows, known, config.match_overlap, similarity)
    matches = [Match() for _ in observations]
    taken: set[int] = set()
    for _, row, object_id, by_track in candidates:
        if matches[row].object_id is not None:
            continue
        if object_id not in taken:
            taken.add(object_id)
            matches[row].object_id = object_id
        elif by_track:
            # The tracklet names the same object, but another observation shows it better.
            matches[row] = Match(object_id, doubles=True)
    left = [row for row in rows if matches[row].object_id is None]
    if shake_rad > 0.0 and left:
        away_m = np.linalg.norm((bounds[:, :3] + bounds[:, 3:]) / 2.0 - viewer, axis=1)
        reach = SHAKE_SIGMAS * shake_rad * away_m[:, None]
        within = np.hstack((bounds[:, :3] - reach, bounds[:, 3:] + reach))
        shaken = _candidates(observations, within, left, known, config.match_overlap, similarity)
        for _, row, object_id, _ in shaken:
            if matches[row].object_id is None and object_id not in taken:
                taken.add(object_id)
                matches[row].object_id = object_id
    for observation, match in zip(observations, matches, strict=True):
        if match.object_id is None and not observation.from_picture:
            before = known.boxes.on_the_way(viewer, np.asarray(observation.box.center), UNSEEN_M)
            own = [i for i in before if i not in taken and _may_be(known.entries[i], observation)]
            if own:
                match.object_id, match.doubles = own[0], True
    _join_doubles(observations, bounds, matches, config.merge_overlap)
    return matches


def _may_be(entry: MapEntry, observation: Observation) -> bool:
    """True if an object in front of the lifted points is the one that was detected.

    A known object of that label on the line of sight, which no other observation of the frame
    shows, must be the detected one: depth was measured through it, such as between the slats of a
    chair, and the points are not its own.
    """
    return entry.confirmed and entry.speaks_for(observation.label, LABEL_SHARE)


def _candidates(
    observations: Sequence[Observation],
    bounds: NDArray[np.float64],
    asked: Sequence[int],
    known: KnownObjects,
    match_overlap: float,
    similarity: LabelSimilarity,
) -> list[tuple[float, int, int, bool]]:
    """(score, row, object id, by track) of every pair that may be one thing, best first; of the
    rows asked for."""
    bounds = bounds[asked]
    rows, ids, table_bounds = known.boxes.pairs(bounds)
    comparison = compare_boxes(bounds[rows], table_bounds)
    object_of_track, found = known.object_of_track, []
    for row, object_id, share, iou, offset, size_ratio in zip(
        np.array(asked)[rows].tolist(),
        ids.tolist(),
        comparison.share.tolist(),
        comparison.iou.tolist(),
        comparison.offset.tolist(),
        comparison.size_ratio.tolist(),
        strict=True,
    ):
        observation, entry = observations[row], known.entries[object_id]
        is_tracked = object_of_track.get(observation.track_id) == object_id
        is_near = share >= match_overlap or offset <= SAME_OFFSET
        if not (is_tracked or is_near or iou >= CROSS_LABEL_IOU):
            continue
        label_fit = _label_fit(entry, observation.label, similarity)
        labels_fit = label_fit >= ALIKE
        if labels_fit and size_ratio < OTHER_LABEL_SIZE and not observation.truncated:
            labels_fit = not is_one_of_several(observation.label, observation.box, entry.box)
        by_track = (
            is_tracked
            and (share >= TRACK_SHARE or offset <= TRACK_OFFSET)
            and (labels_fit or size_ratio >= OTHER_LABEL_SIZE)
        )
        by_shape = iou >= CROSS_LABEL_IOU or (labels_fit and is_near)
        if (by_track or by_shape) and not _are_apart(observation, entry, labels_fit, iou):
            score = share / 2.0 + iou + max(0.0, 1.0 - offset) / 2.0 + label_fit + 3.0 * by_track
            score += entry.looks.likeness(observation.appearance) / 2.0
            found.append((score, row, object_id, by_track))
    found.sort(key=lambda c: (-c[0], c[1], c[2]))
    return found


def is_one_of_several(label: str, one: Box3D, whole: Box3D) -> bool:
    """True if one thing is as long as its kind usually is, and the whole far too long for it.

    A desk that was taken for a book once is not the book that lies on it, and chairs that became
    one slab are not each of these chairs.
    """
    if size_evidence(label, max(whole.size)) > LEAST_EVIDENCE:
        return False
    return max(one.size) < max(whole.size) and size_evidence(label, max(one.size)) >= USUAL_SIZE


def _are_apart(observation: Observation, entry: MapEntry, labels_fit: bool, iou: float) -> bool:
    """True if boxes from pictures, which are whole, tell two things apart.

    Trackers go from one chair of a row to the next. One box that is whole says so of other labels,
    as a table is no chair beside it; of a label that fits the other one may be a part of it.
    """
    if iou >= WHOLE_IOU:
        return False
    return observation.from_picture + entry.is_placed >= (2 if labels_fit else 1)


def _label_fit(entry: MapEntry, label: str, similarity: LabelSimilarity) -> float:
    if entry.speaks_for(label, LABEL_SHARE):
        return 1.0
    return similarity(entry.label, label)


def _join_doubles(
    observations: Sequence[Observation],
    bounds: NDArray[np.float64],
    matches: list[Match],
    merge_overlap: float,
) -> None:
    """Match each unmatched observation that shows the same thing as another one as its double."""
    count = len(observations)
    left = [row for row in range(count) if matches[row].object_id is None]
    if not left:
        return
    a, b = np.repeat(left, count), np.tile(np.arange(count), len(left))
    comparison = compare_boxes(bounds[a], bounds[b])
    share, iou = comparison.share.reshape(-1, count), comparison.iou.reshape(-1, count)
    for index, row in enumerate(left):
        for other in range(count):
            # Of two that are left, the first (the surer one) makes the object.
            if other == row or matches[other].doubles or (other in left and other > row):
                continue
            same_label = observations[row].label == observations[other].label
            limit, value = (merge_overlap, share) if same_label else (CROSS_LABEL_IOU, iou)
            if value[index, other] >= limit:
                matches[row] = Match(matches[other].object_id, doubles=True)
                matches[other].followers += (matches[row],)
                break
