"""Objects that a whole sentence speaks of."""

from __future__ import annotations

from scenemind.memory.types import MemorySnapshot
from scenemind.words.vocabulary import Vocabulary

_LONGEST_NAME = 3  # words, as in "potted house plant"
_NAMED = 0.7  # the word itself, a synonym, its kind or what it is mixed up with; no misspelling


def objects_named(snapshot: MemorySnapshot, text: str) -> list[int]:
    """Ids of the objects that a text speaks of by a word for their label, surest first."""
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    phrases = {
        " ".join(words[first : first + length])
        for length in range(1, _LONGEST_NAME + 1)
        for first in range(len(words) - length + 1)
    }
    labels = {thing.label for thing in snapshot.objects.values()}
    vocabulary = Vocabulary.load()
    named = {
        match.label
        for phrase in phrases
        for match in vocabulary.match(phrase, labels)
        if match.score >= _NAMED
    }
    meant = [thing for thing in snapshot.objects.values() if thing.label in named]
    return [thing.object_id for thing in sorted(meant, key=lambda thing: -thing.confidence)]
