"""Answers about places and sizes: where, on what, how far, how big; which way, what is reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scenemind.language import lexicon, trees
from scenemind.language.english import is_plural, joined, shown, with_article
from scenemind.language.trees import (
    HasAttribute,
    NounPhrase,
    Reference,
    Viewer,
    relations_to_viewer,
)
from scenemind.language.vocabulary import Vocabulary
from scenemind.memory import MapObject
from scenemind.memory.graph.relations import CARRYING
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.measures import AS_LONG_M, SAID_OF, measured_m
from scenemind.reasoning.symbolic.relation_scores import ATTACHED, Anchor, gaps_to, is_room
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Found, Scene, find_kind
from scenemind.reasoning.symbolic.usual import find_room, room_kinds, room_weights
from scenemind.reasoning.symbolic.viewpoint import bearing_of

# A landmark has at least this share of the object's length, so that it is easier to find.
_LANDMARK_LENGTH = 0.8
# Largest distance of a landmark.
_LANDMARK_M = 3.0
_TOUCHING_M = 0.005
# How sure it is that what only fits on its side can be turned.
_TURNED = 0.7
# Confidence of an extent that grows with what is seen; most objects that tell a room.
_AS_FAR_AS_SEEN, _NAMED_OF_ROOM = 0.6, 3
# Least weight of a confirmed kind of room, relative to the likeliest.
_AS_LIKELY = 0.75
_SIDES = {"length": "length", "depth": "width", "height": "height"}
# Asked of a room, both are its height.
_UPRIGHT = ("height", "elevation")
# Width of a seat on a couch, and of a place at a table; confidence of such a rule of thumb.
_SEAT_M, _TABLE_PLACE_M, _ROOM_FOR = 0.6, 0.75, 0.8
# Share by which one side is longer than the other where either may be called the width.
_OBLONG = 1.25
# What starts higher does not stand on the floor; what hangs higher is in nobody's way.
_RAISED_M, _OVERHEAD_M = 0.2, 2.0
_NO_NEWS = {("on", "floor"), ("embedded in", "wall")}
# Asked relation -> kept relations.
_CARRIED_BY = {"on": ("on", *ATTACHED, "embedded in"), "inside": ("inside", "embedded in")}


def locate(question: trees.Where | trees.Ground, at: Resolver) -> Reply:
    """Places of all objects of a reference; last places, if all of them have vanished. Where words
    are weighed, the side on which the likeliest thing lies, or what it is at."""
    subject = question.subject
    if at.weighs and isinstance(subject, NounPhrase):
        row = at.find_best(subject) if subject.noun else find_goal(subject, at)
        if row is None:
            raise at.missing(subject)
        place = brief_landmark(at.scene, row)
        if at.stands and not (place and relations_to_viewer(subject)):
            place = side_of(float(at.around.bearing_rad[row]))
        if place:
            return said_of(at.scene.objects[row], place)
    try:
        found = at.rows(subject)
        if not len(found):
            raise at.missing(subject)
    except ReasoningError:
        reply = find_gone(subject, at) or _zone(subject, at)
        if reply is None:
            raise
        return reply
    is_sure = not isinstance(subject, NounPhrase) or at.is_sure_of(subject.noun)
    reply = None if is_sure else find_gone(subject, at)
    return reply or _places(subject, found, at.scene, is_sure)


def _places(subject: Reference, found: Found, scene: Scene, is_sure: bool) -> Reply:
    """Reply with the places of objects.

    Args:
        is_sure: they are what was said, and not only like it.
    """
    found, doubted = found.where(found.is_likely), found.where(~found.is_likely).objects
    objects, rows = found.objects, found.rows.tolist()
    listed = objects[: say.MAX_LISTED]
    where = [say.place_words(thing.box, scene.floor_z) for thing in listed]
    marks = [landmark(scene, row) for row in rows[: say.MAX_LISTED]]
    if len(rows) == 1:
        now_ns = scene.snapshot.stamp_ns
        verb = f"{say.the(objects[0])} is"
        if say.may_have_left(objects[0], now_ns):
            verb = f"{say.last_seen(objects[0], now_ns)},"
        text = f"{verb} {', '.join(filter(None, (*marks, *where)))}"
    else:
        short = zip(listed, marks, where, strict=True)
        places = [f"object {thing.object_id} {mark or place}" for thing, mark, place in short]
        number = say.counted(len(rows), say.noun_of(subject) if is_sure else "object")
        doubt = "" if is_sure else " that may be meant"
        text = f"there are {number}{doubt}: {say.bounded(places, count=len(rows))}"
    text += say.doubtful(doubted)
    return Reply(text, found.confidence, objects, brief_landmark(scene, rows[0]))


def find_gone(subject: Reference, at: Resolver) -> Reply | None:
    """Reply on vanished objects; None where none has that name and look.

    The reply lists no objects, since its objects are taken to be there.
    """
    if not at.scene.snapshot.gone:
        return None
    before = at.among_gone()
    if isinstance(subject, NounPhrase):
        # Without places: anchors may have moved as well.
        look = tuple(c for c in subject.conditions if isinstance(c, HasAttribute))
        subject = NounPhrase(subject.noun, conditions=look)
        if not subject.noun or not before.is_sure_of(subject.noun):
            return None
    try:
        found = before.existing(subject)
    except ReasoningError:
        return None
    for step in before.steps:
        at.note(f"among what is gone: {step}")
    objects = found.objects
    were = [_was_there(thing, at.scene) for thing in objects]
    if len(objects) == 1:
        text = f"{say.the(objects[0])} {were[0]}"
    else:
        places = [f"object {o.object_id} {was}" for o, was in zip(objects, were, strict=True)]
        text = f"{say.counted(len(objects), say.noun_of(subject))} are gone: {say.bounded(places)}"
    return Reply(text, found.confidence)


def _was_there(thing: MapObject, scene: Scene) -> str:
    """Last place and times of a vanished object, relative to the newest frame."""
    stay, now_ns = thing.stays[-1], scene.snapshot.stamp_ns
    seen, gone = (say.span_words(now_ns - stamp) for stamp in (stay.last_seen_ns, stay.gone_ns))
    last_seen = f"last seen there {seen} before the newest frame"
    where = f"was {say.place_words(thing.box, scene.floor_z)}, {last_seen}"
    if thing.is_ghost:
        return f"{where}, but {say.GHOST}"
    return f"{where}, and is no longer there since {gone} before it"


def carrier(question: trees.AskCarrier, at: Resolver) -> Reply:
    """Carrier or container of each object."""
    found, scene = at.existing(question.subject), at.scene
    wanted = at.label_scores(question.noun) > 0.0 if question.noun else np.ones(len(scene), bool)
    spoken = lexicon.spoken(question.predicate)
    otherwise = with_article(shown(question.noun)) if question.noun else "anything that I know"
    sentences, carriers = [], []
    for row in found.rows[: say.MAX_LISTED].tolist():
        carrying = [
            (confidence, other)
            for predicate in _CARRIED_BY[question.predicate]
            for other, confidence in scene.relations_of(row, predicate)
            if wanted[other]
        ]
        it, below = say.the(scene.objects[row]), f"not {spoken} {otherwise}"
        if carrying:
            carriers.append(scene.objects[max(carrying)[1]])
            below = f"{spoken} {say.the(carriers[-1])}"
        sentences.append(f"{it} is {below}")
    named = tuple(dict.fromkeys((*found.objects, *carriers)))
    brief = next((shown(c.label) for c in carriers if c not in found.objects), "nothing")
    return Reply("; ".join(sentences), found.confidence, named, brief)


def landmark(scene: Scene, row: int) -> str:
    """Place relative to a landmark: "on the dining table (object 3)"; empty without one."""
    how, thing = _find_landmark(scene, row)
    return "" if thing is None else f"{how} {say.the(thing)}"


def at_place(scene: Scene, row: int) -> str:
    """As `landmark`; the place in coordinates without one."""
    return landmark(scene, row) or say.place_words(scene.objects[row].box, scene.floor_z)


def brief_landmark(scene: Scene, row: int) -> str:
    """Short text of an object's landmark: "on the dining table", "near the door"; empty without
    one."""
    how, thing = _find_landmark(scene, row)
    how = "near" if how.endswith("from") else "on" if how in ATTACHED else how
    return "" if thing is None else f"{how} the {shown(thing.label)}"


def _find_landmark(scene: Scene, row: int) -> tuple[str, MapObject | None]:
    """Relation to an object that is easy to find, and that object; None without one."""
    for predicate in CARRYING:
        kept = max(scene.relations_of(row, predicate), key=lambda found: found[1], default=None)
        carrier = None if kept is None else scene.objects[kept[0]]
        # A door is embedded in the wall wherever it is.
        if carrier is not None and (predicate, carrier.label) not in _NO_NEWS:
            return lexicon.spoken(predicate), carrier
    gaps, longest = scene.gaps_m(scene.low[row], scene.high[row]), scene.size.max(axis=1)
    own = scene.objects[row].label
    is_small = longest < _LANDMARK_LENGTH * longest[row]
    gaps[is_small | ~scene.is_landmark] = np.inf
    gaps[scene.rows_of_label.get(own, row)] = np.inf  # another of the kind says little of a place
    nearest = int(np.argmin(gaps))
    beside = {other for other, _ in scene.relations_of(row, "next to")}
    if nearest in beside:
        return "next to", scene.objects[nearest]
    # The side table right beside a couch says more than a refrigerator across the room; one of
    # five chairs does not.
    small = [
        r
        for r in beside
        if scene.is_landmark[r] and len(scene.rows_of_label[scene.objects[r].label]) == 1
    ]
    if small and gaps[nearest] > _TOUCHING_M:
        return "next to", scene.objects[max(small, key=lambda r: (longest[r], -r))]
    if gaps[nearest] > _LANDMARK_M:
        return "", None
    how = "at" if gaps[nearest] < _TOUCHING_M else f"{say.metres(gaps[nearest])} from"
    return how, scene.objects[nearest]


def distance(question: trees.Distance, at: Resolver) -> Reply:
    """Distance of two objects, or of one and the viewer, between surfaces and between centres."""
    ends = [question.first, question.second]
    if isinstance(ends[0], Viewer) or _is_building(ends[0]):
        ends.reverse()
    of_many = _pair(question, at) or _of_many(ends, at)
    if of_many is not None:
        return of_many
    first = _end(ends[0], at)
    second = _nearest_part(ends[1], first, at) if _is_building(ends[1]) else _end(ends[1], at)
    if first.row is None or first.thing is None:
        return Reply("that is no distance at all", 1.0)
    gap = say.metres(gaps_to(at.scene, second)[first.row])
    text, thing, other = f"{say.the(first.thing)} is {gap} from", first.thing, second.thing
    if other is None:
        return Reply(f"{text} {at.viewpoint().origin}", thing.confidence, (thing,), gap)
    text = f"{text} {say.the(other)}"
    if other.object_id >= 0:
        centres = np.linalg.norm(np.subtract(first.box.center, second.box.center))
        text += f", {say.metres(float(centres))} between centres"
    return Reply(text, thing.confidence * other.confidence, (thing, other), gap)


def _pair(question: trees.Distance, at: Resolver) -> Reply | None:
    """The distance of the two things that one phrase means; None for other questions."""
    if question.first != question.second or question.first.count != 2:
        return None
    rows = at.every(question.first)
    first, second = (trees.ObjectNumber(int(at.scene.ids[row])) for row in rows)
    return distance(trees.Distance(first, second), at)


def _of_many(ends: Sequence[Reference], at: Resolver) -> Reply | None:
    """The distances of a thing from the nearest and the farthest of several; None where neither end
    means several."""
    for end, many in (ends, ends[::-1]):
        if not isinstance(many, NounPhrase) or not is_plural(many.noun) or many.ranks:
            continue
        rows, start = at.every(many), _end(end, at)
        if len(rows) < 2:
            continue
        gaps_m = gaps_to(at.scene, start)[rows]
        order = np.argsort(gaps_m, kind="stable")
        near, far = at.scene.objects_at(rows[order[[0, -1]]])
        nearest, farthest = (say.metres(float(gaps_m[which])) for which in order[[0, -1]])
        other = say.the(start.thing) if start.thing else at.viewpoint().origin
        text = f"{say.the(near)} is the nearest, {nearest} from {other}"
        text += f", and {say.the(far)} the farthest, {farthest}"
        things = (near, far) if start.thing is None else (start.thing, near, far)
        return Reply(text, say.mean_existence(things), things, nearest)
    return None


def size(question: trees.Size, at: Resolver) -> Reply:
    """Dimensions of the upright box, or how high its lower edge is; the height of a floor or
    ceiling; the extent of the room."""
    if is_room(question.subject):
        return _room_size(question.dimension, at.scene)
    if question.subject == NounPhrase("ceiling", definite=True) and not at.rows(question.subject):
        seen = _room_size("height", at.scene)
        return replace(seen, text=f"I have not seen the ceiling; {seen.text}")
    if is_plural(question.subject.noun) or _are_several(question, at):
        return _sizes(question, at)
    thing = at.scene.objects[at.single(question.subject)]
    if thing.object_id < 0 and thing.label != "wall":
        long, wide = sorted(thing.box.size[:2], reverse=True)
        above = say.metres(max(0.0, thing.box.center[2] - at.scene.floor_z))
        sides = f"{say.metres(long)} by {say.metres(wide)}, " * (question.dimension not in _UPRIGHT)
        text = f"{say.the(thing)} is {sides}{above} above the floor"
        return Reply(text, thing.confidence, (thing,))
    low_m = measured_m(thing, "elevation", at.scene)
    if question.dimension == "elevation":
        text = f"the lower edge of {say.the(thing)} is {say.metres(low_m)} above the floor"
        text += f", the upper edge {say.metres(low_m + thing.box.size[2])}"
        return Reply(text, thing.confidence, (thing,), say.metres(low_m))
    asked = [question.dimension] if question.dimension else ["length", "depth", "height"]
    measures = (
        (measured_m(thing, each, at.scene), SAID_OF[each if question.dimension else _SIDES[each]])
        for each in asked
    )
    said = joined([f"{say.metres(value)} {long}" for value, long in measures])
    text, other_m = f"{say.the(thing)} is {said}", measured_m(thing, "length", at.scene)
    is_oblong = other_m > _OBLONG * measured_m(thing, "width", at.scene)
    if question.dimension == "width" and is_oblong:  # a sofa's front is its longer side
        text += f", and {say.metres(other_m)} on its longer side"
    return Reply(text, thing.confidence, (thing,), said)


def _are_several(question: trees.Size, at: Resolver) -> bool:
    """Whether all things of a place are meant ("everything on the desk"), or of some that may be
    meant all measure the same: "how high up is the cup on the table"."""
    subject, rows = question.subject, at.rows(question.subject)
    if len(rows) < 2 or not isinstance(subject, NounPhrase) or subject.ranks:
        return False
    if not subject.noun or not question.dimension:
        return not subject.noun
    measured = [measured_m(thing, question.dimension, at.scene) for thing in rows.objects]
    return max(measured) - min(measured) <= AS_LONG_M


def _sizes(question: trees.Size, at: Resolver) -> Reply:
    """The measure of each of several things."""
    found = at.existing(question.subject)
    each = []
    for row in found.rows.tolist():
        one = trees.ObjectNumber(int(at.scene.ids[row]))
        each.append(size(trees.Size(one, question.dimension), at).text)
    return Reply(say.bounded(each), found.confidence, found.objects)


def _room_size(dimension: trees.Dimension, scene: Scene) -> Reply:
    """Extent of all that was seen: of the floor and the walls, or else of the objects."""
    is_part = scene.is_object if scene.is_object.all() else ~scene.is_object
    low, high = scene.low[is_part].min(axis=0), scene.high[is_part].max(axis=0)
    long, wide = sorted((high - low)[:2], reverse=True)
    said = f"{say.metres(long)} by {say.metres(wide)}"
    if {thing.label for thing in scene.objects if thing.object_id < 0} & {"wall", "ceiling"}:
        tall = f"{say.metres(high[2] - scene.floor_z)} high"
        said = tall if dimension in _UPRIGHT else f"{said} ({long * wide:.0f} m2) and {tall}"
    elif dimension in _UPRIGHT:
        text = "No wall or ceiling was seen: the height is not known."
        raise ReasoningError("not_found", text)
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
    weights, scene, found = room_weights(kind), at.scene, {}
    for name in sorted(filter(weights.get, weights), key=lambda name: -weights[name]):
        things = scene.objects_at(scene.rows_surely(name))
        if things:
            found[name] = max(things, key=lambda thing: thing.confidence)
    return found


def room_weight(kind: str, at: Resolver) -> float:
    """What tells that the room is of a kind."""
    return sum(room_weights(kind)[name] for name in telling(kind, at))


def kind_of_room(question: trees.AskRoom, at: Resolver) -> Reply:
    """Yes or no to a kind of room by its objects; without words, the likeliest kind.

    Raises:
        ReasoningError: `not_found`: no object tells it.
    """
    weights = {kind: room_weight(kind, at) for kind in room_kinds()}
    likeliest, second = sorted(weights, key=lambda kind: -weights[kind])[:2]
    things = tuple(telling(likeliest, at).values())[:_NAMED_OF_ROOM]
    if not things:
        raise ReasoningError("not_found", "Nothing that I know tells what kind of room this is.")
    has = f"it has what {with_article(likeliest)} has: {say.listed(things)}"
    asked = find_room(question.noun) if question.noun else likeliest
    other = second if asked in (None, likeliest) else asked
    sure = weights[likeliest] / (weights[likeliest] + weights[other]) * say.mean_existence(things)
    if not question.noun:
        return Reply(has, sure, things, likeliest)
    is_so = asked is not None and weights[asked] >= _AS_LIKELY * weights[likeliest]
    word = say.yes_or_no(is_so)
    return Reply(f"{word}, {has}", sure, things, word)


def room_for(question: trees.HasRoomFor, at: Resolver) -> Reply:
    """Number of people who can sit on a couch, or around a table, by its size."""
    thing = at.scene.objects[at.single(question.subject)]
    long, wide = sorted(thing.yaw_box.size[:2], reverse=True)
    around = any(match.sure for match in Vocabulary.load().match("table", [thing.label]))
    if around:
        places, each_m = 2.0 * (long + wide) / _TABLE_PLACE_M, _TABLE_PLACE_M
        measure = f"{say.metres(long)} by {say.metres(wide)}"
    else:
        places, each_m, measure = long / _SEAT_M + 0.2, _SEAT_M, f"{say.metres(long)} long"
    seats = max(int(places), 1)
    people = "1 person" if seats == 1 else f"{seats} people"
    text = f"{say.the(thing)} is {measure}: room for about {people} at {say.metres(each_m)} each"
    brief = str(seats)
    if question.people is not None:
        brief = say.yes_or_no(seats >= question.people)
        text = f"{brief}, {text}"
    return Reply(text, _ROOM_FOR * thing.confidence, (thing,), brief)


def fits_between(question: trees.FitsBetween, at: Resolver) -> Reply:
    """Yes or no: whether the gap between two objects is wide enough, or a thing high enough."""
    if find_kind(question.second.noun) == "floor":
        height = _what_fits(question, "height", at)
        return _fits_under(_end(question.first, at), height, at.scene)
    if question.first == question.second and question.first.count == 2:
        rows = at.every(question.first).tolist()
        first, second = (Anchor.of_row(at.scene, row) for row in rows)
    else:
        first, second = _end(question.first, at), _end(question.second, at)
    if first.thing is None or second.thing is None or first.row == second.row:
        raise ReasoningError("not_found", "A gap lies between two objects: name both.")
    gap = float(gaps_to(at.scene, second)[first.row])
    ends, (what, width_m) = (first.thing, second.thing), _what_fits(question, "width", at)
    text = f"the gap between {say.the(ends[0])} and {say.the(ends[1])} is {say.metres(gap)}"
    if width_m is None:
        return Reply(f"{text}; {what}", ABSENCE_CONFIDENCE, ends)
    word = say.yes_or_no(gap >= width_m)
    text = f"{word}, {text}, and {what} is {say.metres(width_m)} wide"
    if question.thing is not None and word == "yes":
        long_m = max(at.existing(question.thing).objects[0].yaw_box.size[:2])
        text += f", but {say.metres(long_m)} on its longer side" * (gap < long_m)
    return Reply(text, ends[0].confidence * ends[1].confidence, ends, word)


def fits_through(question: trees.FitsThrough, at: Resolver) -> Reply:
    """Yes or no: whether the narrower side of things, as they stand, is no wider than a way; of a
    way of the map, also whether they are no higher, or fit when they are turned."""
    things = at.existing(question.subject).objects
    widest = max(things, key=_narrow_m)
    is_thing = f"{say.the(widest)} is {say.metres(_narrow_m(widest))} on its narrower side"
    if question.way is None:
        width_m = question.width_m or 0.0
        word = say.yes_or_no(_narrow_m(widest) <= width_m)
        text = f"{word}, {is_thing}, the way {say.metres(width_m)}"
        return Reply(text, widest.confidence, things, word)
    way = at.scene.objects[at.single(question.way)]
    wide_m, high_m, tall_m = max(way.yaw_box.size[:2]), way.box.size[2], widest.box.size[2]
    stands = _narrow_m(widest) <= wide_m and tall_m <= high_m
    shortest, middle, _ = sorted(widest.yaw_box.size)
    word = say.yes_or_no(stands or (shortest <= wide_m and middle <= high_m))
    turned = "" if stands or word == "no" else " if it is turned on its side"
    text = f"{word}{turned}, {is_thing} and {say.metres(tall_m)} high"
    text += f", {say.the(way)} {say.metres(wide_m)} wide and {say.metres(high_m)} high"
    sure = widest.confidence * way.confidence * (_TURNED if turned else 1.0)
    return Reply(text, sure, (*things, way), word)


def _narrow_m(thing: MapObject) -> float:
    return min(thing.yaw_box.size[:2])


def _what_fits(
    question: trees.FitsBetween, dimension: str, at: Resolver
) -> tuple[str, float | None]:
    """Name of what is to fit, and its narrow side or its height; None with what is not known."""
    if question.thing is None:
        return "that", question.width_m or 0.0
    try:
        thing = at.existing(question.thing).objects[0]
    except ReasoningError:
        return f"I know no {say.noun_of(question.thing)}, and not its {dimension}", None
    height_m = thing.box.size[2]
    return say.the(thing), height_m if dimension == "height" else _narrow_m(thing)


def _fits_under(roof: Anchor, fits: tuple[str, float | None], scene: Scene) -> Reply:
    """Yes or no: whether a height fits below a ceiling or what hangs, or not even below the top of
    what stands."""
    thing, (what, height_m) = roof.thing, fits
    if thing is None:
        raise ReasoningError("not_found", "Nothing fits under the one who asks.")
    is_raised = thing.object_id < 0 or roof.box.bottom_z - scene.floor_z > _RAISED_M
    below_m = (roof.box.bottom_z if is_raised else roof.box.top_z) - scene.floor_z
    text = f"{'the top of ' * (not is_raised)}{say.the(thing)} is {say.metres(below_m)}"
    text = f"{text} above the floor"
    if height_m is None:
        return Reply(f"{text}; {what}", ABSENCE_CONFIDENCE, (thing,))
    is_so = below_m >= height_m
    text = f"{text}, and {what} is {say.metres(height_m)}{' high' * (what != 'that')}"
    if is_so and not is_raised:
        unknown = "how much is free below it is not known"
        return Reply(f"perhaps: {text}; {unknown}", ABSENCE_CONFIDENCE, (thing,))
    word = say.yes_or_no(is_so)
    return Reply(f"{word}, {text}", thing.confidence, (thing,), word)


def way_free(question: trees.IsWayFree, at: Resolver) -> Reply:
    """Yes or no: whether nothing stands between two things."""
    between = trees.Related("between", (question.first, question.second))
    found = at.rows(NounPhrase("", conditions=(between,)))
    upright = [say.the(t) for t in found.objects if t.box.bottom_z - at.scene.floor_z < _OVERHEAD_M]
    ends = at.scene.objects_at([at.single(question.first), at.single(question.second)])
    word = say.yes_or_no(not upright)
    what = say.bounded(upright) if upright else "nothing that I know"
    text = f"{word}, {what} {say.be(max(len(upright), 1))} between {say.the(ends[0])} and"
    sure = min(thing.confidence for thing in ends)
    return Reply(f"{text} {say.the(ends[1])}", sure, ends, word)


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


# Length of an arm and a lean.
_REACH_M = 1.0
# Largest bearing of "forward", and smallest of "backward".
_AHEAD_RAD, _BACK_RAD = math.radians(20.0), math.radians(135.0)
# Least share of the best score of things that serve a purpose as well.
_TIED = 0.96
_LONGEST_NAME = 3  # words
# An obstacle reaches to the knee, and stands within a step or two.
_KNEE_M, _STEPS_M, _PATH_RAD = 0.4, 0.8, 0.1
_SAID = {
    "forward": "ahead",
    "backward": "behind you",
    "left": "on the left",
    "right": "on the right",
}


def find_goal(goal: Reference, at: Resolver) -> int | None:
    """Row of the nearest object that the unread words name, or whose purpose they are; where
    several do, of those that lie where the goal is said to be."""
    words, fits = goal.unread, at.graded.by_purpose(goal.unread)
    lengths = range(_LONGEST_NAME, 0, -1)
    names = (" ".join(words[i : i + n]) for n in lengths for i in range(len(words) - n + 1))
    name = next(filter(at.sure_labels, names), None)
    fits = fits if name is None else at.named(name)
    places = map(at.around.scores, relations_to_viewer(goal))
    there = fits * np.prod(list(places), axis=0)
    fits = there if there.any() else fits
    if not fits.any():
        return None
    rows = np.flatnonzero(fits >= _TIED * fits.max())
    return int(rows[np.argmin(at.around.gap_m[rows])])


def direction(question: trees.AskDirection, at: Resolver) -> Reply:
    """Direction in which to turn for the goal.

    Raises:
        ReasoningError: `not_found`: nothing serves it.
    """
    goal = question.subject
    row = find_goal(goal, at)
    if row is None:
        raise ReasoningError("not_found", "I know of nothing that serves that.")
    bearing = float(at.around.bearing_rad[row])
    # Its place is given: the question is over which side to turn.
    is_given = any(bearing_of(place.predicate) is not None for place in relations_to_viewer(goal))
    side = ("right" if bearing > 0.0 else "left") if is_given else side_of(bearing)
    return said_of(at.scene.objects[row], side)


def is_within_reach(goal: Reference, at: Resolver) -> Reply:
    """Yes if what is named, or serves what is said, is within an arm's length and a lean."""
    row = find_goal(goal, at)
    if row is None:
        return Reply("no", 1.0, brief="no")
    thing, word = at.scene.objects[row], say.yes_or_no(bool(at.around.gap_m[row] <= _REACH_M))
    text = f"{word}, {say.the(thing)} is {'not ' * (word == 'no')}within reach"
    return Reply(text, thing.confidence, (thing,), word)


def is_way_clear(question: trees.IsWayClear, at: Resolver) -> Reply:
    """Yes if no object blocks the way to a side."""
    around, scene, predicate = at.around, at.scene, question.way.predicate
    knee = scene.floor_z + _KNEE_M
    standing = (scene.low[:, 2] < knee) & (scene.high[:, 2] > knee)
    ahead = around.towards(bearing_of(predicate) or 0.0, _PATH_RAD) > 0.0
    near = around.gap_m < _STEPS_M
    things = scene.objects_at(np.flatnonzero(standing & ahead & near))
    if things:
        return Reply(f"no, {say.listed(things)} {say.be(len(things))} there", 1.0, things, "no")
    return Reply("yes, nothing stands there", 1.0, brief="yes")


def side_of(bearing_rad: float) -> str:
    """Direction of a bearing, clockwise from ahead in (-pi, pi]."""
    if abs(bearing_rad) < _AHEAD_RAD:
        return "forward"
    if abs(bearing_rad) > _BACK_RAD:
        return "backward"
    return "right" if bearing_rad > 0.0 else "left"


def said_of(thing: MapObject, place: str) -> Reply:
    """Reply with where a thing is, in a word."""
    text = f"{say.the(thing)} is {_SAID.get(place, place)}"
    return Reply(text, thing.confidence, (thing,), place)
