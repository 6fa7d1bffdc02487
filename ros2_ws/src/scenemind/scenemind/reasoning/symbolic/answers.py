"""Answers to questions: one dispatch from a question's tree to its reply.

What was read loosely is answered by the same functions with a resolver that weighs words, and so
finds what is likeliest meant; where that finds nothing, with what is usual of such things, or by a
guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scenemind.language import trees
from scenemind.language.trees import NounPhrase, Reference, SituatedQuestion
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import (
    claim_answers,
    comparison_answers,
    look_answers,
    past_answers,
    place_answers,
    room_on,
    set_answers,
)
from scenemind.reasoning.symbolic.past_answers import ChangesSince
from scenemind.reasoning.symbolic.replies import (
    ABSENCE_CONFIDENCE,
    Reply,
    noun_of,
    usually,
    yes_or_no,
)
from scenemind.reasoning.symbolic.resolver import Resolver

_ANSWERS: Mapping[type, Callable[[Any, Resolver], Reply]] = {
    trees.Exists: set_answers.exists,
    trees.Count: set_answers.count,
    trees.ListObjects: set_answers.list_objects,
    trees.Identify: set_answers.identify,
    trees.AskAttribute: look_answers.attribute,
    trees.Describe: look_answers.describe_things,
    trees.HowSure: set_answers.how_sure,
    trees.CouldBe: look_answers.could_be,
    trees.Verify: claim_answers.verify,
    trees.IsTaken: claim_answers.is_taken,
    trees.Same: comparison_answers.same,
    trees.Choose: claim_answers.choose,
    trees.Compare: comparison_answers.compare,
    trees.IsMore: comparison_answers.is_more,
    trees.HowMuchMore: comparison_answers.how_much_more,
    trees.CompareCounts: comparison_answers.compare_counts,
    trees.Distance: place_answers.distance,
    trees.OnEach: set_answers.on_each,
    trees.Help: set_answers.what_can_be_asked,
    trees.Size: place_answers.size,
    trees.AskCarrier: place_answers.carrier,
    trees.HasRoomFor: place_answers.room_for,
    trees.AskRoom: place_answers.kind_of_room,
    trees.FitsBetween: place_answers.fits_between,
    trees.FitsThrough: place_answers.fits_through,
    trees.HasRoomOn: room_on.room_on,
    trees.IsWayFree: place_answers.way_free,
    trees.Where: place_answers.locate,
    trees.Ground: place_answers.locate,
    trees.WhereAt: past_answers.where_at,
    trees.PastClaim: past_answers.claimed_at,
    trees.TimesSeen: past_answers.times_seen,
    trees.WhenSeen: past_answers.when_seen,
    trees.AskDirection: place_answers.direction,
    trees.IsWayClear: place_answers.is_way_clear,
}


def answer(question: SituatedQuestion, at: Resolver, changes_since: ChangesSince) -> Reply:
    """Reply to a question; where words are weighed always one, if need be a guess.

    Args:
        changes_since: see `MemoryAccess.changes_since`.

    Raises:
        ReasoningError: `not_found` or `ambiguous`.
    """
    try:
        if isinstance(question, trees.Joined):
            return _joined(question, at, changes_since)
        if isinstance(question, trees.Changed):
            return past_answers.changed(question, at, changes_since)
        return _ANSWERS[type(question)](question, at)
    except ReasoningError:
        if not at.weighs:
            raise
        return _guess(question)


def subject_of(question: trees.Question) -> Reference:
    """Reference whose objects a question is about, for grounding it."""
    match question:
        case (
            trees.Distance()
            | trees.FitsBetween()
            | trees.IsWayFree()
            | trees.IsMore()
            | trees.HowMuchMore()
            | trees.CompareCounts()
        ):
            return question.first
        case trees.Compare():
            return question.options[0]
        case trees.Joined():
            return subject_of(question.questions[0])
        case trees.Same():
            return question.subjects[0]
        case trees.Changed():
            return question.subject or NounPhrase("")
        case trees.Help() | trees.AskRoom():
            return NounPhrase("")
        case trees.Verify(subject=NounPhrase() as subject, condition=condition):
            return subject.that(condition)
    return question.subject


def _joined(question: trees.Joined, at: Resolver, changes_since: ChangesSince) -> Reply:
    """Reply to each of several questions; of "or" it is enough that one is so."""
    replies, is_choice = [], question.word == "or"
    for part in question.questions:
        try:
            replies.append(answer(part, at, changes_since))
        except ReasoningError as error:
            replies.append(Reply(str(error), ABSENCE_CONFIDENCE, brief="no"))
    is_there = isinstance(question.questions[0], trees.Exists)
    if not is_there and not any(reply.objects for reply in replies):
        raise ReasoningError("not_found", " ".join(reply.sentence for reply in replies))
    objects = tuple(dict.fromkeys(thing for reply in replies for thing in reply.objects))
    said = [reply.brief for reply in replies]
    brief = f" {question.word} ".join(said) if all(said) else ""
    sure = min(reply.confidence for reply in replies)
    if set(said) <= {"yes", "no"} or (is_choice and "yes" in said):
        brief = yes_or_no("yes" in said if is_choice else "no" not in said)
        deciding = [reply for reply in replies if reply.brief == brief]
        surest = max if is_choice and brief == "yes" else min
        sure = surest(reply.confidence for reply in deciding)
        replies = deciding if is_choice else replies
    return Reply(" ".join(reply.sentence for reply in replies), sure, objects, brief)


def _guess(question: SituatedQuestion) -> Reply:
    """An answer where nothing was found."""
    match question:
        case trees.Compare(options=options):
            return usually(noun_of(options[0]), 1.0 / len(options))
        case trees.AskDirection() | trees.Where():
            return usually("right", 0.0)
        case trees.Identify():
            return usually("table", 0.0)
        case trees.Same(key="kind"):
            return usually("yes", 0.0)
    return usually("no", 0.0)
