"""Resolver of references that were read loosely: it ranks, and every word only weighs."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from scenemind.language.english import singular
from scenemind.language.spelling import thing_words
from scenemind.language.trees import (
    NounPhrase,
    Reference,
    Related,
    SituatedQuestion,
    View,
    noun_phrases,
    relations_to_viewer,
)
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.symbolic.label_scores import sure_labels
from scenemind.reasoning.symbolic.phrase_scores import PhraseScores
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Found, Scene, Scores
from scenemind.reasoning.symbolic.situated.usual import find_room
from scenemind.reasoning.symbolic.surroundings import Surroundings
from scenemind.reasoning.symbolic.viewpoint import viewpoint_of

Place = Literal["seen", "told", "of camera", "unknown"]
_LONGEST_NAME = 3
# Least share of the best score of things that serve a purpose as well.
_TIED = 0.96
# Above it a label is the noun or a synonym, and no kind of it.
_NAMED = 0.96
# Least score of a counted object.
_COUNTED = 0.4


class LooseResolver(Resolver):
    """Resolver that finds what is likeliest meant.

    Attributes:
        place: how it is known where the asker stands: from a viewpoint, told in words, or taken to
            be where the camera is; if it is not, it is the middle of the scene.
        around: the objects about that place.
        graded: the scorer of phrases.
    """

    def __init__(self, scene: Scene, query: Query, view: View | None = None) -> None:
        """
        Args:
            view: a viewpoint in words.
        """
        super().__init__(scene, query)
        seen_from = viewpoint_of(query, scene)
        supposed: Place = "unknown" if seen_from is None else "of camera"
        told: Place = "told" if query.situation.strip() else supposed
        self.place: Place = told if query.viewpoint is None else "seen"
        self.graded = PhraseScores(scene, seen_from, view, stands=self.stands)
        around = self.graded.around
        if around is None:
            middle = scene.low.min(axis=0) / 2.0 + scene.high.max(axis=0) / 2.0
            name = "the middle of the map, looking along x"
            around = Surroundings(scene, Viewpoint(middle, np.array((1.0, 0.0)), name))
        self.around = around
        self.note(f"directions and distances are from {around.viewpoint.describe()}")

    @property
    def stands(self) -> bool:
        """Whether the asker has said where they stand."""
        return self.place in ("seen", "told")

    def viewpoint(self) -> Viewpoint:
        """Viewpoint of the asker."""
        return self.around.viewpoint

    def rows(self, reference: Reference) -> Found:
        """What fits well enough to be counted; none where no label fits the noun.

        Somebody who stands there calls two tables and a pool table two tables; for others kinds of
        a thing count as well.
        """
        if not isinstance(reference, NounPhrase):
            return super().rows(reference)
        rows = np.flatnonzero(self.graded.fits(reference) >= _COUNTED)
        so_called = rows[self.named(reference.noun)[rows] > _NAMED] if reference.noun else rows[:0]
        rows = so_called if self.stands and len(so_called) else rows
        found = Found(self.scene, rows, np.ones(len(rows)))
        return found.where(found.is_likely)

    def existing(self, reference: Reference) -> Found:
        """The best one, of those whose label fits the noun.

        Raises:
            ReasoningError: `not_found`: no label does.
        """
        if not isinstance(reference, NounPhrase):
            return super().existing(reference)
        row = self.find_best(reference) if self.knows(reference) else None
        if row is None:
            raise self.missing(reference)
        return Found(self.scene, np.array([row], np.intp), np.ones(1))

    def find_single(self, reference: Reference) -> int | None:
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
        return not reference.noun or bool(self.named(reference.noun).any())

    def is_about_known(self, phrase: NounPhrase) -> bool:
        """Whether what is said beside the noun names things of the map."""
        return bool(links(phrase)) or any(map(self.sure_labels, phrase.unread))

    def find_goal(self, goal: Reference) -> int | None:
        """Row of the nearest object that the unread words name, or whose purpose they are."""
        fits = self.graded.by_purpose(goal.unread)
        for name in _names(goal.unread):
            if self.sure_labels(name):
                fits = self.named(name)
                break
        there = fits * self.place_scores(goal)
        fits = there if there.any() else fits
        if not fits.any():
            return None
        rows = np.flatnonzero(fits >= _TIED * fits.max())
        return int(rows[np.argmin(self.around.gap_m[rows])])

    def unused_words(self, question: SituatedQuestion) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Nouns without objects or purpose here, and unread words beside a known noun."""
        unknown: list[str] = []
        unread: list[str] = []
        for phrase in noun_phrases(question):
            if phrase.noun == "room" or find_room(phrase.noun):
                continue
            if phrase.noun and self.named(phrase.noun).any():
                unread += [*phrase.unread, *self._no_name(phrase.noun)]
            elif phrase.noun and not self.graded.by_purpose(phrase.noun.split()).any():
                unknown.append(phrase.noun)
        return tuple(dict.fromkeys(unknown)), tuple(dict.fromkeys(unread))

    def _no_name(self, noun: str) -> list[str]:
        """The last word of a noun where it names nothing, as in "couch weigh"."""
        last = singular(noun.split(" ")[-1])
        is_name = last == noun or last in thing_words() or self.named(last).any()
        return [] if is_name or self.sure_labels(noun) else [last]

    def named(self, noun: str) -> Scores:
        """Scores (N,) of labels for a noun."""
        return self.graded.of_kind(noun)

    def sure_labels(self, noun: str) -> list[str]:
        """See `label_scores.sure_labels`."""
        return sure_labels(self.scene, noun)

    def scores(self, phrase: NounPhrase) -> Scores:
        """Scores (N,) of all objects; what the noun names nothing of is described by it."""
        if phrase.noun and not self.knows(phrase):
            phrase = replace(phrase, noun="", unread=(*phrase.unread, *phrase.noun.split()))
        return self.graded.object_scores(phrase)

    def share(self, phrase: NounPhrase, row: int) -> float:
        """Share of the scores that things of the row's label have."""
        scores = self.scores(phrase)
        label = self.scene.objects[row].label
        of_label = scores[self.scene.rows_of_label.get(label, [row])].sum()
        return float(of_label / scores.sum()) if scores.any() else 0.0

    def find_best(self, phrase: NounPhrase) -> int | None:
        """Best row, of equal ones the nearer; None where nothing fits."""
        scores = self.scores(phrase)
        fitting = np.flatnonzero(scores)
        scores[fitting] *= Found(self.scene, fitting, scores[fitting]).is_likely
        if not phrase.ranks:
            scores = scores * self.graded.nearness
        return int(np.argmax(scores)) if scores.any() else None

    def place_scores(self, phrase: Reference) -> Scores:
        """Scores (N,) for lying where the phrase says, to the viewer."""
        scores = np.ones(len(self.scene))
        for place in relations_to_viewer(phrase):
            scores = scores * self.around.scores(place)
        return scores

    def related_scores(self, link: Related, among: Scores) -> Scores:
        """Scores (N,) for a relation to another thing; meaningless where those of `among` are 0."""
        fit = self.graded.relation_fit(link, among > 0.0)
        return np.ones(len(self.scene)) if fit is None else fit


def links(phrase: NounPhrase) -> list[Related]:
    """Relations to other things."""
    related = (c for c in phrase.conditions if isinstance(c, Related))
    return [c for c in related if any(isinstance(anchor, NounPhrase) for anchor in c.anchors)]


def _names(words: tuple[str, ...]) -> list[str]:
    """Candidate names among the words, the longest first."""
    lengths = range(_LONGEST_NAME, 0, -1)
    return [" ".join(words[i : i + n]) for n in lengths for i in range(len(words) - n + 1)]
