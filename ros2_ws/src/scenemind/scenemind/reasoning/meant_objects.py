"""Which objects a person's words may mean, without a grammar."""

from __future__ import annotations

from collections.abc import Collection

from scenemind.memory import MemorySnapshot
from scenemind.reasoning.told_words import grams, words_of
from scenemind.words.english import normal, word_set
from scenemind.words.label_index import LabelIndex
from scenemind.words.vocabulary import Vocabulary

_LONGEST_NOUN = 3  # words
# What things are called whose name is not known, or wrong: "the thing on the shelf".
_ANYTHING = word_set("thing things object objects item items one ones what what's something stuff")


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
        words = [word.removesuffix("'s") for word in words_of(said)]
        labels = _labels_in(words, scene)
        named = {i for i, thing in scene.objects.items() if thing.label in labels}
        singular = set(map(normal, words))
        named |= {i for i, plane in scene.structure.items() if plane.kind in singular}
        self._ids = named | set(pointed_at)
        if not _ANYTHING.isdisjoint(words):
            ends = ((r.subject_id, r.object_id) for r in scene.relations)
            self._ids |= {i for pair in ends if not named.isdisjoint(pair) for i in pair}
        if not named:
            self._ids |= set(spoken_of)

    def has(self, object_id: int) -> bool:
        return object_id in self._ids


def _labels_in(words: list[str], scene: MemorySnapshot) -> set[str]:
    """Labels that the words surely name."""
    index = LabelIndex({thing.label for thing in scene.objects.values()})
    nouns = {normal(gram) for gram in grams(words, _LONGEST_NOUN)}
    strict = Vocabulary.load().strict
    return {match.label for noun in nouns for match in strict(noun, index)}
