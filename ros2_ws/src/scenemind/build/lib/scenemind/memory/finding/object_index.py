"""An index of the objects of a map by label and by the words of their attributes, kept up to
date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from scenemind.language.english import singular, word_set
from scenemind.language.vocabulary import LabelIndex
from scenemind.memory.attributes.lazy_attributes import quick_attributes
from scenemind.memory.types import MapObject

# Words of the form -> the attribute that has them; it takes far longer to compute than others.
FORM_WORDS: Mapping[str, str] = {
    **dict.fromkeys(word_set("flat long round cylindrical rectangular box shaped"), "shape"),
    **dict.fromkeys(word_set("upright leaning lying"), "orientation"),
}
_WORD = re.compile(r"[^\W_]+")
# Values are indexed up to this number of characters.
_LONGEST_VALUE = 500
_NUMBERS = ("dimensions", "long_side")
_COMPARED = ("relative_size",)  # "large for a cup": words after "for" are no qualities of it


class AttributeWords:
    """An index from words (singular) to objects with the word in an attribute other than those of
    the form. Changed objects are read at the next query."""

    def __init__(self) -> None:
        self._said_of: dict[int, Mapping[str, str]] = {}
        self._with_word: dict[str, dict[int, str]] = {}
        self._unread: dict[int, MapObject] = {}

    def note(self, thing: MapObject) -> None:
        """Note an object that is new or has changed."""
        self._unread[thing.object_id] = thing

    def forget(self, object_id: int) -> None:
        """An object that is no more."""
        self._unread.pop(object_id, None)
        self._unsay(object_id)

    def objects_with(self, word: str) -> Mapping[int, str]:
        """Object id -> the attribute of it that has this word, such as "color=dark red"."""
        for object_id, thing in self._unread.items():
            self._take_in(object_id, _words_of_attributes(quick_attributes(thing)))
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
    """Attributes of the forms of objects, computed when one is queried."""

    def __init__(self) -> None:
        self._known: dict[int, dict[str, tuple[str, frozenset[str]]]] = {}

    def forget(self, object_id: int) -> None:
        """An object that has changed or is no more."""
        self._known.pop(object_id, None)

    def find(self, word: str, thing: MapObject) -> str | None:
        """The attribute of an object's form with one of `FORM_WORDS`, such as "shape=flat and
        round"; None without one."""
        name = FORM_WORDS[word]
        known = self._known.setdefault(thing.object_id, {})
        if name not in known:
            value = thing.attributes.get(name, "")
            known[name] = f"{name}={value}", frozenset(words_in(value))
        said, words = known[name]
        return said if word in words else None


def words_in(text: str) -> list[str]:
    """The words of a text in lower case and singular, without punctuation."""
    return [singular(word) for word in _WORD.findall(text.lower())]


def _words_of_attributes(attributes: Mapping[str, str]) -> dict[str, str]:
    """Word -> the shortest attribute that has it: "color=red" is better than a caption."""
    pairs = sorted(attributes.items(), key=lambda pair: (len(pair[1]), pair))
    said: dict[str, str] = {}
    for name, value in pairs:
        if name in _NUMBERS:
            continue
        quality = value.partition(" for ")[0] if name in _COMPARED else value
        for word in words_in(quality[:_LONGEST_VALUE]):
            said.setdefault(word, f"{name}={value}")
    return said


def _names(thing: MapObject) -> tuple[str, ...]:
    return (thing.label, *thing.alternatives)


class ObjectIndex:
    """An index of the objects of a map. Unchanged values, by identity, are not read again.

    Attributes:
        labels: every label that an object has, or may have instead.
    """

    def __init__(self) -> None:
        self.labels = LabelIndex()
        self._objects: Mapping[int, MapObject] = {}
        self._known: dict[int, MapObject] = {}
        self._of_label: dict[str, dict[int, MapObject]] = {}
        self._words = AttributeWords()
        self._forms = FormAttributes()

    def refresh(self, objects: Mapping[int, MapObject]) -> None:
        """Update the index for objects that changed since the last call."""
        if objects is self._objects:
            return
        known = self._known
        changed = [thing for i, thing in objects.items() if known.get(i) is not thing]
        for object_id in known.keys() - objects.keys():
            self._forget(object_id)
        for thing in changed:
            self._note(thing)
        self._objects = objects

    def __iter__(self) -> Iterator[int]:
        """The ids of all objects."""
        return iter(self._known)

    def get(self, object_id: int) -> MapObject:
        """The indexed object of an id."""
        return self._known[object_id]

    def __contains__(self, object_id: int) -> bool:
        return object_id in self._known

    def of_label(self, label: str) -> Mapping[int, MapObject]:
        """The objects with a label, or with it among their alternatives, by id."""
        return self._of_label.get(label, {})

    def with_word(self, word: str) -> Mapping[int, str]:
        """Object id -> its attribute that has this word, such as "color=dark red", without
        attributes of the form."""
        return self._words.objects_with(word)

    def form_with(self, word: str, object_id: int) -> str | None:
        """The attribute of the form of an indexed object with one of `FORM_WORDS`."""
        return self._forms.find(word, self._known[object_id])

    def _note(self, thing: MapObject) -> None:
        before = self._known.get(thing.object_id)
        if before is not None:
            now = _names(thing)
            self._leave_labels(before, [name for name in _names(before) if name not in now])
        self._known[thing.object_id] = thing
        for name in _names(thing):
            if name not in self._of_label:
                self._of_label[name] = {}
                self.labels.add(name)
            self._of_label[name][thing.object_id] = thing
        self._words.note(thing)
        self._forms.forget(thing.object_id)

    def _forget(self, object_id: int) -> None:
        thing = self._known.pop(object_id)
        self._leave_labels(thing, _names(thing))
        self._words.forget(object_id)
        self._forms.forget(object_id)

    def _leave_labels(self, thing: MapObject, names: Iterable[str]) -> None:
        for name in names:
            group = self._of_label[name]
            del group[thing.object_id]
            if not group:
                del self._of_label[name]
                self.labels.remove(name)


class WordHolders:
    """The objects with an attribute that has one of several synonyms. Attributes of the form are
    computed when an object is queried.

    Attributes:
        said: object id -> the attribute that has the word, without attributes of the form.
        is_open: other objects may have the word in an attribute of the form.
    """

    def __init__(self, words: Iterable[str], index: ObjectIndex) -> None:
        """Args: words: synonyms."""
        ordered = sorted(words)
        self.said = {i: said for word in ordered for i, said in index.with_word(word).items()}
        self._of_form = [word for word in ordered if word in FORM_WORDS]
        self._index = index
        self.is_open = bool(self._of_form)

    def find(self, object_id: int) -> str | None:
        """The attribute of an object that has the word; None without one."""
        if object_id in self.said or not self.is_open:
            return self.said.get(object_id)
        for word in self._of_form:
            said = self._index.form_with(word, object_id)
            if said is not None:
                return said
        return None
