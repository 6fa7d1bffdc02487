"""What models and people said of a thing in words of their own, and who said it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scenemind.memory import MapObject
from scenemind.memory.finding.attribute_words import words_in
from scenemind.reasoning.symbolic.syntax import Condition, HasAttribute
from scenemind.words.english import word_set
from scenemind.words.thesaurus import Thesaurus

# What only a model or a person can say.
SAID_ONLY = frozenset(("material", "state", "texture", "affordance", "caption"))
HELP_ON = (
    ": a vision-language model can be asked for it (`descriptions.enabled`), or you can say it"
)
SPOKEN = {"color": "colour", "affordance": "use", "caption": "look"}
_EXACT, _SAME, _ELSEWHERE = 1.0, 0.9, 0.8
_FILLING = word_set("on in with from at into it a an the of to")
_DENIALS = word_set("not no never without")
# Of these only the words themselves count; whole sentences hold words of other things.
_SENTENCES = frozenset(("caption",))
_SHORTEST_STEM = 3


def said_score(thing: MapObject, key: str, wanted: str) -> float:
    """How well an attribute fits what was said: "wood" for "wooden", "sit on it" for "sit on".

    A quality may also stand in another of the things that a model or a person said.
    """
    value = thing.attributes.get(key, "").lower()
    if value == wanted:
        return _EXACT
    if value and says(value, wanted):
        return _SAME
    others = thing.attribute_sources.keys() - _SENTENCES - {key, "affordance"}
    if key == "affordance":
        return 0.0
    return _ELSEWHERE * any(says(thing.attributes.get(name, ""), wanted) for name in others)


def says(value: str, wanted: str) -> bool:
    """All words that count, or other words for the same, are said of it, and nothing is denied."""
    words = set(words_in(value))
    if words & _DENIALS:
        return False
    telling = [word for word in words_in(wanted) if word not in _FILLING]
    return bool(telling) and all(_is_among(word, words) for word in telling)


def find_unsaid(things: Iterable[MapObject], conditions: Iterable[Condition]) -> str | None:
    """The name of what a condition asks for, such as "use", where nobody has said it of any of
    the things yet: then nobody knows, and "no" would be wrong."""
    keys = [c.key for c in conditions if isinstance(c, HasAttribute) and c.key in SAID_ONLY]
    said = {key for thing in things for key in thing.attribute_sources}
    return next((SPOKEN.get(key, key) for key in keys if key not in said), None)


def source_note(things: Iterable[MapObject], key: str) -> str:
    """ ", a model says" where nobody measured it; "" where it was."""
    sources = {thing.attribute_sources.get(key) for thing in things}
    if sources == {"model"}:
        return ", a model says"
    return ", a person says" if sources == {"user"} else ""


def _is_among(word: str, words: set[str]) -> bool:
    same = Thesaurus.load().attribute_words(word)
    if same & words:
        return True
    return len(word) >= _SHORTEST_STEM and _begins_one(word, sorted(words))


def _begins_one(word: str, words: Sequence[str]) -> bool:
    """ "sit" of "sitting"."""
    return any(other in (f"{word}ing", f"{word}{word[-1]}ing", f"{word}ed") for other in words)
