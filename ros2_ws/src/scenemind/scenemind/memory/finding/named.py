"""Objects that a whole sentence speaks of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scenemind.memory.types import MemorySnapshot
from scenemind.words.vocabulary import Vocabulary

_LONGEST_NAME = 3  # words, as in "potted house plant"
_NAMED = 0.7  # the word itself, a synonym, its kind or what it is mixed up with; no misspelling
# Between names that are one list, such as "the cup or the glass".
_IN_A_LIST = frozenset(("and", "or", "the", "a", "an", "any", "my", "your"))


@dataclass(frozen=True, slots=True)
class NamedObjects:
    """Ids, surest first.

    Attributes:
        subjects: of what the text speaks of first, and of what is in one list with that: questions
            mostly begin with what they ask for ("where is the cup on the table?").
        others: of what it speaks of beside these.
    """

    subjects: tuple[int, ...]
    others: tuple[int, ...]


class _Name(NamedTuple):
    """Words from `first` on, before `after`, and the labels that they stand for."""

    first: int
    after: int
    labels: frozenset[str]
    score: float


def named_objects(snapshot: MemorySnapshot, text: str) -> NamedObjects:
    """The objects that a text speaks of by a word for their label; a longer name goes before those
    within it ("coffee table" is no table)."""
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    labels = {thing.label for thing in snapshot.objects.values()}
    subjects: set[str] = set()
    others: set[str] = set()
    end = None
    for name in _names(words, labels):
        if end is None or (not others and _IN_A_LIST.issuperset(words[end : name.first])):
            subjects |= name.labels
        else:
            others |= name.labels
        end = name.after
    return NamedObjects(_called(subjects, snapshot), _called(others - subjects, snapshot))


def objects_named(snapshot: MemorySnapshot, text: str) -> list[int]:
    """All of them, surest first."""
    named = named_objects(snapshot, text)
    ids = [*named.subjects, *named.others]
    return sorted(ids, key=lambda i: (-snapshot.objects[i].confidence, i))


def _names(words: Sequence[str], labels: set[str]) -> list[_Name]:
    """In their order; of those that overlap the surest, and of equals the longest."""
    vocabulary = Vocabulary.load()
    found = []
    for first in range(len(words)):
        for after in range(first + 1, min(first + _LONGEST_NAME, len(words)) + 1):
            matches = vocabulary.match(" ".join(words[first:after]), labels)
            named = frozenset(match.label for match in matches if match.score >= _NAMED)
            if named:
                found.append(_Name(first, after, named, matches[0].score))
    kept: list[_Name] = []
    for name in sorted(found, key=lambda name: (-name.score, name.first - name.after)):
        if all(name.after <= other.first or other.after <= name.first for other in kept):
            kept.append(name)
    return sorted(kept, key=lambda name: name.first)


def _called(labels: Collection[str], snapshot: MemorySnapshot) -> tuple[int, ...]:
    things = [thing for thing in snapshot.objects.values() if thing.label in labels]
    surest_first = sorted(things, key=lambda thing: -thing.confidence)
    return tuple(thing.object_id for thing in surest_first)
