"""Finder of the objects that a loosely read thing may mean, as they lie about a viewer.

Unlike the resolver of strict phrases it always ranks: every word weighs, none rules out, and words
that cannot be used count for nothing.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.language.english import is_plural
from scenemind.language.lexicon import BUILDING
from scenemind.language.trees import (
    HasAttribute,
    NounPhrase,
    Rank,
    Reference,
    Related,
    Viewer,
    relations_to_viewer,
)
from scenemind.language.vocabulary import Vocabulary
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.relations.superlatives import superlative_values
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic.attribute_scores import graded_attribute_scores
from scenemind.reasoning.symbolic.graded_relations import Onlooker
from scenemind.reasoning.symbolic.label_scores import plain_label_scores, sure_labels
from scenemind.reasoning.symbolic.relation_scores import Anchor
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.situated.usual import (
    find_room,
    purpose_share,
    room_weights,
)
from scenemind.reasoning.symbolic.viewpoint import bearing_of

# Labels that are no answer to "what is there": parts of the building, unnamed objects.
_NO_THING = frozenset(("object", "doorframe", "ledge", "rail", "pipe", "column", "structure"))
# Above it a label is the noun or a synonym, and no kind of it.
_NAMED = 0.96
# Weight of the prominence of an object where hints support others.
_UNHINTED = 0.015
# Angle beyond the width of a place over which the score falls to 0.
_FADE_RAD = math.radians(30.0)
# Angles to both sides of a direction within which things lie there.
_HOUR_RAD = math.radians(25.0)
_WIDTHS = {
    **dict.fromkeys(("left of", "right of", "in front of", "behind"), math.radians(50.0)),
    "in view of": math.radians(75.0),
}
# Distance up to which things are in the room of others.
_ROOM_M = 3.0
# Largest object that surrounds the asker and so lies on no side, such as a chair.
_ABOUT_M = 1.2
REACH_M = 1.0
# Gap at which "near" scores a half.
_NEAR_M = 0.5
# An object on another one starts above this share of its height (a seat is below a chair's back),
# at most so far above its top, and has its centre at most so far beside it.
_SEAT_SHARE, _RESTING_M, _BESIDE_M = 0.15, 0.3, 0.2
_HOVERING, _LARGER = 0.2, 0.3
# Objects that start higher do not stand on the floor; those that end lower lie there.
_RAISED_M, _LOW_M = 0.35, 1.0
_LESS_LIKELY, _UNLIKELY = 0.4, 0.1
_TOWARD_RAD = 0.35
# Attachments of objects that hang on walls.
_HANGING = ("hanging on", "affixed on")
# Most anchors of a plural ("the desks"); a singular has one.
_MOST_ANCHORS = 6
# Least score of a counted object.
_COUNTED = 0.4
# Exponent of a relation that alone tells which thing is meant: a pillow on the couch, and not the
# large window beside it.
_ALONE = 2.0
# Least factor for an attribute, which perception may have got wrong.
_OTHERWISE = 0.5
# Size above which prominence does not grow, and distance at which it halves.
_LARGE_M, _FADE_M = 1.5, 1.0
_TIE_M = 5.0
# Factor for objects of the anchor's class: "what is next to the chair?" is rarely another chair.
_SAME_CLASS = 0.03


class Finder:
    """Ranking of the objects of one scene for one viewer."""

    def __init__(self, around: Surroundings, vocabulary: Vocabulary) -> None:
        self.around = around
        self.scene: Scene = around.scene
        self.classes = Classes(around.scene, vocabulary)

    def scores(self, phrase: NounPhrase) -> Scores:
        """Scores (N,) of all objects."""
        scores = self.classes.scores(phrase, self._prominence()) * self.at(phrase)
        scores = scores * self._described(phrase)
        for link in links(phrase):
            related = self.related(link)
            related = related if phrase.noun else related**_ALONE
            is_of_use = bool((scores * related).any())
            if not phrase.noun:
                scores = scores * self._other_class(link)
            scores = scores * (related if is_of_use else self._other_class(link))
        return scores

    def rows(self, phrase: NounPhrase) -> NDArray[np.intp]:
        """Rows that fit, best first; of equal ones the nearer first."""
        scores = self.scores(phrase)
        fitting = np.flatnonzero(scores > 0.0)
        if phrase.ranks:
            there = self.at(phrase)[fitting]
            fitting = fitting[there >= 0.5 * there.max(initial=0.0)]
            keys = self.measure(phrase.ranks[0])
            return fitting[np.argsort(keys[fitting], kind="stable")]
        worth = scores / (1.0 + self.around.gap_m / _TIE_M)
        return fitting[np.argsort(-worth[fitting], kind="stable")]

    def share(self, phrase: NounPhrase, row: int) -> float:
        """Share of the scores that things of the row's label have."""
        scores = self.scores(phrase)
        label = self.scene.objects[row].label
        of_label = scores[self.scene.rows_of_label.get(label, [row])].sum()
        return float(of_label / scores.sum()) if scores.any() else 0.0

    def find_best(self, phrase: NounPhrase) -> int | None:
        """Best row, wherever it is if none is at the place; None where nothing fits."""
        look = tuple(c for c in phrase.conditions if not isinstance(c, Related))
        for less in (phrase, replace(phrase, conditions=look)):
            rows = self.rows(less)
            if len(rows):
                return int(rows[0])
        return None

    def find_named(self, phrase: Reference) -> int | None:
        """Best row; None also where no label fits the noun."""
        if not isinstance(phrase, NounPhrase):
            return None
        if phrase.noun and not self.classes.named(phrase.noun).any():
            return None
        return self.find_best(phrase)

    def counted_rows(self, phrase: NounPhrase, seen: bool = True) -> NDArray[np.intp]:
        """Rows that fit well enough to be counted.

        Args:
            seen: counted by somebody who stands there, and calls two tables and a pool table two
                tables; else kinds of a thing count as well.
        """
        if phrase.noun or phrase.unread:
            found = np.flatnonzero(self.scores(phrase) >= _COUNTED)
            so_called = found[self.classes.named(phrase.noun)[found] > _NAMED]
            return so_called if seen and len(so_called) else found
        among = (self.classes.scores(phrase, self._prominence()) > 0.0) * self.at(phrase)
        for link in links(phrase):
            among = among * self.related(link)
        return np.flatnonzero(among >= _COUNTED)

    def at(self, phrase: NounPhrase) -> Scores:
        """Scores (N,) for lying where the phrase says, to the viewer."""
        scores = np.ones(len(self.scene))
        for place in relations_to_viewer(phrase):
            scores = scores * self.around.scores(place)
        return scores

    def measure(self, rank: Rank) -> Scores:
        """Sort key (N,) of a superlative, ascending."""
        anchor = self.find_named(rank.anchor) if rank.anchor is not None else None
        gap_m = self.around.gap_m if anchor is None else self.scene.gaps_to_m(anchor)
        match rank.superlative:
            case "farthest":
                return -gap_m
            case "closest" | "darkest" | "lightest":  # shades are not measured
                return gap_m
            case name:
                return superlative_values(self.scene.bounds, name, self.around.viewpoint)

    def related(self, link: Related) -> Scores:
        """Scores (N,) for a relation to another thing."""
        first = _anchors(link)[0]
        if first.noun in BUILDING:
            return self._to_building(first.noun)
        kind = find_room(first.noun)
        if kind is not None and not self.classes.sure_labels(first.noun):
            return self._in_room(kind)
        anchors = [self.rows(a)[: _MOST_ANCHORS if is_several(a) else 1] for a in _anchors(link)]
        found = np.zeros(len(self.scene))
        if not all(len(rows) for rows in anchors):
            return found
        if len(anchors) == 2:
            ends = [Anchor.of_row(self.scene, int(rows[0])) for rows in anchors]
            return self.scene.relations.lies_between(ends[0], ends[1])
        for row in anchors[0].tolist():
            fit = self._toward(row) if len(link.anchors) == 2 else self._to(link.predicate, row)
            np.maximum(found, fit, out=found)
        found[anchors[0][:1]] = 0.0
        return found

    def _to(self, predicate: str, row: int) -> Scores:
        onlooker = Onlooker.of(self.around.viewpoint)
        return self.scene.relations.graded(predicate, row, onlooker)

    def _to_building(self, part: str) -> Scores:
        """Scores (N,) for hanging on a wall or standing on the floor, by name and height."""
        if part == "corner":
            return np.ones(len(self.scene))
        senses = [sense_of(thing.label) for thing in self.scene.objects]
        hangs = np.array([s.is_on_walls or s.attached in _HANGING for s in senses], bool)
        of_wall = np.array([s.is_part_of_wall for s in senses], bool)
        raised = self.scene.low[:, 2] > self.scene.floor_z + _RAISED_M
        if part in ("wall", "walls", "ceiling"):
            return np.select([hangs, of_wall | raised], [1.0, _LESS_LIKELY], _UNLIKELY)
        small = self.scene.high[:, 2] < self.scene.floor_z + _LOW_M
        stands = ~raised & ~hangs & ~of_wall
        return np.select([stands & small, stands], [1.0, _LESS_LIKELY], _UNLIKELY)

    def _toward(self, row: int) -> Scores:
        """Scores (N,) for being between the viewer and the thing."""
        ahead = self.around.towards(float(self.around.bearing_rad[row]), _TOWARD_RAD)
        nearer = self.around.gap_m < self.around.gap_m[row]
        return np.asarray(ahead * nearer)

    def _in_room(self, kind: str) -> Scores:
        """Scores (N,) for lying in a kind of room: near what such rooms have; all 1 without it."""
        named = [self.classes.sure_labels(name) for name in room_weights(kind)]
        rows = [row for labels in named for at in labels for row in self.scene.rows_of_label[at]]
        gaps = [self.scene.gaps_to_m(row) for row in rows]
        return 1.0 * (np.min(gaps, axis=0) <= _ROOM_M) if gaps else np.ones(len(self.scene))

    def _described(self, phrase: NounPhrase) -> Scores:
        """Scores (N,) by attributes, which perception may have got wrong."""
        scores = np.ones(len(self.scene))
        like = self.classes.named(phrase.noun) if phrase.noun else scores
        for wanted in phrase.conditions:
            if isinstance(wanted, HasAttribute):
                fit = graded_attribute_scores(wanted, self.scene, like)
                scores = scores if fit is None else scores * np.maximum(fit, _OTHERWISE)
        return scores

    def _other_class(self, link: Related) -> Scores:
        """Scores (N,), lower for things of the same class as an anchor."""
        others = np.ones(len(self.scene))
        for anchor in _anchors(link):
            if anchor.noun:
                others[self.classes.named(anchor.noun) > 0.0] = _SAME_CLASS
        return others

    def _prominence(self) -> Scores:
        """Likelihood (N,) to be mentioned first: large and near things."""
        length, width, height = self.scene.size.T
        face_m = np.sqrt(np.maximum(height * np.hypot(length, width), 0.0))
        return np.asarray(np.minimum(face_m, _LARGE_M) / (1.0 + self.around.gap_m / _FADE_M))


class Classes:
    """Labels of one scene, matched to nouns and purposes."""

    def __init__(self, scene: Scene, vocabulary: Vocabulary) -> None:
        self._scene = scene
        self._vocabulary = vocabulary

    def named(self, noun: str) -> Scores:
        """See `plain_label_scores`."""
        return plain_label_scores(self._scene, self._vocabulary, noun)

    def sure_labels(self, noun: str) -> list[str]:
        """See `label_scores.sure_labels`."""
        return sure_labels(self._scene, self._vocabulary, noun)

    def scores(self, phrase: NounPhrase, prominence: Scores) -> Scores:
        """Scores (N,) of all objects."""
        named = self.named(phrase.noun) if phrase.noun else np.zeros(len(self._scene))
        if named.any():
            return named
        things = np.array([_is_thing(thing.label) for thing in self._scene.objects], bool)
        hinted = self.by_purpose((*phrase.unread, *phrase.noun.split()))
        return np.where(things, hinted**2 + (_UNHINTED if hinted.any() else 1.0) * prominence, 0.0)

    def by_purpose(self, words: tuple[str, ...]) -> Scores:
        """Share (N,) of the words that each object's class explains."""
        shares = {label: purpose_share(label, words) for label in self._scene.rows_of_label}
        return np.array([shares.get(thing.label, 0.0) for thing in self._scene.objects])


def is_several(phrase: NounPhrase) -> bool:
    """Whether its noun is in the plural."""
    return is_plural(phrase.noun.split()[-1]) if phrase.noun else False


def links(phrase: NounPhrase) -> list[Related]:
    """Relations to other things."""
    return [c for c in phrase.conditions if isinstance(c, Related) and _anchors(c)]


def _anchors(link: Related) -> list[NounPhrase]:
    return [anchor for anchor in link.anchors if isinstance(anchor, NounPhrase)]


def _is_thing(label: str) -> bool:
    return label not in _NO_THING and sense_of(label).structure is None


class Surroundings:
    """Bearings and distances of a scene relative to one viewer.

    Attributes:
        bearing_rad: (N,) of the centres, clockwise from ahead, in (-pi, pi].
        gap_m: (N,) level distance to the boxes; 0 inside one.
        holds_viewer: (N,) bool: small objects that the viewer is on or in.
    """

    def __init__(self, scene: Scene, viewpoint: Viewpoint) -> None:
        self.scene = scene
        self.viewpoint = viewpoint
        here = viewpoint.position[:2]
        self.bearing_rad = self._bearings(scene.center[:, :2])
        nearest = np.clip(here, scene.low[:, :2], scene.high[:, :2])
        self.gap_m: Scores = np.linalg.norm(nearest - here, axis=1)
        self._nearest_rad = self._bearings(0.5 * nearest + 0.5 * scene.center[:, :2])
        small = (scene.high - scene.low)[:, :2].max(axis=1, initial=0.0) <= _ABOUT_M
        self.holds_viewer: NDArray[np.bool_] = (self.gap_m <= 0.0) & small

    def scores(self, place: Related) -> Scores:
        """Scores (N,) of all objects for a relation to the viewer."""
        bearing_rad = bearing_of(place.predicate)
        if bearing_rad is None:
            return np.asarray(1.0 / (1.0 + 4.0 * self.gap_m**2))
        if Viewer(turned=True) in place.anchors:
            bearing_rad += math.pi
        return self.towards(bearing_rad, _WIDTHS.get(place.predicate, _HOUR_RAD))

    def towards(self, bearing_rad: float, half_width_rad: float) -> Scores:
        """Scores (N,) for lying in a direction, clockwise from ahead: 1 within the angle to both
        sides, and fading beyond it."""
        off = np.minimum(
            _between(self.bearing_rad, bearing_rad), _between(self._nearest_rad, bearing_rad)
        )
        fading = 1.0 - (off - half_width_rad) / _FADE_RAD
        return np.where(self.holds_viewer, 0.0, np.clip(fading, 0.0, 1.0))

    def _bearings(self, points: NDArray[np.float64]) -> Scores:
        offset = points - self.viewpoint.position[:2]
        ahead, right = offset @ self.viewpoint.ahead, offset @ self.viewpoint.right
        return np.arctan2(right, ahead)


def _between(angles_rad: Scores, bearing_rad: float) -> Scores:
    return np.asarray(np.abs((angles_rad - bearing_rad + math.pi) % (2.0 * math.pi) - math.pi))
