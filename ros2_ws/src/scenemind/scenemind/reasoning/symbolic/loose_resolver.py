"""Resolver of references that were read loosely: it ranks, and every word only weighs."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.language.trees import (
    NounPhrase,
    Reference,
    SituatedQuestion,
    noun_phrases,
)
from scenemind.language.vocabulary import Vocabulary
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.situated.finder import Finder, Surroundings, links
from scenemind.reasoning.symbolic.situated.usual import find_room
from scenemind.reasoning.symbolic.viewpoint import viewpoint_of

Place = Literal["seen", "told", "of camera", "unknown"]
_LONGEST_NAME = 3
# Least share of the best score of things that serve a purpose as well.
_TIED = 0.96


class LooseResolver(Resolver):
    """Resolver that finds what is likeliest meant.

    Attributes:
        place: how it is known where the asker stands: from a viewpoint, told in words, or taken to
            be where the camera is; if it is not, it is the middle of the scene.
        finder: of objects about that place.
    """

    def __init__(self, scene: Scene, query: Query, vocabulary: Vocabulary) -> None:
        super().__init__(scene, query, vocabulary)
        told: Place = "told" if query.situation.strip() else "of camera"
        self.place: Place = told if query.viewpoint is None else "seen"
        try:
            seen_from = viewpoint_of(query, scene, vocabulary)
        except ReasoningError:
            middle = (scene.low.min(axis=0) + scene.high.max(axis=0)) / 2.0
            name = "the middle of the map, looking along x"
            seen_from = Viewpoint(middle, np.array((1.0, 0.0)), name)
            self.place = "told" if self.place == "told" else "unknown"
        self.note(f"directions and distances are from {seen_from.describe()}")
        self.finder = Finder(Surroundings(scene, seen_from), vocabulary)

    @property
    def stands(self) -> bool:
        """Whether the asker has said where they stand."""
        return self.place in ("seen", "told")

    def viewpoint(self) -> Viewpoint:
        """Viewpoint of the asker."""
        return self.finder.around.viewpoint

    def rows(self, reference: Reference) -> tuple[NDArray[np.intp], Scores]:
        """Rows that fit well enough to be counted; none where no label fits the noun."""
        if not isinstance(reference, NounPhrase):
            return super().rows(reference)
        rows = self.finder.counted_rows(reference, self.stands)
        rows = rows if self.knows(reference) else rows[:0]
        return rows, np.ones(len(rows))

    def existing(self, reference: Reference) -> tuple[NDArray[np.intp], Scores]:
        """The best row, of those whose label fits the noun.

        Raises:
            ReasoningError: `not_found`: no label does.
        """
        if not isinstance(reference, NounPhrase):
            return super().existing(reference)
        row = self.finder.find_named(reference)
        if row is None:
            raise self.missing(reference)
        return np.array([row], np.intp), np.ones(1)

    def find_single(self, reference: Reference) -> int | None:
        """Row of the best object; None where no label fits the noun."""
        try:
            return self.single(reference)
        except ReasoningError:
            return None

    def is_sure_of(self, noun: str) -> bool:
        """Always: similar names are likely meant."""
        del noun
        return True

    def knows(self, reference: Reference) -> bool:
        """Whether some label fits the noun of a reference, if it has one."""
        noun = getattr(reference, "noun", "")
        return not noun or bool(self.finder.classes.named(noun).any())

    def is_about_known(self, phrase: NounPhrase) -> bool:
        """Whether what is said beside the noun names things of the map."""
        return bool(links(phrase)) or any(map(self.finder.classes.sure_labels, phrase.unread))

    def find_goal(self, goal: NounPhrase) -> int | None:
        """Row of the nearest object that the unread words name, or whose purpose they are."""
        classes = self.finder.classes
        fits = classes.by_purpose(goal.unread)
        for name in _names(goal.unread):
            if classes.sure_labels(name):
                fits = classes.named(name)
                break
        there = fits * self.finder.at(goal)
        fits = there if there.any() else fits
        if not fits.any():
            return None
        rows = np.flatnonzero(fits >= _TIED * fits.max())
        return int(rows[np.argmin(self.finder.around.gap_m[rows])])

    def unused_words(self, question: SituatedQuestion) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Nouns without objects or purpose here, and unread words beside a known noun."""
        classes = self.finder.classes
        unknown: list[str] = []
        unread: list[str] = []
        for phrase in noun_phrases(question):
            if phrase.noun == "room" or find_room(phrase.noun):
                continue
            if phrase.noun and classes.named(phrase.noun).any():
                unread += phrase.unread
            elif phrase.noun and not classes.by_purpose(tuple(phrase.noun.split())).any():
                unknown.append(phrase.noun)
        return tuple(dict.fromkeys(unknown)), tuple(dict.fromkeys(unread))


def _names(words: tuple[str, ...]) -> list[str]:
    """Candidate names among the words, the longest first."""
    lengths = range(_LONGEST_NAME, 0, -1)
    return [" ".join(words[i : i + n]) for n in lengths for i in range(len(words) - n + 1)]
