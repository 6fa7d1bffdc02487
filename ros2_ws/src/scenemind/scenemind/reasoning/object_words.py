"""The objects that a model means: it was asked for ids, and often writes labels."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from scenemind.memory import MapObject
from scenemind.memory.tree.tree_lines import label_shown
from scenemind.words.english import normal

Word = int | str
"""What stands in a model's list of objects: 3, "3", "chair 3" or "chair"."""

_NUMBERED = re.compile(r"\A(?P<label>.*?)[\s:#_(\[-]*(?P<number>\d{1,9})[\])]?\Z", re.DOTALL)
_NO_LABEL = frozenset(("", "object", "id", "object id"))


class ObjectWords:
    """Reads the words of one reply."""

    def __init__(self, objects: Mapping[int, MapObject], other_labels: Iterable[str] = ()) -> None:
        """
        Args:
            other_labels: in their normal form, of things that are no objects of the map.
        """
        self._objects = objects
        self._other_labels = frozenset(other_labels)

    def find(self, word: Word, here: Collection[int] = ()) -> tuple[int, ...] | None:
        """Ids of what a word means; none for a label without objects, None for no word of ours.

        Args:
            here: a label means those of its objects that are among these, or all when none is.
        """
        if isinstance(word, int):
            return (word,) if word in self._objects else None
        name = _name(word)
        ids = self._ids_of.get(name, [])
        if ids or name in self._other_labels:
            return tuple(i for i in ids if i in here) or tuple(ids)
        return self._find_numbered(word)

    @cached_property
    def _ids_of(self) -> dict[str, list[int]]:
        """Label, in its normal form -> ids; most replies need none."""
        ids_of = defaultdict(list)
        for object_id, thing in self._objects.items():
            ids_of[_name(thing.label)].append(object_id)
        return ids_of

    def _find_numbered(self, word: str) -> tuple[int] | None:
        found = _NUMBERED.match(word.strip())
        thing = None if found is None else self._objects.get(int(found["number"]))
        if found is None or thing is None:
            return None
        label = _name(found["label"])
        return (thing.object_id,) if label in _NO_LABEL or label == _name(thing.label) else None


def _name(label: str) -> str:
    """One spelling for a label, its quoted form in a prompt, and a model's way to write it."""
    return normal(label_shown(label))
