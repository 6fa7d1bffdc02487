"""Grammar of questions and bare phrases: from a sentence to its tree.

The shapes stand in `questions.yaml`; here are the readers of their slots, and the trees of those
shapes whose tree is more than its slots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from typing import Any

from scenemind.language import lexicon, trees
from scenemind.language.english import find_number, read_table, singular
from scenemind.language.owners import is_possessive, owner_name
from scenemind.language.parser import Parser
from scenemind.language.shapes import Bound, Sentence, ShapeBook, Words
from scenemind.language.speech_acts import Frame
from scenemind.language.time_expressions import TimeExpression, find_moment
from scenemind.language.tokens import Token, tokenize
from scenemind.language.trees import (
    AskAttribute,
    Attribute,
    Changed,
    Condition,
    Count,
    Described,
    Distance,
    Exists,
    HasAttribute,
    ListObjects,
    Marked,
    NounPhrase,
    Question,
    Rank,
    Reference,
    Related,
    Same,
    Verify,
    Viewer,
    WhereAt,
)

_FRAME = Frame("question_front", "question_back")
_MOST_JOINTS = 2  # tried in turn: each costs two readings
_MOST_BREAKS = 4  # likewise, one reading each
_SENTENCE_END = re.compile(r"[.!?]+(?=\s+\w)")
_LONGEST_USE = 3  # words of "sit on"
_WIDTH = re.compile(
    r"(?:an?|something|anything)? ?(?P<number>\d{1,4}(?:\.\d{1,3})?) ?"
    r"(?P<unit>cm|centi\w+|m|met(?:er|re)s?)(?: wide| broad| long| of width)?(?: \w+){0,2}"
)


def parse_question(text: str) -> Question:
    """The tree of a question or of a bare phrase.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    return question_and_remark(text)[0]


def question_and_remark(text: str) -> tuple[Question, str]:
    """The tree of a question, and the remark before or after it that is not read: "I need to throw
    this away" of "I need to throw this away, where is the bin?"; empty for none.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    whole = _SENTENCE_END.sub(lambda found: ",".ljust(len(found.group())), text)
    said = Sentence(text, without_frame(tokenize(whole)))
    question = _find_question(said) or _find_joined(said)
    if question is not None:
        return question, ""
    for first, last, remark in islice(_beside_remarks(said), _MOST_BREAKS):
        start, end = _without_frame(said.words, first, last)
        if said.words[start] in _frame_words("question_words"):
            question = _find_question(said, start, end)
            if question is not None and not isinstance(question, trees.Ground):
                topic = _find_question(said, 0, first - 1) if first else None
                about = _about(question, getattr(topic, "subject", None))
                return about, remark if about == question else ""
    raise said.error()


def _find_question(said: Sentence, start: int = 0, end: int | None = None) -> Question | None:
    question: Question | None = book().find(said, start, end)
    return question


def _find_joined(said: Sentence) -> Question | None:
    """Two questions of one sentence: "how many cups are there, and what are they on?".

    "They" of the second is about the things of the first.
    """
    joints = [
        place
        for place, (word, after) in enumerate(pairwise(said.words))
        if word == "and" and after in _frame_words("question_words")
    ]
    for place in joints[:_MOST_JOINTS]:
        end = place - (said.words[place - 1 : place] == (",",))
        first = _find_question(said, 0, end)
        subject = getattr(first, "subject", None)
        if first is None or isinstance(first, trees.Ground):
            continue
        second = _find_question(said, place + 1)
        if second is not None and not isinstance(second, trees.Ground):
            return trees.Joined((first, _about(second, subject)), "and")
    return None


def _beside_remarks(said: Sentence) -> Iterator[tuple[int, int, str]]:
    """First word and end of what stands after or before a remark, with the remark."""
    clauses = _frame_words("remarking")  # "what is near, the cup or the table" has none
    sentences = clauses | _frame_words("determining")
    for place, (before, token) in enumerate(pairwise(said.tokens), 1):
        if before.word not in (",", ";"):
            continue
        is_end = said.text[before.start] != ","
        if said.words[0] in (sentences if is_end or said.text.rstrip().endswith("?") else clauses):
            yield place, len(said.words), said.text[: token.start].strip(" ,;")
        if token.word in (sentences if is_end else clauses):
            yield 0, place - 1, said.text[token.start :].strip()


def _about(question: Question, subject: Reference | None) -> Question:
    """A question in which "it" as its subject is the subject of the one before, and as the end of
    a relation the thing named last."""
    asked = getattr(question, "subject", None)
    if not isinstance(subject, NounPhrase) or asked is None:
        return question
    if asked == Marked():
        asked = replace(subject, definite=True)
    elif isinstance(asked, NounPhrase):
        last = _anchors(subject)[-1:] or [replace(subject, definite=True)]
        asked = replace(asked, conditions=tuple(_resolved(c, last[0]) for c in asked.conditions))
    return replace(question, subject=asked)  # type: ignore[arg-type]


def _anchors(phrase: NounPhrase) -> list[Reference]:
    related = [c for c in phrase.conditions if isinstance(c, Related)]
    return [anchor for condition in related for anchor in condition.anchors]


def _resolved(condition: Condition, meant: Reference) -> Condition:
    """A condition whose "it" is the thing that is meant."""
    if not isinstance(condition, Related):
        return condition
    anchors = tuple(meant if anchor == Marked() else anchor for anchor in condition.anchors)
    return replace(condition, anchors=anchors)


@cache
def book() -> ShapeBook:
    """The shapes of questions."""
    return ShapeBook(read_table("scenemind.language", "questions.yaml"), _READERS, built_question)


def without_frame(tokens: list[Token]) -> list[Token]:
    """Tokens without "please" and the like at the front, "in the room" and the like at the end."""
    start, end = _without_frame(tuple(token.word for token in tokens), 0, len(tokens))
    return tokens[start:end]


def _without_frame(words: Words, first: int, end: int) -> tuple[int, int]:
    start = first + _FRAME.starts(words[first:end])[-1]
    start = first if start == end else start
    return start, start + 1 + _FRAME.end(words[start + 1 : end])


@cache
def _frame_words(name: str) -> frozenset[str]:
    return frozenset(read_table("scenemind.language", "questions.yaml")["words"][name])


def _condition(p: Parser) -> Condition | None:
    condition = p.condition(adjectives=True)
    return None if isinstance(condition, Rank) else condition


def _more(p: Parser) -> NounPhrase | None:
    """Conditions alone, as those of a thing without a noun."""
    nothing = NounPhrase("")
    phrase = p.with_conditions(nothing, adjectives=True)
    return None if phrase == nothing else phrase


def _bare(p: Parser) -> str | None:
    """A noun alone: "stool" of "is it a stool"."""
    noun = p.reference()
    is_bare = isinstance(noun, NounPhrase) and noun == NounPhrase(noun.noun)
    return noun.noun if is_bare and isinstance(noun, NounPhrase) else None


def _named(p: Parser) -> Reference | None:
    subject = p.reference()
    return None if isinstance(subject, NounPhrase) and not subject.noun else subject


def _other(p: Parser) -> Reference | None:
    """A second thing: "cups" of "chairs or cups", but not "right" of "on my left or right"."""
    subject = p.reference()
    return None if getattr(subject, "noun", "") in ("left", "right") else subject


def _certain(is_certain: bool) -> Callable[[Parser], Reference | None]:
    """Reader of a reference said with "the" or a number, or of one said without."""

    def read(p: Parser) -> Reference | None:
        subject = p.reference()
        certain = not isinstance(subject, NounPhrase) or subject.definite
        return subject if certain == is_certain else None

    return read


def _number(p: Parser) -> int | None:
    number = find_number(p.peek())
    p.at += 1
    return number


def _rest(p: Parser) -> tuple[str, ...]:
    """Move over all words."""
    rest = p.words[p.at :]
    p.at = len(p.words)
    return rest


def _width_m(p: Parser) -> float | None:
    """Width in metres of "a 1 m wide box", "something 80 cm wide"."""
    found = _WIDTH.fullmatch(" ".join(_rest(p)))
    if found is None:
        return None
    return float(found["number"]) * (0.01 if found["unit"].startswith("c") else 1.0)


def _direction(p: Parser) -> str | None:
    """The relation of "to the left" in "to the left or to the right of the door"."""
    words = _rest(p)
    return lexicon.RELATIONS.get((*words, "of"), lexicon.RELATIONS.get(words))


def _use(p: Parser) -> str | None:
    """A use such as "sit on"."""
    said = _rest(p)
    return " ".join(said) if len(said) <= _LONGEST_USE and said[0] in lexicon.USES else None


def _attribute(p: Parser) -> Attribute | None:
    key = lexicon.ATTRIBUTE_NAMES.get(singular(p.peek()))
    p.at += 1
    return key


def _moment(p: Parser) -> TimeExpression | None:
    found = find_moment(_rest(p))
    return found if found is not None and found.start == 0 else None


_READERS: dict[str, Callable[[Parser], Any]] = {
    "subject": Parser.reference,
    "named": _named,
    "other": _other,
    "condition": _condition,
    "more": _more,
    "noun": lambda p: " ".join(p.noun_words()),
    "bare": _bare,
    "definite": _certain(True),
    "indefinite": _certain(False),
    "direction": _direction,
    "relation": lambda p: lexicon.RELATIONS.get(_rest(p)),
    "number": _number,
    "width": _width_m,
    "use": _use,
    "attribute": _attribute,
    "owner": owner_name,
    "possessive": lambda p: owner_name(p) if is_possessive(p) else None,
    "moment": _moment,
}


def built_question(shape: str, values: Bound) -> Question | None:
    """The tree of a shape with its values; None where they do not go together."""
    build = _BUILT.get(shape)
    if build is None:
        built: Question = getattr(trees, shape)(**values)
        return built
    return build(**values)


def _with(subject: Reference, more: NounPhrase | None) -> Reference | None:
    """A subject with conditions that follow a verb: "chairs are black"."""
    if more is None or not isinstance(subject, NounPhrase):
        return subject if more is None else None
    if subject.ranks and more.ranks:
        return None
    return replace(
        subject,
        conditions=(*subject.conditions, *more.conditions),
        ranks=(*subject.ranks, *more.ranks),
    )


def _list(subject: Reference | None = None, more: NounPhrase | None = None) -> Question | None:
    asked = _with(NounPhrase("") if subject is None else subject, more)
    return None if asked is None else ListObjects(asked)


def _count(subject: Reference, more: NounPhrase | None = None, **check: Any) -> Question | None:
    asked = _with(subject, more)
    return None if asked is None else Count(asked, **check)


def _ask_attribute(
    subject: Reference,
    key: Attribute,
    more: NounPhrase | None = None,
    thing: Reference | None = None,
) -> Question | None:
    del thing  # "whose cup is the red one": the noun says it twice
    asked = _with(subject, more)
    return None if asked is None or key == "size" else AskAttribute(asked, key)


def _where_at(subject: Reference, moment: TimeExpression) -> Question | None:
    return None if moment.moment is None else WhereAt(subject, moment.moment)


def _changed(
    kinds: list[trees.ChangeKind],
    since: TimeExpression | None = None,
    subject: Reference | None = None,
    stayed: bool = False,
) -> Question:
    return Changed(tuple(kinds), None if since is None else since.moment, subject, stayed)


def _claim(subject: Reference, condition: Condition | None = None) -> Question:
    """A yes-no question; of no certain thing, it asks whether there is such a thing."""
    if not isinstance(subject, NounPhrase):
        return Exists(subject) if condition is None else Verify(subject, condition)
    if condition is None:
        return Exists(subject)
    is_thing = not subject.noun and not subject.conditions
    if isinstance(condition, Related) and (is_thing or not subject.definite):
        return Exists(replace(subject, conditions=(*subject.conditions, condition)))
    return Verify(subject, condition)


def _belongings(owner: str, noun: str = "") -> Question:
    kind = "" if noun in lexicon.ANYTHING else noun
    return ListObjects(NounPhrase(kind, conditions=(HasAttribute("owner", owner.lower()),)))


def _carrier(subject: Reference, predicate: str, noun: str = "") -> Question:
    return trees.AskCarrier(subject, predicate, "" if noun in lexicon.ANYTHING else noun)


def _identify(subject: Reference, kind: Reference | None = None) -> Question:
    del kind  # "what kind of chair is the black one": the answer is a name all the same
    return trees.Identify(subject)


def _exists(subject: Reference | None = None, more: NounPhrase | None = None) -> Question | None:
    asked = _with(NounPhrase("") if subject is None else subject, more)
    return None if asked is None else Exists(asked)


def _not_the_other(subject: Reference, more: NounPhrase) -> Question | None:
    """A phrase with what it is not: "the book on the shelf, not the one on the table"."""
    if not isinstance(subject, NounPhrase) or more.ranks:
        return None
    denied = tuple(
        replace(condition, negated=not condition.negated) for condition in more.conditions
    )
    return trees.Ground(replace(subject, conditions=(*subject.conditions, *denied)))


def _enough(subject: Reference, people: int) -> Question | None:
    if not isinstance(subject, NounPhrase) or subject.count is not None:
        return None
    return Exists(replace(subject, count=people))


def _joined(kind: Callable[[Reference], Question], word: str) -> Callable[..., Question]:
    def build(first: Reference, second: Reference, word: Any = word) -> Question:
        return trees.Joined((kind(first), kind(second)), word)

    return build


def _ranked(
    build: Callable[[Reference, Reference, Rank], Question],
) -> Callable[..., Question]:
    def built(
        first: Reference,
        second: Reference,
        by: trees.Superlative,
        anchor: Reference | None = None,
    ) -> Question:
        return build(first, second, Rank(by, anchor=anchor))

    return built


def _choose(
    subject: Reference,
    first: Condition | str,
    second: Condition | str,
    anchor: Reference | None = None,
) -> Question | None:
    if isinstance(first, str) and isinstance(second, str) and anchor is not None:
        first, second = Related(first, (anchor,)), Related(second, (anchor,))
    if isinstance(first, str) or isinstance(second, str):
        return None
    if isinstance(first, Related):
        second = _resolved(second, first.anchors[-1])
    return trees.Choose(subject, (first, second))


def _same(first: Reference, key: Attribute, second: Reference | None = None) -> Question:
    return Same((first,) if second is None else (first, second), key)


_BUILT: dict[str, Callable[..., Question | None]] = {
    "ListObjects": _list,
    "Kinds": _list,
    "People": lambda more=None: _list(NounPhrase("person"), more),
    "Exists": _exists,
    "EnoughOf": _enough,
    "ExistsAny": _joined(Exists, "or"),
    "WhereBoth": _joined(trees.Where, "and"),
    "CountBoth": _joined(Count, "and"),
    "NotTheOther": _not_the_other,
    "TheOne": lambda subject, more: (
        None if (meant := _with(subject, more)) is None else trees.Ground(meant)
    ),
    "Compare": _ranked(lambda first, second, rank: trees.Compare((first, second), rank)),
    "IsMore": _ranked(trees.IsMore),
    "Choose": _choose,
    "Count": _count,
    "AskAttribute": _ask_attribute,
    "AskCarrier": _carrier,
    "WhereAt": _where_at,
    "Changed": _changed,
    "Claim": _claim,
    "Same": _same,
    "Belongings": _belongings,
    "IsOwned": lambda subject, owner: Verify(subject, HasAttribute("owner", owner.lower())),
    "IsCalled": lambda subject, noun, negated=False: Verify(subject, Described(noun, negated)),
    "Identify": _identify,
    "Usable": lambda use: ListObjects(
        NounPhrase("", conditions=(HasAttribute("affordance", use),))
    ),
    "Reachable": lambda: ListObjects(
        NounPhrase("", conditions=(Related("within reach", (Viewer(),)),))
    ),
    "DistanceFromHere": lambda first: Distance(first, Viewer()),
}
