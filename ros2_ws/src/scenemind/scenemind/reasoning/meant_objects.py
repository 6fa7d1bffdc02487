"""Which objects a person's words may mean, without a grammar."""

from __future__ import annotations

from collections.abc import Collection

from scenemind.memory import MemorySnapshot
from scenemind.reasoning.spoken_words import words_in
from scenemind.reasoning.told_words import grams, words_of
from scenemind.words.english import normal
from scenemind.words.label_index import LabelIndex
from scenemind.words.vocabulary import Vocabulary

_LONGEST_NOUN = 3  # words
_ANYTHING = words_in("anything")


class MeantObjects:
    """Those that are pointed at, that bear a noun of the words or a synonym, that are on or at
    such a thing where the words speak of a "thing", and, where no noun means anything that is
    there, what was spoken of last."""

    def __init__(
        self,
        said: str,
        pointed_at: Collection[int],
        spoken_of: Collection[int],
        scene: MemorySnapshot,
    ) -> None:
        """
        Args:
            pointed_at: marked, or named by their numbers.
            spoken_of: ids of what was spoken of last.
        """
        spoken = words_of(said)
        words = [word.removesuffix("'s") for word in spoken]
        labels = _labels_by_noun(words, scene)
        kinds = {plane.kind for plane in scene.structure.values()} & set(map(normal, words))
        called = {label for found in labels.values() for label in found}
        named = {i for i, thing in scene.objects.items() if thing.label in called}
        named |= {i for i, plane in scene.structure.items() if plane.kind in kinds}
        self._nouns = kinds | labels.keys()
        self._spoken_of = frozenset(spoken_of)
        self._ids = named | set(pointed_at)
        if not _ANYTHING.isdisjoint(spoken):
            ends = ((r.subject_id, r.object_id) for r in scene.relations)
            self._ids |= {i for pair in ends if not named.isdisjoint(pair) for i in pair}

    def has(self, object_id: int, becoming: str = "") -> bool:
        """
        Args:
            becoming: what it is said to be: "a chair, I'd say" speaks of no other chair.
        """
        if object_id in self._ids:
            return True
        nouns = {normal(gram) for gram in grams(words_of(becoming), _LONGEST_NOUN)}
        return object_id in self._spoken_of and self._nouns <= nouns


def _labels_by_noun(words: list[str], scene: MemorySnapshot) -> dict[str, set[str]]:
    """Labels that the words surely name, by the nouns that name them."""
    index = LabelIndex({thing.label for thing in scene.objects.values()})
    nouns = {normal(gram) for gram in grams(words, _LONGEST_NOUN)}
    strict = Vocabulary.load().strict
    found = {noun: {match.label for match in strict(noun, index)} for noun in nouns}
    return {noun: labels for noun, labels in found.items() if labels}
