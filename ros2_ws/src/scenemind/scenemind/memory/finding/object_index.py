"""The objects of a map by label and by the words of their attributes, kept up to date."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scenemind.memory.types import MapObject
from scenemind.words.english import singular
from scenemind.words.label_index import LabelIndex

_WORD = re.compile(r"[^\W_]+")
# Longer values are no attributes that somebody would ask for by all of their words.
_LONGEST_VALUE = 500
_NUMBERS = ("dimensions", "long_side")
_COMPARED = ("relative_size",)  # "large for a cup": what comes after "for" is no quality of it


class ObjectIndex:
    """Follows a map by the identity of its values: what did not change is not looked at.

    Attributes:
        labels: every label that an object has.
    """

    def __init__(self) -> None:
        self.labels = LabelIndex()
        self._objects: Mapping[int, MapObject] = {}
        self._known: dict[int, MapObject] = {}
        self._of_label: dict[str, dict[int, MapObject]] = {}
        self._said_of: dict[int, Mapping[str, str]] = {}
        self._with_word: dict[str, dict[int, str]] = {}
        self._unread: set[int] = set()

    def refresh(self, objects: Mapping[int, MapObject]) -> None:
        """Take in what differs from the last call."""
        if objects is self._objects:
            return
        known = self._known
        changed = [i for i, thing in objects.items() if known.get(i) is not thing]
        for object_id in known.keys() - objects.keys():
            self._forget(object_id)
        for object_id in changed:
            self._note(objects[object_id])
        self._objects = objects

    def __len__(self) -> int:
        return len(self._known)

    def get(self, object_id: int) -> MapObject:
        """An object that is there."""
        return self._known[object_id]

    def of_label(self, label: str) -> Mapping[int, MapObject]:
        """By id; none for a label that no object has."""
        return self._of_label.get(label, {})

    def with_word(self, word: str) -> Mapping[int, str]:
        """Object id -> the attribute of it, as "color=dark red", that has this word in the
        singular. Attributes are read now: some are computed only then."""
        for object_id in self._unread:
            self._read(object_id)
        self._unread.clear()
        return self._with_word.get(word, {})

    def _note(self, thing: MapObject) -> None:
        before = self._known.get(thing.object_id)
        if before is not None and before.label != thing.label:
            self._leave_label(before)
        self._known[thing.object_id] = thing
        if thing.label not in self._of_label:
            self._of_label[thing.label] = {}
            self.labels.add(thing.label)
        self._of_label[thing.label][thing.object_id] = thing
        self._unread.add(thing.object_id)

    def _forget(self, object_id: int) -> None:
        self._leave_label(self._known.pop(object_id))
        self._unread.discard(object_id)
        self._unsay(object_id)

    def _leave_label(self, thing: MapObject) -> None:
        group = self._of_label[thing.label]
        del group[thing.object_id]
        if not group:
            del self._of_label[thing.label]
            self.labels.remove(thing.label)

    def _read(self, object_id: int) -> None:
        said = _words_of(self._known[object_id].attributes)
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


def words_in(text: str) -> list[str]:
    """Lower case, in the singular, without signs."""
    return [singular(word) for word in _WORD.findall(text.lower())]


def _words_of(attributes: Mapping[str, str]) -> dict[str, str]:
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
