"""What the words of a person say, without a grammar: whether a value, a relation or an act stands
in them, in whatever inflection or synonym."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from scenemind.memory.graph.relations import find_relation
from scenemind.reasoning.mood import told_in
from scenemind.words.english import find_number, normal, number_word, word_set
from scenemind.words.roots import roots
from scenemind.words.thesaurus import Thesaurus

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_LONGEST_RELATION = 4  # words of "on the left of"
# What a value is without.
_LITTLE = word_set("a an the of in on at to with is it its this that and or for made from out")
# What stands between "not" and what is denied.
_BEFORE_DENIED = word_set("a an the any made of from out really actually in on called")
_IS = word_set("is are was were there's it's that's")
_DENIALS = word_set("not no never nothing none neither nor without wrong rather")
_SPEAKING = word_set("i me my mine we us our ours")
_SPEAKER = word_set("me mine person user speaker")
_ACTS = {
    "merge": "same one merge join combine together both twice double duplicate single",
    "split": "split divide part parts separate several pieces two three four 2 3 4",
    "delete_object": "delete remove forget exist real ghost mistake reflection gone made up only"
    " erase imagined",
}
_ACT_ROOTS = {act: frozenset(chain(*map(roots, words.split()))) for act, words in _ACTS.items()}


class ToldWords:
    """Of what is told or wished in a text; its questions say nothing."""

    def __init__(self, text: str) -> None:
        words = words_of(told_in(text))
        self._affirmed = list(_affirmed(words))
        self._roots = _roots_of(self._affirmed)
        self._all_roots = _roots_of(words)
        self._speaks_of_speaker = not _SPEAKING.isdisjoint(words)
        self.denies = any(word in _DENIALS or word.endswith("n't") for word in words)
        self._thesaurus = Thesaurus.load()

    def names(self, value: str) -> bool:
        """All of its words that mean something stand there, or those of a synonym."""
        whole = normal(value)
        same = (whole, *self._thesaurus.synonyms(whole), *self._thesaurus.attribute_words(whole))
        return any(self._has_all(words_of(phrase)) for phrase in same)

    def names_speaker(self, value: str, by: str) -> bool:
        """ "This is mine", and the value is who says it."""
        words = [word for word in words_of(value) if word not in _LITTLE]
        is_speaker = value.casefold() == by.casefold() or _SPEAKER.issuperset(words)
        return self._speaks_of_speaker and is_speaker

    def relates(self, predicate: str) -> bool:
        """The relation stands there, or what is then true the other way round."""
        known = find_relation(predicate)
        wanted = {predicate} if known is None else {known.name, known.inverse}
        said = map(find_relation, grams(self._affirmed, _LONGEST_RELATION))
        return any(r is not None and r.name in wanted for r in said) or self.names(predicate)

    def denies_relation(self, predicate: str) -> bool:
        """Something is denied, and the relation stands there."""
        known = find_relation(predicate)
        forms = (predicate,) if known is None else (known.name, *known.forms)
        return self.denies and any(
            all(roots(word) & self._all_roots for word in words_of(form)) for form in forms
        )

    def wants(self, act: str) -> bool:
        """A word for merging, splitting or deleting stands there, or a denial for the latter."""
        is_denial = act == "delete_object" and self.denies
        return is_denial or not self._all_roots.isdisjoint(_ACT_ROOTS[act])

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
    return _WORD.findall(text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def grams(words: Sequence[str], most: int) -> Iterator[str]:
    """All phrases of up to so many words that follow each other."""
    for first in range(len(words)):
        for end in range(first + 1, min(first + most, len(words)) + 1):
            yield " ".join(words[first:end])


def _affirmed(words: Sequence[str]) -> Iterator[str]:
    """Without what is denied: "lamp" of "not a lamp"."""
    is_denied = False
    before = ""
    for word in words:
        is_no = word == "no" and before in _IS
        if word == "not" or word.endswith("n't") or is_no:
            is_denied = True
        elif not (is_denied and word in _BEFORE_DENIED):
            if not is_denied:
                yield word
            is_denied = False
        before = word


def _roots_of(words: Iterable[str]) -> frozenset[str]:
    return frozenset(chain.from_iterable(map(roots, words)))
