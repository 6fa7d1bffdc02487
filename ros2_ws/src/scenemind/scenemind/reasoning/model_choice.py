"""Which model's method suits a question, by rules on its words: no model is asked for that.

What is reckoned from where things of the map are (counts, distances, comparisons, what lies where
for who stands somewhere) is for programs on the scene; what only pictures show (materials, states,
writing, things that nobody mapped) is for frames.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from scenemind.reasoning.symbolic.referring.reader import read
from scenemind.reasoning.types import Query
from scenemind.words.english import shown
from scenemind.words.vocabulary import Vocabulary

_BY_FRAMES, _BY_PROGRAMS = "memtree", "llm_tpc"


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_SEEN = _any_of(
    "materials?|made (?:out )?of|textures?|patterns?|brands?|logos?|looks? like|depicts?|depicted|"
    "pictured|shown|reads?|says?|text|writing|written|printed|painted|title|wear(?:s|ing)?|"
    "open(?:ed)?|closed|shut|(?:turned|switched) o(?:n|ff)|on or off|lit|plugged|running|clean|"
    "dirty|messy|clutter(?:ed)?|tidy|empty|full|broken|damaged|folded|wet|ripe|doing|happening|occupied"
)
_RECKONED = {
    "counts": _any_of("how many|number of|count"),
    "measures": _any_of(
        "how (?:far(?: apart)?|close|near|big|large|small|tall|high|long|wide|deep|thick)|distance|"
        "(?:big|large|small|tall|high|long|wide|deep) enough|"
        "height|width|length|depth|area|volume|met(?:er|re)s?|centimet(?:er|re)s?|cm"
    ),
    "compares": _any_of(
        "closest|nearest|farthest|furthest|largest|biggest|smallest|tallest|shortest|widest|"
        "longest|highest|lowest|leftmost|rightmost|(?:closer|nearer|farther|further|larger|bigger|"
        "smaller|taller|shorter|wider|longer|higher|lower|more|fewer|less)(?= .*than\\b)|"
        "closer|nearer"
    ),
}
# What these ask for may be on no map.
_IDENTITY = re.compile(r"\s*what\b", re.IGNORECASE)
_FOR_WHO_ASKS = _any_of(
    "(?:my|your) (?:left|right|back|front|\\w+ o'?clock)|(?:behind|beside|in front of|near|to) me|"
    "o'?clock|which (?:direction|way)|(?:am|are|was) (?:i|we|you) (?:facing|standing|sitting)|"
    "if (?:i|you) (?:(?:turn|face|look|walk)(?:e?d)?|stand|stood|sit|sat)|"
    "(?:should|do|can|could) i (?:go|walk|turn (?:left|right|around))"
)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """
    Attributes:
        method: its name.
        reason: why this one, in words; empty where there is no other.
    """

    method: str
    reason: str


def choose_model(
    query: Query, labels: Iterable[str], configured: Collection[str]
) -> ModelChoice | None:
    """The method that suits a question, of those that are configured; None where none is.

    Args:
        labels: of the objects of the map.
        configured: names; others than the two between which the words decide are for who names
            them.
    """
    there = [name for name in (_BY_FRAMES, _BY_PROGRAMS) if name in configured]
    if len(there) < 2:
        return ModelChoice(there[0], "") if there else None
    to_see = _SEEN.search(query.text)
    if to_see is not None:
        return ModelChoice(_BY_FRAMES, f'only pictures show "{shown(to_see[0])}"')
    if query.situation.strip() or _FOR_WHO_ASKS.search(query.text):
        return ModelChoice(_BY_PROGRAMS, "it depends on where one stands")
    kind = next((kind for kind, words in _RECKONED.items() if words.search(query.text)), None)
    rest = query.text if kind is None else _RECKONED[kind].sub(" ", query.text)
    things = _things(rest, labels)
    if kind is None and sum(things.values()) > 1 and not _IDENTITY.match(query.text):
        kind = "relates"
    if kind is None:
        return ModelChoice(_BY_FRAMES, "it counts, measures and compares nothing of the map")
    first, is_known = next(iter(things.items()), ("", False))
    if not is_known:
        return ModelChoice(_BY_FRAMES, f'no object of the map is called "{shown(first)}"')
    return ModelChoice(_BY_PROGRAMS, f"it {kind} things of the map")


def _things(text: str, labels: Iterable[str]) -> dict[str, bool]:
    """The nouns of a text as they come, with whether objects of the map are called so."""
    nouns = dict.fromkeys(mention.noun for mention in read(text).mentions if mention.noun)
    known = frozenset(labels)
    return {noun: bool(Vocabulary.load().match(noun, known)) for noun in nouns}
