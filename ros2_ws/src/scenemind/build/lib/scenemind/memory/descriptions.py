"""Descriptions and image vectors that models gave of objects, kept beside perception's view of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.attributes.lazy_attributes import AttributeOverlay
from scenemind.memory.graph.corrections.overlay import Sources
from scenemind.memory.types import AttributeSource, Description, Embedding, MapObject
from scenemind.perception.protocols import ImageTextEncoder

Note = TypeVar("Note", Description, Embedding)


class ObjectNotes(Generic[Note]):
    """Notes on objects, at most one of a kind for each. Not thread-safe: its owner holds a lock."""

    def __init__(self, kind_of: Callable[[Note], str]) -> None:
        """Args: kind_of: returns the kind of a note, such as the name of its author."""
        self._kind_of: Callable[[Note], str] = kind_of
        self._notes: dict[int, dict[str, Note]] = {}
        self._changed: set[tuple[int, str]] = set()

    def __iter__(self) -> Iterator[Note]:
        return (note for of_object in self._notes.values() for note in of_object.values())

    def __len__(self) -> int:
        return sum(map(len, self._notes.values()))

    def find(self, object_id: int, kind: str) -> Note | None:
        return self._notes.get(object_id, {}).get(kind)

    def put(self, note: Note) -> None:
        """Keep it in place of an earlier one of its kind."""
        kind = self._kind_of(note)
        self._notes.setdefault(note.object_id, {})[kind] = note
        self._changed.add((note.object_id, kind))

    def follow(self, merged: Mapping[int, int], removed: Iterable[int]) -> None:
        """Follow objects that were merged (gone -> kept) or removed. A kept object without a note
        of a kind gets that of the gone one.
        """
        for gone, kept in merged.items():
            for kind, note in self._notes.pop(gone, {}).items():
                if self.find(kept, kind) is None:
                    self.put(replace(note, object_id=kept))
        for object_id in removed:
            self._notes.pop(object_id, None)

    def restore(self, notes: Iterable[Note]) -> None:
        """Continue stored notes."""
        for note in notes:
            self._notes.setdefault(note.object_id, {})[self._kind_of(note)] = note

    def take_changes(self) -> tuple[Note, ...]:
        """New notes since the last call."""
        found = (self.find(*key) for key in sorted(self._changed))
        changes = tuple(note for note in found if note is not None)
        self._changed.clear()
        return changes

    def give_back(self, notes: Iterable[Note]) -> None:
        """Return notes that could not be stored: the next `take_changes` has them again, in their
        then current state."""
        self._changed.update((note.object_id, self._kind_of(note)) for note in notes)


class DescribedObjects:
    """Perceived objects with their descriptions. Not thread-safe: its owner holds a lock."""

    def __init__(self, descriptions: ObjectNotes[Description]) -> None:
        self._descriptions = descriptions
        self._laid: dict[int, tuple[MapObject, Description, MapObject]] = {}

    def describe(self, perceived: Mapping[int, MapObject]) -> Mapping[int, MapObject]:
        """The objects with their descriptions; the same values as long as neither changed."""
        if not self._descriptions:
            return perceived
        described = dict(perceived)
        by_object = {d.object_id: d for d in self._descriptions}
        for object_id, description in by_object.items():
            thing = perceived.get(object_id)
            if thing is not None:
                described[object_id] = self._with(thing, description)
        if len(self._laid) > len(by_object):  # of objects that are no more
            self._laid = {i: laid for i, laid in self._laid.items() if i in by_object}
        return described

    def _with(self, thing: MapObject, description: Description) -> MapObject:
        known = self._laid.get(thing.object_id)
        if known is not None and known[0] is thing and known[1] is description:
            return known[2]
        laid = replace(
            thing,
            # Measured attributes take precedence over described ones.
            attributes=AttributeOverlay(description.attributes, thing.attributes),
            attribute_sources=_Sources(thing, description),
        )
        self._laid[thing.object_id] = thing, description, laid
        return laid


class _Sources(Mapping[str, AttributeSource]):
    """Attribute -> "model" for described attributes that were not measured; computed at the first
    read, because measured attributes are computed only then."""

    def __init__(self, thing: MapObject, description: Description) -> None:
        self._thing, self._description = thing, description

    def __getitem__(self, name: str) -> AttributeSource:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return repr(self._all)

    @cached_property
    def _all(self) -> dict[str, AttributeSource]:
        measured = self._thing.attributes
        said = (name for name in self._description.attributes if name not in measured)
        return {**self._thing.attribute_sources, **dict.fromkeys(said, "model")}


# As CLIP's authors ask for classes of pictures: its pictures came with sentences, not with words.
SENTENCE = "a photo of a {}"


@dataclass(frozen=True, slots=True, eq=False)
class WordMatches:
    """Visual similarity of objects and words.

    Attributes:
        object_ids: the N objects that have a vector, ascending.
        words: the W words.
        cosines: (N, W) float32, in [-1, 1]. CLIP's cosines of matching pairs are about 0.25 to
            0.35: compare them within a column or within a row, never with a fixed bound.
    """

    object_ids: tuple[int, ...]
    words: tuple[str, ...]
    cosines: NDArray[np.float32]


def match_words(
    embeddings: Sequence[Embedding], words: Sequence[str], encoder: ImageTextEncoder
) -> WordMatches:
    """Compare objects with words.

    Args:
        embeddings: of the encoder, one an object; others are left out.

    Raises:
        PerceptionError: the encoder cannot be had.
    """
    known = sorted((e for e in embeddings if e.encoder == encoder.name), key=lambda e: e.object_id)
    vectors = np.array([e.vector for e in known], np.float32).reshape(-1, encoder.dimension)
    texts = encoder.encode_texts([SENTENCE.format(word) for word in words])
    return WordMatches(tuple(e.object_id for e in known), tuple(words), vectors @ texts.T)


def corrected_vectors(
    known: Mapping[int, Embedding], object_ids: Iterable[int], sources: Sources
) -> list[Embedding]:
    """Image vectors of the corrected objects: of a merged object that of the part with most views;
    none for a part that was split off.

    Args:
        known: vectors by one encoder, by perceived ids. object_ids: of the corrected objects.
    """
    found = []
    for object_id in object_ids if known else ():
        parts = [known[i] for i in sources.wholes_of(object_id) if i in known]
        if parts:
            best = max(parts, key=lambda embedding: embedding.views)
            found.append(replace(best, object_id=object_id))
    return found
