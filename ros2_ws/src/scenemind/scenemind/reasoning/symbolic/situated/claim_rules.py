"""Questions for yes or no, and what room it is."""

from __future__ import annotations

import re

from scenemind.reasoning.symbolic.situated.sentence import Sentence
from scenemind.reasoning.symbolic.situated.tree import AskClaim, AskExists, AskRoom

_TRUE_OR_FALSE = re.compile(r"\btrue or (?:false|not)\b")
_WHAT_ROOM = re.compile(r"\bwhat (?:(?:type|kind) of )?room am i\b")
_IN_A_ROOM = re.compile(
    r"^(?:am\b.*?(?:@\d+|\bin) (?:a|an|the)|is (?:this|the) (?:room|place)\b.*?\b(?:a|an|the))"
    r" (?P<room>(?:\w+ ?){1,3}?)(?: of\b|$)"
)
_OPEN_QUESTION = re.compile(r"\b(?:wh\w+|how|or)\b")
_IS_THERE = re.compile(r"^(?:is|are|was|were|will) there\b")


def claim(s: Sentence) -> AskClaim | None:
    """ "the door is open; true or false"."""
    if not _TRUE_OR_FALSE.search(s.marked):
        return None
    return AskClaim(s.thing(_TRUE_OR_FALSE.sub(" ", s.marked)))


def room(s: Sentence) -> AskRoom | None:
    """ "am I in the kitchen", "what room am I in"."""
    if _WHAT_ROOM.search(s.text):
        return AskRoom("")
    found = _IN_A_ROOM.match(s.marked)
    return AskRoom(found.group("room").strip()) if found else None


def exists(s: Sentence) -> AskExists | AskClaim | None:
    """ "is there a clock on the wall", "is the door behind me"; else a claim about the thing."""
    if not s.is_yes_no and _OPEN_QUESTION.search(s.marked):
        return None
    is_there = _IS_THERE.match(s.main) is not None
    thing = s.thing(s.main)
    is_bare = bool(thing.noun) and not thing.hints and not thing.adjectives
    if is_there or not s.is_yes_no or (is_bare and (thing.places or thing.links)):
        return AskExists(thing, is_there)
    return AskClaim(thing)
