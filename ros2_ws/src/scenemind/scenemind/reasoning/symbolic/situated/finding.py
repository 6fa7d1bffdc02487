"""From the tree of a thing to the objects that it may mean.

Unlike the resolver of strict phrases this one always ranks: every word weighs, none rules out, and
what cannot be used counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.memory import MapObject
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.situated.classes import Classes, is_several
from scenemind.reasoning.symbolic.situated.links import Links
from scenemind.reasoning.symbolic.situated.properties import plain_color, property_of
from scenemind.reasoning.symbolic.situated.surroundings import Surroundings
from scenemind.reasoning.symbolic.situated.tree import BUILDING, Comparison, Link, Place, Thing
from scenemind.words.vocabulary import Vocabulary

# "The desks" may be this many, "the desk" is the one that fits best.
_MOST_ANCHORS = 6
# What fits at least so well is counted.
_COUNTED = 0.4
# How much an adjective that is not so takes away: colours are seen wrongly, shapes by boxes.
_OTHER_COLOR, _OTHER_SHAPE = 0.5, 0.3
# Large things are not more prominent above this size; near ones are the more.
_LARGE_M, _FADE_M = 1.5, 1.0
_TIE_M = 5.0
# "What is next to the chair?": another chair, but rather something else.
_SAME_CLASS = 0.3


class Finder:
    """Ranks the objects of one scene about one viewer."""

    def __init__(
        self, around: Surroundings, vocabulary: Vocabulary, config: RelationConfig
    ) -> None:
        self.around = around
        self.scene: Scene = around.scene
        self.classes = Classes(around.scene, vocabulary)
        self._links = Links(around, config)

    def scores(self, thing: Thing) -> Scores:
        """How well each object fits all that is said (N,); 0: not this one."""
        scores = self.classes.scores(thing, self._prominence()) * self.at(thing.places)
        scores = scores * self._described(thing)
        for link in thing.links:
            related = self.related(link, scores)
            is_of_use = bool((scores * related).any())
            if not thing.noun:
                scores = scores * self._other_class(link)
            scores = scores * (related if is_of_use else self._other_class(link))
        return scores

    def rows(self, thing: Thing) -> NDArray[np.intp]:
        """Those that fit, best first; the nearer first of those that fit alike."""
        scores = self.scores(thing)
        fitting = np.flatnonzero(scores > 0.0)
        if thing.extreme is not None:
            there = self.at(thing.places)[fitting]
            fitting = fitting[there >= 0.5 * there.max(initial=0.0)]
            return fitting[np.argsort(self.measure(thing.extreme)[fitting], kind="stable")]
        worth = scores / (1.0 + self.around.gap_m / _TIE_M)
        return fitting[np.argsort(-worth[fitting], kind="stable")]

    def find_best(self, thing: Thing) -> int | None:
        """The row that fits best, wherever it is if none is there; None: nothing is like it."""
        for less in (thing, replace(thing, places=(), links=())):
            rows = self.rows(less)
            if len(rows):
                return int(rows[0])
        return None

    def find_named(self, thing: Thing) -> int | None:
        """As `find_best`; None too where a noun was said and nothing is called so."""
        if thing.noun and not self.classes.named(thing.noun).any():
            return None
        return self.find_best(thing)

    def holding(self, thing: Thing) -> NDArray[np.intp]:
        """Those of which all that is said is likely enough to be counted."""
        if thing.noun or thing.hints:
            return np.flatnonzero(self.scores(thing) >= _COUNTED)
        among = (self.classes.scores(thing, self._prominence()) > 0.0) * self.at(thing.places)
        for link in thing.links:
            among = among * self.related(link, among)
        return np.flatnonzero(among >= _COUNTED)

    def at(self, places: Sequence[Place]) -> Scores:
        """How well each lies at all of the places (N,)."""
        scores = np.ones(len(self.scene))
        for place in places:
            scores = scores * self.around.scores(place)
        return scores

    def measure(self, extreme: Comparison) -> Scores:
        """What is smallest for the extreme one (N,)."""
        match extreme:
            case "closest":
                return self.around.gap_m
            case "farthest":
                return -self.around.gap_m
            case "tallest":
                return np.asarray(-self.scene.high[:, 2])
            case "largest":
                return np.asarray(-self.scene.size.prod(axis=1))
            case "smallest":
                return np.asarray(self.scene.size.prod(axis=1))

    def related(self, link: Link, among: Scores) -> Scores:
        """How well each candidate (above 0 in `among`) stands in a relation (N,)."""
        first = link.anchors[0]
        if first.noun in BUILDING:
            return self._links.to_building(first.noun)
        anchors = [self.rows(a)[: _MOST_ANCHORS if is_several(a) else 1] for a in link.anchors]
        found = np.zeros(len(self.scene))
        if not all(len(rows) for rows in anchors):
            return found
        if link.relation == "between":
            return self._links.between(int(anchors[0][0]), int(anchors[1][0]))
        for row in anchors[0].tolist():
            np.maximum(found, self._links.to(link.relation, row, among), out=found)
        found[anchors[0][:1]] = 0.0
        return found

    def _described(self, thing: Thing) -> Scores:
        """By colours and shapes (N,)."""
        scores = np.ones(len(self.scene))
        for word in thing.adjectives:
            color = plain_color(word)
            if color:
                so = [plain_color(o.attributes.get("color", "")) == color for o in self._objects]
                scores = scores * np.where(so, 1.0, _OTHER_COLOR)
            elif word in ("round", "square", "rectangular"):
                so = [property_of(thing, "shape") == word for thing in self._objects]
                scores = scores * np.where(so, 1.0, _OTHER_SHAPE)
        return scores

    @property
    def _objects(self) -> Sequence[MapObject]:
        return self.scene.objects

    def _other_class(self, link: Link) -> Scores:
        """Less of what is called as the link's anchors are (N,)."""
        others = np.ones(len(self.scene))
        for anchor in link.anchors:
            if anchor.noun:
                others[self.classes.named(anchor.noun) > 0.0] = _SAME_CLASS
        return others

    def _prominence(self) -> Scores:
        """How likely each is spoken of first (N,): large and near things are."""
        length, width, height = self.scene.size.T
        face_m = np.sqrt(np.maximum(height * np.hypot(length, width), 0.0))
        return np.asarray(np.minimum(face_m, _LARGE_M) / (1.0 + self.around.gap_m / _FADE_M))
