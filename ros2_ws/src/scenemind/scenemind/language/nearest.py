"""The nearest question that the grammar reads, for a sentence that it does not read.

Misspelled words are set right by the labels of the map and the words of the grammar. Then the
sentence is laid along every pattern of `questions.yaml`: words of the sentence may be left out, and
words of the pattern added, each at a price, and the slots are read from what stands there. The
cheapest question that has most of the words is the nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache, lru_cache
from typing import Any, TypeVar, get_args

from rapidfuzz.distance import OSA, Prefix

from scenemind.language import lexicon
from scenemind.language.alignment import Spans, cheapest_ways
from scenemind.language.english import find_number, plural, read_table, roots, singular
from scenemind.language.questions import book, built_question, parse_question, without_frame
from scenemind.language.referring.reader import read
from scenemind.language.shapes import Sentence, Shape, Words
from scenemind.language.speech_acts import any_of
from scenemind.language.tokens import NotUnderstoodError, tokenize
from scenemind.language.trees import (
    Count,
    Described,
    Exists,
    Ground,
    HowSure,
    ListObjects,
    NounPhrase,
    Question,
    Rank,
    Reference,
    Related,
    Superlative,
)
from scenemind.language.verbalization import is_many, question_words
from scenemind.language.vocabulary import Thesaurus, Vocabulary

_MOST_WORDS = 16  # of a sentence: longer ones tell a story
_TRIED = 8  # patterns whose slots are read, the cheapest ones
# Prices of a word that is left out, of one with little meaning, of one that only agrees with
# others, of a misspelled word, and of a question that is taken for a bare phrase, or a phrase for a
# question.
_CONTENT, _SMALL, _FORM, _MISSPELLED, _UNLIKELY = 1.0, 0.2, 0.05, 0.1, 0.5
_MOST_LOST = 0.45  # share of the price of all words
_SHORTEST, _LONG = 3, 6  # letters of a word that may be misspelled, and that may be so twice
# Who leaves one of these out asks something else.
_DECISIVE = tuple(
    frozenset(words.split())
    for words in (
        "why", "when", "where", "who whom whose", "not no never without none", "or", "than",
        "will would shall should might may must",
    )
)  # fmt: skip
_ASKING = (frozenset(("how",)), frozenset(("what", "which")))  # also said by "count", "list"
_FORMS = lexicon.BE | lexicon.DEFINITE | lexicon.INDEFINITE | {"been", "has", "have", "do", "does"}
# Questions about a kind of thing; others are about a certain one, even without "the".
_OF_A_KIND = (Exists, Count, ListObjects, HowSure, Ground)
_NAMED = ("subject", "named", "definite", "indefinite")
Tree = TypeVar("Tree")
NounOf = Callable[[NounPhrase], str | None]
"""The noun to be said in place of a phrase's own; None: there is none."""


def nearest_question(
    text: str, labels: Collection[str], *, is_phrase: bool = False
) -> Question | None:
    """The question that is nearest to a sentence; None where none is near.

    It is read by `parse_question`, from its words (`question_words`), and names things that the map
    has, or that are known words for things.

    Args:
        labels: of the map's objects.
        is_phrase: a phrase is expected, and no question.
    """
    tokens = without_frame(tokenize(text))
    if not 0 < len(tokens) <= _MOST_WORDS:
        return None
    known = _Words(labels)
    words = tuple(known.spelled(token.word) for token in tokens)
    said = Sentence(" ".join(words), tokenize(" ".join(words)))
    slips = frozenset(words) - {token.word for token in tokens}
    prices = {word: _CONTENT if word in slips else _weight(word) for word in said.words}
    content = sum(price for price in prices.values() if price == _CONTENT)
    limit = _MOST_LOST * sum(prices.values()) - _MISSPELLED * len(slips)
    best = None
    for price, read_as in (*_read_whole(said), *_readings(said, known, is_phrase)):
        question = known.questioned(read_as)
        asked = "" if question is None else question_words(question)
        asked_words = tuple(token.word for token in tokenize(asked))
        lost, added = _lost(said.words, asked_words), _lost(asked_words, said.words)
        total = price + sum(prices[word] for word in lost)
        total += sum(_weight(word) == _CONTENT for word in added)
        has_most = 2.0 * sum(prices[word] == _CONTENT for word in lost) < content
        is_other = _asks_else(said.words, asked_words, is_phrase)
        if total < limit and has_most and not is_other and is_read(asked):
            best, limit = question, total
    return best


def is_read(text: str) -> bool:
    """Whether the grammar reads a question or a phrase."""
    try:
        parse_question(text)
    except NotUnderstoodError:
        return False
    return True


def spelled_correction(text: str, labels: Collection[str]) -> str:
    """A correction with its misspelled words set right, in lower case."""
    shapes = _words_in("scenemind.language.corrections", "shapes.yaml")
    known = _Words(labels, grammar_words() | shapes)
    return " ".join(known.spelled(token.word) for token in tokenize(text))


def _likeness(word: str, other: str) -> tuple[bool, float, int]:
    """Whether two words have the same letters ("chiar"), and how alike they are in all and at the
    front."""
    front = Prefix.similarity(word, other)
    return set(word) == set(other), OSA.normalized_similarity(word, other), front


class _Words:
    """The words of the grammar, of the map's labels and of common things."""

    def __init__(self, labels: Collection[str], grammar: frozenset[str] | None = None) -> None:
        """
        Args:
            grammar: words of the sentences' shapes; None: of questions.
        """
        self._grammar = grammar_words() if grammar is None else grammar
        self._labels = frozenset(labels)
        names = [word for label in labels for word in label.lower().split()]
        self._names = [*names, *map(plural, names)]
        self._known = self._grammar | thing_words() | frozenset(self._names)

    def spelled(self, word: str) -> str:
        """The word that is meant by a misspelled one, a label's rather than others; or itself."""
        is_word = word.isalpha() and len(word) >= _SHORTEST
        if not is_word or {word, singular(word)} & self._known:
            return word
        slips = 2 if len(word) >= _LONG else 1
        for choices in (self._names, self._grammar, thing_words()):
            near = [o for o in choices if OSA.distance(word, o, score_cutoff=slips) <= slips]
            if len(word) == _SHORTEST:
                near = [other for other in near if set(other) == set(word)]
            if near:
                return max(near, key=lambda other: (*_likeness(word, other), other))
        return word

    def named(self, reference: Reference | None) -> Reference | None:
        """A reference with known nouns only, without words before them that are not known; None
        where one is not known."""
        return None if reference is None else with_nouns(reference, self._noun)

    def questioned(self, question: Question) -> Question | None:
        """A question with known nouns only; None where it asks nothing of a certain thing."""
        if isinstance(question, Exists | ListObjects) and isinstance(question.subject, NounPhrase):
            if question.subject.definite and not is_many(question.subject):
                return None
        elif not isinstance(question, _OF_A_KIND):
            parts = {each.name: getattr(question, each.name) for each in fields(question)}
            certain = {name: _certain(part) for name, part in parts.items()}
            question = replace(question, **certain)
        return with_nouns(question, self._noun)

    def _noun(self, phrase: NounPhrase) -> str | None:
        words = phrase.noun.split()
        for first in range(len(words)):
            name = " ".join(words[first:])
            if name in thing_words() or any(
                m.sure for m in Vocabulary.load().match(name, self._labels)
            ):
                return name
        return None if words else ""


class _NoNounError(Exception):
    """There is no noun for a phrase."""


def with_nouns(tree: Tree, noun_of: NounOf) -> Tree | None:
    """A tree with other nouns, and without unread words; None where a phrase has none."""
    try:
        return _with_nouns(tree, noun_of)
    except _NoNounError:
        return None


def _with_nouns(tree: Any, noun_of: NounOf) -> Any:
    if isinstance(tree, tuple):
        return tuple(_with_nouns(part, noun_of) for part in tree)
    if not is_dataclass(tree) or isinstance(tree, type):
        return tree
    changes = {each.name: _with_nouns(getattr(tree, each.name), noun_of) for each in fields(tree)}
    if isinstance(tree, NounPhrase | Described):
        noun = noun_of(tree if isinstance(tree, NounPhrase) else NounPhrase(tree.noun))
        if noun is None:
            raise _NoNounError
        changes["noun"] = noun
    if isinstance(tree, NounPhrase):
        changes["unread"] = ()
    if isinstance(tree, Related):
        changes["anchors"] = tuple(map(_certain, changes["anchors"]))
    if isinstance(tree, Rank):
        changes["anchor"] = _certain(changes["anchor"])
    return replace(tree, **changes)


def _certain(reference: Any) -> Any:
    """A reference with "the", unless it is to several things."""
    is_one = isinstance(reference, NounPhrase) and not is_many(reference)
    return replace(reference, definite=True) if is_one else reference


def _read_whole(said: Sentence) -> Iterator[tuple[float, Question]]:
    """The question of a sentence that only was misspelled."""
    try:
        yield 0.0, parse_question(said.text)
    except NotUnderstoodError:
        return


def _readings(said: Sentence, known: _Words, is_phrase: bool) -> Iterator[tuple[float, Question]]:
    """Prices and trees of the questions of the cheapest patterns."""

    def unlikely(pattern: Shape) -> float:
        return _UNLIKELY if (pattern.name == "Ground") != is_phrase else 0.0

    weights = list(map(_weight, said.words))
    for price, pattern, spans in cheapest_ways(book(), said.words, weights, unlikely, _TRIED):
        question = _filled(pattern, spans, said, known)
        if question is not None:
            yield price, question


def _filled(pattern: Shape, spans: Spans, said: Sentence, known: _Words) -> Question | None:
    """The question of a pattern with its slots read; None where one has no value."""
    values: dict[str, Any] = dict(pattern.values)
    slots = [part.slot for part in pattern.parts if part.slot is not None]
    for slot, (start, end) in zip(slots, spans, strict=True):
        value = _value(slot.kind, said, start, end, known)
        if value is None:
            return None
        values[slot.name] = value
    return built_question(pattern.name, values)


def _value(kind: str, said: Sentence, start: int, end: int, known: _Words) -> Any:
    """Value of the words of a slot, or of most of them."""
    if kind not in _NAMED:
        return next((v for v in _parts(kind, said, start, end) if v is not None), None)
    whole = book().value(kind, said, start, end)
    loose = read(" ".join(said.words[start:end])).phrase
    found = (known.named(each) for each in (whole, loose) if each is not None)
    named = next((each for each in found if each not in (None, NounPhrase(""))), None)
    if named is not None or isinstance(whole, NounPhrase):
        return named
    parts = (known.named(v) for v in _parts(kind, said, start, end) if v is not None)
    return next((each for each in parts if each is not None), None)


def _parts(kind: str, said: Sentence, start: int, end: int) -> Iterator[Any]:
    """Values of the parts of a span, the longest first."""
    for length in range(end - start, 0, -1):
        for first in range(start, end - length + 1):
            yield book().value(kind, said, first, first + length)


def _lost(words: Words, others: Words) -> set[str]:
    """The words that are not among others, in any form."""
    kept = frozenset().union(*map(_meanings, others))
    return {word for word in words if _meanings(word).isdisjoint(kept)}


def _asks_else(words: Words, asked: Words, is_phrase: bool) -> bool:
    """Whether a question lacks a word that decides what is asked, or has one that was not said."""
    has = [(not group.isdisjoint(words), not group.isdisjoint(asked)) for group in _DECISIVE]
    lacks = any(group & set(words) and not group & set(asked) for group in _ASKING)
    return any(said != kept for said, kept in has) or (lacks and not is_phrase)


@lru_cache(maxsize=4096)
def _meanings(word: str) -> frozenset[str]:
    """The roots of a word, and what its tables make of it."""
    number = find_number(word)
    if word in lexicon.BE:
        return lexicon.BE
    values = {str(table[word]) for table in _telling() if word in table}
    return roots(word) | values | (frozenset() if number is None else {str(number)})


@lru_cache(maxsize=4096)
def _weight(word: str) -> float:
    """Price of a word that is left out."""
    if not word[0].isalnum():
        return 0.0
    if word in _FORMS:
        return _FORM
    is_small = word in grammar_words() and not any(word in table for table in _telling())
    return _SMALL if is_small and not word.isdigit() else _CONTENT


@cache
def _telling() -> tuple[Mapping[str, Any], ...]:
    """Tables of the words of the grammar that say what is meant, and not only how."""
    kinds = {
        part.slot.kind for shape in book().shapes for part in shape.parts if part.slot is not None
    }
    tables = (book().table(kind) for kind in kinds)
    return (
        lexicon.COLOURS,
        lexicon.SIZES,
        lexicon.QUALITIES,
        lexicon.SUPERLATIVES,
        lexicon.ATTRIBUTE_NAMES,
        {name: name for name in get_args(Superlative)},
        *(table for table in tables if table is not None),
    )


@cache
def grammar_words() -> frozenset[str]:
    """The words of the grammar."""
    package = "scenemind.language"
    around = tokenize(any_of("question_front") + any_of("question_back"))
    shapes = _words_in(package, "questions.yaml") | _words_in(package, "lexicon.yaml")
    return shapes | {token.word for token in around}


@cache
def _words_in(package: str, name: str) -> frozenset[str]:
    said = " ".join(_strings(read_table(package, name)))
    return frozenset(token.word for token in tokenize(said))


def _strings(table: Any) -> Iterator[str]:
    if isinstance(table, str):
        yield table
    elif isinstance(table, dict):
        yield from _strings([*table, *table.values()])
    elif isinstance(table, list):
        for entry in table:
            yield from _strings(entry)


@cache
def thing_words() -> frozenset[str]:
    """Words for things."""
    return frozenset(Thesaurus.load().known())
