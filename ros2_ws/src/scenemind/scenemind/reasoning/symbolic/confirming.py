"""Corrections that say that all is right, and that something is not known after all."""

from __future__ import annotations

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_subjects import reference_of
from scenemind.reasoning.symbolic.command_syntax import Command, Confirm, SetAttribute
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase, Reference


def confirm(p: Parser) -> Command | None:
    """ "that is right", "confirm object 4", "object 4 really is a cup"."""
    if p.take("confirm", "keep"):
        return Confirm(p.reference())
    subject = reference_of(p)
    if p.take("really exists", "does exist", "really is there", "exists", "is really there"):
        return Confirm(subject)
    if p.take("really is", "really are", "is indeed", "are indeed"):
        p.take("a", "an")
        noun = p.reference()
        return Confirm(subject, noun.noun) if isinstance(noun, NounPhrase) else None
    if not p.take_of(lexicon.BE):
        return None
    return Confirm(subject) if p.take("right", "correct", "true", "there", "real") else None


def forget_attribute(p: Parser) -> Command | None:
    """ "forget its colour", "remove the material of object 4"."""
    if not p.take("forget", "remove", "delete", "drop", "clear", "erase"):
        return None
    p.take("the", "its", "their")
    key = lexicon.ATTRIBUTE_NAMES.get(p.peek())
    if key is not None:
        p.at += 1
        subject: Reference = Marked()
        if p.take("of"):
            subject = p.reference()
        return SetAttribute(subject, key, "")
    key = lexicon.ATTRIBUTE_NAMES.get(p.words[-1])
    if key is None:
        return None
    p.cut(len(p.words) - 1)
    return SetAttribute(p.reference(), key, "")
