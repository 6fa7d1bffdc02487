"""Runs the tree of a question on a scene."""

from __future__ import annotations

from dataclasses import replace

from scenemind.reasoning.symbolic import past
from scenemind.reasoning.symbolic.comparing import same
from scenemind.reasoning.symbolic.counting import count, exists, list_objects
from scenemind.reasoning.symbolic.locating import carrier, locate
from scenemind.reasoning.symbolic.measuring import distance, size
from scenemind.reasoning.symbolic.reply import Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.syntax import (
    AskAttribute,
    AskCarrier,
    Changed,
    Count,
    Describe,
    Distance,
    Exists,
    Ground,
    Identify,
    ListObjects,
    NounPhrase,
    Question,
    Reference,
    Same,
    Size,
    Verify,
    WhenSeen,
    Where,
    WhereAt,
)
from scenemind.reasoning.symbolic.telling import attribute, describe, identify, verify


def run(question: Question, at: Resolver, changes_since: past.ChangesSince) -> Reply:
    """The answer to a question.

    Args:
        changes_since: see `MemoryAccess.changes_since`.

    Raises:
        ReasoningError: `not_found` or `ambiguous`, in words.
    """
    match question:
        case Exists(subject=subject):
            return exists(subject, at)
        case Count(subject=subject):
            return count(subject, at)
        case Where(subject=subject) | Ground(subject=subject):
            return locate(subject, at)
        case AskAttribute():
            return attribute(question, at)
        case AskCarrier():
            return carrier(question, at)
        case Verify():
            return verify(question, at)
        case Same():
            return same(question, at)
        case ListObjects(subject=subject):
            return list_objects(subject, at)
        case Identify(subject=subject):
            return identify(subject, at)
        case Distance():
            return distance(question, at)
        case Size():
            return size(question, at)
        case Describe(subject=subject):
            return describe(subject, at)
        case WhereAt():
            return past.where_at(question, at)
        case WhenSeen():
            return past.when_seen(question, at)
        case Changed():
            return past.changed(question, at, changes_since)


def subject_of(question: Question) -> Reference:
    """The phrase whose objects a question is about, for grounding it."""
    if isinstance(question, Distance):
        return question.first
    if isinstance(question, Same):
        return question.subjects[0]
    if isinstance(question, Changed):
        return question.subject or NounPhrase("")
    if isinstance(question, Verify) and isinstance(question.subject, NounPhrase):
        conditions = (*question.subject.conditions, question.condition)
        return replace(question.subject, conditions=conditions)
    return question.subject
