"""From words to the objects of a scene whose class they may mean."""

from __future__ import annotations

import numpy as np

from scenemind.memory.graph.verification.common_sense import sense_of
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.situated.ordinary import purpose_share
from scenemind.reasoning.symbolic.situated.tree import Thing
from scenemind.words.english import is_plural
from scenemind.words.vocabulary import Vocabulary

# No answer to "what is there": frames and edges of the building, and what nobody could name.
_NO_THING = frozenset(("object", "doorframe", "ledge", "rail", "pipe", "column", "structure"))
# From this score on a label is surely what a noun says (`Vocabulary`: synonyms, and kinds).
_SURE = 0.89
# What no hint speaks for is still possible.
_UNHINTED = 0.02


class Classes:
    """The labels of one scene."""

    def __init__(self, scene: Scene, vocabulary: Vocabulary) -> None:
        self._scene = scene
        self._vocabulary = vocabulary

    def named(self, noun: str) -> Scores:
        """How well labels fit a noun (N,): the sure ones, else those that are like it."""
        scores = np.zeros(len(self._scene))
        matches = self._vocabulary.match(noun, self._scene.rows_of_label)
        surely = [match for match in matches if match.score > _SURE]
        for match in surely or matches:
            scores[self._scene.rows_of_label[match.label]] = match.score
        return scores

    def sure_labels(self, noun: str) -> list[str]:
        """Labels that are surely what a noun says."""
        matches = self._vocabulary.match(noun, self._scene.rows_of_label)
        return [match.label for match in matches if match.score > _SURE and not match.unknown]

    def scores(self, thing: Thing, prominence: Scores) -> Scores:
        """By the noun (N,); where none is known by what the hints say; else by prominence."""
        named = self.named(thing.noun) if thing.noun else np.zeros(len(self._scene))
        if named.any():
            return named
        things = np.array([_is_thing(thing.label) for thing in self._scene.objects], bool)
        hinted = self.by_purpose((*thing.hints, *thing.noun.split()))
        return np.where(things, hinted**2 + _UNHINTED if hinted.any() else prominence, 0.0)

    def by_purpose(self, words: tuple[str, ...]) -> Scores:
        """Which share of the words each thing's class explains (N,)."""
        shares = {label: purpose_share(label, words) for label in self._scene.rows_of_label}
        return np.array([shares.get(thing.label, 0.0) for thing in self._scene.objects])


def is_several(thing: Thing) -> bool:
    """Whether its noun is in the plural."""
    return is_plural(thing.noun.split()[-1]) if thing.noun else False


def _is_thing(label: str) -> bool:
    return label not in _NO_THING and sense_of(label).structure is None
