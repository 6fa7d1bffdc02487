"""Changes between two moments of one memory, or between two maps of one place.

Within one memory an object is compared with itself by its id: perception gives a thing that was
moved its old id, if it looks the same and was seen to have left. An object that was not seen to
have left, and yet was not seen again where the camera looked, is missing; if a lookalike appeared
elsewhere, it was moved there. An object that is known only since the second moment was added if
the camera had looked through its place before, by the depth of key frames; otherwise it was merely
seen first then, and may have been there before: detectors miss things.

Two maps share a world frame but no ids; their objects are matched by geometry. First those at one
place: boxes that overlap, as they are or down to one bottom, with labels that mean the same, or,
where boxes are nearly equal, with other labels (renamed). Of the rest, a thing of the earlier map
that has a lookalike in the later one was moved there. The remaining ones are missing, if the other
map's camera had their place in the picture, or were added, if it had looked through it. Nothing was
moved to a place that was in view before and not seen to be empty.

People and animals come and go, and are no part of the place: that one is elsewhere is no change.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.language.english import normal
from scenemind.language.vocabulary import Thesaurus
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.history.camera_views import CameraViews
from scenemind.memory.history.timeline import PlaceAt, TimeSpan, find_place
from scenemind.memory.objects.box_table import BoxTable, compare_boxes
from scenemind.memory.types import MapObject, MemorySnapshot

ChangeKind = Literal["added", "removed", "moved", "renamed", "missing", "new", "ghost"]
KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
NEVER_THERE = "probably never there"  # what is taken for a ghost, to people
HARDLY_SEEN = "a detector named it, and hardly ever saw it again where the camera looked"
_SHOWN: dict[ChangeKind, str] = {"new": "seen first now", "ghost": NEVER_THERE}
_MEANS: dict[ChangeKind, str] = {
    "added": "the camera had seen its place empty before",
    "removed": "the camera saw its place empty",
    "missing": "its place was in view, and it was not seen there",
    "new": "it may have been there before",
    "ghost": f"{HARDLY_SEEN}; the map no longer shows it",
}
# Number of views of a place that show an object there, from at least one side.
_ENOUGH_VIEWS = 3
# Number of key frames whose depth lies behind a place, which show that nothing was there.
_ENOUGH_LOOKS = 2


@dataclass(frozen=True, slots=True)
class SceneChange:
    """One change.

    Attributes:
        kind: "removed": the camera looked through its place; "missing": its place was in view and
            it was not observed there; "added": the camera had looked through its place before;
            "new": it was seen first now, and may have been there before; "ghost": it was hardly
            ever detected in plain view, and is now taken for a ghost.
        object_id: in the later map; of removed and missing objects, in the earlier map. Within one
            memory both are the same.
        label: its present label.
        before, after: its places, axis-aligned, world; None: unknown or absent.
        between_ns: the change happened after the first stamp (last seen in the old state) and
            before the second one (first seen in the new state); None: unknown.
        earlier_id: its id at its earlier place or in the earlier map; None: it was not there.
        old_label: its earlier label, for kind "renamed".
    """

    kind: ChangeKind
    object_id: int
    label: str
    before: Box3D | None
    after: Box3D | None
    between_ns: tuple[int, int] | None = None
    earlier_id: int | None = None
    old_label: str = ""

    @property
    def shown(self) -> str:
        """Its kind in words, such as "seen first now"; see `SceneChanges.legend`."""
        return _SHOWN.get(self.kind, self.kind)

    @property
    def distance_m(self) -> float | None:
        """Distance between its centres before and after; None if one is unknown."""
        if self.before is None or self.after is None:
            return None
        return float(np.linalg.norm(np.subtract(self.after.center, self.before.center)))


@dataclass(frozen=True, slots=True)
class SceneChanges:
    """All changes between two moments or maps.

    Attributes:
        changes: ordered by kind, as in `KINDS`, then by id.
        unchanged: number of objects that were observed at their old places.
        unseen: ids, in the earlier map, of objects whose places were not in view later.
        note: why nothing was compared, as on a first visit; empty: it was.
    """

    changes: tuple[SceneChange, ...]
    unchanged: int
    unseen: tuple[int, ...]
    note: str = ""

    @classmethod
    def of(
        cls, changes: Iterable[SceneChange], unchanged: int, unseen: Iterable[int]
    ) -> SceneChanges:
        """The changes, ordered."""
        ordered = sorted(changes, key=lambda c: (KINDS.index(c.kind), c.object_id))
        return cls(tuple(ordered), unchanged, tuple(sorted(unseen)))

    def of_kind(self, kind: ChangeKind) -> tuple[SceneChange, ...]:
        """The changes of one kind, by id."""
        return tuple(change for change in self.changes if change.kind == kind)

    def counts(self) -> dict[ChangeKind, int]:
        """Kind -> how many, all kinds."""
        found = Counter(change.kind for change in self.changes)
        return {kind: found[kind] for kind in KINDS}

    def counted(self) -> str:
        """ "1 moved, 2 seen first now"; "no changes"."""
        counts = (f"{n} {_SHOWN.get(kind, kind)}" for kind, n in self.counts().items() if n)
        return ", ".join(counts) or "no changes"

    def legend(self) -> list[str]:
        """What the words for these kinds of change mean, a line each: "missing: its place ..."."""
        kinds = dict.fromkeys(change.kind for change in self.changes)
        return [f"{_SHOWN.get(kind, kind)}: {_MEANS[kind]}" for kind in kinds if kind in _MEANS]


NO_EARLIER_VISIT = SceneChanges(
    (),
    0,
    (),
    "the camera was here only once (a new visit begins after some minutes without frames): name a"
    " moment to compare with",
)


def _places_in_view(things: Sequence[MapObject], views: CameraViews) -> list[bool]:
    """For each object, True if its place was in view often enough."""
    centers = np.array([thing.box.center for thing in things], np.float64).reshape(-1, 3)
    return (views.count(centers) >= _ENOUGH_VIEWS).tolist()


def _was_empty(things: Sequence[MapObject], views: CameraViews) -> list[bool | None]:
    """For each object whether its place was empty, by stored depth; None: depth cannot tell."""
    looks = views.looks([thing.points for thing in things])
    return [
        True if through >= max(_ENOUGH_LOOKS, 2 * there) else False if there else None
        for through, there in looks.tolist()
    ]


def _may_have_come(
    things: Sequence[MapObject], was_empty: Sequence[bool | None], views: CameraViews
) -> list[MapObject]:
    """Those whose places were empty before, or not in view: others may only be detected late."""
    in_view = _places_in_view(things, views)
    checked = zip(things, was_empty, in_view, strict=True)
    return [thing for thing, empty, seen in checked if empty or (empty is None and not seen)]


# Of two boxes of one thing the shorter diagonal has at least this share of the longer one.
_SAME_SIZE = 0.6
# Penalty on the size ratio for each metre between lookalikes: the nearer one is preferred.
_LIKELIER_BY_M = 0.01
_NO_COLORS = {"and", "dark", "light"}


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two values that may be one thing; the higher the score, the likelier."""

    before: MapObject
    after: MapObject
    score: float


def _lookalikes(before: Iterable[MapObject], after: Iterable[MapObject]) -> list[_Pair]:
    """Things that may be one in two places: names for one kind of thing, about the same size, and
    a colour in common where both are known."""
    of_name: dict[str, list[MapObject]] = defaultdict(list)
    for new in after:
        of_name[normal(new.label)].append(new)
    return [
        _Pair(old, new, score)
        for old in before
        for name in _names(old)
        for new in of_name.get(name, ())
        if (score := _likeness(old, new)) is not None
    ]


def _one_to_one(pairs: Iterable[_Pair]) -> list[_Pair]:
    """Greedy one-to-one matching: the best of all pairs, then the best of the remaining ones."""
    taken_before: set[int] = set()
    taken_after: set[int] = set()
    chosen = []
    for pair in sorted(pairs, key=lambda p: (-p.score, p.before.object_id, p.after.object_id)):
        if pair.before.object_id in taken_before or pair.after.object_id in taken_after:
            continue
        taken_before.add(pair.before.object_id)
        taken_after.add(pair.after.object_id)
        chosen.append(pair)
    return chosen


def _same_kind(a: MapObject, b: MapObject) -> bool:
    """Their labels are names for one kind of thing."""
    return normal(b.label) in _names(a)


def _likeness(old: MapObject, new: MapObject) -> float | None:
    """Similarity of two objects; None if they cannot be one thing at two places."""
    diagonals = sorted(float(np.linalg.norm(thing.box.size)) for thing in (old, new))
    size = diagonals[0] / max(diagonals[1], 1e-9)
    if size < _SAME_SIZE or not _same_color(old, new):
        return None
    away_m = float(np.linalg.norm(np.subtract(old.box.center, new.box.center)))
    return size - _LIKELIER_BY_M * away_m


def _same_color(a: MapObject, b: MapObject) -> bool:
    """Whether two objects share a colour word, or one has no known colour."""
    colors = [set(thing.attributes.get("color", "").split()) - _NO_COLORS for thing in (a, b)]
    return not all(colors) or bool(colors[0] & colors[1])


def _names(thing: MapObject) -> frozenset[str]:
    """The label of an object and its synonyms."""
    name = normal(thing.label)
    return Thesaurus.load().synonyms(name) | {name}


_NOT_THERE = ("gone", "ghost")
# Shorter distances are inaccuracies of the map.
LEAST_MOVE_M = 0.15


def find_changes(
    scene: MemorySnapshot,
    before: TimeSpan,
    after: TimeSpan,
    views_before: CameraViews,
    views_after: CameraViews,
) -> SceneChanges:
    """Changes between the ends of two time spans of one memory.

    Args:
        scene: the present one; observations after the second moment are ignored.
        views_before: of the camera up to the end of the first span.
        views_after: of the camera in the second span.
    """
    changes: list[SceneChange] = []
    not_seen: list[MapObject] = []
    appeared: list[MapObject] = []
    unchanged = 0
    for thing, was, now in _compared(scene, before.last_ns, after.last_ns):
        if was is None or was.knowledge in _NOT_THERE:
            if now.knowledge not in _NOT_THERE:
                appeared.append(replace(thing, box=now.box, here_since_ns=now.first_seen_ns))
        elif now.knowledge in _NOT_THERE:
            changes.append(_removed(thing, now))
        elif was.first_seen_ns != now.first_seen_ns:
            change = _moved(thing, was, now)
            changes += [change] if _is_far(change) else []
            unchanged += not _is_far(change)
        elif now.last_seen_ns < after.first_ns:
            not_seen.append(replace(thing, box=now.box, last_seen_ns=now.last_seen_ns))
        else:
            unchanged += 1
    missing, unseen = _looked_for(not_seen, views_after)
    was_empty = _was_empty(appeared, views_before)
    arrived = _may_have_come(appeared, was_empty, views_before)
    found = {p.after.object_id: p.before for p in _one_to_one(_lookalikes(missing, arrived))}
    changes += _arrivals(zip(appeared, was_empty, strict=True), found, before)
    found_ids = {thing.object_id for thing in found.values()}
    changes += (_missing(thing, after) for thing in missing if thing.object_id not in found_ids)
    return SceneChanges.of(changes, unchanged, unseen)


def _compared(
    scene: MemorySnapshot, first_ns: int, second_ns: int
) -> Iterator[tuple[MapObject, PlaceAt | None, PlaceAt]]:
    """All objects known at the second moment that belong to the place, with their places at
    both."""
    for things, is_gone in ((scene.objects, False), (scene.gone, True)):
        for thing in staying(things).values():
            now = find_place(thing, second_ns, is_gone=is_gone)
            if now is not None:
                yield thing, find_place(thing, first_ns, is_gone=is_gone), now


def staying(things: Mapping[int, MapObject]) -> dict[int, MapObject]:
    """Those that do not move by themselves: that somebody left changes nothing about a place."""
    return {number: thing for number, thing in things.items() if not sense_of(thing.label).moves}


def _looked_for(
    not_seen: Sequence[MapObject], views: CameraViews
) -> tuple[list[MapObject], list[int]]:
    """The objects whose places were in view, and the ids of the others."""
    was_looked_at = list(zip(not_seen, _places_in_view(not_seen, views), strict=True))
    missing = [thing for thing, looked in was_looked_at if looked]
    return missing, [thing.object_id for thing, looked in was_looked_at if not looked]


def _arrivals(
    appeared: Iterable[tuple[MapObject, bool | None]],
    found: dict[int, MapObject],
    before: TimeSpan,
) -> Iterator[SceneChange]:
    """Args:
    appeared: each with whether its place was empty before.
    found: id of what appeared -> the missing thing that it is.
    """
    for thing, was_empty in appeared:
        since_ns = thing.here_since_ns or thing.first_seen_ns
        names = thing.object_id, thing.label
        old = found.get(thing.object_id)
        if old is not None:
            between_ns = (old.last_seen_ns, since_ns)
            yield SceneChange("moved", *names, old.box, thing.box, between_ns, old.object_id)
        else:
            kind: ChangeKind = "added" if was_empty else "new"
            yield SceneChange(kind, *names, None, thing.box, (before.last_ns, since_ns))


def _removed(thing: MapObject, now: PlaceAt) -> SceneChange:
    between_ns = (now.last_seen_ns, now.last_seen_ns if now.gone_ns is None else now.gone_ns)
    names = thing.object_id, thing.label
    kind: ChangeKind = "ghost" if now.knowledge == "ghost" else "removed"
    return SceneChange(kind, *names, now.box, None, between_ns, thing.object_id)


def _missing(thing: MapObject, after: TimeSpan) -> SceneChange:
    between_ns = (thing.last_seen_ns, after.last_ns)
    names = thing.object_id, thing.label
    return SceneChange("missing", *names, thing.box, None, between_ns, thing.object_id)


def _moved(thing: MapObject, was: PlaceAt, now: PlaceAt) -> SceneChange:
    found_ns = now.first_seen_ns if was.gone_ns is None else min(now.first_seen_ns, was.gone_ns)
    between_ns = (was.last_seen_ns, found_ns)
    names = thing.object_id, thing.label
    return SceneChange("moved", *names, was.box, now.box, between_ns, thing.object_id)


def _is_far(change: SceneChange) -> bool:
    return (change.distance_m or 0.0) >= LEAST_MOVE_M


# 3D IoU from which boxes are at one place; other labels need more.
_SAME_PLACE, _SAME_BOX = 0.25, 0.5
# Of the smaller one of two boxes, down to one bottom: a backrest is within its chair.
_SAME_PART = 0.5
# An overlapping object that is farther away was pushed; shorter distances are differences of maps.
_PUSHED_M = 2.0 * LEAST_MOVE_M


def compare_maps(
    before: MemorySnapshot,
    after: MemorySnapshot,
    views_before: CameraViews,
    views_after: CameraViews,
) -> SceneChanges:
    """Changes between two maps of one place.

    Args:
        views_before, views_after: all views of each map's camera.
    """
    before = replace(before, objects=staying(before.objects))
    after = replace(after, objects=staying(after.objects))
    in_place = _one_to_one(_pairs_in_place(before.objects, after.objects))
    old, new = _left_over(before, after, in_place)
    empty = {
        thing.object_id: e for thing, e in zip(new, _was_empty(new, views_before), strict=True)
    }
    arrived = _may_have_come(new, [empty[thing.object_id] for thing in new], views_before)
    moved = _one_to_one(_lookalikes(old, arrived))
    changes = [change for pair in in_place for change in _changes_in_place(pair)]
    unchanged = len(in_place) - len(changes)
    changes += (_change_of_pair("moved", pair) for pair in moved)
    old, new = _left_over(before, after, [*in_place, *moved])
    for thing in new:
        kind: ChangeKind = "added" if empty[thing.object_id] else "new"
        changes.append(SceneChange(kind, thing.object_id, thing.label, None, thing.box))
    unseen = []
    for thing, looked in zip(old, _places_in_view(old, views_after), strict=True):
        names = thing.object_id, thing.label
        if looked:
            missing = SceneChange("missing", *names, thing.box, None, earlier_id=thing.object_id)
            changes.append(missing)
        else:
            unseen.append(thing.object_id)
    return SceneChanges.of(changes, unchanged, unseen)


def _pairs_in_place(
    before: Mapping[int, MapObject], after: Mapping[int, MapObject]
) -> Iterator[_Pair]:
    table = BoxTable()
    for object_id, thing in before.items():
        table.set(object_id, np.array(thing.box.extent()))
    things = list(after.values())
    extents = _extents(things)
    rows, ids, boxes = table.pairs(extents, LEAST_MOVE_M)
    iou = compare_boxes(extents[rows], boxes).iou
    down = compare_boxes(*_with_one_bottom(extents[rows], boxes))
    best = np.maximum(iou, down.iou)
    is_in_place = (best >= _SAME_PLACE) | (down.share >= _SAME_PART)
    columns = (column.tolist() for column in (rows, ids, iou, best, is_in_place))
    for row, object_id, overlap, overlap_of_kind, is_there in zip(*columns, strict=True):
        old, new = before[object_id], things[row]
        if is_there and _same_kind(old, new):
            yield _Pair(old, new, 1.0 + overlap_of_kind)
        elif overlap >= _SAME_BOX:
            yield _Pair(old, new, overlap)


def _with_one_bottom(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Boxes (P, 6) whose tops are at one height, down to the lower bottom of the two: of what
    stands behind other things, or with the floor out of view, one map may show the top alone."""
    a, b = a.copy(), b.copy()
    level = np.abs(a[:, 5] - b[:, 5]) <= LEAST_MOVE_M
    a[level, 2] = b[level, 2] = np.minimum(a[level, 2], b[level, 2])
    return a, b


def _changes_in_place(pair: _Pair) -> list[SceneChange]:
    """The change of an object that is about where it was, if any."""
    if not _same_kind(pair.before, pair.after):
        return [_change_of_pair("renamed", pair, pair.before.label)]
    is_pushed = _pushed_m(pair.before.box, pair.after.box) >= _PUSHED_M
    return [_change_of_pair("moved", pair)] if is_pushed else []


def _pushed_m(before: Box3D, after: Box3D) -> float:
    """How far a thing went, in metres, of which one map may show a part only: along each axis as
    far as the side that went less, and nowhere where one box is within the other."""
    sides = np.reshape(after.extent(), (2, 3)) - np.reshape(before.extent(), (2, 3))
    went = np.where(np.sign(sides[0]) == np.sign(sides[1]), np.abs(sides).min(axis=0), 0.0)
    return float(np.linalg.norm(went))


def _change_of_pair(kind: ChangeKind, pair: _Pair, old_label: str = "") -> SceneChange:
    return SceneChange(
        kind,
        pair.after.object_id,
        pair.after.label,
        pair.before.box,
        pair.after.box,
        earlier_id=pair.before.object_id,
        old_label=old_label,
    )


def _left_over(
    before: MemorySnapshot, after: MemorySnapshot, pairs: Iterable[_Pair]
) -> tuple[list[MapObject], list[MapObject]]:
    """The objects of both maps that are in no pair."""
    taken = [(pair.before.object_id, pair.after.object_id) for pair in pairs]
    old_ids, new_ids = {old for old, _ in taken}, {new for _, new in taken}
    return (
        [thing for i, thing in before.objects.items() if i not in old_ids],
        [thing for i, thing in after.objects.items() if i not in new_ids],
    )


def _extents(things: Iterable[MapObject]) -> NDArray[np.float64]:
    """(N, 6)."""
    return np.array([thing.box.extent() for thing in things], np.float64).reshape(-1, 6)
