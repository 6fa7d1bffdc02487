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
from scenemind.reasoning.symbolic.situated.ordinary import is_known, purpose_share
from scenemind.reasoning.symbolic.situated.properties import SHAPES, plain_color, property_of
from scenemind.reasoning.symbolic.situated.surroundings import Surroundings
from scenemind.reasoning.symbolic.situated.tree import BUILDING, Link, Place, Thing
from scenemind.words.english import is_plural
from scenemind.words.vocabulary import Vocabulary

# What is no answer to "what is there": structure, and what annotators could not name.
_NO_THING = frozenset(("object", "doorframe", "ledge", "rail", "pipe", "column", "structure"))
_ANCHORS = 6
_COUNTED = 0.4
_SURE = 0.89
_ODD_COLOR, _ODD_SHAPE, _ELSEWHERE = 0.5, 0.3, 0.02
_NEAR_M = 0.5
_RAISED_M, _LOW_M = 0.35, 1.0
_LESS_LIKELY, _UNLIKELY = 0.4, 0.1
_BETWEEN_RAD = 0.35
_SEAT_SHARE, _RESTING_M, _BESIDE_M = 0.35, 0.3, 0.2


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
            return (fitting**2 + _ELSEWHERE) * sensible
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
        for shape in SHAPES.intersection(thing.adjectives):
            is_so = np.array([property_of(o, "shape") == shape for o in self.scene.objects], bool)
            scores = scores * np.where(is_so, 1.0, _ODD_SHAPE)
        for link in thing.links:
            related = self.related(link, scores)
            if (scores * related).any():
                scores = scores * related
            else:
                scores = scores * self.not_anchors(link)
        return scores

    def holding(self, thing: Thing) -> NDArray[np.intp]:
        """Those of which all that is said is likely enough to be counted."""
        scores = self.scores(thing)
        if not thing.noun and not thing.hints:
            among = scores > 0.0
            scores = among * self.at(thing.places)
            for link in thing.links:
                scores = scores * self.related(link, among * 1.0)
        return np.flatnonzero(scores >= _COUNTED)

    def is_class(self, word: str) -> bool:
        """Whether a word is the name of things that rooms may have."""
        return is_known(word)

    def rows(self, thing: Thing) -> NDArray[np.intp]:
        """Those that fit, best first; the nearest first of those that fit alike."""
        scores = self.scores(thing)
        fitting = np.flatnonzero(scores > 0.0)
        if thing.extreme is not None:
            there = self.at(thing.places)
            fitting = fitting[there[fitting] >= 0.5 * there[fitting].max(initial=0.0)]
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
        found = np.zeros(len(self.scene))
        if link.anchors[0].noun in BUILDING:
            return self.on_building(link.anchors[0].noun)
        anchors = [self.rows(a)[: _ANCHORS if is_several(a) else 1] for a in link.anchors]
        if not all(len(rows) for rows in anchors):
            return found
        candidates = np.flatnonzero(among > 0.0)
        for row in anchors[0].tolist():
            if link.relation == "between":
                scores = self._between(candidates, row, int(anchors[1][0]))
            else:
                scores = self._to(link.relation, candidates, row)
            scores[candidates == row] = 0.0
            found[candidates] = np.maximum(found[candidates], scores)
        for rows in anchors:
            found[rows[0]] = 0.0
        return found

    def not_anchors(self, link: Link) -> Scores:
        """1 of all but what the link names (N,)."""
        others = np.ones(len(self.scene))
        for anchor in link.anchors:
            others[self.named(anchor.noun) > 0.0 if anchor.noun else []] = 0.0
        return others

    def on_building(self, part: str) -> Scores:
        """How likely each thing hangs on a wall, or stands on the floor (N,)."""
        if part == "corner":
            return np.ones(len(self.scene))
        senses = [sense_of(thing.label) for thing in self.scene.objects]
        hangs = np.array([bool(s.is_on_walls or s.attached) for s in senses])
        of_wall = np.array([s.is_part_of_wall for s in senses])
        raised = self.scene.low[:, 2] > self.scene.floor_z + _RAISED_M
        if part in ("wall", "walls", "ceiling"):
            return np.select([hangs, of_wall | raised], [1.0, _LESS_LIKELY], _UNLIKELY)
        small = self.scene.high[:, 2] < self.scene.floor_z + _LOW_M
        stands = ~raised & ~hangs & ~of_wall
        return np.select([stands & small, stands], [1.0, _LESS_LIKELY], _UNLIKELY)

    def _to(self, relation: str, candidates: NDArray[np.intp], anchor: int) -> Scores:
        scene = self.scene
        near = 1.0 / (1.0 + (scene.gaps_to_m(anchor)[candidates] / _NEAR_M) ** 2)
        if relation in ("near", "around"):
            return np.asarray(near if relation == "near" else np.sqrt(near))
        if relation in ("on", "inside"):
            return self._carried(candidates, anchor, near)
        if relation == "below":
            return self._under(candidates, anchor)
        if relation == "toward":
            return self._toward(candidates, anchor)
        things = [scene.objects[row] for row in candidates]
        query = RelationQuery(things, scene.objects[anchor], self._context)
        try:
            scores = query.scores(canonical_relation(relation))
        except SceneMemoryError:
            return np.zeros(len(candidates))
        return np.asarray(scores * near)

    def _carried(self, candidates: NDArray[np.intp], anchor: int, near: Scores) -> Scores:
        """Over or within the anchor's box, and not standing beside it on the floor."""
        low, high = self.scene.low[anchor], self.scene.high[anchor]
        bottom = self.scene.low[candidates, 2]
        lifted = bottom > low[2] + _SEAT_SHARE * (high[2] - low[2])
        resting = np.where(bottom < high[2] + _RESTING_M, 1.0, 0.2)
        fits = self._within(candidates, anchor) * lifted * resting
        # "Chairs on the table" stand at it.
        return np.asarray(fits if fits.any() else near)

    def _under(self, candidates: NDArray[np.intp], anchor: int) -> Scores:
        middles = self.scene.center[candidates, 2]
        return np.asarray(self._within(candidates, anchor) * (middles < self.scene.center[anchor, 2]))

    def _within(self, candidates: NDArray[np.intp], anchor: int) -> Scores:
        """How well the middles lie in the anchor's box seen from above; larger things hardly do."""
        scene, center = self.scene, self.scene.center[candidates, :2]
        low, high = scene.low[anchor, :2], scene.high[anchor, :2]
        off = np.maximum(low - center, center - high).max(axis=1)
        larger = scene.size[candidates, :2].prod(axis=1) > scene.size[anchor, :2].prod()
        return np.asarray(np.clip(1.0 - np.maximum(off, 0.0) / _BESIDE_M, 0.0, 1.0)
                          * np.where(larger, 0.3, 1.0))  # fmt: skip

    def _toward(self, candidates: NDArray[np.intp], anchor: int) -> Scores:
        """Between the viewer and the anchor."""
        place = Place(float(self.around.bearing_rad[anchor]), _BETWEEN_RAD)
        nearer = self.around.gap_m[candidates] < self.around.gap_m[anchor]
        return np.asarray(self.around.scores(place)[candidates] * nearer)

    def _between(self, candidates: NDArray[np.intp], first: int, second: int) -> Scores:
        things = [self.scene.objects[row] for row in candidates]
        ends = self.scene.objects[first], self.scene.objects[second]
        return RelationQuery(things, ends[0], self._context).between_scores(ends[1])


def is_several(thing: Thing) -> bool:
    return is_plural(thing.noun.split()[-1]) if thing.noun else False


def _is_thing(label: str) -> bool:
    return label not in _NO_THING and sense_of(label).structure is None
