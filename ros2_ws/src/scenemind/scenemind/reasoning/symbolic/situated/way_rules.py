"""Questions of one who may turn, walk, look and reach."""

from __future__ import annotations

import re

from scenemind.reasoning.symbolic.situated.phrases import content_words
from scenemind.reasoning.symbolic.situated.places import side
from scenemind.reasoning.symbolic.situated.sentence import Sentence
from scenemind.reasoning.symbolic.situated.tree import (
    AskClear,
    AskDirection,
    AskReach,
    AskVisible,
    AskWhat,
    Thing,
)

_DIRECTION = re.compile(
    r"\b(?:which|what) (?:direction|way|side)\b"
    r"|\bwhere (?:do|should|can|could|must|would|to|will|may|might|is|are|am|was|did)\b"
    r"|\bhow (?:do|should|can|must|would) i (?:need to |have to )?(?:turn|move|go|get|walk|face"
    r"|look|reach)\b"
    r"|\b(?:turn|go|look|walk|move|face|be) (?:to (?:the|my) )?(?:left or right|right or left)\b"
)
_STANDPOINT = re.compile(
    r"\b(?:at |from )?where (?:i am|@\d+)(?: \w+ing)?"
    r"|\bfrom (?:my|the) (?:current )?(?:position|location|place|spot)"
)
# What asks for the way, and is no part of where to go.
_ASKING = re.compile(
    r"\b(?:in |to |towards? )?(?:which|what) (?:direction|way|side)s?\b|\bwhere\b|\bhow\b"
    r"|\bleft or right\b|\bright or left\b|\b(?:if|when) i\b"
    r"|\b(?:do|does|should|can|could|must|would|will|did|is|are|am|was) ?(?:i|we|you)?\b"
    r"|\b(?:need|have|want|wanted|wish|like|go|going|turn|walk|move|travel|head|face|reach|look|get"
    r"|be|able|find|see|gotta|wanna|located|position|according)\b"
)
_DOING_THERE = re.compile(
    r"\bwhere (?:can|could|do|should) (?:i|we) (?!turn|go|walk|move|look|find)"
)
_SEEING = re.compile(
    r"(?:^|, )(?:can|could|would|will|am|do|does) (?:i|you|we)(?: be able to| able to)? "
    r"(?:still )?(?P<verb>see|reach|touch|grab|face)\b(?P<rest>.*)"
)
_IN_VIEW = re.compile(
    r"(?:^|, )(?:is|are|would|will)\b(?P<rest>.*?)"
    r"\b(?:be )?(?:visible|in (?:my |the )?(?:view|sight))\b"
)
_NOT_THE_THING = re.compile(r"\b(?:out of|through|myself|my image)\b")
_CIRCUMSTANCE = re.compile(r"\b(?:if|when|where|at where|from|without|at the moment)\b")
_TURNED = re.compile(r"\bturn|\bbackwards?\b")
_STEPPING = re.compile(
    r"^(?:can|could|would|is it possible|am i able)\b[^,]*\b(?:walk|move|go|step)\b[^,]*?"
    r"\b(?P<way>forwards?|ahead|straight|backwards?)\b"
)
_GOING_FOR = re.compile(r"\b(?:into|see|reach|touch|without|if|get)\b|\bto the\b")
_STAYING = re.compile(
    r"\bwithout (?:much )?(?:having to |needing to )?(?:moving|turning|altering|getting|walking"
    r"|move|movement|standing|leaving|changing)\b.*|\bfrom (?:where i|my)\b.*"
)
_ACTING = re.compile(r"^(?:can|could|would|will|am|is) ")


def direction(s: Sentence) -> AskDirection | AskWhat | None:
    """ "which way should I turn to open the window", "where is the door"."""
    asked = _STANDPOINT.sub(" ", s.marked)
    if _DIRECTION.search(asked) is None:
        return None
    goal = " ".join(_ASKING.sub(" ", asked).split())
    thing = Thing(places=s.places.of(goal), hints=content_words(goal))
    if thing.places and _DOING_THERE.search(asked):
        return AskWhat(thing)  # "Where can I sit on my left?": the side is told already.
    return AskDirection(thing)


def visible(s: Sentence) -> AskVisible | AskReach | None:
    """ "can I see the sink if I turn around", "can I reach it"."""
    found = _SEEING.search(s.text) or _IN_VIEW.search(s.text)
    if found is None or _NOT_THE_THING.search(s.text):
        return None
    part = Sentence.read(_CIRCUMSTANCE.split(found.group("rest"))[0])
    if found.re is _IN_VIEW or found.group("verb") in ("see", "face"):
        turned = _TURNED.search(s.text) is not None and "without" not in s.text
        return AskVisible(part.thing(part.marked), turned)
    places = part.places.of(part.marked)
    return AskReach(Thing(places=places, hints=content_words(part.marked)))


def clear(s: Sentence) -> AskClear | None:
    """ "can I still walk forward"."""
    found = _STEPPING.match(s.text)
    if found is None or _GOING_FOR.search(s.text):
        return None
    return AskClear(side("back" if found.group("way").startswith("back") else "front"))


def reach(s: Sentence) -> AskReach | None:
    """ "can I water the plant without moving"."""
    if not _ACTING.match(s.text) or not _STAYING.search(s.text):
        return None
    rest = _STAYING.sub(" ", _STANDPOINT.sub(" ", s.marked))
    return AskReach(Thing(places=s.places.of(rest), hints=content_words(rest)))
