"""Answers to questions: one dispatch from a question's tree to its reply.

What was read loosely is answered by the same functions with a `LooseResolver`, which finds what is
likeliest meant; where that finds nothing, with what is usual of such things, or by a guess.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from pydantic import BaseModel, ConfigDict

from scenemind.language import trees
from scenemind.language.english import find_number, read_table
from scenemind.language.trees import NounPhrase, Reference, SituatedQuestion
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import (
    claim_answers,
    past_answers,
    place_answers,
    set_answers,
    viewer_answers,
)
from scenemind.reasoning.symbolic.loose_resolver import LooseResolver
from scenemind.reasoning.symbolic.replies import (
    ABSENCE_CONFIDENCE,
    Reply,
    noun_of,
    usually,
)
from scenemind.reasoning.symbolic.resolver import Resolver


def answer(
    question: SituatedQuestion, at: Resolver, changes_since: past_answers.ChangesSince
) -> Reply:
    """Reply to a question.

    Args:
        changes_since: see `MemoryAccess.changes_since`.

    Raises:
        ReasoningError: `not_found` or `ambiguous`.
    """
    match question:
        case trees.Exists(subject=subject):
            return set_answers.exists(subject, at)
        case trees.Count():
            return set_answers.count(question, at)
        case trees.ListObjects(subject=subject):
            return set_answers.list_objects(subject, at)
        case trees.Identify(subject=subject):
            return set_answers.identify(subject, at)
        case trees.AskAttribute():
            return set_answers.attribute(question, at)
        case trees.Describe(subject=subject):
            return set_answers.describe_thing(subject, at)
        case trees.HowSure(subject=subject):
            return set_answers.how_sure(subject, at)
        case trees.Verify():
            return claim_answers.verify(question, at)
        case trees.Same():
            return claim_answers.same(question, at)
        case trees.Choose():
            return claim_answers.choose(question, at)
        case trees.Compare() | trees.IsMore():
            return claim_answers.compare(question, at)
        case trees.CompareCounts():
            return claim_answers.compare_counts(question, at)
        case trees.Joined():
            return _joined(question, at, changes_since)
        case trees.Distance():
            return place_answers.distance(question, at)
        case trees.Size():
            return place_answers.size(question, at)
        case trees.AskCarrier():
            return place_answers.carrier(question, at)
        case trees.HasRoomFor():
            return place_answers.room_for(question, at)
        case trees.FitsBetween():
            return place_answers.fits_between(question, at)
        case trees.WhereAt():
            return past_answers.where_at(question, at)
        case trees.WhenSeen():
            return past_answers.when_seen(question, at)
        case trees.Changed():
            return past_answers.changed(question, at, changes_since)
        case trees.Where(subject=NounPhrase() as phrase) if isinstance(at, LooseResolver):
            return viewer_answers.side_or_place(phrase, at)
        case trees.Where(subject=subject) | trees.Ground(subject=subject):
            return place_answers.locate(subject, at)
        case trees.AskDirection(subject=NounPhrase() as goal) if isinstance(at, LooseResolver):
            return viewer_answers.direction(goal, at)
        case trees.IsWayClear(way=way) if isinstance(at, LooseResolver):
            return viewer_answers.is_way_clear(way, at)
        case trees.AskRoom(noun=words) if isinstance(at, LooseResolver):
            return viewer_answers.kind_of_room(words, at)
    raise ReasoningError("not_found", "Only somebody who stands somewhere can be told that.")


def subject_of(question: trees.Question) -> Reference:
    """Reference whose objects a question is about, for grounding it."""
    match question:
        case trees.Distance() | trees.FitsBetween() | trees.IsMore() | trees.CompareCounts():
            return question.first
        case trees.Compare():
            return question.options[0]
        case trees.Joined():
            return subject_of(question.questions[0])
        case trees.Same():
            return question.subjects[0]
        case trees.Changed():
            return question.subject or NounPhrase("")
        case trees.Verify(subject=NounPhrase() as subject, condition=condition):
            return replace(subject, conditions=(*subject.conditions, condition))
    return question.subject


def _joined(
    question: trees.Joined, at: Resolver, changes_since: past_answers.ChangesSince
) -> Reply:
    """Reply to each of several questions; of "or" it is enough that one is so."""
    replies = []
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
    if set(said) <= {"yes", "no"} or (question.word == "or" and "yes" in said):
        decide = any if question.word == "or" else all
        brief = "yes" if decide(word == "yes" for word in said) else "no"
        deciding = [reply.confidence for reply in replies if reply.brief == brief]
        sure = max(deciding) if decide is any and brief == "yes" else min(deciding)
        replies = [r for r in replies if r.brief == brief] if question.word == "or" else replies
    return Reply(" ".join(reply.sentence for reply in replies), sure, objects, brief)


def answer_loosely(
    question: SituatedQuestion, at: LooseResolver, changes_since: past_answers.ChangesSince
) -> Reply:
    """Reply to a question that was read loosely; always one, with how likely it is right."""
    reply = best_reply(question, at, changes_since)
    return replace(reply, confidence=_likelihood(question, reply, at))


def best_reply(
    question: SituatedQuestion, at: LooseResolver, changes_since: past_answers.ChangesSince
) -> Reply:
    """Reply to a question that was read loosely; its confidence is how well its objects fit."""
    try:
        return answer(question, at, changes_since)
    except ReasoningError:
        return _guess(question)


def kinds_of(question: SituatedQuestion, reply: Reply) -> tuple[str, ...]:
    """Names of a reply's kind in `likelihood.yaml`, the most special one first."""
    name = type(question).__name__
    evidence = "usual" if reply.is_usual else "found" if reply.objects else "unseen"
    if isinstance(question, trees.Identify):
        said = [phrase.noun for phrase in trees.noun_phrases(question)]
        evidence = "repeated" if any(reply.brief in noun for noun in said) else evidence
    number = (f"Count {reply.brief}",) * (find_number(reply.brief) is not None)
    return *number, f"{name} {evidence}", "any"


def _likelihood(question: SituatedQuestion, reply: Reply, at: LooseResolver) -> float:
    """How likely a reply is right: that its objects exist, times how often such replies are."""
    table = _likelihoods()
    lines = table.nowhere if at.place == "unknown" else table.standing
    fixed, by_fit = next(lines[kind] for kind in kinds_of(question, reply) if kind in lines)
    exist = np.mean([thing.confidence for thing in reply.objects]) if reply.objects else 1.0
    sure = {"told": table.told, "of camera": table.of_camera}.get(at.place, 1.0)
    unknown, unread = at.unused_words(question)
    sure *= table.unknown if unknown else table.unread if unread else 1.0
    return float(sure * (fixed * exist + by_fit * reply.confidence))


class _Likelihoods(BaseModel):
    """Content of `likelihood.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    told: float
    of_camera: float
    unknown: float
    unread: float
    standing: dict[str, tuple[float, float]]
    nowhere: dict[str, tuple[float, float]]


@cache
def _likelihoods() -> _Likelihoods:
    content = read_table("scenemind.reasoning.symbolic", "likelihood.yaml")
    return _Likelihoods.model_validate(content)


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
