"""Answers about the past: where something was, when it was seen, what changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from scenemind.language import trees
from scenemind.language.english import joined, shown
from scenemind.language.time_expressions import Moment
from scenemind.memory import MapObject, SceneMemoryError
from scenemind.memory.history import ChangeKind, PlaceAt, SceneChange, SceneChanges, find_place
from scenemind.memory.history.changes import KINDS
from scenemind.memory.history.timeline import is_date, show_stamp
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.claim_answers import verify
from scenemind.reasoning.symbolic.place_answers import find_gone, landmark
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.set_answers import count, exists, list_objects

_NS_PER_S = 1_000_000_000
ChangesSince = Callable[[int | None], SceneChanges]
# Kind of change -> verb phrase for one object.
_SAID: dict[ChangeKind, str] = {
    "added": "was added",
    "removed": "was removed",
    "moved": "was moved",
    "renamed": "was renamed",
    "missing": "was not found again",
    "new": "was seen first now and may have been there before",
    "ghost": "was hardly ever seen where I looked often, and was probably never there",
}


@dataclass(frozen=True, slots=True)
class _Known:
    """Objects of a question, all of them there, or all of them vanished."""

    things: tuple[MapObject, ...]
    are_gone: bool

    @classmethod
    def of(cls, subject: trees.Reference, at: Resolver) -> _Known:
        """Those that are there; without any, those that have vanished.

        Raises:
            ReasoningError: `not_found`.
        """
        try:
            return cls(at.existing(subject).objects, False)
        except ReasoningError as missing:
            try:
                return cls(at.among_gone().existing(subject).objects, True)
            except ReasoningError:
                raise missing from None

    @property
    def there(self) -> tuple[MapObject, ...]:
        """Objects of the map as it is."""
        return () if self.are_gone else self.things

    @property
    def confidence(self) -> float:
        return min(thing.confidence for thing in self.things)


def where_at(question: trees.WhereAt, at: Resolver) -> Reply:
    """Places of objects at a moment, vanished objects included."""
    newest_ns = at.scene.snapshot.stamp_ns
    stamp_ns = stamp_of(question.moment, newest_ns)
    when = _when(stamp_ns, newest_ns)
    at.note(f"the moment is {when}")
    known = _Known.of(question.subject, at)
    places = [find_place(thing, stamp_ns, is_gone=known.are_gone) for thing in known.things]
    were = _past_places(known.things, places, stamp_ns, at)
    return Reply(f"{when} {were}", known.confidence, known.there)


def claimed_at(question: trees.PastClaim, at: Resolver) -> Reply:
    """Whether a claim was so at a moment: as it is now, if its things had stood where they stand;
    else where they were, which does not tell.

    Raises:
        ReasoningError: `not_found`: there are no such things, or nothing tells the moment.
    """
    now_ns = at.scene.snapshot.stamp_ns
    stamp_ns = stamp_of(question.moment, now_ns)
    when = _when(stamp_ns, now_ns)
    if isinstance(question.claim, trees.ListObjects | trees.Count):
        return _listed_at(question.claim, when, at, at.at_moment(stamp_ns))
    claim, is_thing = question.claim, isinstance(question.claim, trees.Exists)
    reply = (exists if isinstance(claim, trees.Exists) else verify)(claim, at)  # type: ignore[arg-type]
    bare = claim.subject
    if isinstance(bare, trees.NounPhrase):
        bare = replace(bare, conditions=())
    things = reply.objects if is_thing and reply.objects else at.existing(bare).objects
    places = [find_place(thing, stamp_ns, is_gone=False) for thing in things]
    pairs = zip(things, places, strict=True)
    known = {p.knowledge if p and p.box == thing.box else "" for thing, p in pairs}
    if known == {"seen"}:
        return replace(reply, text=f"{reply.text}; so it was {when}")
    if known <= {"seen", "assumed"}:
        sure = min(reply.confidence, ABSENCE_CONFIDENCE)
        return replace(reply, text=f"{reply.text}; so it probably was {when}", confidence=sure)
    were = _past_places(things, places, stamp_ns, at)
    text = f"I cannot tell whether that was so {when}: {were}"
    return Reply(text, ABSENCE_CONFIDENCE, things)


def _listed_at(
    claim: trees.ListObjects | trees.Count, when: str, now: Resolver, then: Resolver
) -> Reply:
    """What there was, or how much, at a moment, by where things were known to be then.

    Raises:
        ReasoningError: `not_found`: nothing was known then.
    """
    if not then.scene.is_object.any():
        raise ReasoningError("not_found", f"I knew nothing of this place {when}.")
    reply = (
        list_objects(claim, then) if isinstance(claim, trees.ListObjects) else count(claim, then)
    )
    there = now.scene.snapshot.objects
    things = tuple(there[o.object_id] for o in reply.objects if o.object_id in there)
    sure = min(reply.confidence, ABSENCE_CONFIDENCE)
    text = f"{when}, by what I knew then: {reply.text}"
    return replace(reply, text=text, confidence=sure, objects=things)


def when_seen(question: trees.WhenSeen, at: Resolver) -> Reply:
    """Last (or first) time and place at which the camera saw the objects."""
    newest_ns, floor_z = at.scene.snapshot.stamp_ns, at.scene.floor_z
    known, order = _Known.of(question.subject, at), "first" if question.first else "last"
    parts = []
    for thing in known.things:
        stamp_ns = thing.first_seen_ns if question.first else thing.last_seen_ns
        place = find_place(thing, stamp_ns, is_gone=known.are_gone) or thing
        where = say.place_words(place.box, floor_z)
        since = f", but {say.GHOST}" if thing.is_ghost else ", and has gone from there since"
        gone = since * (known.are_gone and not question.first)
        parts.append(
            f"{say.the(thing)} was {order} seen {_when(stamp_ns, newest_ns)}, {where}{gone}"
        )
    return Reply(say.bounded(parts), known.confidence, known.there)


def times_seen(question: trees.TimesSeen, at: Resolver) -> Reply:
    """Number of frames in which objects were seen."""
    known = _Known.of(question.subject, at)
    counts = [say.counted(thing.observation_count, "frame") for thing in known.things]
    each = [f"{say.the(t)} was seen in {n}" for t, n in zip(known.things, counts, strict=True)]
    brief = str(known.things[0].observation_count)
    return Reply(say.bounded(each), known.confidence, known.there, brief)


def changed(question: trees.Changed, at: Resolver, changes_since: ChangesSince) -> Reply:
    """Changes of the kinds, or of the object, in the question.

    Raises:
        ReasoningError: `not_found`: there is nothing to compare with.
    """
    if question.asks_when and question.subject is not None:
        return _when_changed(question.subject, question.kinds[0], at)
    newest_ns = at.scene.snapshot.stamp_ns
    stamp_ns = None if question.since is None else stamp_of(question.since, newest_ns)
    then = "the last visit" if stamp_ns is None else _when(stamp_ns, newest_ns)
    at.note(f"compared with {then}")
    since = f"since {then.removeprefix('at ')}"

    def compared() -> SceneChanges:
        try:
            return changes_since(stamp_ns)
        except SceneMemoryError as error:
            raise ReasoningError("not_found", say.sentence(str(error))) from error

    found = compared()
    if found.note:
        if {"added", "new"} & set(question.kinds):
            raise ReasoningError("not_found", say.sentence(found.note))
        # The first visit has no earlier one: what has moved or gone in its course is known.
        stamp_ns = min((t.first_seen_ns for t in at.scene.objects if t.object_id >= 0), default=0)
        found = compared()
        question = replace(question, kinds=question.kinds or ("moved", "removed", "missing"))
        since = f"I was here only once; since {_when(stamp_ns, newest_ns).removeprefix('at ')}"
    if question.subject is not None and question.subject.definite:
        return _of_thing(question, found, since, at)
    if question.subject is not None:
        found = _among(question.subject, found, at)
    kinds = question.kinds or KINDS
    parts = list(_change_sentences(found, kinds))
    objects = at.scene.snapshot.objects
    ids = dict.fromkeys(c.object_id for kind in kinds for c in found.of_kind(kind))
    there = tuple(objects[i] for i in ids if i in objects)
    if not parts:
        what = _SAID[question.kinds[0]] if question.kinds else "changed"
        return Reply(f"{since} nothing {what}{_seen(found)}", ABSENCE_CONFIDENCE)
    sure = min((thing.confidence for thing in there), default=ABSENCE_CONFIDENCE)
    return Reply(f"{since} {'; '.join(parts)}{_seen(found)}", sure, there)


def _when_changed(subject: trees.Reference, kind: ChangeKind | None, at: Resolver) -> Reply:
    """Between which stamps things came, moved or went, as far as the camera saw it."""
    known, newest_ns = _Known.of(subject, at), at.scene.snapshot.stamp_ns
    parts = []
    for thing in known.things:
        first = _when(thing.first_seen_ns, newest_ns)
        if known.are_gone and kind != "added":
            last, said = thing.stays[-1], "seen there last {} and found gone {}"
            text = said.format(_when(last.last_seen_ns, newest_ns), _when(last.gone_ns, newest_ns))
        elif kind == "added":
            text = f"seen first {first}; it may have been there before"
        elif thing.stays and kind == "moved":
            since_ns = thing.here_since_ns or thing.last_seen_ns
            stamps_ns = thing.stays[-1].last_seen_ns, since_ns
            between = (_when(stamp_ns, newest_ns) for stamp_ns in stamps_ns)
            text = f"moved between {' and '.join(then.removeprefix('at ') for then in between)}"
        else:
            text = f"not seen to be {kind or 'changed'} since it was seen first {first}"
        parts.append(f"{say.the(thing)} was {text}")
    return Reply(say.bounded(parts), known.confidence, known.there)


def stamp_of(moment: Moment, newest_ns: int) -> int:
    """Stamp of a moment, in nanoseconds.

    Args:
        newest_ns: stamp of the newest frame, which is "now".

    Raises:
        ReasoningError: `not_found`: a time of day where stamps tell none, or one after "now".
    """
    if moment.ago_s is not None:
        return newest_ns - round(moment.ago_s * _NS_PER_S)
    if not is_date(newest_ns):
        raise ReasoningError(
            "not_found",
            "The frames of this memory are not stamped with the time of day (the newest one is"
            f' at {show_stamp(newest_ns)}): say "5 minutes ago" instead.',
        )
    now = datetime.fromtimestamp(newest_ns / _NS_PER_S)
    days_ago = moment.days_ago
    if moment.weekday is not None:  # who means today says so
        days_ago = (now.weekday() - moment.weekday) % 7 or 7
    then = datetime.combine(now.date() - timedelta(days=days_ago or 0), moment.clock or time(0))
    if days_ago is None and then > now:
        then -= timedelta(days=1)
    stamp_ns = round(then.timestamp() * _NS_PER_S)
    if stamp_ns > newest_ns:
        raise ReasoningError(
            "not_found",
            f"{show_stamp(stamp_ns)} is after the newest frame, which is of"
            f" {show_stamp(newest_ns)}.",
        )
    return stamp_ns


def _among(subject: trees.Reference, found: SceneChanges, at: Resolver) -> SceneChanges:
    """Changes of things of a kind or at a place, of those that have gone too."""
    ids: set[int] = set()
    for where in (at, at.among_gone()):
        with suppress(ReasoningError):  # none there, or none gone
            ids |= {thing.object_id for thing in where.rows(subject).objects}
    return replace(found, changes=tuple(c for c in found.changes if c.object_id in ids))


def _of_thing(question: trees.Changed, found: SceneChanges, since: str, at: Resolver) -> Reply:
    """Whether objects have moved, come or gone, or `stayed`: whether they have not."""
    assert question.subject is not None
    stayed, known = question.stayed, _Known.of(question.subject, at)
    gone = find_gone(question.subject, at) if known.are_gone else None
    if gone is not None:
        word = say.yes_or_no(not stayed)
        return replace(gone, text=f"{word}, {gone.text}", confidence=0.9, brief=word)
    ids = {thing.object_id for thing in known.things}
    is_of_going = "removed" in question.kinds  # what came has not gone
    passed_over = ("renamed", "added", "new") if is_of_going else ("renamed",)
    own = [c for c in found.changes if c.object_id in ids and c.kind not in passed_over]
    names = joined([say.the(thing) for thing in known.things])
    said = joined([f"{_name(change)} {_SAID[change.kind]}{_how(change)}" for change in own])
    unknown = said if {change.kind for change in own} == {"new"} else ""
    if not own and ids & set(found.unseen):
        unknown = f"nobody looked where {names} was"
    if unknown:
        return Reply(f"I cannot tell: {since} {unknown}", ABSENCE_CONFIDENCE, known.there)
    is_so = any(change.kind in (question.kinds or ("moved",)) for change in own)
    word = say.yes_or_no(is_so and not stayed if own else stayed)
    have = "has" if len(known.things) == 1 else "have"
    as_it_was = f"{names} {have} not {'gone' if is_of_going else 'moved'}"
    text = f"{word}, {since} {said or as_it_was}"
    return Reply(text, 0.9, known.there, word)


def _change_sentences(found: SceneChanges, kinds: tuple[ChangeKind, ...]) -> Iterator[str]:
    """Sentences about changes, kind by kind: "2 things were moved: the cup (object 2) by 1.20
    m"."""
    for kind in kinds:
        changes = found.of_kind(kind)
        if changes:
            said = _SAID[kind] if len(changes) == 1 else _SAID[kind].replace("was ", "were ")
            things = say.bounded([f"{_name(change)}{_how(change)}" for change in changes])
            yield f"{say.counted(len(changes), 'thing')} {said}: {things}"


def _how(change: SceneChange) -> str:
    """How far a thing was moved, or what a renamed one was called: " by 1.20 m"."""
    if change.kind == "renamed":
        return f", before {shown(change.old_label)}"
    is_known = change.kind == "moved" and change.distance_m is not None
    return f" by {say.metres(change.distance_m or 0.0)}" if is_known else ""


def _name(change: SceneChange) -> str:
    return f"the {shown(change.label)} (object {change.object_id})"


def _seen(found: SceneChanges) -> str:
    """Numbers of unchanged and of unseen objects, in words."""
    parts = [f"{found.unchanged} stayed where they were"] if found.unchanged else []
    if found.unseen:
        parts.append(f"{say.counted(len(found.unseen), 'thing')} nobody has looked at since")
    return f"; {joined(parts)}" if parts else ""


def _past_places(
    things: Sequence[MapObject], places: Sequence[PlaceAt | None], stamp_ns: int, at: Resolver
) -> str:
    """Where each of some things was at a stamp."""
    each = zip(things, places, strict=True)
    return say.bounded([f"{say.the(o)} {_past_place(o, p, stamp_ns, at)}" for o, p in each])


def _past_place(thing: MapObject, place: PlaceAt | None, stamp_ns: int, at: Resolver) -> str:
    newest_ns = at.scene.snapshot.stamp_ns
    if place is None:
        return f"was not known yet; it was first seen {_when(thing.first_seen_ns, newest_ns)}"
    where = say.place_words(place.box, at.scene.floor_z)
    if place.knowledge == "ghost":
        return f"was taken for a ghost by then: {say.GHOST}; it seemed to be {where}"
    if place.knowledge == "gone":
        return f"had been found gone from where it was last seen, {where}"
    row = at.scene.row_of_id.get(thing.object_id)
    if row is not None and place.box == thing.box:
        where = ", ".join(filter(None, (landmark(at.scene, row), where, "where it is now")))
    elif row is not None:
        apart = say.metres(math.dist(place.box.center, thing.box.center))
        where = f"{where}, {apart} from where it is now"
    if place.knowledge == "assumed":
        ago = say.span_words(stamp_ns - place.last_seen_ns)
        return f"was probably {where}: it had been seen there {ago} before"
    return f"was {where}"


def _when(stamp_ns: int, newest_ns: int) -> str:
    """A stamp in words: "at 2026-05-04 10:05:00", "40 s before the newest frame"."""
    before = f"{say.span_words(newest_ns - stamp_ns)} before the newest frame"
    return f"at {show_stamp(stamp_ns)} ({before})" if is_date(stamp_ns) else before
