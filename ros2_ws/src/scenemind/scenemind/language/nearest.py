"""The nearest question that the grammar reads, for a sentence that it does not read.

Misspelled words are set right by the labels of the map and the words of the grammar. Then words
are left out, each at a price, until the grammar reads the rest; and the whole is read loosely. The
question that has most of the words is the nearest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeVar, get_args

from rapidfuzz.distance import OSA, Prefix

from scenemind.language import lexicon, trees
from scenemind.language.english import (
    find_number,
    is_plural,
    normal,
    plural,
    read_table,
    roots,
    shown,
    singular,
)
from scenemind.language.questions import (
    book,
    parse_question,
    question_table,
    without_frame,
)
from scenemind.language.referring.reader import read
from scenemind.language.shapes import Sentence, Words
from scenemind.language.situated.questions import read_question
from scenemind.language.speech_acts import any_of
from scenemind.language.tokens import NotUnderstoodError, Token, tokenize
from scenemind.language.verbalization import is_many, question_words
from scenemind.language.vocabulary import Thesaurus, Vocabulary
from scenemind.language.word_vectors import is_known

_MOST_WORDS = 16  # of a sentence: longer ones tell a story
_TRIED = 80  # selections of words, and those that wait
# Prices of a word that is left out, of one with little meaning, of one that only agrees with
# others, of a misspelled word, and of a question that is taken for a bare phrase, or a phrase for a
# question.
_CONTENT, _SMALL, _FORM, _MISSPELLED, _UNLIKELY = 1.0, 0.2, 0.05, 0.1, 0.5
_LEFT_OUT = 0.03  # to prefer readings of most words
_MOST_LOST = 0.45  # share of the price of all words
_MOST_SLIPS = 2  # of a name
_LETTERS = re.compile(r"(?<![\w'\u2019-])[^\W\d_]+(?![\w'\u2019-])")
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
_OF_A_KIND = (trees.Exists, trees.Count, trees.ListObjects, trees.HowSure, trees.Ground)
Tree = TypeVar("Tree")
NounOf = Callable[[trees.NounPhrase], str | None]
"""The noun to be said in place of a phrase's own; None: there is none."""


def nearest_question(
    text: str, labels: Collection[str], *, is_phrase: bool = False
) -> trees.Question | None:
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
    slips = frozenset(words) - {token.word for token in tokens}
    prices = {word: _CONTENT if word in slips else _weight(word) for word in words}
    content = sum(price for price in prices.values() if price == _CONTENT)
    limit = _MOST_LOST * sum(prices.values()) - _MISSPELLED * len(slips)
    best = None

    def is_near(price: float) -> bool:
        return price < limit

    for read_as in _readings(words, is_phrase, is_near):
        question = known.questioned(read_as)
        asked = "" if question is None else question_words(question)
        asked_words = tuple(token.word for token in tokenize(asked))
        lost, added = _lost(words, asked_words), _lost(asked_words, words)
        total = sum(prices[word] for word in lost)
        total += sum(_weight(word) == _CONTENT for word in added)
        total += _UNLIKELY * (isinstance(read_as, trees.Ground) != is_phrase)
        has_most = 2.0 * sum(prices[word] == _CONTENT for word in lost) < content
        is_other = _asks_else(words, asked_words, is_phrase)
        if total < limit and has_most and not is_other and _is_asked(asked):
            best, limit = question, total
    return best


def _readings(
    words: Words, is_phrase: bool, is_near: Callable[[float], bool]
) -> Iterator[trees.SituatedQuestion]:
    """Questions of the words but some, the cheapest to leave out first, and what a loose reader
    makes of them all. Words are left out where the grammar cannot go on, and wherever they mean
    little, as long as their price is near enough."""
    number = count()
    waiting = [(0.0, next(number), 0.0, words)]
    tried = {words}
    while waiting and next(number) < _TRIED:
        order, _, price, kept = heappop(waiting)
        said = Sentence(" ".join(kept), [Token(word, 0) for word in kept])
        question: trees.Question | None = book().find(said)
        if question is not None:
            yield question
            continue
        failed = range(max(0, said.furthest - 1), said.furthest + 2)
        for place, word in enumerate(kept):
            less = kept[:place] + kept[place + 1 :]
            is_out = place in failed or place in (0, len(kept) - 1) or _weight(word) < _CONTENT
            cost = price + _weight(word)
            if is_out and less and less not in tried and is_near(cost):
                tried.add(less)
                heappush(waiting, (order + _LEFT_OUT + _weight(word), next(number), cost, less))
    whole = " ".join(words)
    yield trees.Ground(read(whole).phrase) if is_phrase else read_question(whole)


def is_read(text: str) -> bool:
    """Whether the grammar reads a question or a phrase."""
    try:
        parse_question(text)
    except NotUnderstoodError:
        return False
    return True


def _is_asked(question: str) -> bool:
    """Whether the grammar reads the words of a question as that question."""
    return is_read(question) and question_words(parse_question(question)) == question


def respelled(text: str, labels: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """A question or phrase with the misspelled names of things set right, and a note on each; also
    its misspelled words of the grammar, where it is read with them only.

    Args:
        labels: of the map's objects.
    """
    notes: list[str] = []
    try:
        question = parse_question(text)
    except NotUnderstoodError:
        text, notes = _with_grammar(text, labels)
        if not notes:
            return text, ()
        question = parse_question(text)
    for noun in dict.fromkeys(
        phrase.noun for phrase in trees.noun_phrases(question) if phrase.noun
    ):
        matches = Vocabulary.load().match(noun, labels)
        if not matches and (name := _name_like(noun)):
            text = re.sub(rf"\b{re.escape(noun)}\b", name, text, flags=re.IGNORECASE)
            notes.append(f'I read "{shown(noun)}" as "{shown(name)}".')
        for match in matches[:1]:
            said = " ".join(noun.split(" ")[len(match.unknown.split()) :])
            meant = plural(match.spelled) if is_plural(said) else match.spelled
            is_said = re.search(rf"\b{re.escape(said)}\b", text, re.IGNORECASE)
            slips = OSA.distance(said, meant) if said.count(" ") == meant.count(" ") else 0
            if match.spelled and is_said is not None and 0 < slips <= _MOST_SLIPS:
                text = text[: is_said.start()] + meant + text[is_said.end() :]
                notes.append(f'I read "{shown(said)}" as "{shown(meant)}".')
    return text, tuple(notes)


def _name_like(noun: str) -> str:
    """The known name of a thing of several words, of which a noun misspells those that are no
    English: "coffee mug" of "coffe mug"; empty where there is none."""
    words = normal(noun).split()
    if len(words) < 2 or all(map(is_known, words)):
        return ""

    def is_like(name: str) -> bool:
        pairs = [*zip(words, name.split(), strict=False)]
        return name.count(" ") == len(words) - 1 and all(
            said == word or (not is_known(said) and OSA.distance(said, word) <= _MOST_SLIPS)
            for said, word in pairs
        )

    near = filter(is_like, thing_words())
    name = min(near, key=lambda one: (OSA.distance(" ".join(words), one), one), default="")
    return plural(name) if name and is_plural(noun) else name


def _with_grammar(text: str, labels: Collection[str]) -> tuple[str, list[str]]:
    """A sentence that is not read, with the words set right that are no English and nearly a word
    of the grammar, and a note on each; as it is where it is not read so either."""
    around = _words_in("scenemind.language", "clauses.yaml")
    around |= _words_in("scenemind.language", "plain_form.yaml")
    known, said = _Words(labels, grammar_words() | around), text
    meant: dict[str, str] = {}
    for found in _LETTERS.findall(text):
        word = found.lower()
        if not is_known(word) and (spelled := known.spelled(word)) != word:
            meant[word] = spelled
            said = re.sub(rf"\b{found}\b", spelled, said)
    notes = [f'I read "{shown(word)}" as "{shown(spelled)}".' for word, spelled in meant.items()]
    return (said, notes) if notes and is_read(said) else (text, [])


def spelled_question(text: str, labels: Collection[str]) -> str:
    """A plain question with the misspelled names of the map's things set right."""
    known = _Words(labels)
    return " ".join(known.spelled(word, of_labels=True) for word in text.split())


def spelled_correction(text: str, labels: Collection[str]) -> str:
    """A correction with its misspelled words set right, in lower case; empty without any."""
    shapes = _words_in("scenemind.language.corrections", "shapes.yaml")
    known = _Words(labels, grammar_words() | shapes)
    said = [token.word for token in tokenize(text)]
    spelled = [known.spelled(word) for word in said]
    return "" if spelled == said else " ".join(spelled)


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

    def spelled(self, word: str, *, of_labels: bool = False) -> str:
        """The word that is meant by a misspelled one, a label's rather than others; or itself.

        Args:
            of_labels: it can only be one of a label.
        """
        is_word = word.isalpha() and len(word) >= _SHORTEST and find_number(word) is None
        if not is_word or {word, singular(word)} & self._known:
            return word
        slips = _MOST_SLIPS if len(word) >= _LONG else 1
        others = () if of_labels else (self._grammar, thing_words())
        for choices in (self._names, *others):
            near = [o for o in choices if OSA.distance(word, o, score_cutoff=slips) <= slips]
            if len(word) == _SHORTEST:
                near = [o for o in near if set(o) == set(word) or o.startswith(word)]
            if near:
                return max(near, key=lambda other: (*_likeness(word, other), other))
        return word

    def questioned(self, question: trees.SituatedQuestion) -> trees.Question | None:
        """A question with known nouns only; None where it asks nothing of a certain thing."""
        if isinstance(question, trees.Exists | trees.ListObjects) and isinstance(
            question.subject, trees.NounPhrase
        ):
            if question.subject.definite and not is_many(question.subject):
                return None
        elif not isinstance(question, _OF_A_KIND):
            question = trees.with_parts(question, _certain)
        if isinstance(question, trees.AskDirection | trees.AskRoom | trees.IsWayClear):
            return None  # nobody stands anywhere
        return with_nouns(question, self._noun)

    def _noun(self, phrase: trees.NounPhrase) -> str | None:
        words = phrase.noun.split()
        whole = range(len(words)) if lexicon.ANYBODY.isdisjoint(words) else ()
        for first in whole:  # "the somebody hid" names nothing
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
    named = trees.with_parts(tree, lambda part: _with_nouns(part, noun_of))
    if isinstance(tree, trees.NounPhrase | trees.Described):
        noun = noun_of(tree if isinstance(tree, trees.NounPhrase) else trees.NounPhrase(tree.noun))
        if noun is None:
            raise _NoNounError
        named = replace(named, noun=noun)
    if isinstance(tree, trees.NounPhrase):
        return replace(named, unread=())
    if isinstance(tree, trees.Related):
        return replace(named, anchors=tuple(map(_certain, named.anchors)))
    return replace(named, anchor=_certain(named.anchor)) if isinstance(tree, trees.Rank) else named


def _certain(reference: Any) -> Any:
    """A reference with "the", unless it is to several things."""
    is_one = isinstance(reference, trees.NounPhrase) and not is_many(reference)
    return replace(reference, definite=True) if is_one else reference


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
    is_telling = any(word in table for table in _telling()) and (word,) not in lexicon.RELATIONS
    is_small = word in grammar_words() and not is_telling
    return _SMALL if is_small and not word.isdigit() else _CONTENT


@cache
def _telling() -> tuple[Mapping[str, Any], ...]:
    """Tables of the words of the grammar that say what is meant, and not only how."""
    named = question_table()["words"].values()
    return (
        lexicon.COLOURS,
        lexicon.SIZES,
        lexicon.QUALITIES,
        lexicon.SUPERLATIVES,
        lexicon.ATTRIBUTE_NAMES,
        {name: name for name in get_args(trees.Superlative)},
        *(table for table in named if isinstance(table, Mapping)),
    )


@cache
def grammar_words() -> frozenset[str]:
    """The words of the grammar."""
    around = _words_of([any_of("question_front"), any_of("question_back"), question_table()])
    return around | _words_in("scenemind.language", "lexicon.yaml")


@cache
def _words_in(package: str, name: str) -> frozenset[str]:
    return _words_of(read_table(package, name))


def _words_of(table: Any) -> frozenset[str]:
    said = dict.fromkeys(word for text in _strings(table) for word in text.split())
    return frozenset(token.word for token in tokenize(" ".join(said)))


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
