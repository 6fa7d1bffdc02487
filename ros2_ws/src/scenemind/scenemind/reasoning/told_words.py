"""What the words of a person say, without a grammar: whether a value or a relation stands in them,
in whatever inflection or synonym."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from scenemind.memory.graph.relations import find_relation
from scenemind.memory.types import EditKind
from scenemind.reasoning.mood import told_in
from scenemind.reasoning.spoken_words import words_in
from scenemind.reasoning.told_acts import is_wanted
from scenemind.words.english import find_number, normal, number_word
from scenemind.words.roots import roots
from scenemind.words.thesaurus import Thesaurus

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_LONGEST_RELATION = 4  # words of "on the left of"
_LITTLE, _SPEAKER = words_in("little"), words_in("speaker")
_DENYING, _AROUND_DENIED, _IS = (words_in(n) for n in ("denying", "around_denied", "being"))
_SPEAKING = words_in("speaking_of_speaker")


class ToldWords:
    """Of what is told or wished in texts; their questions say nothing."""

    def __init__(self, *texts: str) -> None:
        """
        Args:
            texts: each was said at once, so that none goes on where another ends.
        """
        self._told = _plain(" ".join(map(told_in, texts)))
        words = words_of(self._told)
        self._affirmed, self._denied = _parted(words)
        self._roots = _roots_of(self._affirmed)
        self._speaks_of_speaker = not _SPEAKING.isdisjoint(words)
        self._thesaurus = Thesaurus.load()

    def names(self, value: str) -> bool:
        """All of its words that mean something stand there, or those of a synonym."""
        whole = normal(value)
        same = (whole, *self._thesaurus.synonyms(whole), *self._thesaurus.attribute_words(whole))
        return any(self._has_all(words_of(phrase)) for phrase in same)

    def names_speaker(self, value: str, by: str) -> bool:
        """ "This is mine", and the value is who says it."""
        words = {word for word in words_of(value) if word not in _LITTLE}
        is_speaker = value.casefold() == by.casefold() or (bool(words) and words <= _SPEAKER)
        return self._speaks_of_speaker and is_speaker

    def relates(self, predicate: str) -> bool:
        """The relation stands there, or what is then true the other way round."""
        return _holds(predicate, self._affirmed) or self.names(predicate)

    def denies_relation(self, predicate: str) -> bool:
        """It is said not to be so."""
        return _holds(predicate, self._denied)

    def wants(self, act: EditKind) -> bool:
        """Words for merging, splitting or deleting stand there."""
        return is_wanted(act, self._told)

    def _has_all(self, words: Sequence[str]) -> bool:
        wanted = [word for word in words if word not in _LITTLE]
        return bool(wanted) and all(map(self._has, wanted))

    def _has(self, word: str) -> bool:
        number = find_number(word)
        spellings = {word} if number is None else {str(number), number_word(number)}
        one = normal(word)
        same = {*spellings, *self._thesaurus.synonyms(one), *self._thesaurus.attribute_words(one)}
        return any(roots(other) & self._roots for other in same)


def words_of(text: str) -> list[str]:
    """In lower case, with their apostrophes."""
    return _WORD.findall(_plain(text))


def grams(words: Sequence[str], most: int) -> Iterator[str]:
    """All phrases of up to so many words that follow each other."""
    for first in range(len(words)):
        for end in range(first + 1, min(first + most, len(words)) + 1):
            yield " ".join(words[first:end])


def _plain(text: str) -> str:
    return text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _parted(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """What is affirmed, and what is denied: "a lamp" of "not a lamp but a cup", "stand on" of "does
    not stand on the table"."""
    affirmed: list[str] = []
    denied: list[str] = []
    is_denied = was_named = False
    before = ""
    for word in words:
        if word in _DENYING or word.endswith("n't") or (word == "no" and before in _IS):
            is_denied, was_named = True, False
        elif is_denied and (word in _AROUND_DENIED or not was_named):
            denied.append(word)
            was_named |= word not in _AROUND_DENIED
        else:
            is_denied = False
            affirmed.append(word)
        before = word
    return affirmed, denied


def _holds(predicate: str, words: Sequence[str]) -> bool:
    """The relation, or the one that is true the other way round, is among these words."""
    known = find_relation(predicate)
    wanted = {predicate} if known is None else {known.name, known.inverse}
    found = map(find_relation, grams(words, _LONGEST_RELATION))
    return any(relation is not None and relation.name in wanted for relation in found)


def _roots_of(words: Iterable[str]) -> frozenset[str]:
    return frozenset(chain.from_iterable(map(roots, words)))
