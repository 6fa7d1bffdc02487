"""A sentence that the grammar does not read, but of which the object and one new value are clear.

Nothing of it may be written: it is what the person is asked whether they mean. Sentences that ask,
wish, suppose or order something else are none of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_syntax import Rename, SetAttribute
from scenemind.reasoning.symbolic.labels import is_no_thing
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.sentences import broken_up
from scenemind.reasoning.symbolic.syntax import Marked, ObjectNumber
from scenemind.reasoning.symbolic.tokens import Token
from scenemind.words.english import singular, word_set

_MOST_WORDS = 30
_LONGEST_NAME = 3
# With these a sentence does not tell what is so.
_TELLS_NOTHING = word_set(
    "if whether unless who whom whose which why when where how wish hope want need like love hate"
    " prefer buy bought sell sold bring fetch get give gave take go went come find search put move"
    " carry open close switch turn imagine pretend suppose wonder doubt yesterday tomorrow ago"
    " used was were will joke kidding seriously never nobody none neither or than ask should could"
    " delete remove undo merge split same twice exist do does did don't won't him her he she"
    " friend"
)
_ASKS = word_set("is are was were do does did can could will would should has have what may might")
_DENIES = word_set("not no isn't instead rather unlike never nothing without")
# After these stands what the robot has now, up to the next clause.
_REPORTS = re.compile(
    r"\b(?:you|robot) (?:\w+ )?(?:say|said|think|thought|call|called|have|see|saw|labelled|labeled"
    r"|took|mistook|show|believe|assumed?)\b|\b(?:looks?|seems?) (?:to be|like)?\b"
)
_NEXT_CLAUSE = frozenset((",", "but", "it", "that", "this"))
_VALUES = ("color", "material", "shape")


def find_half_understood(
    text: str, marked: Sequence[int], scene: Scene
) -> Rename | SetAttribute | None:
    """What the person may mean; None where the object or the value is not clear.

    Args:
        marked: ids of what is pointed at, or was spoken of.
    """
    tokens = broken_up(text)
    words = [token.word for token in tokens]
    tells = words and _TELLS_NOTHING.isdisjoint(words) and words[0] not in _ASKS
    if not tells or len(words) > _MOST_WORDS or _has_relation(words):
        return None
    subject, mentions = _subject(words, marked, scene)
    if subject is None:
        return None
    rest = [t for place, t in enumerate(tokens) if place not in mentions | _beside(words)]
    values = set(_values(text, rest)) or set(_names(rest, scene))
    if len(values) != 1:
        return None
    key, value = values.pop()
    return SetAttribute(subject, key, value) if key else Rename(subject, value)


def _has_relation(words: Sequence[str]) -> bool:
    said = tuple(words)
    return any(lexicon.longest(lexicon.RELATIONS, said, place)[1] for place in range(len(said)))


def _subject(
    words: Sequence[str], marked: Sequence[int], scene: Scene
) -> tuple[ObjectNumber | Marked | None, set[int]]:
    """The one object that is pointed at, numbered or named, and the places of its name."""
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
    """Places of words that name known objects, with the object where it is the only one."""
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


def _beside(words: Sequence[str]) -> set[int]:
    """Places of what is denied, or what the robot is said to have."""
    said = " ".join(words)
    starts = {said[: found.end()].count(" ") + 1 for found in _REPORTS.finditer(said)}
    starts |= {place + 1 for place, word in enumerate(words) if word in _DENIES}
    beside: set[int] = set()
    for start in starts:
        place = start
        while place < len(words) and (words[place] not in _NEXT_CLAUSE or place == start):
            beside.add(place)
            place += 1
    return beside


def _values(text: str, tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Colours, materials and shapes."""
    p = Parser(text, list(tokens))
    while not p.done:
        given = p.find_attribute()
        if given is not None and given.key in _VALUES:
            yield given.key, given.value
            continue
        length = lexicon.longest(lexicon.MATERIALS, p.words, p.at)[1] or 1
        word = " ".join(p.words[p.at : p.at + length])
        key = "material" if length > 1 else lexicon.QUALITIES.get(word, "")
        p.at += length
        if key in _VALUES:
            yield key, word


def _names(tokens: Sequence[Token], scene: Scene) -> Iterator[tuple[str, str]]:
    """ "a toolbox", and what something else here is called."""
    p = Parser("", list(tokens))
    while not p.done:
        has_article = p.take("a", "an")
        start = p.at
        noun = p.noun_words()
        if p.at == start:
            p.at += not has_article
            continue
        name = " ".join((*noun[:-1], singular(noun[-1])))
        is_name = len(noun) <= _LONGEST_NAME and not is_no_thing(noun)
        if is_name and (has_article or name in scene.rows_of_label):
            yield "", name


def question_of(response: str) -> str:
    """What to ask, from what would be said when it were written."""
    said = response.rstrip(".").removeprefix("Now ")
    return f"I am not sure that I understood you. Do you mean that {said}?"
