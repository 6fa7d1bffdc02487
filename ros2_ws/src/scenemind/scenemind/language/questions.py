"""Grammar of questions and bare phrases: from a sentence to its tree.

The shapes stand in `questions.yaml`, their trees in `question_trees.py`; here a text is cut into
what it asks, and the shapes are tried on it. What "it" and "the tall one" mean tells
`follow_ups.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from scenemind.language import lexicon, trees
from scenemind.language.clauses import TOLD_ASKED, Clause, aspects_of, clauses_of, questions_in
from scenemind.language.english import find_number, is_plural, normal, read_table, with_commas
from scenemind.language.follow_ups import (
    about,
    at_carrier,
    beside_those_before,
    instead,
    is_look,
    is_of_one_before,
    of_them,
    place_of,
    with_meant,
    with_nouns_of_first,
)
from scenemind.language.measures import LENGTH, metres_of
from scenemind.language.plain_form import plain
from scenemind.language.question_trees import MADE, built_question
from scenemind.language.referring.whole import read_conditions, read_phrase
from scenemind.language.shapes import Sentence, ShapeBook, Words
from scenemind.language.slots import READERS
from scenemind.language.speech_acts import Frame, find_tagged
from scenemind.language.time_expressions import find_moment
from scenemind.language.tokens import NotUnderstoodError, Token, tokenize
from scenemind.language.vocabulary import Thesaurus

_FRAME = Frame("question_front", "question_back")
_ONE = frozenset(("one", "ones", "other", "others"))
_PAST = frozenset(("was", "were"))
_THEIR = frozenset(("her", "his", "their"))
_BEFORE_NOUN = lexicon.DEFINITE | lexicon.INDEFINITE | _THEIR
_AFTER_NAME = frozenset(("down", "away", "back", "ought"))  # "I put the bowl down"
_GIVING = frozenset(("me", "us", "brought", "bought", "got", "picked", "sent"))
_MANY = frozenset(("they", "them"))
# What is told besides a question, and says how long or tall something is.
_MEASURED = re.compile(
    r"\b(?:an? (?:[a-z]+ ){0,3}?|(?:my|our|the|this) (?:[a-z]+ ){1,2}(?=is ))"
    r"(?:(?:(?:that|which) )?is )?"
    rf"(?:about |around |roughly )?{LENGTH}"
    r"(?: (?:wide|long|high|tall|deep|across))?(?=$| )"
)
_TALL = re.compile(
    r"\b(?:(?:i am|we are)(?: both| all)?|(?:he|she|my [a-z]+)(?: is)?|^at) "
    rf"(?:about |around |just )?{LENGTH}"
    r"(?: tall)?(?= and\b|$)"
)
_PERSON = r"(?:me|i|him|her|he|she)"
_DOER = rf"\b(can|could|will|would|do|does|should|for) {_PERSON}\b"
# Two things, which "they" are: "I need my keys and a bag".
_PAIR = re.compile(
    r"\b(?:the|my|our|an?|some|that) ((?:[a-z-]+ ){1,3})and (?:the|my|our|an?|some|that)"
    r" ([a-z-]+(?: [a-z-]+){0,2})$"
)
_BOTH = re.compile(r"\b(?:they|them|those|these|both)\b")
# "What about the other one, what is it next to": what is named so is the topic.
_ABOUT = re.compile(
    r"^(?:and |but )?(?:what|how) about "
    r"(?=(?:the|my|our|that|this) [^,?]+, .*\b(?:it|they|that)\b)",
    re.I,
)
# "What is on there", of what was asked for before.
_AT_THERE = re.compile(r"\b(on|in|by|under|near|behind) there\b", re.I)


def find_question(text: str) -> trees.Question | None:
    """The tree of a question or of a bare phrase; None where the grammar does not read it."""
    found = _tried(text, None, False)
    return None if isinstance(found, str) else found.question


class ReadText(NamedTuple):
    """What a text asks.

    Attributes:
        remarks: clauses that ask nothing: "I need to throw this away".
        missed: words of further questions that are not read.
    """

    question: trees.Question
    remarks: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


def read_text(
    text: str, before: trees.Question | None = None, *, is_pointed: bool = False
) -> ReadText:
    """What a text asks, of one or of several sentences.

    Args:
        before: the question asked before, whose things "it" and "the tall one" may mean.
        is_pointed: "it" is pointed at.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    found = _tried(text, before, is_pointed)
    if isinstance(found, str):
        raise NotUnderstoodError(found)
    return found


@lru_cache(maxsize=256)  # whoever answers one question reads it more than once
def _tried(text: str, before: trees.Question | None, is_pointed: bool) -> ReadText | str:
    """What a text asks, or the part of it that could not be read."""
    meant = getattr(before, "subject", None) or next(
        iter(trees.parts_of(before, trees.NounPhrase)), None
    )
    is_else = " else " in text
    place = place_of(before, is_else=is_else) if _AT_THERE.search(text) else None
    if place is not None:
        text, meant = _AT_THERE.sub(r"\1 it", text), place
    text = _ABOUT.sub("", text)
    said = _whole(text)
    whole = _past_claim(text) or _find_question(said)
    if meant is not None and getattr(whole, "subject", None) == trees.Marked():
        are_many = not _MANY.isdisjoint(said.words)
        asked = about(whole, meant, is_pointed=is_pointed, is_topic=are_many)  # type: ignore[arg-type]
        return ReadText(asked)
    if before is not None and (whole is None or isinstance(whole, trees.Ground)):
        other = instead(said.words, before)
        if other is not None:
            return ReadText(other)
    found = None
    if whole is None or isinstance(whole, trees.Ground):
        found = _of_clauses(text, meant, is_pointed, is_phrase=whole is not None)
    elif meant is not None and is_of_one_before(said.words):
        asked = of_them(whole, said.words)
        # "Which of them is red" after "what is on the table" is one of those, and no table.
        whole = about(asked, meant, is_pointed=is_pointed, is_topic=asked != whole)
    if whole is not None and (found is None or isinstance(found.question, trees.Ground)):
        found = ReadText(whole)
    if found is None:
        return str(said.error())
    if not _ONE.isdisjoint(said.words):
        found = found._replace(question=with_nouns_of_first(found.question))
    if before is not None and not is_pointed:
        found = found._replace(question=at_carrier(found.question, before))
    if is_else:
        found = found._replace(question=beside_those_before(found.question, before))
    return found


def _past_claim(text: str) -> trees.PastClaim | None:
    """A claim of one moment: "was the cup on the desk at 10:05"."""
    empty = _frame_words("empty_adverbs")
    said = [
        token for token in tokenize(text) if token.word not in empty and token.word not in ".?!"
    ]
    is_list = bool(said) and said[0].word in ("what", "which", "how")
    tokens = said if is_list or (said and said[0].word in _PAST) else without_frame(said)
    words = [token.word for token in tokens]
    found = None if _PAST.isdisjoint(words if is_list else words[:1]) else find_moment(words)
    if found is None or found.moment is None:
        return None
    claim = _find_question(Sentence(text, without_frame(tokens[: found.start])))
    kinds = trees.ListObjects | trees.Count if is_list else trees.Verify | trees.Exists
    return trees.PastClaim(claim, found.moment) if isinstance(claim, kinds) else None


def _whole(text: str) -> Sentence:
    """A text as one sentence, without what people say around it."""
    stated = find_tagged(text)
    text = text if stated is None or ":" in stated else f"whether {stated}"
    empty = _frame_words("empty_adverbs")
    tokens = [token for token in tokenize(with_commas(text)) if token.word not in empty]
    return Sentence(text, plain(without_frame(tokens)))


def _of_clauses(
    text: str, before: trees.Reference | None, is_pointed: bool, *, is_phrase: bool
) -> ReadText | None:
    """The questions that the clauses of a text ask; None where none is read.

    Args:
        is_phrase: the whole text is read as a phrase.
    """
    clauses = clauses_of(text)
    asking = {clause.sentence for clause in clauses if clause.kind in ("asked", "ordered")}
    asks = bool(asking) or any(clause.is_asked for clause in clauses)
    is_listed = any(aspects_of(clause) for clause in clauses[1:])
    tells = any(clause.kind == "told" for clause in clauses)
    if not asks and (tells or (is_phrase and not is_listed)):
        return None  # a description in several sentences is one phrase
    read: list[trees.Question] = []
    unread: list[str] = []
    meant, is_told = before, False
    for asked in questions_in(clauses):
        question, way = _of_ways(text, (*_with_told(asked.ways, clauses), *asked.ways))
        is_told |= question is not None and way not in asked.ways
        if question is None or (isinstance(question, trees.Ground) and read):
            unread.append(" ".join(token.word for token in asked.ways[0]))
            continue
        said_at = {token.start for token in way}
        if said_at.isdisjoint(token.start for token in asked.topic):
            question = _at_place(question, asked.topic)
        if asked.rest and said_at.isdisjoint(token.start for token in asked.rest):
            unread.append(" ".join(token.word for token in asked.rest))
        topic = _topic(asked.topic, before)
        told = None if topic or meant else _named_in(asked.told)
        if told is not None and isinstance(question, trees.Where):  # it is not where it was thought
            told = replace(told, conditions=tuple(filter(is_look, told.conditions)))
        named = topic or meant or told
        if named is None and getattr(question, "subject", None) == trees.Marked():
            is_named = asked.topic != () and asked.topic[0].word in lexicon.DEFINITE
            named = _named_in(asked.topic) if is_named else None  # "the scale we had, is it here"
        # "How many things are on the table, and what are they?"
        are_many = not _MANY.isdisjoint(token.word for token in way)
        is_topic = topic is not None or are_many
        points = is_pointed and topic is None
        pointing = question
        question = about(question, named, is_pointed=points, is_topic=is_topic)
        is_told |= told is not None and question != pointing and _rests_on_told(question)
        meant = getattr(question, "subject", None) or named
        if question not in read:
            read.append(question)
    if not read or (isinstance(read[0], trees.Ground) and len(clauses) > 1):
        return None
    first, *more = read
    remarks = (c.text for c in clauses if _is_remark(c, asking) and not is_told)
    question = trees.Joined(tuple(read), "and") if more else first
    return ReadText(question, tuple(remarks), tuple(unread))


def _with_told(
    ways: Iterable[tuple[Token, ...]], clauses: Sequence[Clause]
) -> Iterator[tuple[Token, ...]]:
    """Forms of a question in which what another clause measures or counts stands in its place: "a
    box 60 cm wide" for "it", "a 1.8 m person" for "me", "for six people" after "enough chairs"; and
    what is asked by both: "what is on the desk except a screen"."""
    told = [" ".join(c.words) for c in clauses if c.kind not in ("asked", "ordered")]
    found_people = (found for text in told for found in _people().finditer(text))
    numbers = [find_number(found[1] or found[2]) for found in found_people]
    people = sum(filter(None, numbers))  # "four friends, plus the two of us"
    thing = next(filter(None, map(_MEASURED.search, told)), None)
    tall = next(filter(None, map(_TALL.search, told)), None)
    length = metres_of(tall) if tall is not None else None
    pair = next(filter(None, map(_PAIR.search, told)), None)
    for way in ways:
        said = " ".join(token.word for token in way)
        both = (
            found.expand(question)
            for tells, asks, question in TOLD_ASKED
            if asks.fullmatch(said) and (found := tells.search(" , ".join(told)))
        )
        yield from (tuple(_plain_words(question, way[0].start)) for question in both)
        if people and re.search(r"\benough\b", said):
            told_way = f"{said} for {people} people"
        elif thing is not None and re.search(r"\b(?:it|that)\b", said):
            what = re.sub(r"(?<!that)(?<!which) is ", " that is ", thing[0])
            told_way = re.sub(r"\b(?:it|that)\b", what, said, count=1)
        elif pair is not None and _BOTH.search(said):
            told_way = _BOTH.sub(f"the {pair[1]}and the {pair[2]}", said, count=1)
        elif length is not None:
            tall_m = f"{length:.2f} m"
            told_way = re.sub(rf"\bthan {_PERSON}\b", f"than {tall_m}", said, count=1)
            told_way = re.sub(r"\benough$", "enough for me", told_way)  # a frame took it away
            told_way = re.sub(_DOER, rf"\1 a {tall_m} person", told_way, count=1)
        else:
            continue
        if told_way != said:
            yield tuple(_plain_words(told_way, way[0].start))


def _plain_words(said: str, start: int) -> list[Token]:
    return plain([Token(word, start) for word in said.split()])


def _is_remark(clause: Clause, asking: Collection[int]) -> bool:
    """Whether a clause asks nothing.

    Args:
        asking: numbers of the sentences that ask.
    """
    if clause.kind == "told":
        return not (clause.is_asked and clause.sentence not in asking)
    is_other = bool(asking) and clause.sentence not in asking
    return clause.kind == "aside" or (clause.kind == "phrase" and is_other)


def _rests_on_told(question: trees.Question) -> bool:
    """Whether a question asks where what was told of is, or for a use of it: nothing of it is left
    unread."""
    uses = (said.key == "affordance" for said in trees.parts_of(question, trees.HasAttribute))
    return isinstance(question, trees.Where) or any(uses)


def _at_place(question: trees.Question, topic: Sequence[Token]) -> trees.Question:
    """A question of what is where the phrase before it says: "in the corner, is that a vase?"."""
    place = read_conditions([token.word for token in topic])[0] if topic else None
    subject = getattr(question, "subject", None)
    is_place = place is not None and all(isinstance(c, trees.Related) for c in place.conditions)
    if place is None or place.ranks or not is_place:
        return question
    if subject == trees.Marked():
        subject = trees.NounPhrase("", definite=True)
    if not isinstance(subject, trees.NounPhrase):
        return question
    return replace(question, subject=subject.that(*place.conditions))  # type: ignore[arg-type]


def _of_ways(
    text: str, ways: Iterable[tuple[Token, ...]]
) -> tuple[trees.Question | None, tuple[Token, ...]]:
    """The question of the first form that is read as one, else as a phrase; and that form."""
    phrase: tuple[trees.Question | None, tuple[Token, ...]] = (None, ())
    empty = _frame_words("empty_adverbs")
    for way in ways:
        tokens = [token for token in way if token.word not in empty]
        question = _find_question(Sentence(text, without_frame(tokens))) if tokens else None
        if question is not None and not isinstance(question, trees.Ground):
            return question, way
        if phrase[0] is None:
            phrase = question, way
    return phrase


def _topic(tokens: Sequence[Token], before: trees.Reference | None) -> trees.NounPhrase | None:
    """What a phrase before a question names; "the one at the desk" is one of what was named
    before."""
    kept = plain(tokens[[token.word for token in tokens[:1]] == ["and"] :])
    named = _phrase_in(kept)
    words = tuple(token.word for token in kept)
    phrase = read_phrase(words)[0] if words and named is None else None
    if not isinstance(phrase, trees.NounPhrase):
        return named
    if words[0] in ("everything", "anything", "all") or (phrase.ranks and "one" not in words):
        return phrase
    if not isinstance(before, trees.NounPhrase):
        is_thing = phrase.conditions and not phrase.noun and "one" not in words
        return phrase if is_thing else None  # "the thing to sit on"
    own = {type(condition) for condition in phrase.conditions}
    left = tuple(c for c in before.conditions if type(c) not in own)
    of_kind = replace(before, noun=normal(before.noun), conditions=left, ranks=(), count=None)
    found = with_meant(phrase, before if phrase.other else of_kind)
    return found if isinstance(found, trees.NounPhrase) else None


def _phrase_in(tokens: Sequence[Token]) -> trees.NounPhrase | None:
    """The things that all tokens describe."""
    words = tuple(token.word for token in without_frame(list(tokens))) if tokens else ()
    phrase = read_phrase(words)[0] if words else None
    if not isinstance(phrase, trees.NounPhrase) or not phrase.noun:
        return None
    return phrase if _THEIR.isdisjoint(phrase.noun.split()) else None


def _named_in(tokens: Sequence[Token]) -> trees.NounPhrase | None:
    """The thing that a told clause is about: "my phone" of "I have mislaid my phone again", "her
    bag" of "my daughter lost her bag"; a person where it names nothing else."""
    words, person = tuple(token.word for token in tokens), None
    for start, word in enumerate(words):
        is_first = word in _BEFORE_NOUN
        is_first |= is_plural(word) and words[start - 1] in _GIVING  # "she brought me tulips"
        if not is_first and find_number(word) is None:
            continue
        # What is pointed at has no kind: "these socks are dirty".
        noun = start + (word in _THEIR or word in lexicon.POINTERS)
        for end in range(len(words), start + (word in _BEFORE_NOUN), -1):
            phrase = _phrase_in(tokens[noun:end])
            following = words[end] if end < len(words) else ""
            if phrase is None or _is_clause(phrase.noun, following):
                continue
            if not _is_person(phrase.noun):
                return replace(phrase, definite=True)
            person = person or replace(phrase, definite=True)
    return person


def _is_person(noun: str) -> bool:
    words = normal(noun).split()
    return not lexicon.KIN.isdisjoint(words) or words[-1] in Thesaurus.load().synonyms("person")


def _is_clause(noun: str, following: str) -> bool:
    """Whether a noun is no name, but somebody with a verb ("labmate left" before "her bag"), or
    what a thing is like ("white" before "one")."""
    is_verb = " " in noun and following in lexicon.DEFINITE | lexicon.INDEFINITE | _THEIR
    is_verb |= noun.split(" ")[-1] in _AFTER_NAME
    return is_verb or noun in lexicon.LOOKS or following in _ONE


def _find_question(said: Sentence, start: int = 0, end: int | None = None) -> trees.Question | None:
    question: trees.Question | None = book().find(said, start, end)
    anchors = (a for one in trees.parts_of(question, trees.Related) for a in one.anchors)
    is_no_thing = any(find_number(anchor.noun) is not None for anchor in anchors)
    is_no_thing |= any(map(_is_nowhere, trees.parts_of(question, trees.NounPhrase)))
    return None if is_no_thing else question


def _is_nowhere(phrase: trees.NounPhrase) -> bool:
    """Whether a phrase counts things of no kind in no row: "the third thing"."""
    ordered = any(rank.order > 1 and rank.superlative == "leftmost" for rank in phrase.ranks)
    return ordered and not phrase.noun and not phrase.conditions


@cache
def book() -> ShapeBook:
    """The shapes of questions."""
    said = {"except": [" ".join(form) for form in lexicon.EXCEPT], "kin": sorted(lexicon.KIN)}
    table = question_table()
    table = {**table, "words": {**table["words"], **said}}
    return ShapeBook(table, READERS, built_question, MADE)


def without_frame(tokens: list[Token]) -> list[Token]:
    """Tokens without "please" and the like at the front, "in the room" and the like at the end."""
    start, end = _without_frame(tuple(token.word for token in tokens), 0, len(tokens))
    return tokens[start:end]


def _without_frame(words: Words, first: int, end: int) -> tuple[int, int]:
    start = first + _FRAME.starts(words[first:end])[-1]
    start = first if start == end else start
    return start, start + 1 + _FRAME.end(words[start + 1 : end])


@cache
def question_table() -> Mapping[str, Any]:
    """The shapes of questions and their words, as `questions.yaml` has them."""
    return read_table("scenemind.language", "questions.yaml")


@cache
def _people() -> re.Pattern[str]:
    """A number of people: "six of us"."""
    people = "|".join(question_table()["words"]["people"])
    return re.compile(
        rf"\b(half a dozen|[a-z]+|\d+) (?:more |other |extra )?(?:{people})\b"
        r"|\bwe (?:are|will be) ([a-z]+|\d+)\b"
    )


@cache
def _frame_words(name: str) -> frozenset[str]:
    return frozenset(question_table()["words"][name])
