"""Answers from notes: facts of an object in the free words of a person, such as "was bought in
Rome", which no attribute or relation holds.

Notes are found by their words, not understood: a question gets those that share a word with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from scenemind.language.english import grams, normal, roots, shown, word_set
from scenemind.language.lexicon import BE
from scenemind.language.speech_acts import words_in
from scenemind.language.tokens import tokenize
from scenemind.language.vocabulary import LabelIndex, Vocabulary
from scenemind.memory import MapObject
from scenemind.memory.types import NOTE
from scenemind.reasoning.query import Query
from scenemind.reasoning.symbolic.replies import AT_LENGTH, Reply, the

_LONGEST_NOUN = 3  # words
_SURE = 0.75  # by rule of thumb: the words are the person's, the match is by words alone
_LITTLE = BE.union(*map(words_in, ("little", "asking", "anything")), word_set("do had by"))


def find_note(query: Query, noted: Mapping[int, MapObject]) -> Reply | None:
    """The notes that share a word with a question, of the objects that it names or marks; where it
    names none that has notes, of objects whose notes have all of its words. None without any.

    Args:
        noted: `Scene.noted`.
    """
    if not noted:
        return None
    words = [token.word for token in tokenize(query.text) if token.word[0].isalnum()]
    about, rest = _named(words, query, noted)
    asked = [roots(word) for word in rest if word not in _LITTLE]
    found = [
        (thing, note)
        for thing in about or noted.values()
        for note in thing.attributes[NOTE].split("; ")
        if _is_asked(asked, note, is_named=bool(about))
    ]
    if not found:
        return None
    told = [f"of {the(thing)} I was told: {shown(note, AT_LENGTH)}" for thing, note in found]
    return Reply(
        "; ".join(told), _SURE, tuple(dict.fromkeys(thing for thing, _ in found)), found[0][1]
    )


def _named(
    words: list[str], query: Query, noted: Mapping[int, MapObject]
) -> tuple[list[MapObject], list[str]]:
    """The objects that a question names or marks, and its other words."""
    index = LabelIndex({thing.label for thing in noted.values()})
    strict, labels, rest = Vocabulary.load().strict, set[str](), set(range(len(words)))
    for first, end, gram in grams(words, _LONGEST_NOUN):
        if matches := strict(normal(gram), index):
            labels |= {match.label for match in matches}
            rest -= set(range(first, end))
    marked = query.marked_object_ids
    about = [thing for i, thing in noted.items() if i in marked or thing.label in labels]
    return about, [words[at] for at in sorted(rest)]


def _is_asked(asked: list[frozenset[str]], note: str, *, is_named: bool) -> bool:
    said = (token.word for token in tokenize(note) if token.word not in _LITTLE)
    known = frozenset(chain.from_iterable(map(roots, said)))
    shared = [bool(known & one) for one in asked]
    return any(shared) if is_named else bool(shared) and all(shared)
