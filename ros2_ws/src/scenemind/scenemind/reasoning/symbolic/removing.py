"""Correcting sentences about what there is not."""

from __future__ import annotations

from scenemind.reasoning.symbolic import claims, lexicon
from scenemind.reasoning.symbolic.command_subjects import is_bare, several, subject_of
from scenemind.reasoning.symbolic.command_syntax import Command, DeleteObject
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase, ObjectNumber
from scenemind.words.english import word_set

_NOT_REAL = word_set(
    "reflection ghost mirage shadow illusion artifact artefact duplicate hallucination glitch"
    " phantom apparition fluke noise figment mistake error nothing"
)
_NONE = (
    "there is no", "there are no", "there is not", "there are not", "i do not see", "i see no",
    "i can not see", "there is", "no",
)  # fmt: skip
_NOTHING = (
    "there is nothing", "nothing is", "i see nothing", "there is absolutely nothing", "nothing",
    "there is not anything", "i do not see anything", "there is not actually anything",
    "there is really nothing", "there is actually nothing", "i can not see anything",
    "i see no thing", "nothing stands", "nothing is standing", "there never was anything",
    "there was nothing",
)  # fmt: skip
_MADE_UP = (
    "made up", "imagined", "imagine", "are imagining", "hallucinated", "are hallucinating",
    "dreamed up", "dreamt up", "invented", "have made up", "have imagined", "have invented",
)  # fmt: skip
_MISSING = tuple(
    f"{are}{really}{gone}"
    for are in ("is ", "are ")
    for really in ("", "really ", "actually ", "simply ", "just ")
    for gone in (
        "gone", "not real", "not there", "not here", "not there anymore", "no longer there",
        "not there any more", "no longer here", "not really there", "not actually there",
        "not really here", "not actually here", "nowhere", "imaginary", "made up", "fake",
        "not an object", "not a thing", "not an actual object", "not a real object", "not anything",
        "not there at all", "not here at all", "nothing at all", "empty space", "just empty space",
        "only air", "just air", "only in your head", "nonexistent", "non-existent", "not present",
        "not actually real", "not really real", "not something real", "not in this room",
        "not in here",
    )
)  # fmt: skip
_EXISTS_NOT = tuple(
    f"{do} not {really}exist{now}"
    for do in ("does", "do")
    for really in ("", "really ", "actually ", "even ")
    for now in ("", " here", " anymore", " any more", " at all", " there")
)
_TO_GO = (
    "should not be there", "should not be here", "should not exist", "should be deleted",
    "should be removed", "needs to go", "can be deleted", "can be removed", "must be deleted",
    "must be removed", "should go", "can go", "needs to be removed", "needs to be deleted",
    "has to go", "does not belong here", "does not belong there", "should not be in there",
    "should be gone", "has to be removed", "has to be deleted",
)  # fmt: skip
_DELETE = (
    "delete", "remove", "forget about", "forget", "erase", "get rid of", "discard", "ignore",
    "cross out", "strike out", "eliminate", "dismiss",
)  # fmt: skip
_FALSE_ALARMS = (
    "false detection", "false positive", "mirror image", "optical illusion", "false alarm",
    "detection error", "sensor error", "phantom object", "trick of the light",
)  # fmt: skip
_EMPTY = ("spot", "place", "space", "area", "corner", "location", "position")


def delete(p: Parser) -> Command | None:
    """ "there is no window there", "delete object 4", "there is nothing here"."""
    if p.take("you"):
        return _made_up(p)
    if p.take("such"):  # "no such cup here": the "no" was taken for an objection
        subject = p.reference()
        if not p.take("here", "there") or not isinstance(subject, NounPhrase):
            return None
        return DeleteObject(Marked(subject.noun))
    if p.take(*_NOTHING):
        p.take("at all", "to see")
        is_here = bool(p.take("here", "there", "standing there"))
        return DeleteObject(Marked()) if is_here or (p.done and p.at > 1) else None
    if p.take(*_NONE):
        return _absent(p)
    if p.take(*_DELETE):
        if p.words[p.at - 1] in ("forget", "about", "ignore") and p.peek() in ("it", "that"):
            return None  # "never mind"
        unwanted = several(p)
        p.take("here", "there", "completely", "entirely", "away", "altogether")
        return DeleteObject(unwanted)
    return None


def _absent(p: Parser) -> Command | None:
    """After "there is no": a thing; after a bare "no" or "there is", it must be said where."""
    opening = p.words[p.at - 1]
    if opening == "is" and not p.take("really no", "actually no", "definitely no", "certainly no"):
        return None
    p.take("such thing as", "such", "any", "a", "an", "real", "actual")
    subject = p.reference()
    p.take("at all", "standing")
    if p.take("here", "there") and isinstance(subject, NounPhrase) and is_bare(subject):
        return DeleteObject(Marked(subject.noun))
    return DeleteObject(subject) if len(p.words) > 2 and p.words[0] != "no" else None


def seen_where_nothing_is(p: Parser) -> Command | None:
    """ "you are seeing a chair that is not there"."""
    if not p.take("you see", "you are seeing", "you have", "you detected", "you have detected"):
        return None
    if not p.take("a", "an", "some"):
        return None
    noun = " ".join(p.noun_words())
    if not noun or not p.take("that", "which"):
        return None
    is_gone = p.take("is not there", "does not exist", "is not real", "is not here")
    return DeleteObject(Marked(noun)) if is_gone else None


def _made_up(p: Parser) -> Command | None:
    """ "(you) made this up", "(you) imagined the chair"."""
    if p.take("made this up", "made that up", "made it up", "made them up", "are imagining things"):
        return DeleteObject(Marked())
    if not p.take(*_MADE_UP):
        return None
    subject = several(p)
    p.take("here", "there")
    return DeleteObject(subject)


def not_real(p: Parser) -> Command | None:
    """ "that is a reflection", "the cup does not exist", "this is not there"."""
    if p.take("this", "that", "the") and p.take(*_EMPTY):
        p.take("here", "there")
        return DeleteObject(Marked()) if p.take("is empty", "is just empty", "is bare") else None
    p.at = 0
    subject = subject_of(p)
    if p.take(*_EXISTS_NOT, *_TO_GO, *_MISSING, "is nothing"):
        return DeleteObject(subject) if p.done or p.take("here", "there") else None
    if not p.take_of(lexicon.BE):
        return None
    if p.take("not a real", "not an actual", "no real", "not really a", "no actual"):
        p.noun_words()
        return DeleteObject(subject)
    p.take("just", "only", "merely", "simply", "probably just", "nothing but")
    if not p.take("a", "an", "your", "some", "pure", "only a", "just a"):
        return None
    if p.take(*_FALSE_ALARMS):
        return DeleteObject(subject)
    noun = p.take_of(_NOT_REAL)
    is_talk = noun in ("mistake", "error") and not isinstance(subject, ObjectNumber)
    if not noun or is_talk:  # "that is a mistake" may speak of the name
        return None
    p.take("of your imagination", "of the light")
    return DeleteObject(subject)


def no_but(p: Parser) -> Command | None:
    """ "there is no bowl, that is a cup", "there is not a bowl but a cup"."""
    if not p.take(
        "there is no", "there are no", "there is not", "i do not see", "i see no", "we have no"
    ):
        return None
    p.take("any", "a", "an")
    subject = p.reference()
    p.take("here", "there")
    p.take(",")
    p.take("but")
    p.take("it is", "that is", "this is", "there is", "only", "just")
    p.take("only", "just", "actually", "really")
    return claims.is_a(p, subject) if p.take("a", "an") else None
