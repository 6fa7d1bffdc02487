"""What was: where something was at a moment, when it was seen, what changed since."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, SceneMemoryError
from scenemind.memory.history import (
    ChangeKind,
    PlaceAt,
    SceneChange,
    SceneChanges,
    find_place,
)
from scenemind.memory.history.scene_change import KINDS
from scenemind.memory.history.stamps import is_date, show_stamp
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic.locating import landmark
from scenemind.reasoning.symbolic.phrasing import (
    bounded,
    counted,
    metres,
    place_words,
    sentence,
    span_words,
    the,
)
from scenemind.reasoning.symbolic.reply import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.syntax import Changed, Reference, WhenSeen, WhereAt
from scenemind.words.english import joined, shown

ChangesSince = Callable[[int | None], SceneChanges]

# What is said of one thing, and of several.
_SAID: dict[ChangeKind, tuple[str, str]] = {
    "added": ("was added", "were added"),
    "removed": ("was removed", "were removed"),
    "moved": ("was moved", "were moved"),
    "renamed": ("has another name", "have other names"),
    "missing": ("was not found at its place", "were not found at their places"),
    "new": (
        "is new to me and may always have been there",
        "are new to me and may always have been there",
    ),
}


def where_at(question: WhereAt, at: Resolver) -> Reply:
    """Where the objects were, those that are gone by now included."""
    newest_ns = at.scene.snapshot.stamp_ns
    stamp_ns = question.moment.stamp_ns(newest_ns)
    when = _when(stamp_ns, newest_ns)
    at.note(f"the moment is {when}")
    things = _meant(question.subject, at)
    told = [
        f"{the(thing)} {_was(thing, find_place(thing, stamp_ns, is_gone=is_gone), stamp_ns, at)}"
        for thing, is_gone in things
    ]
    there = tuple(thing for thing, is_gone in things if not is_gone)
    sure = min(thing.confidence for thing, _ in things)
    return Reply(sentence(f"{when} {bounded(told)}"), sure, there)


def when_seen(question: WhenSeen, at: Resolver) -> Reply:
    """When the camera saw the objects for the last (or first) time, and where."""
    newest_ns, floor_z = at.scene.snapshot.stamp_ns, at.scene.floor_z
    told = []
    things = _meant(question.subject, at)
    for thing, is_gone in things:
        stamp_ns = thing.first_seen_ns if question.first else thing.last_seen_ns
        place = find_place(thing, stamp_ns, is_gone=is_gone)
        box = place.box if place is not None else thing.box
        order = "first" if question.first else "last"
        gone = ", and has gone from there since" if is_gone and not question.first else ""
        told.append(
            f"{the(thing)} was {order} seen {_when(stamp_ns, newest_ns)},"
            f" {place_words(box, floor_z)}{gone}"
        )
    there = tuple(thing for thing, is_gone in things if not is_gone)
    return Reply(sentence(bounded(told)), min(t.confidence for t, _ in things), there)


def changed(question: Changed, at: Resolver, changes_since: ChangesSince) -> Reply:
    """What is different, of the kinds and of the thing that are asked for.

    Raises:
        ReasoningError: `not_found`: there is nothing to compare with.
    """
    newest_ns = at.scene.snapshot.stamp_ns
    stamp_ns = None if question.since is None else question.since.stamp_ns(newest_ns)
    then = "the last visit" if stamp_ns is None else _when(stamp_ns, newest_ns)
    at.note(f"compared with {then}")
    since = f"since {then.removeprefix('at ')}"
    try:
        found = changes_since(stamp_ns)
    except SceneMemoryError as error:
        raise ReasoningError("not_found", sentence(str(error))) from error
    if question.subject is not None:
        return _of_thing(question.subject, found, since, at)
    kinds = question.kinds or KINDS
    told = list(_told(found, kinds))
    objects = at.scene.snapshot.objects
    ids = dict.fromkeys(c.object_id for kind in kinds for c in found.of_kind(kind))
    there = tuple(objects[i] for i in ids if i in objects)
    if not told:
        what = _SAID[question.kinds[0]][0] if question.kinds else "changed"
        return Reply(sentence(f"{since} nothing {what}{_seen(found)}"), ABSENCE_CONFIDENCE)
    sure = min((thing.confidence for thing in there), default=ABSENCE_CONFIDENCE)
    return Reply(sentence(f"{since} {'; '.join(told)}{_seen(found)}"), sure, there)


def _of_thing(subject: Reference, found: SceneChanges, since: str, at: Resolver) -> Reply:
    things = _meant(subject, at)
    ids = {thing.object_id for thing, _ in things}
    own = [change for change in found.changes if change.object_id in ids]
    there = tuple(thing for thing, is_gone in things if not is_gone)
    names = joined([the(thing) for thing, _ in things])
    if own:
        is_moved = any(change.kind == "moved" for change in own)
        told = joined([f"{_name(change)} {_one(change)}" for change in own])
        return Reply(sentence(f"{'Yes' if is_moved else 'No'}, {since} {told}"), 0.9, there)
    if ids & set(found.unseen):
        text = f"I cannot tell: {since} nobody looked where {names} was"
        return Reply(sentence(text), ABSENCE_CONFIDENCE, there)
    return Reply(sentence(f"No, {since} {names} has not moved"), 0.9, there)


def _told(found: SceneChanges, kinds: tuple[ChangeKind, ...]) -> Iterator[str]:
    """ "2 things were moved: the cup (object 2) by 1.20 m, ...", kind by kind."""
    for kind in kinds:
        changes = found.of_kind(kind)
        if changes:
            said = _SAID[kind][len(changes) > 1]
            things = bounded([_listed(change) for change in changes])
            yield f"{counted(len(changes), 'thing')} {said}: {things}"


def _listed(change: SceneChange) -> str:
    moved = change.distance_m
    if change.kind == "moved" and moved is not None:
        return f"{_name(change)} by {metres(moved)}"
    if change.kind == "renamed":
        return f"{_name(change)}, before {shown(change.old_label)}"
    return _name(change)


def _one(change: SceneChange) -> str:
    moved = change.distance_m
    if change.kind == "moved" and moved is not None:
        return f"was moved by {metres(moved)}"
    return _SAID[change.kind][0]


def _name(change: SceneChange) -> str:
    return f"the {shown(change.label)} (object {change.object_id})"


def _seen(found: SceneChanges) -> str:
    """What the camera had to go by."""
    parts = [f"{found.unchanged} stayed where they were"] if found.unchanged else []
    if found.unseen:
        parts.append(f"{counted(len(found.unseen), 'thing')} nobody has looked at since")
    return f"; {joined(parts)}" if parts else ""


def _meant(subject: Reference, at: Resolver) -> list[tuple[MapObject, bool]]:
    """The objects, and whether they are gone; what is there comes before what is gone.

    Raises:
        ReasoningError: `not_found`.
    """
    try:
        rows, _ = at.existing(subject)
        return [(thing, False) for thing in at.objects(rows)]
    except ReasoningError as missing:
        try:
            before = at.among_gone()
            rows, _ = before.existing(subject)
        except ReasoningError:
            raise missing from None
        return [(thing, True) for thing in before.objects(rows)]


def _was(thing: MapObject, place: PlaceAt | None, stamp_ns: int, at: Resolver) -> str:
    newest_ns = at.scene.snapshot.stamp_ns
    if place is None:
        return f"was not known yet; it was first seen {_when(thing.first_seen_ns, newest_ns)}"
    where = place_words(place.box, at.scene.floor_z)
    if place.knowledge == "gone":
        return f"had been found gone from where it was last seen, {where}"
    row = at.scene.row_of_id.get(thing.object_id)
    if row is not None and place.box == thing.box:
        where = ", ".join(filter(None, (landmark(at.scene, row), where, "where it is now")))
    elif row is not None:
        where = f"{where}, {metres(_apart_m(place.box, thing.box))} from where it is now"
    if place.knowledge == "assumed":
        ago = span_words(stamp_ns - place.last_seen_ns)
        return f"was probably {where}: it had been seen there {ago} before"
    return f"was {where}"


def _when(stamp_ns: int, newest_ns: int) -> str:
    """ "at 2026-05-04 10:05:00", "40 s before the newest frame"."""
    before = f"{span_words(newest_ns - stamp_ns)} before the newest frame"
    return f"at {show_stamp(stamp_ns)} ({before})" if is_date(stamp_ns) else before


def _apart_m(a: Box3D, b: Box3D) -> float:
    return float(sum((p - q) ** 2 for p, q in zip(a.center, b.center, strict=True)) ** 0.5)
