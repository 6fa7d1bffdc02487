"""Clauses of a correction that change nothing by themselves: what is denied, what the robot is said
to have, and what the next clause is about."""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_subjects import as_definite, is_bare, subject_of
from scenemind.reasoning.symbolic.command_syntax import Subject
from scenemind.reasoning.symbolic.labels import is_no_thing, label_of, may_be_alone
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase, ObjectNumber
from scenemind.words.english import find_number, word_set


@dataclass(frozen=True, slots=True)
class Aside:
    """ "you got this wrong": what is so is said elsewhere.

    Attributes:
        is_objection: something is not so; a mere "well" objects to nothing.
    """

    is_objection: bool = False


@dataclass(frozen=True, slots=True)
class Topic:
    """ "the microwave?": what "it" is in what follows."""

    subject: Subject


@dataclass(frozen=True, slots=True)
class Denied:
    """ "it is not a microwave", "you think that it is one"; without a subject: nothing new.

    Attributes:
        is_absent: "there is no microwave": if nothing else is in its place, it is to be deleted.
    """

    subject: Subject | None = None
    is_absent: bool = False


@dataclass(frozen=True, slots=True)
class Bare:
    """ "toolbox": a name, where the rest of the sentence objects to another.

    Attributes:
        is_objection: it does so itself: "nope, toolbox".
    """

    label: str
    is_objection: bool = False


Remark = Aside | Topic | Denied | Bare

_ABSENT = (
    "there is no", "there are no", "there is not", "there are not", "i do not see", "i see no",
    "i can not see", "we do not have", "i do not have", "we have no", "i have no", "i do not own",
    "there was never", "there has never been", "there never was", "we do not own", "you see no",
)  # fmt: skip
_AGENT = ("you", "the robot", "your map", "the map", "the screen", "the label", "your label", "it")
_HELPS = word_set(
    "have has had are were keep keeps may might could must probably wrongly still just seem to"
    " seems incorrectly mistakenly did do does currently always falsely also"
)
_HAS = word_set(
    "say says said think thinks thought believe believed assume assumed claim claims claimed see"
    " sees saw call calls called calling have has had got label labels labelled labeled labelling"
    " labeling mark marked name named list listed tag tagged took take mistook mistaken identified"
    " recognised recognized classified detected show shows described confused confuse guessed put"
    " reads read look looks resembles mislabelled mislabeled misidentified mixed thinking saying"
    " mistake showing split"
)
_AS = ("as", "for", "with", "that", "there is", "it is", "this is", "it as", "like", "to be", "is")
_ABOUT = ("as for", "about", "regarding", "concerning", "with regard to", "what about", "take")
_WRONG = (
    "wrong", "mistaken", "incorrect", "not right", "not correct", "wrongly labelled",
    "mislabelled", "wrongly labeled", "mislabeled", "misidentified", "mixed up", "misnamed",
    "a mistake", "an error",
    "off", "way off", "inaccurate", "all wrong", "not quite right", "not it", "false",
)  # fmt: skip


def absent(p: Parser) -> Denied | None:
    """ "there is no microwave (here)", "I do not have a microwave"."""
    if not p.take(*_ABSENT):
        return None
    p.take("such thing as", "such", "any", "a", "an")
    subject = as_definite(p.reference())
    p.take("at all")
    if p.take("here", "there") and isinstance(subject, NounPhrase) and is_bare(subject):
        return Denied(Marked(subject.noun), is_absent=True)
    return Denied(subject, is_absent=True)


def denied(p: Parser) -> Denied | None:
    """ "this is not a microwave", "not a microwave": whatever it is not."""
    subject: Subject | None = None
    if p.peek() not in ("not", "never", "certainly", "definitely", "instead", "rather"):
        subject = subject_of(p)
        if not p.take("should", "can", "could") and not p.take_of(lexicon.BE):
            return None
    p.take("certainly", "definitely", "clearly", "really", "actually", "just", "simply")
    if not p.take("not", "never", "no", "instead of", "rather than", "nothing like", "hardly"):
        return None
    if p.done or not _skip_rest(p):
        return None
    return Denied(None if isinstance(subject, Marked) else subject)


def reported(p: Parser) -> Remark | None:
    """ "you call it a microwave", "you have a microwave on the desk": what the robot has now."""
    if not p.take(*_AGENT):
        return None
    while p.take_of(_HELPS) and p.peek() in _HAS | _HELPS:
        pass
    if not p.take_of(_HAS) and p.words[p.at - 1] not in _HAS:
        return None
    p.take(
        "this one as", "that one as", "this as", "that as", "this one", "this", "that", "it", "them"
    )
    p.take(*_AS)
    p.take("a", "an", "the")
    try:
        said = p.reference()
    except ReasoningError:
        return Denied() if _skip_rest(p) else None
    if isinstance(said, ObjectNumber) and p.take("down as", "as", "for", "to be"):
        return Topic(said) if _skip_rest(p) else None
    if not p.done and _skip_rest(p):
        return Denied()
    if isinstance(said, ObjectNumber) or (isinstance(said, NounPhrase) and said.conditions):
        return Topic(as_definite(said))
    if not isinstance(said, NounPhrase) or is_no_thing(said.noun.split()):
        return Denied()
    return Topic(Marked(said.noun))


def got_wrong(p: Parser) -> Topic | None:
    """ "you got the lamp wrong", "the lamp is mislabelled", "your label for the lamp is wrong"."""
    if p.take("you"):
        p.take("have", "must have", "may have")
        if not p.take("got", "have", "labelled", "labeled", "named", "called", "mislabelled",
                      "mislabeled", "misidentified", "misnamed", "misread", "mistook",
                      "misrecognised", "misrecognized", "misclassified"):  # fmt: skip
            return None
        mis = p.words[p.at - 1].startswith("mis")
        p.take("the color of", "the colour of", "the material of", "the shape of", "the name of")
        p.cut_ending("wrong", "incorrectly", "wrongly", "mixed up", "all wrong")
        subject = _without_attribute(as_definite(p.reference()))
        return Topic(subject) if mis or len(p.words) < len(p.tokens) else None
    p.take(*(f"{your} {label} {of}" for your in ("your", "the") for of in ("of", "for", "on")
             for label in ("label", "name", "color", "colour", "material", "shape")))  # fmt: skip
    subject = _without_attribute(as_definite(p.reference()))
    return Topic(subject) if p.take_of(lexicon.BE) and p.take(*_WRONG) else None


def counted(p: Parser) -> Aside | None:
    """ "I only have two chairs": what is wrong about that is said elsewhere."""
    if not p.take("i", "we", "there are", "there is", "there should be", "i only", "we only"):
        return None
    p.take("only", "just")
    p.take("have", "own", "got")
    p.take("only", "just")
    if find_number(p.peek()) is None:
        return None
    p.at += 1
    return Aside() if p.noun_words() or p.done else None


def topic(p: Parser) -> Topic | None:
    """ "the thing on the desk", "as for object 12"."""
    p.take(*_ABOUT)
    subject = subject_of(p)
    if isinstance(subject, NounPhrase) and not subject.definite:
        return None
    return Topic(subject)


def bare(p: Parser) -> Bare | None:
    """ "toolbox"."""
    label = label_of(p)
    is_name = len(label.split()) <= _MOST_BARE and may_be_alone(label)
    return Bare(label) if is_name else None


_MOST_BARE = 3


def _without_attribute(subject: Subject) -> Subject:
    """The lamp of "the lamp's colour"; what is pointed at of "the colour"."""
    words = subject.noun.split() if isinstance(subject, NounPhrase) else []
    if not words or words[-1] not in lexicon.ATTRIBUTE_NAMES.keys() | {"name", "label"}:
        return subject
    noun = " ".join(words[:-1])
    return NounPhrase(noun, definite=True) if noun else Marked()


def _skip_rest(p: Parser) -> bool:
    """Over what is denied, where it is short and holds no further clause."""
    rest = p.words[p.at :]
    if len(rest) > _MOST_DENIED or not _CLAUSES.isdisjoint(rest):
        return False
    p.at = len(p.words)
    return True


_MOST_DENIED = 8
_CLAUSES = word_set("if whether unless who why when because , ; only just that because until not")
