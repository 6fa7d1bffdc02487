"""From the tree of a thing to the objects that it may mean: every word weighs, none rules out.

Unlike the resolver of strict phrases this one always ranks: what cannot be used counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.memory import SceneMemoryError
from scenemind.memory.graph.relation_query import RelationContext, RelationQuery
from scenemind.memory.graph.relations.names import canonical_relation
from scenemind.memory.graph.verification.common_sense import sense_of
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.situated.ordinary import purpose_share
from scenemind.reasoning.symbolic.situated.properties import plain_color
from scenemind.reasoning.symbolic.situated.surroundings import Surroundings
from scenemind.reasoning.symbolic.situated.tree import Link, Place, Thing
from scenemind.words.vocabulary import Vocabulary

# What is no answer to "what is there": structure, and what annotators could not name.
_NO_THING = frozenset(("object", "doorframe", "ledge", "rail", "pipe", "column", "structure"))
_ANCHORS = 3
_SURE = 0.89
_ODD_COLOR, _ELSEWHERE = 0.5, 0.02
_NEAR_M = 0.5


class Finder:
    """Ranks the objects of one scene about one viewer."""

    def __init__(
        self, around: Surroundings, vocabulary: Vocabulary, config: RelationConfig
    ) -> None:
        self.around = around
        self.scene: Scene = around.scene
        self._vocabulary = vocabulary
        self._context = RelationContext.of_snapshot(
            around.scene.snapshot, around.viewpoint, config
        )

    def named(self, noun: str) -> Scores:
        """How well labels fit a noun (N,); all 0 where nothing is called so."""
        scores = np.zeros(len(self.scene))
        for match in self._vocabulary.match(noun, self.scene.rows_of_label):
            scores[self.scene.rows_of_label[match.label]] = match.score
        if scores.any() and scores.max() < 1.0 and scores.max() > 0.9:
            return scores
        exact = scores >= 0.9
        return np.where(exact, scores, 0.0) if exact.any() else scores

    def sure_labels(self, noun: str) -> list[str]:
        """Labels that are surely what a noun says."""
        matches = self._vocabulary.match(noun, self.scene.rows_of_label)
        return [match.label for match in matches if match.score >= _SURE and not match.unknown]

    def of_class(self, thing: Thing) -> Scores:
        """By noun, or for "what" by what may be an answer and what the hints say."""
        if thing.noun:
            scores = self.named(thing.noun)
            if scores.any():
                return scores
        sensible = np.array([_is_thing(o.label) for o in self.scene.objects], bool)
        words = (*thing.hints, *thing.noun.split())
        fitting = self.by_purpose(words)
        if fitting.max(initial=0.0) > 0.0:
            return fitting * sensible + _ELSEWHERE * sensible
        return np.where(sensible, self.prominence(), 0.0)

    def by_purpose(self, words: tuple[str, ...]) -> Scores:
        """Which share of the words each thing's class explains (N,)."""
        return np.array([purpose_share(o.label, words) for o in self.scene.objects])

    def prominence(self) -> Scores:
        """How likely each is spoken of first (N,): large and near things are."""
        size = self.scene.size
        face = np.sqrt(np.maximum(size[:, 2] * np.hypot(size[:, 0], size[:, 1]), 1e-4))
        return np.asarray(np.minimum(face, 1.5) / (1.0 + self.around.gap_m))

    def scores(self, thing: Thing) -> Scores:
        """How well each object fits all that is said (N,); 0: not this one."""
        scores = self.of_class(thing) * self.at(thing.places)
        for color in map(plain_color, thing.adjectives):
            if color:
                is_so = np.array([plain_color(o.attributes.get("color", "")) == color
                                  for o in self.scene.objects], bool)  # fmt: skip
                scores = scores * np.where(is_so, 1.0, _ODD_COLOR)
        for link in thing.links:
            related = self.related(link, scores)
            if related.any():
                scores = scores * related
        return scores

    def rows(self, thing: Thing) -> NDArray[np.intp]:
        """Those that fit, best first; the nearest first of those that fit alike."""
        scores = self.scores(thing)
        fitting = np.flatnonzero(scores > 0.0)
        if thing.extreme is not None:
            fitting = fitting[scores[fitting] >= 0.5 * scores.max(initial=0.0)]
            return fitting[np.argsort(self.measure(thing.extreme)[fitting], kind="stable")]
        worth = scores / (1.0 + 0.2 * self.around.gap_m)
        return fitting[np.argsort(-worth[fitting], kind="stable")]

    def best(self, thing: Thing) -> int | None:
        """The row that fits best: all words, or all but the places, or the links."""
        for less in (thing, Thing(thing.noun, thing.adjectives, (), (), thing.hints)):
            rows = self.rows(less)
            if len(rows):
                return int(rows[0])
        return None

    def at(self, places: Sequence[Place]) -> Scores:
        """How well each lies at all of the places (N,)."""
        scores = np.ones(len(self.scene))
        for place in places:
            scores = scores * self.around.scores(place)
        return scores

    def measure(self, extreme: str) -> Scores:
        """What is smallest for the extreme one (N,)."""
        size = self.scene.size
        volume = size.prod(axis=1)
        measures = {
            "closest": self.around.gap_m,
            "farthest": -self.around.gap_m,
            "largest": -volume,
            "smallest": volume,
            "tallest": -self.scene.high[:, 2],
        }
        return np.asarray(measures[extreme])

    def related(self, link: Link, among: Scores) -> Scores:
        """How well each candidate stands in a relation to what the link names (N,)."""
        anchors = [self.rows(anchor)[:_ANCHORS] for anchor in link.anchors]
        found = np.zeros(len(self.scene))
        if not all(len(rows) for rows in anchors):
            return found
        candidates = np.flatnonzero(among > 0.0)
        best = max(1e-9, self.scores(link.anchors[0]).max(initial=0.0))
        weights = self.scores(link.anchors[0]) / best
        for row in anchors[0]:
            if link.relation == "between":
                scores = self._between(candidates, int(row), int(anchors[1][0]))
            else:
                scores = self._to(link.relation, candidates, int(row))
            found[candidates] = np.maximum(found[candidates], scores * weights[row])
        for rows in anchors:
            found[rows[:1]] = 0.0
        return found

    def _to(self, relation: str, candidates: NDArray[np.intp], anchor: int) -> Scores:
        if relation == "near":
            return np.asarray(1.0 / (1.0 + (self.scene.gaps_to_m(anchor)[candidates] / _NEAR_M) ** 2))
        things = [self.scene.objects[row] for row in candidates]
        thing = self.scene.objects[anchor]
        try:
            scores = RelationQuery(things, thing, self._context).scores(canonical_relation(relation))
        except SceneMemoryError:
            return np.zeros(len(candidates))
        if relation in ("on", "inside"):
            names = ("hanging on", "mounted on", "affixed on", "inside", "on", "supports")
            for name in names:
                query = RelationQuery(things, thing, self._context)
                scores = np.maximum(scores, query.scores(canonical_relation(name)))
        return scores

    def _between(self, candidates: NDArray[np.intp], first: int, second: int) -> Scores:
        things = [self.scene.objects[row] for row in candidates]
        ends = self.scene.objects[first], self.scene.objects[second]
        return RelationQuery(things, ends[0], self._context).between_scores(ends[1])


def _is_thing(label: str) -> bool:
    return label not in _NO_THING and sense_of(label).structure is None
