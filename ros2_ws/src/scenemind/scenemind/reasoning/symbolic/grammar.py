"""Questions and phrases: from a sentence to its tree.

Each rule reads one shape and returns None (or fails) where the sentence has another.
"""

from __future__ import annotations

from dataclasses import replace

from scenemind.reasoning.symbolic import lexicon, owning, past_grammar, quality_grammar
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.reading import (
    RuleBook,
    without_closings,
    without_openings,
)
from scenemind.reasoning.symbolic.syntax import (
    AskCarrier,
    Count,
    Described,
    Dimension,
    Distance,
    Exists,
    Ground,
    Identify,
    ListObjects,
    NounPhrase,
    Question,
    Rank,
    Reference,
    Related,
    Size,
    Verify,
    Viewer,
    Where,
)
from scenemind.reasoning.symbolic.tokens import tokenize

_DIMENSIONS: dict[str, Dimension] = {
    "big": "", "large": "", "size": "", "dimensions": "", "small": "",
    "tall": "height", "high": "height", "height": "height",
    "wide": "width", "width": "width", "deep": "width", "depth": "width",
    "long": "length", "length": "length",
}  # fmt: skip
# What a question may end in -> the relation that is asked for, the longest first.
_CARRIED = {
    f"{posture}{word}": name
    for posture in ("standing ", "lying ", "sitting ", "hanging ", "mounted ", "")
    for word, name in (("on top of", "on"), ("on", "on"), ("inside", "inside"), ("in", "inside"))
}
_SEE = ("see", "seen", "have", "know of", "know", "find", "remember")
_FIND = (
    "find", "locate", "choose", "show me", "show", "point at", "point to", "point out", "go to",
    "navigate to", "drive to", "get me", "get", "bring me", "bring", "fetch", "select", "highlight",
    "mark", "pick up", "pick", "look at", "look for", "search for", "i am looking for", "i need",
    "i want", "ground",
)  # fmt: skip


def parse_question(text: str) -> Question:
    """The tree of a question or of a bare phrase.

    Raises:
        ReasoningError: `not_understood`; its text is the part that could not be read.
    """
    tokens = without_openings(tokenize(text))
    return _RULES.read(text, without_closings(tokens))


def _exists(p: Parser) -> Question | None:
    if p.take("is there", "are there", "was there", "were there"):
        return Exists(p.reference())
    if p.take("do", "can", "did", "have", "does") and p.take(
        "you", "we", "i", "the room", "this room", "the memory"
    ):
        if p.take(*_SEE, "contain"):
            return Exists(p.reference())
    elif p.at:
        return Exists(p.reference())
    return None


def _count(p: Parser) -> Question | None:
    if p.take("what is the number of", "number of", "the number of", "count"):
        return Count(p.reference())
    if not p.take("how many of", "how many"):
        return None
    subject = p.reference()
    p.take_of(lexicon.BE)
    p.take("there")
    return Count(p.with_conditions(subject, adjectives=True))


def _where(p: Parser) -> Question | None:
    if p.take("what is the location of", "what is the position of"):
        return Where(p.reference())
    if not p.take("where"):
        return None
    if not p.take_of(lexicon.BE):
        p.take(
            "can i find",
            "do i find",
            "can we find",
            "can you see",
            "did you see",
            "do you see",
            "did you last see",
            "have you last seen",
            "was the last place you saw",
        )
    subject = p.reference()
    p.take_of(lexicon.BE)
    p.take_of(lexicon.POSTURES)
    return Where(subject)


def _size(p: Parser) -> Question | None:
    if p.take("how"):
        dimension = _DIMENSIONS.get(p.peek())
        if dimension is None:
            return None
        p.at += 1
        return Size(p.reference(), dimension) if p.take_of(lexicon.BE) else None
    if not p.take("what is the", "what are the", "what"):
        return None
    dimension = _DIMENSIONS.get(p.peek())
    if dimension is None:
        return None
    p.at += 1
    return Size(p.reference(), dimension) if p.take("of", "is", "are") else None


def _distance(p: Parser) -> Question | None:
    if p.take("what is the distance", "the distance", "distance"):
        if p.take("between"):
            return _pair(p, "and")
        return _pair(p, "to") if p.take("from") else _from_viewer(p) if p.take("to") else None
    if not p.take("how far", "how close", "how near"):
        return None
    if p.take("apart"):
        return _pair(p, "and") if p.take_of(lexicon.BE) else None
    p.take("away")
    if not p.take_of(lexicon.BE):
        return None
    first = p.reference()
    p.take("away")
    if p.take("from", "to"):
        return Distance(first, p.reference())
    return Distance(first, p.reference()) if p.take("and") else Distance(first, Viewer())


def _pair(p: Parser, between: str) -> Question | None:
    first = p.reference()
    if not p.take(between):
        return None
    second = p.reference()
    p.take("apart")
    return Distance(first, second)


def _from_viewer(p: Parser) -> Question:
    return Distance(p.reference(), Viewer())


def _verify(p: Parser) -> Question | None:
    if not p.take_of(lexicon.BE):
        return None
    subject = p.reference()
    if p.done:
        return _claim(subject, "far" in p.words)
    negated = bool(p.take("not"))
    if p.take("a", "an"):
        noun = p.reference()
        if isinstance(noun, NounPhrase) and noun == NounPhrase(noun.noun):
            return Verify(subject, Described(noun.noun, negated))
        return None
    condition = p.condition(adjectives=True)
    if isinstance(condition, Rank):
        return None
    return Verify(subject, replace(condition, negated=negated != condition.negated))


def _claim(subject: Reference, is_far: bool) -> Question | None:
    """ "is the cup on the table": the last condition of the phrase is what is asked.

    Args:
        is_far: "far" was said: not which one is the farthest is asked, but whether it is far.
    """
    if not isinstance(subject, NounPhrase):
        return None
    if is_far and subject.rank is not None and subject.rank.anchor is not None:
        return Verify(replace(subject, rank=None), Related("far", (subject.rank.anchor,)))
    if not subject.definite or not subject.conditions or subject.rank is not None:
        return Exists(subject)
    *given, asked = subject.conditions
    if not given and not subject.noun:
        return Exists(subject)
    return Verify(replace(subject, conditions=tuple(given)), asked)


def _list(p: Parser) -> Question | None:
    if p.take("list", "name", "enumerate"):
        return ListObjects(p.reference())
    if not p.take("what else", "what", "which of", "which"):
        return None
    if p.take("kind of", "kinds of", "type of", "types of") and p.done:
        return None
    subject: Reference = NounPhrase("")
    if p.peek() not in lexicon.BE | {"do", "can", "did"} and not (p.done or p.at_relation()):
        subject = p.reference()
    if not p.take("do you see", "can you see", "can i see", "can i find", "do i find"):
        p.take_of(lexicon.BE)
        p.take("there")
    return ListObjects(p.with_conditions(subject, adjectives=True))


def _carrier(p: Parser) -> Question | None:
    """ "which wall is the window on?", "what is the cup in?"."""
    carried = p.cut_ending(*_CARRIED)
    if not carried or not p.take("what", "which"):
        return None
    noun = p.noun_words()
    if not p.take_of(lexicon.BE) or p.at_relation():
        return None
    kind = "" if len(noun) == 1 and noun[0] in lexicon.ANYTHING else " ".join(noun)
    return AskCarrier(p.reference(), _CARRIED[carried], kind)


def _which(p: Parser) -> Question | None:
    if not p.take("which is", "which are", "which one is", "which ones are"):
        return None
    return ListObjects(p.reference())


def _identify(p: Parser) -> Question | None:
    if not p.take("what", "who"):
        return None
    if p.take("kind of", "type of", "sort of"):
        p.reference()
    else:
        p.take("object", "thing")
    return Identify(p.reference()) if p.take_of(lexicon.BE) else None


def _ground(p: Parser) -> Question | None:
    p.take(*_FIND)
    return Ground(p.reference())


_RULES = RuleBook[Question](
    (
        past_grammar.where_at,
        past_grammar.when_seen,
        past_grammar.changed,
        quality_grammar.same,
        owning.whose,
        owning.belongings,
        owning.is_owned,
        _exists,
        _count,
        _where,
        quality_grammar.attribute,
        quality_grammar.material,
        quality_grammar.use,
        quality_grammar.usable,
        quality_grammar.describe,
        _size,
        _distance,
        _verify,
        _carrier,
        _list,
        _which,
        _identify,
        _ground,
    )
)
