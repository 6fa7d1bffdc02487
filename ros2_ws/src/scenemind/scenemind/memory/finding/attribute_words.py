"""The words of objects' attributes, and which objects each is said of."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scenemind.memory.attributes.lazy import quick_attributes
from scenemind.memory.types import MapObject
from scenemind.words.english import singular, word_set

# What the form of an object says, which takes far longer to find than all else -> where.
FORM_WORDS: Mapping[str, str] = {
    **dict.fromkeys(word_set("flat long round cylindrical rectangular box shaped"), "shape"),
    **dict.fromkeys(word_set("upright leaning lying"), "orientation"),
}
_WORD = re.compile(r"[^\W_]+")
# Longer values are no attributes that somebody would ask for by all of their words.
_LONGEST_VALUE = 500
_NUMBERS = ("dimensions", "long_side")
_COMPARED = ("relative_size",)  # "large for a cup": what comes after "for" is no quality of it


class AttributeWords:
    """Word in the singular -> objects that have it in an attribute. Objects that changed are read
    when a word is asked for, but for what their form says."""

    def __init__(self) -> None:
        self._said_of: dict[int, Mapping[str, str]] = {}
        self._with_word: dict[str, dict[int, str]] = {}
        self._unread: dict[int, MapObject] = {}

    def note(self, thing: MapObject) -> None:
        """An object that is new or has changed."""
        self._unread[thing.object_id] = thing

    def forget(self, object_id: int) -> None:
        """An object that is no more."""
        self._unread.pop(object_id, None)
        self._unsay(object_id)

    def objects_with(self, word: str) -> Mapping[int, str]:
        """Object id -> the attribute of it that has this word, such as "color=dark red"."""
        for object_id, thing in self._unread.items():
            self._take_in(object_id, words_of(quick_attributes(thing)))
        self._unread.clear()
        return self._with_word.get(word, {})

    def _take_in(self, object_id: int, said: Mapping[str, str]) -> None:
        if said == self._said_of.get(object_id):
            return
        self._unsay(object_id)
        self._said_of[object_id] = said
        for word, attribute in said.items():
            self._with_word.setdefault(word, {})[object_id] = attribute

    def _unsay(self, object_id: int) -> None:
        for word in self._said_of.pop(object_id, {}):
            group = self._with_word[word]
            del group[object_id]
            if not group:
                del self._with_word[word]


class FormAttributes:
    """What the forms of objects say, found out when one of them is asked about."""

    def __init__(self) -> None:
        self._known: dict[int, dict[str, tuple[str, frozenset[str]]]] = {}

    def forget(self, object_id: int) -> None:
        """An object that has changed or is no more."""
        self._known.pop(object_id, None)

    def find(self, word: str, thing: MapObject) -> str | None:
        """What of an object's form has one of `FORM_WORDS`, such as "shape=flat and round"."""
        name = FORM_WORDS[word]
        known = self._known.setdefault(thing.object_id, {})
        if name not in known:
            value = thing.attributes.get(name, "")
            known[name] = f"{name}={value}", frozenset(words_in(value))
        said, words = known[name]
        return said if word in words else None


def words_in(text: str) -> list[str]:
    """Lower case, in the singular, without signs."""
    return [singular(word) for word in _WORD.findall(text.lower())]


def words_of(attributes: Mapping[str, str]) -> dict[str, str]:
    """Word -> the shortest attribute that has it: "color=red" says more than a caption."""
    pairs = sorted(attributes.items(), key=lambda pair: (len(pair[1]), pair))
    said: dict[str, str] = {}
    for name, value in pairs:
        if name in _NUMBERS:
            continue
        quality = value.partition(" for ")[0] if name in _COMPARED else value
        for word in words_in(quality[:_LONGEST_VALUE]):
            said.setdefault(word, f"{name}={value}")
    return said
