"""Answers about the things that are there, and what they are like: whether, how many, which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from scenemind.language import lexicon, trees, verbalization
from scenemind.language.clauses import PARTS
from scenemind.language.english import (
    is_plural,
    joined,
    normal,
    number_word,
    plural,
    shown,
    singular,
    with_article,
)
from scenemind.language.spelling import thing_words
from scenemind.language.trees import HasAttribute, NounPhrase, Reference, Related
from scenemind.memory import MapObject
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.relations import CARRYING
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.attribute_scores import (
    DESCRIPTION_HINT,
    find_undescribed,
    is_known_use,
    source_note,
)
from scenemind.reasoning.symbolic.graded_relations import SIDES
from scenemind.reasoning.symbolic.place_answers import at_place, find_gone
from scenemind.reasoning.symbolic.presumptions import DOUBTED
from scenemind.reasoning.symbolic.relation_scores import (
    ALIKE,
    BESIDE,
    gaps_to,
    is_room,
    relations_of,
)
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Found
from scenemind.reasoning.symbolic.usual import find_room, usual_count

# Most things whose places are told where none is where it was looked for.
_FEW = 3
# Closer objects touch.
_TOUCHING_M = 0.005


def exists(question: trees.Exists, at: Resolver) -> Reply:
    """Yes with the objects, or no with near matches."""
    subject = question.subject
    found = set_of(subject, at)
    if not len(found):
        if subject.count is not None and subject.allows(0):
            return Reply(f"yes, I know of no {_said(subject)}", ABSENCE_CONFIDENCE, brief="yes")
        _check_can_be_known(subject, at)
        looks = tuple(c for c in subject.conditions if not isinstance(c, Related))
        itself = NounPhrase(subject.noun, definite=True, conditions=looks)
        # "Is the cup left of it" is about a cup that is there, where one is.
        is_one = bool(subject.noun) and (subject.definite or at.weighs)
        is_here = is_one and len(at.rows(itself)) > 0
        gone = None if is_here else find_gone(subject, at)
        if gone is not None:
            return replace(gone, text=f"no, not now: {gone.text}", brief="no")
        text = f"no, I know of no {_said(subject)}{_nearest_known(subject, at)}"
        return Reply(text, ABSENCE_CONFIDENCE, brief="no")
    found, doubted = _trusted(found)
    found = _near(found, subject, at)
    objects, sure = found.objects, float(found.confidences[0])
    if not _is_sure(subject, at):
        return Reply(_perhaps(subject, objects), sure, objects)
    now_ns = at.scene.snapshot.stamp_ns
    if any(say.may_have_left(thing, now_ns) for thing in objects):
        seen = say.bounded([say.last_seen(thing, now_ns) for thing in objects])
        word = say.yes_or_no(subject.allows(len(found)))
        return Reply(f"{word}, {seen}", sure, objects, word)
    word = say.yes_or_no(subject.allows(len(found)))
    noun = plural(singular(say.noun_of(subject)))
    there = f"are {len(found)} {_as_asked(subject, noun)}: {say.listed(objects)}"
    if len(found) == 1:
        number = objects[0].object_id
        which = f": object {number}" if number >= 0 else ""
        named = with_article(_as_asked(subject, shown(objects[0].label)))
        there = f"is {named}{which}{_how_near(subject, found, at)}"
    said = "perhaps" if word == "yes" and sure < ABSENCE_CONFIDENCE else f"{word},"
    return Reply(f"{said} there {there}{say.doubtful(doubted)}", sure, objects, word)


def _as_asked(subject: Reference, noun: str) -> str:
    """A noun with the looks and places that were asked for: "red cup on the table"."""
    looks = [c for c in subject.conditions if isinstance(c, HasAttribute) and c.key != "affordance"]
    said = [c for c in subject.conditions if c in looks or isinstance(c, Related)]
    phrase = NounPhrase(noun, conditions=tuple(c for c in said if not c.negated))
    return say.to_asker(shown(verbalization.bare(phrase)))


def on_each(question: trees.OnEach, at: Resolver) -> Reply:
    """Whether there is something at each of several things, and at which there is none.

    Raises:
        ReasoningError: `not_found`: there are no such things.
    """
    anchors = at.scene.objects_at(at.every(question.anchors))
    one = replace(question.subject, noun=normal(question.subject.noun), definite=False, count=None)
    found: dict[MapObject, tuple[MapObject, ...]] = {}
    ways = (question.predicate,) if question.predicate else ("on", *BESIDE)
    for anchor in anchors:
        of = (trees.ObjectNumber(anchor.object_id),)
        there = [one.that(Related(way, of)) for way in ways]
        said = (thing for each in there for thing in set_of(each, at).objects)
        found[anchor] = tuple(dict.fromkeys(thing for thing in said if thing != anchor))
    without = [anchor for anchor in anchors if not found[anchor]]
    things = tuple(dict.fromkeys(thing for each in found.values() for thing in each))
    word, where = say.yes_or_no(not without), lexicon.spoken(question.predicate or "at")
    parts = [
        f"{say.listed(there)} {where} {say.the(each)}" for each, there in found.items() if there
    ]
    parts += [f"none {where} {say.listed(without)}"] * bool(without)
    text = f"{word}, {say.bounded(parts)}"
    sure = min(thing.confidence for thing in (*anchors, *things))
    sure = min(sure, ABSENCE_CONFIDENCE) if without else sure
    return Reply(text, sure, (*things, *anchors), word)


def what_can_be_asked(question: trees.Help, at: Resolver) -> Reply:
    """What people may ask and say, with a thing of the map as the example."""
    del question
    labels = at.scene.rows_of_label
    one = shown(max(labels, key=lambda label: len(labels[label]))) if labels else "cup"
    text = (
        f'you can ask what there is, how many, and where ("where is the {one}?"); what things'
        " look like, how big and how far apart they are; what is on, next to or between others;"
        ' and what has changed. You can also tell me what is wrong ("object 4 is a stool")'
    )
    return Reply(text, 1.0)


def _check_can_be_known(subject: Reference, at: Resolver) -> None:
    """Check that the map can tell whether there is such a thing.

    Raises:
        ReasoningError: `not_found`: no camera tells, or what is asked of a known thing is no name.
    """
    first, _, rest = subject.noun.partition(" ")
    if singular(subject.noun) in lexicon.STUFF:
        text = f"I cannot tell: no detector names {subject.noun}, so that I know nothing of it."
        raise ReasoningError("not_found", text)
    is_part = singular(subject.noun) in PARTS
    if is_part and any(at.label_scores(whole.noun).any() for whole in _wholes(subject)):
        text = f"I cannot tell: a map holds things, and not their {plural(singular(subject.noun))}."
        raise ReasoningError("not_found", text)
    if rest and first in lexicon.ANYTHING:
        text = f'I cannot tell what is "{shown(rest)}": nobody has said it of anything.'
        raise ReasoningError("not_found", text)
    if not rest or not subject.definite or subject.noun in thing_words():
        return
    words = subject.noun.split()
    for end in range(len(words) - 1, 0, -1):
        things = at.scene.objects_at(np.flatnonzero(at.label_scores(" ".join(words[:end]))))
        unseen = next((lexicon.UNSEEN[word] for word in words[end:] if word in lexicon.UNSEEN), "")
        said = unseen or f'"{shown(" ".join(words[end:]))}"'
        if things:
            raise say.not_known_whether(said, things)
        if unseen:
            raise at.missing(NounPhrase(" ".join(words[:end]), definite=True))


def _wholes(subject: Reference) -> Iterator[Reference]:
    """Things in which something would be as their part: the desk of "drawers in the desk"."""
    for condition in subject.conditions:
        if isinstance(condition, Related) and (condition.predicate, condition.negated) == (
            "inside",
            False,
        ):
            named = (whole for whole in condition.anchors if whole.noun)
            yield from (it for it in named if not (is_room(it) or find_room(it.noun)))


def count(question: trees.Count, at: Resolver) -> Reply:
    """Number of objects, named while they are few; whether it is odd, or can be divided."""
    subject = question.subject
    parts = _usual_parts(subject, at) if at.weighs else None
    if parts is not None:
        return parts
    found, doubted = _trusted(set_of(subject, at))
    n, objects = len(found), found.objects
    not_counted = say.doubtful(doubted, ", and not counted,")
    number, beyond = say.counted(n, say.noun_of(subject)), say.beyond_noun(subject)
    text = f"{number} {say.be(n)}{beyond}" if beyond else f"there {say.be(n)} {number}"
    brief = number_word(n)
    if question.divisor:
        brief = say.yes_or_no(n > 0 and n % question.divisor == 0)
    elif question.parity:
        parity = "odd" if n % 2 else "even"
        is_which = question.parity == "either"
        brief = parity if is_which else say.yes_or_no(parity == question.parity)
    text = text if brief == number_word(n) else f"{brief}, {text}"
    if not objects:
        _check_can_be_known(subject, at)
        text += f" in the memory{_none_fits(subject, at)}"
        return Reply(text, ABSENCE_CONFIDENCE, brief=brief)
    if not _is_sure(subject, at):
        return Reply(_perhaps(subject, objects), found.confidence, objects, brief)
    names = f": {say.listed(objects)}" if n <= say.MAX_LISTED else ""
    now_ns = at.scene.snapshot.stamp_ns
    if any(say.may_have_left(thing, now_ns) for thing in objects) and brief == number_word(n):
        text = f"{number} {'was' if n == 1 else 'were'} seen{beyond}"
        names = f": {say.bounded([say.last_seen(thing, now_ns) for thing in objects])}"
    return Reply(f"{text}{names}{not_counted}", found.confidence, objects, brief)


def _trusted(found: Found) -> tuple[Found, tuple[MapObject, ...]]:
    """The things that are likely there, which alone are named and counted, and the others."""
    likely = found.is_likely
    return found.where(likely), found.where(~likely).objects


def _usual_parts(subject: Reference, at: Resolver) -> Reply | None:
    """The usual number of such parts ("legs"), which are no objects; None for other nouns."""
    parts = None if at.sure_labels(subject.noun) else usual_count(subject.noun)
    if parts is None or not isinstance(subject, NounPhrase):
        return None
    is_of_known = subject.conditions or any(map(at.sure_labels, subject.unread))
    return say.usually(number_word(parts), 1.0 if is_of_known else 0.0)


def list_objects(question: trees.ListObjects, at: Resolver) -> Reply:
    """Objects of a question, in its order; for a superlative the one ("which chair is closest to
    the door")."""
    subject = question.subject
    if subject.ranks:
        return identify(trees.Identify(subject), at)
    found, doubted = _trusted(set_of(subject, at))
    if not len(found):
        return _nothing(subject, at)
    objects, doubt = found.objects, say.doubtful(doubted)
    if question.order is not None:
        rank = trees.Rank(question.order)
        objects = at.scene.objects_at(at.ranked(found.rows, rank, len(found)))
        first = f", the {question.order} first" * (len(objects) > 1)
        text = f"{say.listed(objects)}{first}"
        return Reply(text, found.confidence, objects, say.brief_name(objects))
    where, at_each = _at_each_anchor(subject, at)
    if at_each:
        objects = tuple(dict.fromkeys(thing for each in at_each.values() for thing in each))
        text = _told_of_each(where, at_each)
        return Reply(text, found.confidence, objects, say.brief_name(objects))
    said, noun = say.beyond_noun(subject), say.noun_of(subject)
    near, more = _near(found, subject, at), ""
    if len(near) < len(found):
        more = f"; {len(found) - len(near)} more are farther away"
        found, objects = near, near.objects
    text = f"{say.listed(objects)} {say.be(len(objects))}{said}{more}{_sources(subject, objects)}"
    if not said:
        names = say.tally(objects) if noun == "object" else say.listed(objects)
        counted = say.counted(len(objects), noun)
        text = f"I know of {counted}: {names}" if _is_sure(subject, at) else f"I know of {names}"
    return Reply(f"{text}{doubt}", found.confidence, objects, say.brief_name(objects))


def _at_each_anchor(
    subject: Reference, at: Resolver
) -> tuple[str, dict[MapObject, tuple[MapObject, ...]]]:
    """What is at each of the things that may be meant by "on the table", where several are, and
    the relation in words; else nothing."""
    no_several: tuple[str, dict[MapObject, tuple[MapObject, ...]]] = "", {}
    if not isinstance(subject, NounPhrase) or subject.noun or len(subject.conditions) != 1:
        return no_several
    related = subject.conditions[0]
    if not isinstance(related, Related) or related.negated or len(related.anchors) != 1:
        return no_several
    anchor = related.anchors[0]
    if not anchor.definite or not isinstance(anchor, NounPhrase) or is_plural(anchor.noun):
        return no_several
    anchors = _trusted(at.rows(anchor))[0].objects  # none: "in the corner of the room"
    is_building = any(one.object_id < 0 for one in anchors)  # "on the wall": on any
    if is_building or not 1 < len(anchors) <= say.MAX_LISTED or at.weighs:
        return no_several
    there = {}
    for one in anchors:
        of = replace(related, anchors=(trees.ObjectNumber(one.object_id),))
        things = at.rows(replace(subject, conditions=(of,)))
        there[one] = tuple(thing for thing in things.objects if thing != one)
    return lexicon.spoken(related.predicate), there


def _told_of_each(where: str, there: dict[MapObject, tuple[MapObject, ...]]) -> str:
    """ "on the desk (object 4) is a cup (object 6), on the side table (object 33) nothing"."""
    parts = [
        f"{where} {say.the(one)} {say.be(len(things))} {say.listed(things)}"
        if things
        else f"nothing is {where} {say.the(one)}"
        for one, things in there.items()
    ]
    return "; ".join(parts)


def _near(found: Found, subject: Reference, at: Resolver) -> Found:
    """Of many things of any kind on one side of something, those near it: half a room is in front
    of a sofa. All where none is."""
    if len(found) <= say.MAX_LISTED or not isinstance(subject, NounPhrase) or subject.noun:
        return found
    sides = (c for c in subject.conditions if isinstance(c, Related))
    side = next((c for c in sides if c.predicate in SIDES and not c.negated), None)
    if side is None:
        return found
    near = at.claim_scores(replace(side, predicate="near"), found.rows) > 0.0
    return found.where(near) if near.any() else found


def identify(question: trees.Identify, at: Resolver) -> Reply:
    """Name of the described objects."""
    subject = question.subject
    likeliest = _likeliest(subject, at) if at.weighs else None
    found = likeliest or at.existing(subject)
    objects = found.objects
    if len(objects) > 1 and isinstance(subject, NounPhrase) and not subject.ranks:
        nearest = _nearest_beside(subject)
        if nearest is None:
            return list_objects(trees.ListObjects(subject), at)
        found = at.existing(nearest)
        objects = found.objects
    # "Which of the cups is closest" asks for one.
    if len(objects) == 1 and isinstance(subject, NounPhrase):
        subject = replace(subject, noun=singular(subject.noun))
    said = say.to_asker(verbalization.describe(subject))
    named = said if said.startswith(("the ", "that ", "object ")) else f"the {said}"
    text = f"{shown(named)} are {say.listed(objects)}"
    if len(objects) == 1:
        colour = shown(objects[0].attributes.get("color", ""))
        tail = f", {colour}" if colour and colour not in said else ""
        text = f"{'that' if likeliest else shown(named)} is {say.one(objects[0])}{tail}"
    return Reply(text, found.confidence, objects, say.brief_name(objects))


def _nearest_beside(subject: NounPhrase) -> NounPhrase | None:
    """Of "the thing next to the lamp" the closest to it; None for what stands beside nothing, or
    is several."""
    beside = (c for c in subject.conditions if isinstance(c, Related) and c.predicate in BESIDE)
    one = next((c for c in beside if not c.negated and len(c.anchors) == 1), None)
    if one is None or is_plural(subject.noun):
        return None
    return replace(subject, ranks=(trees.Rank("closest", 1, one.anchors[0]),))


def how_sure(question: trees.HowSure, at: Resolver) -> Reply:
    """How sure it is that there is such a thing, of the surest one."""
    found = at.existing(_to_the_letter(question.subject))
    best = int(np.argmax(found.confidences))
    thing, sure = found.objects[best], float(found.confidences[best])
    seen, share = say.counted(thing.observation_count, "frame"), f"{100.0 * sure:.0f} %"
    like = "" if _is_sure(question.subject, at) else "something like it, "
    text = f"{share} sure that there is {like}{say.one(thing)}, seen in {seen}"
    return Reply(text, sure, (thing,), share)


def _likeliest(subject: Reference, at: Resolver) -> Found | None:
    """The best row, whatever it is called, with the share of the scores that its label has; None
    where nothing fits."""
    if not isinstance(subject, NounPhrase):
        return None
    row = at.find_best(subject)
    if row is None:
        row = at.find_best(replace(subject, noun="", unread=()))
    if row is None:
        return None
    share = at.share(subject, row)
    return Found(at.scene, np.array([row], np.intp), np.array([share]))


def set_of(subject: Reference, at: Resolver) -> Found:
    """Objects of a question; a wall that was also detected as an object counts once.

    Raises:
        ReasoningError: `not_found`: a required attribute has not been described.
    """
    found = at.rows(_to_the_letter(subject))
    if at.weighs:
        return found
    if not len(found) and is_room(subject):
        raise at.missing(subject)
    untold = (c for c in subject.conditions if c.negated or not len(found))
    asked = [c for c in untold if not _has_usual_use(c)]
    if asked:
        named = at.scene.objects_at(np.flatnonzero(at.label_scores(subject.noun)))
        unsaid = find_undescribed(named, asked) if named else None
        if unsaid:
            of_none = f"of no {singular(subject.noun or 'object')} is known"
            raise ReasoningError("not_found", f"The {unsaid} {of_none}{DESCRIPTION_HINT}.")
    is_building = ~at.scene.is_object[found.rows]
    return found.where(is_building) if is_building.any() else found


def _has_usual_use(condition: trees.Condition) -> bool:
    """Whether a use is asked for that kinds of things are known for, so that there is none."""
    if not isinstance(condition, HasAttribute) or condition.key != "affordance":
        return False
    return is_known_use(condition.value)


def _nothing(subject: Reference, at: Resolver) -> Reply:
    """Reply that nothing fits, with the closest object where the question has one anchor."""
    text = f"no {say.noun_of(subject)} in the memory is{say.beyond_noun(subject)}"
    match subject.conditions:
        case (Related() as related,):
            pass
        case _:
            said = text if subject.conditions else f"I know of no {say.noun_of(subject)}"
            return Reply(f"{said}{_none_fits(subject, at)}", ABSENCE_CONFIDENCE)
    otherwise = _otherwise(subject, related, at)
    if otherwise is not None:
        return replace(otherwise, text=f"{text}, but {otherwise.text}")
    anchors = at.anchors(related.anchors[0])
    shown_by = anchors[0].thing
    if related.predicate == "inside" and shown_by and sense_of(shown_by.label).holds_nothing:
        text = f"I cannot tell what {say.the(shown_by)} shows, and nothing lies in it"
        return Reply(text, ABSENCE_CONFIDENCE, (shown_by,))
    gaps = gaps_to(at.scene, anchors[0])
    gaps[~at.scene.is_object | (at.scene.confidence < DOUBTED)] = np.inf
    rows = [anchor.row for anchor in anchors if anchor.row is not None]
    gaps[rows] = np.inf
    for predicate in CARRYING if rows else ():
        held = relations_of(at.scene).to_the_letter(predicate, anchors[:1], 1.0 + gaps, None) > 0.0
        gaps[held] = np.inf
    gaps[[other for row in rows[:1] for other in at.scene.carriers_of(row)]] = np.inf
    nearest = int(np.argmin(gaps))
    if np.isfinite(gaps[nearest]):
        closest = say.the(at.scene.objects[nearest])
        away = f", {say.metres(gaps[nearest])} away" if gaps[nearest] > _TOUCHING_M else ""
        text += f"; the closest object is {closest}{away}"
    return Reply(text, ABSENCE_CONFIDENCE)


def _otherwise(subject: Reference, related: Related, at: Resolver) -> Reply | None:
    """Objects attached, or standing beside, in another way than was asked."""
    farther = ("near",) * (related.predicate in ("next to", "besides"))
    for predicate in (*ALIKE.get(related.predicate, ()), *farther):
        assert isinstance(subject, NounPhrase)
        other = replace(subject, conditions=(replace(related, predicate=predicate),))
        objects = at.rows(other).objects
        if objects:
            there = f"{say.be(len(objects))}{say.beyond_noun(other)}"
            return Reply(f"{say.listed(objects)} {there}", ABSENCE_CONFIDENCE, objects)
    return None


def _is_sure(subject: Reference, at: Resolver) -> bool:
    return not isinstance(subject, NounPhrase) or at.is_sure_of(subject.noun)


def _perhaps(subject: Reference, objects: Sequence[MapObject]) -> str:
    """Text for objects that are only like the subject, without a claim that they are it."""
    number = f"{len(objects)} that may be meant, " * (len(objects) > 1)
    return f"not for sure: I know of no {_said(subject)}, but of {number}{say.listed(objects)}"


def _sources(subject: Reference, objects: Sequence[MapObject]) -> str:
    """Source of the first attribute condition that is only a statement, as a note."""
    keys = [c.key for c in subject.conditions if isinstance(c, HasAttribute)]
    return next(filter(None, (source_note(objects, key) for key in keys)), "")


def _to_the_letter(subject: Reference) -> Reference:
    """The subject without "the": existence questions must not take an orange chair for a red
    one."""
    return replace(subject, definite=False) if isinstance(subject, NounPhrase) else subject


def _said(subject: Reference) -> str:
    if not isinstance(subject, NounPhrase):
        return say.noun_of(subject)
    return say.to_asker(shown(verbalization.bare(replace(subject, count=None, bound=""))))


def _how_near(subject: Reference, found: Found, at: Resolver) -> str:
    """How far the first thing is from the one it is beside: ", 0.40 m from the couch (object
    3)"; empty where nothing was said of that."""
    beside = [c for c in subject.conditions if isinstance(c, Related) and c.predicate in BESIDE]
    anchors = at.anchors(beside[0].anchors[0]) if beside and not beside[0].negated else []
    if len(anchors) != 1 or anchors[0].thing is None:
        return ""
    gap = gaps_to(at.scene, anchors[0])[found.rows[0]]
    return f", {say.metres(gap)} from {say.the(anchors[0].thing)}"


def _nearest_known(subject: Reference, at: Resolver) -> str:
    """Note on what is nearest to fit: the nearest thing of that name where one beside another was
    asked for, else as `_none_fits`."""
    match subject.conditions:
        case (Related(predicate=predicate, negated=False) as beside,) if (
            predicate in BESIDE
            and at.label_scores(subject.noun).any()
            and not at.is_of_nobody(beside.anchors[0])
        ):
            bare = replace(subject, conditions=()) if isinstance(subject, NounPhrase) else subject
            found, anchors = at.rows(_to_the_letter(bare)), at.anchors(beside.anchors[0])
            if subject.noun and len(found) and len(anchors) == 1 and anchors[0].thing is not None:
                gaps = gaps_to(at.scene, anchors[0])
                row = min(found.rows.tolist(), key=gaps.__getitem__)
                nearest = f"{say.the(at.scene.objects[row])}, {say.metres(gaps[row])} from"
                return f"; the nearest is {nearest} {say.the(anchors[0].thing)}"
    return _elsewhere(subject, at) or f"{_none_fits(subject, at)}{_unknown_anchor(subject, at)}"


def _elsewhere(subject: Reference, at: Resolver) -> str:
    """Where the few things of that name and look are, which are not where was asked: "; the lamp
    (object 16) is on the side table (object 15)"; empty where nothing was asked of their place."""
    looks = tuple(c for c in subject.conditions if not isinstance(c, Related))
    if not isinstance(subject, NounPhrase) or not subject.noun or looks == subject.conditions:
        return ""
    found, _ = _trusted(at.rows(NounPhrase(subject.noun, conditions=looks)))
    if not 0 < len(found) <= _FEW or not _is_sure(subject, at):
        return ""
    return "; " + joined(
        [f"{say.the(at.scene.objects[r])} is {at_place(at.scene, r)}" for r in found.rows.tolist()]
    )


def _unknown_anchor(subject: Reference, at: Resolver) -> str:
    """That what something would be on or near is not known either."""
    related = (c for c in subject.conditions if isinstance(c, Related))
    anchors = (a for c in related for a in c.anchors if isinstance(a, NounPhrase) and a.noun)
    unknown = [a.noun for a in anchors if not at.label_scores(a.noun).any()]
    return f", and no {shown(normal(unknown[0]))}" if unknown else ""


def _none_fits(subject: Reference, at: Resolver) -> str:
    """Note on objects of that name that fit not: " (3 chairs are known, none like that)"."""
    known = 0
    if subject.conditions and subject.noun:
        known = int(np.count_nonzero(at.label_scores(subject.noun)))
    number = f"{say.counted(known, subject.noun)} {say.be(known)} known"
    return f" ({number}, none like that)" if known else ""
