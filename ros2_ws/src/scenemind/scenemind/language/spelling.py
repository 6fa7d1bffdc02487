"""Misspelled words set right, by labels of the map, names of things and words of the grammar."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

from rapidfuzz.distance import OSA, Prefix

from scenemind.language import trees
from scenemind.language.english import (
    find_number,
    is_plural,
    normal,
    plural,
    read_table,
    shown,
    singular,
)
from scenemind.language.questions import find_question, question_table
from scenemind.language.speech_acts import any_of
from scenemind.language.tokens import tokenize
from scenemind.language.vocabulary import Thesaurus, Vocabulary
from scenemind.language.word_vectors import is_known

_MOST_SLIPS = 2  # of a name
_LETTERS = re.compile(r"(?<![\w'\u2019-])[^\W\d_]+(?![\w'\u2019-])")
_SHORTEST, _LONG = 3, 6  # letters of a word that may be misspelled, and that may be so twice


def respelled(text: str, labels: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """A question or phrase with the misspelled names of things set right, and a note on each; also
    its misspelled words of the grammar, where it is read with them only.

    Args:
        labels: of the map's objects.
    """
    notes: list[str] = []
    if find_question(text) is None:
        text, notes = _with_grammar(text, labels)
    phrases = trees.noun_phrases(find_question(text))
    for noun in dict.fromkeys(phrase.noun for phrase in phrases if phrase.noun):
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
    """The known name of a thing of which a noun misspells the words that are no English: "coffee
    mug" of "coffe mug"; empty where there is none, or the word is short."""
    words = normal(noun).split()
    most = 1 if len(words) == 1 else _MOST_SLIPS
    is_short = len(words) == 1 and len(noun) < _LONG
    if is_short or normal(noun) in thing_words() or all(map(is_known, words)):
        return ""

    def is_like(name: str) -> bool:
        pairs = [*zip(words, name.split(), strict=False)]
        return name.count(" ") == len(words) - 1 and all(
            said == word or (not is_known(said) and OSA.distance(said, word) <= most)
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
    return (said, notes) if notes and find_question(said) else (text, [])


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


@cache
def grammar_words() -> frozenset[str]:
    """The words of the grammar."""
    around = _words_of([any_of("question_front"), any_of("question_closing"), question_table()])
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
