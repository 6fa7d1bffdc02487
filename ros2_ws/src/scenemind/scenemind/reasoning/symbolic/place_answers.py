"""Answers about places and sizes: where, on what, how far, how big."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.language import lexicon
from scenemind.language.english import joined, shown, with_article
from scenemind.language.trees import (
    AskCarrier,
    Dimension,
    Distance,
    FitsBetween,
    HasAttribute,
    HasRoomFor,
    NounPhrase,
    Reference,
    Size,
    Viewer,
)
from scenemind.language.vocabulary import Vocabulary
from scenemind.memory import MapObject
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.relations import CARRYING
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.relation_scores import ATTACHED, Anchor, gaps_to
from scenemind.reasoning.symbolic.replies import Reply
from scenemind.reasoning.symbolic.resolver import Resolver, is_room
from scenemind.reasoning.symbolic.scene import Scene, Scores, find_kind
from scenemind.reasoning.symbolic.situated.usual import find_room, room_weights

# A landmark has at least this share of the object's length, so that it is easier to find.
_LANDMARK_LENGTH = 0.8
# Largest distance of a landmark.
_LANDMARK_M = 3.0
_TOUCHING_M = 0.005
# Width of a seat on a couch, and of a place at a table; confidence of such a rule of thumb.
# Confidence of an extent that grows with what is seen; most objects that tell a room.
_AS_FAR_AS_SEEN, _NAMED_OF_ROOM = 0.6, 3
_SEAT_M, _TABLE_PLACE_M, _ROOM_FOR = 0.6, 0.75, 0.8
_NO_NEWS = {("on", "floor"), ("embedded in", "wall")}
# Asked relation -> kept relations.
_CARRIED_BY = {"on": ("on", *ATTACHED), "inside": ("inside", "embedded in")}


def _find_gone(subject: Reference, at: Resolver) -> Reply | None:
    """Reply on vanished objects; None where none has that name and look.

    The reply lists no objects, since its objects are taken to be there.
    """
    if not at.scene.snapshot.gone:
        return None
    before = at.among_gone()
    wanted = _by_name_and_look(subject)
    if wanted is None or (isinstance(wanted, NounPhrase) and not before.is_sure_of(wanted.noun)):
        return None
    try:
        rows, scores = before.existing(wanted)
    except ReasoningError:
        return None
    for step in before.steps:
        at.note(f"among what is gone: {step}")
    floor_z, newest_ns = at.scene.floor_z, at.scene.snapshot.stamp_ns
    objects = before.objects(rows)
    if len(objects) == 1:
        text = f"{say.the(objects[0])} {_was_there(objects[0], floor_z, newest_ns)}"
    else:
        places = [f"object {o.object_id} {_was_there(o, floor_z, newest_ns)}" for o in objects]
        text = f"{say.counted(len(objects), say.noun_of(subject))} are gone: {say.bounded(places)}"
    return Reply(text, say.mean_confidence(before.scene, rows, scores))


def _by_name_and_look(subject: Reference) -> Reference | None:
    """The reference without places: anchors may have moved as well."""
    if not isinstance(subject, NounPhrase):
        return subject
    look = tuple(c for c in subject.conditions if isinstance(c, HasAttribute))
    return NounPhrase(subject.noun, conditions=look) if subject.noun else None


def _was_there(obj: MapObject, floor_z: float, newest_ns: int) -> str:
    """Last place and times of a vanished object, relative to the newest frame."""
    stay = obj.stays[-1]
    seen, gone = (say.span_words(newest_ns - stamp) for stamp in (stay.last_seen_ns, stay.gone_ns))
    where = (
        f"was {say.place_words(obj.box, floor_z)}, last seen there {seen} before the newest frame"
    )
    return f"{where}, and is no longer there since {gone} before it"


def locate(subject: Reference, at: Resolver) -> Reply:
    """Places of all objects of a reference; last places, if all of them have vanished."""
    try:
        rows, scores = at.existing(subject)
    except ReasoningError:
        reply = _find_gone(subject, at) or _zone(subject, at)
        if reply is None:
            raise
        return reply
    sure = not isinstance(subject, NounPhrase) or at.is_sure_of(subject.noun)
    reply = None if sure else _find_gone(subject, at)
    return reply or _places(subject, at, rows, scores, sure)


def _places(
    subject: Reference, at: Resolver, rows: NDArray[np.intp], scores: Scores, sure: bool
) -> Reply:
    """Reply with the places of objects.
    Args: sure: they are what was said, and not only like it.
    """
    objects = at.objects(rows)
    floor_z = at.scene.floor_z
    if len(rows) == 1:
        obj = objects[0]
        where = [landmark(at.scene, int(rows[0])), say.place_words(obj.box, floor_z)]
        text = f"{say.the(obj)} is {', '.join(filter(None, where))}"
    else:
        places = [
            f"object {o.object_id} {landmark(at.scene, row) or say.place_words(o.box, floor_z)}"
            for o, row in zip(objects, rows.tolist(), strict=True)
        ]
        number = say.counted(len(rows), say.noun_of(subject) if sure else "object")
        text = f"there are {number}{'' if sure else ' that may be meant'}: {say.bounded(places)}"
    confidence = say.mean_confidence(at.scene, rows, scores)
    brief = brief_landmark(at.scene, int(rows[0]))
    return Reply(text, confidence, tuple(objects), brief)


def carrier(question: AskCarrier, at: Resolver) -> Reply:
    """Carrier or container of each object."""
    rows, scores = at.existing(question.subject)
    wanted = at.label_scores(question.noun) > 0.0 if question.noun else np.ones(len(at.scene), bool)
    spoken = lexicon.spoken(question.predicate)
    sentences: list[str] = []
    asked = at.objects(rows)
    named = dict.fromkeys(asked)
    for row in rows[: say.MAX_LISTED].tolist():
        thing = at.scene.objects[row]
        found = [
            (confidence, other)
            for predicate in _CARRIED_BY[question.predicate]
            for other, confidence in at.scene.relations_of(row, predicate)
            if wanted[other]
        ]
        if found:
            below = at.scene.objects[max(found)[1]]
            named[below] = None
            sentences.append(f"{say.the(thing)} is {spoken} {say.the(below)}")
        else:
            what = with_article(shown(question.noun)) if question.noun else "anything that I know"
            sentences.append(f"{say.the(thing)} is not {spoken} {what}")
    sure = say.mean_confidence(at.scene, rows, scores)
    carriers = (shown(thing.label) for thing in named if thing not in asked)
    brief = next(carriers, "nothing")
    return Reply("; ".join(sentences), sure, tuple(named), brief)


def landmark(scene: Scene, row: int) -> str:
    """Place relative to a landmark: "on the dining table (object 3)"; empty without one."""
    found = _find_landmark(scene, row)
    return "" if found is None else f"{found[0]} {say.the(scene.objects[found[1]])}"


def brief_landmark(scene: Scene, row: int) -> str:
    """Short text of an object's landmark: "on the dining table", "near the door"; empty without
    one."""
    found = _find_landmark(scene, row)
    if found is None:
        return ""
    how, other = found
    how = "near" if how.endswith("from") else "on" if how in ATTACHED else how
    return f"{how} the {shown(scene.objects[other].label)}"


def _find_landmark(scene: Scene, row: int) -> tuple[str, int] | None:
    """Relation to an object that is easy to find, and its row; None without one."""
    for predicate in CARRYING:
        kept = max(scene.relations_of(row, predicate), key=lambda found: found[1], default=None)
        # A door is embedded in the wall wherever it is.
        is_news = kept is not None and (predicate, scene.objects[kept[0]].label) not in _NO_NEWS
        if kept is not None and is_news:
            return lexicon.spoken(predicate), kept[0]
    gaps = scene.gaps_m(scene.low[row], scene.high[row])
    gaps[~scene.is_object] = np.inf
    own = scene.objects[row].label
    # A wall says little of a place, and another thing of the kind less.
    gaps[[_says_no_place(thing.label, own) for thing in scene.objects]] = np.inf
    longest = scene.size.max(axis=1)
    gaps[longest < _LANDMARK_LENGTH * longest[row]] = np.inf
    gaps[row] = np.inf
    nearest = int(np.argmin(gaps))
    if gaps[nearest] > _LANDMARK_M:
        return None
    if any(other == nearest for other, _ in scene.relations_of(row, "next to")):
        return "next to", nearest
    return ("at" if gaps[nearest] < _TOUCHING_M else f"{say.metres(gaps[nearest])} from"), nearest


def _says_no_place(label: str, own: str) -> bool:
    return label == own or sense_of(label).structure is not None


def distance(question: Distance, at: Resolver) -> Reply:
    """Distance of two objects, or of one and the viewer, between surfaces and between centres."""
    ends = [question.first, question.second]
    if isinstance(ends[0], Viewer) or _is_building(ends[0]):
        ends.reverse()
    first = _end(ends[0], at)
    second = _nearest_part(ends[1], first, at) if _is_building(ends[1]) else _end(ends[1], at)
    row = first.row
    if row is None:
        return Reply("that is no distance at all", 1.0)
    gap = float(gaps_to(at.scene, second)[row])
    centers = np.linalg.norm(np.subtract(first.box.center, second.box.center))
    obj = at.scene.objects[row]
    if second.row is None:
        where = at.viewpoint().origin
        text = f"{say.the(obj)} is {say.metres(gap)} from {where}"
        return Reply(text, obj.confidence, (obj,), say.metres(gap))
    other = at.scene.objects[second.row]
    text = f"{say.the(obj)} is {say.metres(gap)} from {say.the(other)}"
    if other.object_id >= 0:
        text += f", {say.metres(float(centers))} between centres"
    sure = obj.confidence * other.confidence
    return Reply(text, sure, (obj, other), say.metres(gap))


def size(question: Size, at: Resolver) -> Reply:
    """Dimensions of the upright box; the height of a floor or ceiling; the extent of the room."""
    if is_room(question.subject):
        return _room_size(question.dimension, at)
    row = at.single(question.subject)
    obj = at.scene.objects[row]
    long, wide = sorted(obj.box.size[:2], reverse=True)
    high = obj.box.size[2]
    if obj.object_id < 0 and obj.label != "wall":
        above = say.metres(max(0.0, obj.box.center[2] - at.scene.floor_z))
        sides = (
            "" if question.dimension == "height" else f"{say.metres(long)} by {say.metres(wide)}, "
        )
        text = f"{say.the(obj)} is {sides}{above} above the floor"
        return Reply(text, obj.confidence, (obj,))
    whole = {"long": long, "wide": wide, "high": high}
    one = {"length": "long", "width": "wide", "height": "high"}.get(question.dimension)
    said = joined([f"{say.metres(whole[word])} {word}" for word in ([one] if one else whole)])
    return Reply(f"{say.the(obj)} is {said}", obj.confidence, (obj,), said)


def _room_size(dimension: Dimension, at: Resolver) -> Reply:
    """Extent of all that was seen: of the floor and the walls, or else of the objects."""
    scene = at.scene
    is_part = ~scene.is_object if (~scene.is_object).any() else scene.is_object
    low, high = scene.low[is_part].min(axis=0), scene.high[is_part].max(axis=0)
    long, wide = sorted((high - low)[:2], reverse=True)
    labels = {thing.label for thing in scene.objects if thing.object_id < 0}
    tall = (
        f" and {say.metres(high[2] - scene.floor_z)} high" if labels & {"wall", "ceiling"} else ""
    )
    if dimension == "height":
        if not tall:
            raise ReasoningError(
                "not_found", "No wall or ceiling was seen: the height is not known."
            )
        said = f"{say.metres(high[2] - scene.floor_z)} high"
    else:
        said = f"{say.metres(long)} by {say.metres(wide)}{tall}"
    text = f"as far as it was seen, the room is about {said}"
    return Reply(text, _AS_FAR_AS_SEEN, brief=said)


def _zone(subject: Reference, at: Resolver) -> Reply | None:
    """Where a kind of room is, by the objects that such rooms have; None for other subjects."""
    kind = find_room(subject.noun) if isinstance(subject, NounPhrase) else None
    things = list(telling(kind, at).values())[:_NAMED_OF_ROOM] if kind else []
    if kind is None or not things:
        return None
    names = joined([say.the(thing) for thing in things])
    text = (
        f"I know no rooms by name, but {names}, which {shown(kind)}s have, {say.be(len(things))}"
        f" {say.place_words(things[0].box, at.scene.floor_z)}"
    )
    return Reply(text, 0.5 * things[0].confidence, tuple(things), f"near {say.the(things[0])}")


def telling(kind: str, at: Resolver) -> dict[str, MapObject]:
    """Names of things that tell that the room is of a kind, the most telling first, with the surest
    object of each."""
    weights, labels = room_weights(kind), at.scene.rows_of_label
    found = {}
    for name in sorted(filter(weights.get, weights), key=lambda name: -weights[name]):
        matches = Vocabulary.load().match(name, labels)
        rows = [row for match in matches if match.sure for row in labels[match.label]]
        if rows:
            things = [at.scene.objects[row] for row in rows]
            found[name] = max(things, key=lambda thing: thing.confidence)
    return found


def room_weight(kind: str, at: Resolver) -> float:
    """What tells that the room is of a kind."""
    return sum(room_weights(kind)[name] for name in telling(kind, at))


def room_for(question: HasRoomFor, at: Resolver) -> Reply:
    """Number of people who can sit on a couch, or around a table, by its size."""
    thing = at.scene.objects[at.single(question.subject)]
    long, wide = sorted(thing.box.size[:2], reverse=True)
    around = any(match.sure for match in Vocabulary.load().match("table", [thing.label]))
    places = int(2.0 * (long + wide) / _TABLE_PLACE_M) if around else int(long / _SEAT_M + 0.2)
    share = f"{say.metres(_TABLE_PLACE_M if around else _SEAT_M)} each"
    seats = max(places, 1)
    people = "1 person" if seats == 1 else f"{seats} people"
    measure = f"{say.metres(long)} by {say.metres(wide)}" if around else f"{say.metres(long)} long"
    text = f"{say.the(thing)} is {measure}: room for about {people} at {share}"
    if question.people is None:
        return Reply(text, _ROOM_FOR * thing.confidence, (thing,), str(seats))
    word = say.yes_or_no(seats >= question.people)
    return Reply(f"{word}, {text}", _ROOM_FOR * thing.confidence, (thing,), word)


def fits_between(question: FitsBetween, at: Resolver) -> Reply:
    """Yes or no: whether the gap between two objects is wide enough."""
    first, second = _end(question.first, at), _end(question.second, at)
    if first.row is None or second.row is None or first.row == second.row:
        raise ReasoningError("not_found", "A gap lies between two objects: name both.")
    gap = float(gaps_to(at.scene, second)[first.row])
    ends = at.scene.objects[first.row], at.scene.objects[second.row]
    width_m, what = question.width_m, "that"
    if question.thing is not None:
        thing = at.scene.objects[at.single(question.thing)]
        width_m, what = min(thing.yaw_box.size[:2]), say.the(thing)
    width_m = 0.0 if width_m is None else width_m
    word = say.yes_or_no(gap >= width_m)
    between = f"the gap between {say.the(ends[0])} and {say.the(ends[1])} is {say.metres(gap)}"
    text = f"{word}, {between}, and {what} is {say.metres(width_m)} wide"
    return Reply(text, ends[0].confidence * ends[1].confidence, ends, word)


def _is_building(reference: Reference) -> bool:
    return isinstance(reference, NounPhrase) and find_kind(reference.noun) is not None


def _nearest_part(reference: Reference, first: Anchor, at: Resolver) -> Anchor:
    """The nearest wall for "the wall", where several fit."""
    parts = at.anchors(reference)
    if first.row is None:
        return parts[0]
    gaps = gaps_to(at.scene, first)
    return min(parts, key=lambda part: np.inf if part.row is None else float(gaps[part.row]))


def _end(reference: Reference, at: Resolver) -> Anchor:
    if isinstance(reference, Viewer):
        return Anchor(at.viewpoint().box, None, 1.0)
    return Anchor.of_row(at.scene, at.single(reference))
