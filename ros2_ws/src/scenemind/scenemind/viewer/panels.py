"""What the panels of the browser view say, as values of JSON: objects, classes, the tree of the
scene graph, the marked object, visits and corrections.

The page shows words as text. `plain` takes control and direction characters out of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from scenemind.geometry import Box3D, gap_m
from scenemind.language.english import with_article
from scenemind.memory import Correction, KeyFrame, MapObject, MemorySnapshot, Relation
from scenemind.memory.graph.relations import RELATION_NAMES
from scenemind.memory.history import HARDLY_SEEN, NEVER_THERE, SceneChange, Visit, staying
from scenemind.memory.history.timeline import show_stamp
from scenemind.memory.types import StructureKind
from scenemind.report.journal import told_corrections
from scenemind.viewer.colors import ClassColors
from scenemind.viewer.pictures import picture_address, plain

Json: TypeAlias = "dict[str, Any]"
_MOST_ROWS, _MOST_NEIGHBORS = 8, 6
_NARROWING = ("besides", "next to", "near")  # each implies those behind it
_MOST_ENTRIES, _MOST_EVENTS, _MOST_GONE, _MOST_CHANGED = 30, 40, 12, 12
_LONGEST = 300
_TOUCHES_M, _BESIDE_M, _NEAR_M = 0.1, 0.4, 1.5  # from what a place is told by
_SURFACES: tuple[StructureKind, ...] = ("floor", "wall", "ceiling")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which objects are shown.

    Attributes:
        hidden: labels that are not.
        least_confidence: in [0, 1].
    """

    hidden: frozenset[str] = frozenset()
    least_confidence: float = 0.0

    def shows(self, thing: MapObject) -> bool:
        return thing.label not in self.hidden and thing.confidence >= self.least_confidence


def objects_json(shown: Iterable[MapObject], colors: ClassColors) -> list[Json]:
    """Names in the picture: where each stands, world, metres, and the size of its object."""
    return [
        {
            "id": thing.object_id,
            "name": _name_of(thing),
            "color": colors.css(thing.label),
            "at": [round(v, 3) for v in _top_of(thing)],
            "size": round(max(thing.box.size), 3),
        }
        for thing in shown
    ]


def _top_of(thing: MapObject) -> tuple[float, float, float]:
    x, y, z = thing.box.center
    return x, y, z + thing.box.size[2] / 2.0


def classes_json(scene: MemorySnapshot, only: Filter, colors: ClassColors) -> Json:
    """The legend: all classes with their counts, most frequent first."""
    counts = Counter(thing.label for thing in scene.objects.values())
    shown = sum(map(only.shows, scene.objects.values()))
    return {
        "total": len(scene.objects),
        "shown": shown,
        "least": only.least_confidence,
        "classes": [
            {
                "label": label,
                "name": plain(label),
                "count": count,
                "color": colors.css(label),
                "on": label not in only.hidden,
            }
            for label, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        ],
    }


def _by_label_and_id(branch: Json) -> tuple[str, int]:
    """Chair 18 before chair 101."""
    return str(branch["name"]).removesuffix(str(branch["id"])), int(branch["id"])


def tree_json(scene: MemorySnapshot, only: Filter, colors: ClassColors) -> list[Json]:
    """The scene graph as a tree: the building, its surfaces, and on each what it carries."""
    carrier = _carriers(scene)
    under: dict[int | None, list[MapObject]] = {}
    for thing in scene.objects.values():
        under.setdefault(carrier.get(thing.object_id), []).append(thing)

    def branch(thing: MapObject) -> Json:
        return {
            "id": thing.object_id,
            "name": _name_of(thing),
            "color": colors.css(thing.label),
            "dim": not only.shows(thing),
            "children": branches(under.get(thing.object_id, ())),
        }

    def branches(things: Iterable[MapObject]) -> list[Json]:
        return [branch(t) for t in sorted(things, key=lambda t: (t.label, t.object_id))]

    surfaces: dict[str, list[Json]] = {}
    for plane in scene.structure.values():
        surfaces.setdefault(plane.kind, []).extend(branches(under.get(plane.plane_id, ())))
    count = Counter(plane.kind for plane in scene.structure.values())
    room: list[Json] = [
        {
            "name": kind if count[kind] == 1 else f"{count[kind]} {kind}s",
            "children": sorted(carried, key=_by_label_and_id),
        }
        for kind in _SURFACES
        if (carried := surfaces.get(kind)) is not None
    ]
    loose = branches(under.get(None, ()))
    if loose:
        room.append({"name": "not known on what", "children": loose})
    return [{"name": "building", "children": [{"name": "room", "children": room}]}]


def _carriers(scene: MemorySnapshot) -> dict[int, int]:
    """Object -> what carries it: an object, or a surface of the building; without circles."""
    found: dict[int, int] = {}
    for relation in sorted(scene.relations, key=_rank):
        below, above = relation.object_id, relation.subject_id
        is_known = below in scene.objects or below in scene.structure
        name = RELATION_NAMES.get(relation.predicate)
        carries = name is not None and name.stored and name.one_way
        is_new = above in scene.objects and above not in found
        if carries and is_known and is_new and not _leads_to(above, below, found):
            found[above] = below
    return found


def _leads_to(wanted: int, start: int, carrier: Mapping[int, int]) -> bool:
    while start != wanted:
        if start not in carrier:
            return False
        start = carrier[start]
    return True


def marked_json(things: Sequence[MapObject], colors: ClassColors) -> list[Json]:
    """The marked objects, as buttons."""
    return [{"id": t.object_id, "name": _name_of(t), "color": colors.css(t.label)} for t in things]


def about_json(thing: MapObject, scene: MemorySnapshot, frames: Sequence[KeyFrame]) -> Json:
    """One object: attributes, relations, places where it was, and pictures of it."""
    return {
        "id": thing.object_id,
        "name": plain(thing.label, _LONGEST),
        "corrected": thing.corrected,
        "rows": [[key, plain(value, _LONGEST)] for key, value in _rows(thing, scene)],
        "relations": [
            {"name": plain(title), "things": things}
            for title, things in neighbors_of(thing.object_id, scene).items()
        ][:_MOST_ROWS],
        "stays": stays_of(thing, scene),
        "pictures": [picture_json(frame, [thing.object_id]) for frame in frames],
    }


def _rows(thing: MapObject, scene: MemorySnapshot) -> list[tuple[str, str]]:
    rows = [(plain(key.replace("_", " ")), value) for key, value in thing.attributes.items()]
    if thing.label != thing.perceived_label:
        rows.append(("perceived as", thing.perceived_label))
    rows.append(("confidence", f"{100.0 * thing.confidence:.0f} %"))
    for label, probability in thing.alternatives.items():
        rows.append(("may be", f"{with_article(label)} ({100.0 * probability:.0f} %)"))
    if thing.is_completed:
        rows.append(("measured", f"{thing.measured_share:.0%} of the box"))
    rows.append(("last seen", show_stamp(thing.last_seen_ns)))
    building = _building_of(thing.object_id, scene)
    if building:
        rows.append(("building", "; ".join(building)))
    x, y, z = thing.box.center
    rows.append(("centre", f"x {x:.2f}, y {y:.2f}, z {z:.2f} m"))
    return rows


def picture_json(frame: KeyFrame, object_ids: Sequence[int]) -> Json:
    """A picture with its caption, and the frame to fly to."""
    return {
        "frame": frame.frame_number,
        "src": picture_address(frame.frame_number, object_ids),
        "when": show_stamp(frame.stamp_ns),
    }


def stays_of(thing: MapObject, scene: MemorySnapshot) -> list[str]:
    """Earlier places of an object."""
    stays = []
    for stay in thing.stays:
        where = place_words(stay.box, scene.objects.values(), thing.object_id)
        first, last = (show_stamp(ns) for ns in (stay.first_seen_ns, stay.last_seen_ns))
        stays.append(f"{where}, from {first} until {last}")
    return stays


def neighbors_of(object_id: int, scene: MemorySnapshot) -> dict[str, list[Json]]:
    """The local scene graph, a predicate each: relations of people first, then the most confident.
    Of "besides", "next to" and "near" an object appears under the narrowest only."""
    found: dict[str, list[Json]] = {}
    beside: set[int] = set()
    for relation in _relations_of(object_id, scene):
        title, other_id = _relation_from(relation, object_id)
        other = scene.objects.get(other_id)
        if not title or other is None or (title in _NARROWING and other_id in beside):
            continue
        if title in _NARROWING:
            beside.add(other_id)
        things = found.setdefault(title, [])
        known = any(one["id"] == other_id for one in things)
        if len(things) < _MOST_NEIGHBORS and not known:
            things.append({"id": other_id, "name": _name_of(other)})
    return found


def _relations_of(object_id: int, scene: MemorySnapshot) -> list[Relation]:
    """The relations of one object, in the order in which they are shown."""
    own = [r for r in scene.relations if object_id in (r.subject_id, r.object_id)]
    return sorted(own, key=_rank)


def _rank(relation: Relation) -> tuple[bool, int, float]:
    narrowness = _NARROWING.index(relation.predicate) if relation.predicate in _NARROWING else -1
    return relation.source != "user", narrowness, -relation.confidence


def _relation_from(relation: Relation, object_id: int) -> tuple[str, int]:
    """The predicate as seen from an object, and the other object's id; ("", 0): not shown."""
    if relation.subject_id == object_id:
        return relation.predicate, relation.object_id
    if relation.object_id != object_id:
        return "", 0
    name = RELATION_NAMES.get(relation.predicate)
    # The graph stores this relation in the other direction too.
    is_twice = name is not None and name.stored and not name.one_way
    if is_twice and relation.source == "geometry":
        return "", 0
    inverse = name.inverse if name is not None else None
    return inverse or f"{relation.predicate} it", relation.subject_id


def _building_of(object_id: int, scene: MemorySnapshot) -> list[str]:
    """Relations to the building; of "next to" and "near" the wall only the first."""
    said: dict[str, None] = {}
    for relation in _relations_of(object_id, scene):
        if relation.subject_id != object_id or relation.object_id not in scene.structure:
            continue
        kind = scene.structure[relation.object_id].kind
        is_told = any(f"{word} the {kind}" in said for word in _NARROWING)
        if not (relation.predicate in _NARROWING and is_told):
            said[f"{relation.predicate} the {kind}"] = None
    return list(said)


def visits_json(visits: Sequence[Visit], scene: MemorySnapshot) -> list[Json]:
    """The time line: each visit with what it found moved, gone or new."""
    told: list[Json] = []
    things = (*staying(scene.objects).values(), *staying(scene.gone).values())
    for visit in visits:
        events = [e for thing in things for e in _events_of(thing, scene) if _is_in(e, visit)]
        new = sum(_is_between(t.first_seen_ns, visit) for t in scene.objects.values())
        told.append(
            {
                "number": visit.number,
                "from": show_stamp(visit.span.first_ns),
                "to": show_stamp(visit.span.last_ns),
                "seconds": round((visit.span.last_ns - visit.span.first_ns) / 1e9, 1),
                "first_seen": new,
                "events": sorted(events, key=lambda e: int(e["ns"]))[:_MOST_EVENTS],
            }
        )
    return told


def _events_of(thing: MapObject, scene: MemorySnapshot) -> list[Json]:
    """What became of an object: moves, and that it went."""
    is_here = thing.object_id in scene.objects
    places = [*thing.stays]
    events = []
    for number, stay in enumerate(places):
        is_last = number + 1 == len(places)
        after = (
            None if is_last and not is_here else thing.box if is_last else places[number + 1].box
        )
        if after is None and thing.is_ghost:
            continue
        where = place_words(stay.box, scene.objects.values(), thing.object_id)
        if after is None:
            what = f"gone, was {where}"
        else:
            what = f"moved {math.dist(stay.box.center, after.center):.1f} m, was {where}"
        since = thing.here_since_ns if is_last and is_here else None
        if not is_last:
            since = places[number + 1].first_seen_ns
        events.append(
            {
                "id": thing.object_id if is_here else None,
                "name": _name_of(thing),
                "what": what,
                "when": f"last seen there {show_stamp(stay.last_seen_ns)}",
                "ns": since or stay.gone_ns,
            }
        )
    return events


def _is_in(event: Json, visit: Visit) -> bool:
    return _is_between(int(event["ns"]), visit)


def _is_between(stamp_ns: int, visit: Visit) -> bool:
    return visit.span.first_ns <= stamp_ns <= visit.span.last_ns


def journal_json(entries: Sequence[Correction]) -> list[Json]:
    """What people said, newest first: each sentence with all that it changed."""
    told: dict[object, list[tuple[Correction, str]]] = {}
    for entry, what in zip(entries, told_corrections(entries), strict=True):
        told.setdefault(entry.as_one, []).append((entry, what))
    sentences = sorted(told.values(), key=lambda written: -written[-1][0].correction_id)
    return [_sentence_json(written) for written in sentences[:_MOST_ENTRIES]]


def _sentence_json(written: Sequence[tuple[Correction, str]]) -> Json:
    newest, _ = written[-1]
    what = [f"{entry.correction_id}. {words}" for entry, words in written[:_MOST_CHANGED]]
    more = len(written) - len(what)
    return {
        "id": newest.correction_id,
        "what": [plain(line, _LONGEST) for line in what] + [f"and {more} more"] * (more > 0),
        "reason": plain(newest.reason, _LONGEST),
        "by": plain(newest.by, _LONGEST),
        "when": show_stamp(newest.stamp_ns),
        "undone": newest.undone,
    }


def changes_json(changes: Sequence[SceneChange], here: Mapping[int, MapObject]) -> list[Json]:
    """Changes since a moment, told by what is here now."""
    return [
        {
            "id": change.object_id if change.object_id in here else None,
            "name": f"{plain(change.label)} {change.object_id}",
            "what": _how(change, here),
        }
        for change in changes[:_MOST_EVENTS]
    ]


def _how(change: SceneChange, here: Mapping[int, MapObject]) -> str:
    away = "" if change.distance_m is None else f" by {change.distance_m:.1f} m"
    old = f" (was {plain(change.old_label)})" if change.old_label else ""
    origin = ""
    if change.kind == "moved" and change.before is not None:
        origin = f", was {place_words(change.before, here.values(), change.object_id)}"
    return f"{change.shown}{away}{origin}{old}"


def gone_json(scene: MemorySnapshot) -> list[str]:
    """What is no longer there, the latest first."""
    gone = sorted(staying(scene.gone).values(), key=lambda thing: -thing.last_seen_ns)
    return [
        f"{_name_of(thing)}, last seen {show_stamp(thing.last_seen_ns)}"
        + (f", {NEVER_THERE}: {HARDLY_SEEN}" if thing.is_ghost else "")
        for thing in gone[:_MOST_GONE]
    ]


def related_ids(object_id: int, scene: MemorySnapshot) -> list[int]:
    """Ids of the objects that the scene graph relates to one."""
    ends = [
        (r.object_id if r.subject_id == object_id else r.subject_id)
        for r in scene.relations
        if object_id in (r.subject_id, r.object_id)
    ]
    return [i for i in dict.fromkeys(ends) if i in scene.objects and i != object_id]


def view_of_frame(frame: KeyFrame) -> Json:
    """Where a browser's camera goes to see what a frame saw; world, metres."""
    position = frame.world_T_camera.translation
    return _view(position, position + frame.world_T_camera.rotation @ np.array([0.0, 0.0, 1.0]))


def view_of_object(thing: MapObject) -> Json:
    """Where a browser's camera looks to see an object; it stays on its side, so far away."""
    return {"look_at": list(thing.box.center), "away_m": 0.9 + 2.0 * max(thing.box.size)}


def _view(position: np.ndarray, look_at: np.ndarray) -> Json:
    return {"position": position.tolist(), "look_at": look_at.tolist()}


def _name_of(thing: MapObject) -> str:
    """ "chair 12"."""
    return f"{plain(thing.label)} {thing.object_id}"


def place_words(box: Box3D, things: Iterable[MapObject], but: int) -> str:
    """Where a box is, such as "on desk 22 (x 0.4, y -2.9, z 0.8 m)".

    Args:
        things: those by which a place is told.
        but: the id of what stood there.
    """
    x, y, z = box.center
    numbers = f"x {x:.1f}, y {y:.1f}, z {z:.1f} m"
    others = [thing for thing in things if thing.object_id != but]
    below = next((thing for thing in others if _carries(thing.box, box)), None)
    if below is not None:
        return f"on {_name_of(below)} ({numbers})"
    gap, _, nearest = min(
        ((gap_m(box, thing.box), thing.object_id, thing) for thing in others),
        default=(_NEAR_M, 0, None),
    )
    if nearest is None or gap >= _NEAR_M:
        return f"at {numbers}"
    return f"{'beside' if gap < _BESIDE_M else 'near'} {_name_of(nearest)} ({numbers})"


def _carries(below: Box3D, above: Box3D) -> bool:
    x, y, _ = above.center
    middle = (x, y, below.center[2])
    is_over = bool(below.contains(np.array([middle]))[0]) and max(above.size[:2]) <= max(
        below.size[:2]
    )
    return is_over and abs(above.bottom_z - below.top_z) <= _TOUCHES_M
