"""The objects of a map by label and by the words of their attributes, kept up to date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scenemind.memory.finding.attribute_words import AttributeWords, FormAttributes
from scenemind.memory.types import MapObject
from scenemind.words.label_index import LabelIndex


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
        self._words = AttributeWords()
        self._forms = FormAttributes()

    def refresh(self, objects: Mapping[int, MapObject]) -> None:
        """Take in what differs from the last call."""
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
        """An object that is there."""
        return self._known[object_id]

    def __contains__(self, object_id: int) -> bool:
        return object_id in self._known

    def of_label(self, label: str) -> Mapping[int, MapObject]:
        """By id; none for a label that no object has."""
        return self._of_label.get(label, {})

    def with_word(self, word: str) -> Mapping[int, str]:
        """Object id -> the attribute of it that has this word, such as "color=dark red"; without
        what only the form says."""
        return self._words.objects_with(word)

    def form_with(self, word: str, object_id: int) -> str | None:
        """What the form of an object that is there says with one of `FORM_WORDS`."""
        return self._forms.find(word, self._known[object_id])

    def _note(self, thing: MapObject) -> None:
        before = self._known.get(thing.object_id)
        if before is not None and before.label != thing.label:
            self._leave_label(before)
        self._known[thing.object_id] = thing
        if thing.label not in self._of_label:
            self._of_label[thing.label] = {}
            self.labels.add(thing.label)
        self._of_label[thing.label][thing.object_id] = thing
        self._words.note(thing)
        self._forms.forget(thing.object_id)

    def _forget(self, object_id: int) -> None:
        self._leave_label(self._known.pop(object_id))
        self._words.forget(object_id)
        self._forms.forget(object_id)

    def _leave_label(self, thing: MapObject) -> None:
        group = self._of_label[thing.label]
        del group[thing.object_id]
        if not group:
            del self._of_label[thing.label]
            self.labels.remove(thing.label)
