"""Answers to questions: dispatch by tree, and questions about sets, attributes and claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.language import lexicon, verbalization
from scenemind.language.english import joined, number_word, shown, singular, with_article
from scenemind.language.trees import (
    AskAttribute,
    AskCarrier,
    Changed,
    Choose,
    Compare,
    CompareCounts,
    Condition,
    Count,
    Describe,
    Described,
    Distance,
    Exists,
    FitsBetween,
    Ground,
    HasAttribute,
    HasRoomFor,
    HowSure,
    Identify,
    IsMore,
    Joined,
    ListObjects,
    NounPhrase,
    Question,
    Rank,
    Reference,
    Related,
    Same,
    Size,
    Verify,
    WhenSeen,
    Where,
    WhereAt,
)
from scenemind.memory import MapObject
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import past_answers
from scenemind.reasoning.symbolic.attribute_scores import (
    ATTRIBUTE_NOUNS,
    DESCRIBED_ONLY,
    DESCRIPTION_HINT,
    find_undescribed,
    mentions,
    source_note,
)
from scenemind.reasoning.symbolic.place_answers import (
    carrier,
    distance,
    fits_between,
    locate,
    room_for,
    size,
)
from scenemind.reasoning.symbolic.relation_scores import ALIKE, gaps_to, ranked_rows
from scenemind.reasoning.symbolic.replies import (
    ABSENCE_CONFIDENCE,
    MAX_LISTED,
    Reply,
    be,
    bounded,
    brief_name,
    confidences,
    counted,
    has_plural_noun,
    listed,
    mean_confidence,
    metres,
    noun_of,
    one,
    sentence,
    shown_at_length,
    tally,
    the,
)
from scenemind.reasoning.symbolic.resolver import Resolver, every_row, is_room
from scenemind.reasoning.symbolic.scene import Scores

_NAMED = 4
_DESCRIBED = (
    *("color", "size", "dimensions", "shape", "orientation"),
    *("material", "texture", "state", "affordance", "owner", "caption"),
)
# Closer objects touch the anchor, and are no hint.
_TOUCHING_M = 0.005


def answer(question: Question, at: Resolver, changes_since: past_answers.ChangesSince) -> Reply:
    """Reply to a question.

    Args:
        changes_since: see `MemoryAccess.changes_since`.

    Raises:
        ReasoningError: `not_found` or `ambiguous`.
    """
    match question:
        case Exists(subject=subject):
            return _exists(subject, at)
        case Count(subject=subject):
            return _count(subject, at)
        case Where(subject=subject) | Ground(subject=subject):
            return locate(subject, at)
        case AskAttribute():
            return _attribute(question, at)
        case AskCarrier():
            return carrier(question, at)
        case Verify():
            return _verify(question, at)
        case Same():
            return _same(question, at)
        case ListObjects(subject=subject):
            return _list_objects(subject, at)
        case Identify(subject=subject):
            return _identify(subject, at)
        case Distance():
            return distance(question, at)
        case Size():
            return size(question, at)
        case Describe(subject=subject):
            return _describe(subject, at)
        case WhereAt():
            return past_answers.where_at(question, at)
        case WhenSeen():
            return past_answers.when_seen(question, at)
        case Changed():
            return past_answers.changed(question, at, changes_since)
        case HowSure(subject=subject):
            return _how_sure(subject, at)
        case HasRoomFor():
            return room_for(question, at)
        case FitsBetween():
            return fits_between(question, at)
        case Joined():
            return _joined(question, at, changes_since)
        case Compare():
            return _compare(question.options, question.rank, at)
        case IsMore(first=first, second=second, rank=rank):
            return _compare((first, second), rank, at, is_claim=True)
        case Choose():
            return _choose(question, at)
        case CompareCounts():
            return _compare_counts(question, at)


def subject_of(question: Question) -> Reference:
    """Reference whose objects a question is about, for grounding it."""
    if isinstance(question, Distance | FitsBetween):
        return question.first
    if isinstance(question, IsMore | CompareCounts):
        return question.first
    if isinstance(question, Compare):
        return question.options[0]
    if isinstance(question, Joined):
        return subject_of(question.questions[0])
    if isinstance(question, Same):
        return question.subjects[0]
    if isinstance(question, Changed):
        return question.subject or NounPhrase("")
    if isinstance(question, Verify) and isinstance(question.subject, NounPhrase):
        conditions = (*question.subject.conditions, question.condition)
        return replace(question.subject, conditions=conditions)
    return question.subject


def _how_sure(subject: Reference, at: Resolver) -> Reply:
    """How sure it is that there is such a thing, of the surest one."""
    rows, scores = at.existing(_to_the_letter(subject))
    sure = confidences(at.scene, rows, scores)
    best = int(np.argmax(sure))
    thing = at.scene.objects[int(rows[best])]
    seen = f", seen in {counted(thing.observation_count, 'frame')}"
    share = f"{100.0 * sure[best]:.0f} %"
    name = one(thing) if _is_sure(subject, at) else f"something like it, {one(thing)}"
    return Reply(
        sentence(f"{share} sure that there is {name}{seen}"), float(sure[best]), (thing,), share
    )


def _compare(
    options: Sequence[Reference], rank: Rank, at: Resolver, *, is_claim: bool = False
) -> Reply:
    """The one of several objects that is larger, higher or nearer; of a claim: yes if it is the
    first."""
    rows = np.array([at.single(option) for option in options])
    if len(set(rows.tolist())) < len(rows):
        only = the(at.scene.objects[int(rows[0])])
        raise ReasoningError("not_found", f"Only {only} is meant: there is nothing to compare.")
    best = int(ranked_rows(at, rows, rank, 1)[0])
    things = at.objects(rows)
    to = "" if rank.anchor is None else f" to {verbalization.describe(rank.anchor)}"
    text = f"{the(at.scene.objects[best])} is the {rank.superlative} of them{to}"
    sure = float(np.prod([thing.confidence for thing in things]))
    ordered = (at.scene.objects[best], *(t for t in things if t is not at.scene.objects[best]))
    if not is_claim:
        return Reply(sentence(text), sure, ordered, brief_name(ordered))
    word = "yes" if best == rows[0] else "no"
    return Reply(sentence(f"{word}, {text}"), sure, tuple(things), word)


def _compare_counts(question: CompareCounts, at: Resolver) -> Reply:
    """Yes or no: whether there are more of the first things than of the second."""
    rows = [_set_of(subject, at)[0] for subject in (question.first, question.second)]
    first, second = len(rows[0]), len(rows[1])
    holds = {"more": first > second, "fewer": first < second, "as many": first == second}
    word = "yes" if holds[question.how] else "no"
    numbers = joined(
        [
            counted(len(found), noun_of(subject))
            for found, subject in zip(rows, (question.first, question.second), strict=True)
        ]
    )
    things = tuple(at.objects(np.concatenate(rows)))
    sure = float(np.mean([thing.confidence for thing in things])) if things else 0.0
    there = be(first + second)
    return Reply(sentence(f"{word}, there {there} {numbers}"), min(sure, 0.9), things, word)


def _choose(question: Choose, at: Resolver) -> Reply:
    """The option that holds for an object: "is the door open or closed"."""
    row = at.single(question.subject)
    thing, among = at.scene.objects[row], np.zeros(len(at.scene))
    among[row] = 1.0
    fits = [
        float(at.condition_scores(option, among, lenient=False)[row]) for option in question.options
    ]
    claims = [verbalization.claim(option) for option in question.options]
    if not any(fits):
        unsaid = find_undescribed([thing], question.options)
        if unsaid:
            raise _not_known(unsaid, [thing], DESCRIPTION_HINT)
        return Reply(
            sentence(f"{the(thing)} is neither {' nor '.join(claims)}"),
            ABSENCE_CONFIDENCE,
            (thing,),
            "neither",
        )
    best = fits.index(max(fits))
    note = _note(question.options[best], [thing])
    sure = min(1.0, thing.confidence * max(fits))
    return Reply(sentence(f"{the(thing)} is {claims[best]}{note}"), sure, (thing,), claims[best])


def _joined(question: Joined, at: Resolver, changes_since: past_answers.ChangesSince) -> Reply:
    """Reply to each of several questions; of "or" it is enough that one is so."""
    replies = []
    for part in question.questions:
        try:
            replies.append(answer(part, at, changes_since))
        except ReasoningError as error:
            replies.append(Reply(str(error), ABSENCE_CONFIDENCE, brief="no"))
    if not any(reply.objects for reply in replies) and not isinstance(
        question.questions[0], Exists
    ):
        raise ReasoningError("not_found", " ".join(reply.text for reply in replies))
    objects = dict.fromkeys(thing for reply in replies for thing in reply.objects)
    said = [reply.brief for reply in replies]
    brief = f" {question.word} ".join(said)
    sure = min(reply.confidence for reply in replies)
    if set(said) <= {"yes", "no"}:
        decide = any if question.word == "or" else all
        brief = "yes" if decide(word == "yes" for word in said) else "no"
        deciding = [reply.confidence for reply in replies if reply.brief == brief]
        sure = max(deciding) if decide is any and brief == "yes" else min(deciding)
        kept = [r for r in replies if r.brief == brief] if question.word == "or" else replies
        return Reply(" ".join(reply.text for reply in kept), sure, tuple(objects), brief)
    return Reply(" ".join(reply.text for reply in replies), sure, tuple(objects), brief)


def _identify(subject: Reference, at: Resolver) -> Reply:
    """Name of the described objects."""
    rows, scores = at.existing(subject)
    objects = at.objects(rows)
    if len(objects) == 1 and isinstance(subject, NounPhrase):
        # "Which of the cups is closest" asks for one.
        subject = replace(subject, noun=singular(subject.noun))
    said = verbalization.describe(subject)
    if len(objects) == 1:
        named = said if said.startswith(("the ", "object ")) else f"the {said}"
        colour = shown(objects[0].attributes.get("color", ""))
        tail = f", {colour}" if colour and colour not in said else ""
        text = f"{shown(named)} is {one(objects[0])}{tail}"
    else:
        text = f"{len(objects)} objects fit: {listed(objects)}"
    sure = mean_confidence(at.scene, rows, scores)
    return Reply(sentence(text), sure, tuple(objects), brief_name(objects))


def _attribute(question: AskAttribute, at: Resolver) -> Reply:
    """Attribute of each object of the question."""
    rows, scores = at.existing(question.subject)
    name = ATTRIBUTE_NOUNS.get(question.key, question.key)
    valued = [row for row in rows if at.scene.objects[row].attributes.get(question.key)]
    if not valued:
        raise _not_known(
            name, at.objects(rows), DESCRIPTION_HINT if question.key in DESCRIBED_ONLY else ""
        )
    known = at.objects(np.array(valued))
    key = question.key
    values = [_value_words(key, shown_at_length(o.attributes[key])) for o in known]
    number = counted(len(known), noun_of(question.subject))
    note = source_note(known, key)
    if len(known) == 1:
        text = f"{the(known[0])}{values[0]}{note}"
    elif len(set(values)) == 1 and key not in DESCRIBED_ONLY:
        text = f"all {number} are{values[0].removeprefix(' is')}{note}"
    else:
        each = [
            f"object {o.object_id}{v}{source_note([o], key)}"
            for o, v in zip(known, values, strict=True)
        ]
        text = f"there are {number}: {bounded(each)}"
    sure, first = mean_confidence(at.scene, rows, scores), known[0].attributes[key]
    return Reply(sentence(text), sure, tuple(known), shown_at_length(first))


def _describe(subject: Reference, at: Resolver) -> Reply:
    """All known attributes of one object, with their sources."""
    thing = at.scene.objects[at.single(subject)]
    parts = [
        f"{_value_words(key, shown_at_length(thing.attributes[key]))}{source_note([thing], key)}"
        for key in _DESCRIBED
        if thing.attributes.get(key)
    ]
    text = f"{the(thing)}{'; it'.join(parts) if parts else ' is all that is known of it'}"
    return Reply(sentence(text), thing.confidence, (thing,))


def _value_words(key: str, value: str) -> str:
    """An attribute with its verb: " is red", " is made of wood", " can be used to sit on it"."""
    if key == "caption":
        return f' looks like this: "{value.rstrip(".")}"'
    verb = {
        "material": "is made of",
        "affordance": "can be used to",
        "dimensions": "measures",
        "texture": "has this texture:",
        "owner": "belongs to",
    }.get(key, "is")
    return f" {verb} {value}"


def _verify(question: Verify, at: Resolver) -> Reply:
    """Yes or no, or the objects for which the claim holds.

    Raises:
        ReasoningError: `not_found`: the attribute has not been described.
    """
    rows, scores = at.existing(question.subject)
    among = np.zeros(len(at.scene))
    among[rows] = 1.0
    holds = at.condition_scores(question.condition, among, lenient=False)[rows]
    objects, fitting = at.objects(rows), holds > 0.0
    unsaid = find_undescribed(objects, (question.condition,))
    if unsaid and (question.condition.negated or not fitting.any()):
        raise _not_known(unsaid, objects, DESCRIPTION_HINT)
    if fitting.any() and not fitting.all():
        return _some(question, objects, fitting.tolist())
    subject = the(objects[0]) if len(objects) == 1 else f"all {counted(len(objects), 'object')}"
    if fitting.all():
        note = _note(question.condition, objects)
        text = f"Yes, {subject} {be(len(objects))} {verbalization.claim(question.condition)}{note}"
        sure = mean_confidence(at.scene, rows, scores * holds)
        return Reply(sentence(text), sure, tuple(objects), "yes")
    text = f"No, {subject} {be(len(objects))} {_denial(question.condition, objects)}"
    sure = ABSENCE_CONFIDENCE * mean_confidence(at.scene, rows, scores)
    return Reply(sentence(text), sure, tuple(objects), "no")


def _not_known(name: str, objects: list[MapObject], help_on: str) -> ReasoningError:
    several = joined([the(o) for o in objects[:_NAMED]])
    return ReasoningError("not_found", f"The {name} of {several} is not known{help_on}.")


def _some(question: Verify, objects: list[MapObject], fits: list[bool]) -> Reply:
    those = [o for o, fit in zip(objects, fits, strict=True) if fit]
    number = counted(len(objects), noun_of(question.subject))
    text = f"{len(those)} of {number} {be(len(those))} {verbalization.claim(question.condition)}"
    sure = float(np.mean([o.confidence for o in those]))
    # "Is the cup on the table" is true when one of the cups is; "are the chairs black" is not.
    is_all_asked = has_plural_noun(question.subject)
    whole = sentence(f"{'Not all' if is_all_asked else 'Yes'}, {text}: {listed(those)}")
    return Reply(whole, min(sure, 1.0), tuple(those), "no" if is_all_asked else "yes")


def _note(condition: Condition, objects: list[MapObject]) -> str:
    return source_note(objects, condition.key) if isinstance(condition, HasAttribute) else ""


def _denial(condition: Condition, objects: list[MapObject]) -> str:
    said = verbalization.claim(replace(condition, negated=not condition.negated))
    if len(objects) != 1 or condition.negated:
        return said
    if isinstance(condition, HasAttribute):
        value = objects[0].attributes.get(condition.key, "")
        if not value or condition.key == "affordance":
            return f"{said} as far as is known"
        return f"{shown(value)}{_note(condition, objects)}, {said}"
    if isinstance(condition, Described):
        return f"{with_article(shown(objects[0].label))}, {said}"
    return said


def _same(question: Same, at: Resolver) -> Reply:
    """Yes or no, with the value of each object.

    Raises:
        ReasoningError: `not_found`: fewer than two objects, or an unknown value; `ambiguous`.
    """
    if len(question.subjects) > 1:
        rows = [at.single(subject) for subject in question.subjects]
    else:
        rows = every_row(question.subjects[0], at).tolist()
    things = list({row: at.scene.objects[row] for row in rows}.values())
    if len(things) < 2:
        one = the(things[0])
        raise ReasoningError("not_found", f"Only {one} is meant: there is nothing to compare.")
    key = question.key
    unknown = [thing for thing in things if not thing.attributes.get(key)]
    if unknown:
        names = bounded([the(thing) for thing in unknown])
        raise ReasoningError("not_found", f"The {key} of {names} is not known.")
    first, *others = (thing.attributes[key] for thing in things)
    is_same = all(_alike(key, first, other) for other in others)
    each = [
        f"{the(thing)}{_value_words(key, shown(thing.attributes[key]))}{source_note([thing], key)}"
        for thing in things
    ]
    sure = float(np.mean([thing.confidence for thing in things]))
    text = sentence(f"{'Yes' if is_same else 'No'}, {bounded(each)}")
    return Reply(text, sure, tuple(things), "yes" if is_same else "no")


def _alike(key: str, first: str, second: str) -> bool:
    if key == "color":
        return _plain(first) == _plain(second)
    return first == second or mentions(first, second) or mentions(second, first)


def _plain(colours: str) -> set[str]:
    return {lexicon.base_colour(colour) for colour in colours.split(" and ")}


def _exists(subject: Reference, at: Resolver) -> Reply:
    """Yes with the objects, or no with near matches."""
    rows, scores = _set_of(subject, at)
    if not len(rows):
        text = f"No, I know of no {_said(subject)}{_none_fits(subject, at)}"
        return Reply(sentence(text), ABSENCE_CONFIDENCE, brief="no")
    objects = at.objects(rows)
    sure = mean_confidence(at.scene, rows[:1], scores[:1])
    if not _is_sure(subject, at):
        return Reply(_perhaps(subject, objects), sure, tuple(objects))
    asked = subject.count if isinstance(subject, NounPhrase) else None
    yes = "No" if asked is not None and asked > len(rows) else "Yes"
    if len(rows) == 1:
        label = with_article(shown(objects[0].label))
        which = f": object {objects[0].object_id}" if objects[0].object_id >= 0 else ""
        text = f"{yes}, there is {label}{which}"
    else:
        text = f"{yes}, there are {counted(len(rows), noun_of(subject))}: {listed(objects)}"
    return Reply(sentence(text), sure, tuple(objects), yes.lower())


def _count(subject: Reference, at: Resolver) -> Reply:
    """Number of objects, named while they are few."""
    rows, scores = _set_of(subject, at)
    objects = at.objects(rows)
    number, beyond = counted(len(rows), noun_of(subject)), verbalization.beyond_noun(subject)
    text = f"{number} {be(len(rows))}{beyond}" if beyond else f"there {be(len(rows))} {number}"
    if not objects:
        text += f" in the memory{_none_fits(subject, at)}"
        return Reply(sentence(text), ABSENCE_CONFIDENCE, brief=number_word(0))
    sure = mean_confidence(at.scene, rows, scores)
    if not _is_sure(subject, at):
        return Reply(_perhaps(subject, objects), sure, tuple(objects))
    names = f": {listed(objects)}" if len(objects) <= MAX_LISTED else ""
    return Reply(sentence(f"{text}{names}"), sure, tuple(objects), number_word(len(rows)))


def _list_objects(subject: Reference, at: Resolver) -> Reply:
    """Objects of a question; for a superlative the one ("which chair is closest to the door")."""
    if isinstance(subject, NounPhrase) and subject.ranks:
        return _identify(subject, at)
    rows, scores = _set_of(subject, at)
    if not len(rows):
        return _nothing(subject, at)
    objects = at.objects(rows)
    said = verbalization.beyond_noun(subject)
    if said:
        text = f"{listed(objects)} {be(len(objects))}{said}{_sources(subject, objects)}"
    else:
        noun = noun_of(subject)
        names = tally(objects) if noun == "object" else listed(objects)
        text = f"I know of {counted(len(objects), noun)}: {names}"
    sure = mean_confidence(at.scene, rows, scores)
    return Reply(sentence(text), sure, tuple(objects), brief_name(objects))


def _set_of(subject: Reference, at: Resolver) -> tuple[NDArray[np.intp], Scores]:
    """Rows of a question's subject; a wall that was also detected as an object counts once.

    Raises:
        ReasoningError: `not_found`: a required attribute has not been described.
    """
    rows, scores = at.rows(_to_the_letter(subject))
    if not len(rows) and is_room(subject):
        raise at.missing(subject)
    _check_said(subject, rows, at)
    is_building = ~at.scene.is_object[rows]
    return (rows[is_building], scores[is_building]) if is_building.any() else (rows, scores)


def _check_said(subject: Reference, rows: NDArray[np.intp], at: Resolver) -> None:
    if not isinstance(subject, NounPhrase):
        return
    asked = [c for c in subject.conditions if c.negated or not len(rows)]
    named = [at.scene.objects[row] for row in np.flatnonzero(at.label_scores(subject.noun))]
    unsaid = find_undescribed(named, asked) if named else None
    if unsaid:
        text = (
            f"The {unsaid} of no {singular(subject.noun or 'object')} is known{DESCRIPTION_HINT}."
        )
        raise ReasoningError("not_found", text)


def _nothing(subject: Reference, at: Resolver) -> Reply:
    """Reply that nothing fits, with the closest object where the question has one anchor."""
    text = f"no {noun_of(subject)} in the memory is{verbalization.beyond_noun(subject)}"
    conditions = subject.conditions if isinstance(subject, NounPhrase) else ()
    if len(conditions) != 1 or not isinstance(conditions[0], Related):
        return Reply(sentence(f"{text}{_none_fits(subject, at)}"), ABSENCE_CONFIDENCE)
    otherwise = _otherwise(subject, conditions[0], at)
    if otherwise is not None:
        return Reply(sentence(f"{text}, but {otherwise[0]}"), ABSENCE_CONFIDENCE, otherwise[1])
    anchors = at.anchors(conditions[0].anchors[0])
    gaps = gaps_to(at.scene, anchors[0])
    gaps[~at.scene.is_object] = np.inf
    gaps[gaps < _TOUCHING_M] = np.inf
    gaps[[anchor.row for anchor in anchors if anchor.row is not None]] = np.inf
    nearest = int(np.argmin(gaps))
    if np.isfinite(gaps[nearest]):
        closest = the(at.scene.objects[nearest])
        text += f"; the closest object is {closest}, {metres(gaps[nearest])} away"
    return Reply(sentence(text), ABSENCE_CONFIDENCE)


def _otherwise(
    subject: Reference, related: Related, at: Resolver
) -> tuple[str, tuple[MapObject, ...]] | None:
    """Objects attached, or standing beside, in another way than was asked."""
    if not isinstance(subject, NounPhrase):
        return None
    for predicate in ALIKE.get(related.predicate, ()):
        other = replace(subject, conditions=(replace(related, predicate=predicate),))
        rows, _ = at.rows(other)
        if len(rows):
            objects = tuple(at.objects(rows))
            said = f"{listed(objects)} {be(len(objects))}{verbalization.beyond_noun(other)}"
            return said, objects
    return None


def _is_sure(subject: Reference, at: Resolver) -> bool:
    return not isinstance(subject, NounPhrase) or at.is_sure_of(subject.noun)


def _perhaps(subject: Reference, objects: list[MapObject]) -> str:
    """Text for objects that are only like the subject, without a claim that they are it."""
    return sentence(f"not for sure: I know of no {_said(subject)}, but of {listed(objects)}")


def _sources(subject: Reference, objects: list[MapObject]) -> str:
    """Source of the first attribute condition that is only a statement, as a note."""
    conditions = subject.conditions if isinstance(subject, NounPhrase) else ()
    said = (source_note(objects, c.key) for c in conditions if isinstance(c, HasAttribute))
    return next((note for note in said if note), "")


def _to_the_letter(subject: Reference) -> Reference:
    """The subject without "the": existence questions must not take an orange chair for a red
    one."""
    return replace(subject, definite=False) if isinstance(subject, NounPhrase) else subject


def _said(subject: Reference) -> str:
    if not isinstance(subject, NounPhrase):
        return noun_of(subject)
    return shown(verbalization.bare(replace(subject, count=None)))


def _none_fits(subject: Reference, at: Resolver) -> str:
    """Note on objects of that name that fit not: " (3 chairs are known, none like that)"."""
    if not isinstance(subject, NounPhrase) or not subject.conditions or not subject.noun:
        return ""
    known = int(np.count_nonzero(at.label_scores(subject.noun)))
    return f" ({counted(known, subject.noun)} {be(known)} known, none like that)" if known else ""
