"""Clarification of sentences that the grammar does not read, but whose intent is clear.

None of it may be written: it is put to the person as a question. Sentences that ask, wish, suppose
or order something else are never read so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scenemind.language import lexicon
from scenemind.language.assertions import clauses_of, is_of_robot
from scenemind.language.corrections.slots import names_no_thing
from scenemind.language.english import singular
from scenemind.language.qualities import find_look
from scenemind.language.slots import SlotWords
from scenemind.language.speech_acts import words_in
from scenemind.language.tokens import Token
from scenemind.language.trees import Marked, ObjectNumber, Rename, SetAttribute
from scenemind.reasoning.symbolic.scene import Scene

_MOST_WORDS = 30
_LONGEST_NAME = 3
_TELLS_NOTHING, _ASKS = map(words_in, ("telling_nothing", "opening_question"))
_VALUES = ("color", "material", "shape")


def find_likely_command(
    text: str, marked: Sequence[int], scene: Scene
) -> Rename | SetAttribute | None:
    """The likely command; None where the object or the value is not clear.

    Args:
        marked: ids of marked objects, or of those of the previous sentence.
    """
    clauses = clauses_of(text)
    words = [word for clause in clauses for word in (*clause.words, ",")]
    tells = words and _TELLS_NOTHING.isdisjoint(words) and words[0] not in _ASKS
    if not tells or len(words) > _MOST_WORDS or _has_relation(words):
        return None
    subject, mentions = _subject(words, marked, scene)
    if subject is None:
        return None
    denied = [d or is_of_robot(clause) for clause in clauses for d in (*clause.denied, True)]
    rest = [
        Token(word, 0)
        for place, word in enumerate(words)
        if not denied[place] and place not in mentions
    ]
    values = set(_values(rest)) or set(_names(rest, scene))
    if len(values) != 1:
        return None
    key, value = values.pop()
    return SetAttribute(subject, key, value) if key else Rename(subject, value)


def _has_relation(words: Sequence[str]) -> bool:
    said = tuple(words)
    return any(lexicon.RELATIONS.longest(said, place)[1] for place in range(len(said)))


def _subject(
    words: Sequence[str], marked: Sequence[int], scene: Scene
) -> tuple[ObjectNumber | Marked | None, set[int]]:
    """The one object that is marked, numbered or named, and the word indices of its name."""
    numbers = {int(word[:9]) for word in words if word.isascii() and word.isdigit()}
    named = dict(_mentions(words, scene))
    ids = {i for i in named.values() if i is not None}
    if len(marked) == 1 and not numbers:
        return Marked(), {place for place, i in named.items() if i == marked[0]}
    if len(numbers) == 1 and numbers <= scene.row_of_id.keys():
        number = numbers.pop()
        return ObjectNumber(number), {place for place, i in named.items() if i == number}
    if len(ids) == 1 and not numbers and not marked:
        return ObjectNumber(next(iter(ids))), set(named)
    return None, set()


def _mentions(words: Sequence[str], scene: Scene) -> Iterator[tuple[int, int | None]]:
    """Word indices of known labels, with the object where only one bears the label."""
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST_NAME, len(words) - place), 0, -1):
            rows = scene.rows_of_label.get(" ".join(words[place : place + length]))
            if rows:
                only = int(scene.ids[rows[0]]) if len(rows) == 1 else None
                yield from ((at, only) for at in range(place, place + length))
                break
        else:
            length = 1
        place += length


def _values(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Colours, materials and shapes among the tokens."""
    p = SlotWords("", list(tokens))
    while not p.done:
        given = p.find(find_look)
        if given is None:
            p.at += 1
        elif given.key in _VALUES:
            yield given.key, given.value


def _names(tokens: Sequence[Token], scene: Scene) -> Iterator[tuple[str, str]]:
    """Names among the tokens: "a toolbox", or a label of another object."""
    p = SlotWords("", list(tokens))
    while not p.done:
        has_article = p.take("a", "an")
        start = p.at
        noun = p.noun_words()
        if p.at == start:
            p.at += not has_article
            continue
        name = " ".join((*noun[:-1], singular(noun[-1])))
        is_name = len(noun) <= _LONGEST_NAME and not names_no_thing(noun)
        if is_name and (has_article or name in scene.rows_of_label):
            yield "", name
