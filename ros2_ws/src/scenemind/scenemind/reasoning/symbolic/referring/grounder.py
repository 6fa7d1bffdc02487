"""Scores of objects for a referring expression.

A phrase's score of an object is the product of what its noun, its attributes, its relations and its
ranks say, each in (0, 1] and with its weight. Nothing excludes: a part that fits badly makes an
object less likely. A relation that may be said of two things ("the cup on the table next to the
sofa") counts for the nearer noun, and less for the outer one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scenemind.language.lexicon import free_text
from scenemind.language.trees import (
    HasAttribute,
    NounPhrase,
    Rank,
    Reference,
    Related,
    View,
    noun_phrases,
)
from scenemind.language.vocabulary import Vocabulary
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic.attribute_scores import graded_attribute_scores, is_look
from scenemind.reasoning.symbolic.graded_relations import SIDES, Onlooker
from scenemind.reasoning.symbolic.label_scores import graded_label_scores
from scenemind.reasoning.symbolic.ranks import (
    Mask,
    Rows,
    Vector,
    along,
    compared,
    level_scores,
    order_scores,
    rank_scores,
)
from scenemind.reasoning.symbolic.relation_scores import Weighted
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.viewpoint import seen_by

# Exponents of the scores of parts; 1 for all others.
_WEIGHTS = {
    "closest": 2.0,
    "farthest": 2.0,
    "far": 1.5,
    "in front of": 0.8,
    "behind": 0.8,
    "opposite": 0.7,
    "at the foot of": 0.7,
    # A relation that does not hold: "near" falls slowly, so that its opposite says little.
    "denied": 2.0,
    # Looks, which depend on light and on the observer.
    "look": 0.6,
}
# Least scores of a part, and of a denied part that holds.
_LEAST, _LEAST_DENIED = 0.02, 0.1
# Distance in which the score of a comparison falls to 1/e.
_COMPARED_M = 0.5
# Stations of an unknown onlooker are the middle of the room, and places this far to its corners.
_STATION = 0.6
_MOST_ANCHORS = 50
# Shares of the best score: possible, likely and sure candidates.
_MAYBE, _LIKELY, _SURELY = 0.1, 0.45, 0.8
# Weight of a relation of the anchor for what stands in relation to it.
_OUTER = 0.5
# What people in rows face.
_FACED = ("whiteboard", "blackboard", "projector screen", "stage", "podium")
FREE_ROWS = free_text("rows")
# Exponent of means over places where one may stand: people choose a place that tells things apart.
_SHARPER = 1.6
_SIDE_RANKS = ("leftmost", "rightmost", "frontmost", "rearmost")
_COMPARING = ("closest", "farthest", "far")
# Relations of an anchor that say nothing of what is related to it.
ROOM = "room"
_OWN = ("with", "supports", "contains")
# Relations to a number of things that are counted, and the loss by one too many.
_COUNTED, _TOO_MANY = (*_OWN, "around"), 0.5


class Grounder:
    """Scores of phrases on one scene.

    Attributes:
        onlooker: defines left and right.
    """

    def __init__(
        self,
        scene: Scene,
        vocabulary: Vocabulary,
        view: View | None = None,
        viewpoint: Viewpoint | None = None,
    ) -> None:
        """
        Args:
            viewpoint: used unless the view is known.
        """
        self._scene = scene
        self._vocabulary = vocabulary
        self._scores: dict[NounPhrase, Vector] = {}
        self._of_nouns: dict[str, Vector] = {}
        low, high = scene.room
        self._middle = (low + high) / 2.0
        unknown = Onlooker(self._middle)
        self.onlooker = unknown if viewpoint is None else Onlooker.of(viewpoint)
        if view is not None:
            self.onlooker = self._find_viewer(view) or self.onlooker
        self._scores.clear()

    def object_scores(self, phrase: NounPhrase) -> Vector:
        """Scores (N,) of objects; 0 for parts of the building, all 0 without candidates.

        Where sides are those of an onlooker of whom nothing is known, the mean over where one may
        stand, so that all sides of the phrase are seen from one place.
        """
        unknown = self.onlooker
        if unknown.viewpoint is not None or not any(map(_has_sides, noun_phrases(phrase))):
            return np.where(self._scene.is_object, self.scores(phrase), 0.0)
        each = []
        for station in self._stations():
            self.onlooker = Onlooker(station)
            self._scores.clear()
            each.append(self.scores(phrase))
        self.onlooker = unknown
        self._scores.clear()
        return np.where(self._scene.is_object, np.mean(each, axis=0) ** _SHARPER, 0.0)

    def _stations(self) -> list[Vector]:
        """Places (2,) in the room where an unknown onlooker may stand, equally likely."""
        low, high = self._scene.room
        ways = np.array(((0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)))
        return list(self._middle + ways * _STATION * (high - low) / 2.0)

    def scores(self, phrase: NounPhrase) -> Vector:
        """Scores (N,) in [0, 1] for a phrase, with all that is said in it."""
        if phrase not in self._scores:
            self._scores[phrase] = self._combined(phrase)
        return self._scores[phrase]

    def _combined(self, phrase: NounPhrase) -> Vector:
        prior = self.prior(phrase)
        if not prior.any():
            return prior
        total = np.where(prior > 0.0, np.log(np.maximum(prior, 1e-12)), -np.inf)
        said = list(_parts(phrase))
        for share, part in said:
            if isinstance(part, Related) and part.predicate not in _COMPARING:
                total += share * self._relation(part, prior > 0.0)
        # "The middle chair on the left of the table" is in the middle of those.
        for share, part in said:
            if isinstance(part, Rank) or part.predicate in _COMPARING:
                total += share * self._rank(part, _likely(total))
        return np.asarray(np.exp(total - total.max()) * prior.max())

    def prior(self, phrase: NounPhrase) -> Vector:
        """Scores (N,) by label and look alone."""
        like = self.label_fit(phrase.noun)
        fit = like.copy()
        for look in _looks(phrase) if fit.any() else ():
            scores = graded_attribute_scores(look, self._scene, like)
            if scores is not None:
                scores = np.maximum(scores, _LEAST) ** _weight("look")
                fit *= np.maximum(1.0 - scores, _LEAST) if look.negated else scores
        return fit

    def label_fit(self, noun: str) -> Vector:
        """Scores (N,) of labels for a noun; see `graded_label_scores`."""
        if noun not in self._of_nouns:
            self._of_nouns[noun] = graded_label_scores(self._scene, self._vocabulary, noun)
        return self._of_nouns[noun]

    def look_fit(self, phrase: NounPhrase, look: HasAttribute | Rank) -> Vector | None:
        """Scores (N,) of a look, sizes compared among things of the phrase's noun; None if
        unknown."""
        like = self.label_fit(phrase.noun)
        return graded_attribute_scores(look, self._scene, like)

    def _relation(self, condition: Related, among: Mask) -> Vector:
        """(N,) log scores of being the subject of a relation."""
        counts = _weight(condition.predicate)
        row = _row_of(condition)
        fit = self.relation_fit(condition) if row is None else self._row_fit(condition, row, among)
        if fit is None:
            return np.zeros(len(among))
        if condition.negated:
            return np.asarray(counts * _weight("denied") * np.log(np.maximum(fit, _LEAST_DENIED)))
        best = 1.0 if is_in_room(condition) else max(float(fit[among].max()), 1e-6)
        return np.asarray(counts * np.log(np.clip(fit / best, _LEAST, 1.0)))

    def relation_fit(self, condition: Related) -> Vector | None:
        """Scores (N,) in [0, 1] for a relation to its possible anchors.

        None where no anchor is known, and for comparisons.
        """
        if is_in_room(condition):
            fit = self._scene.relations.in_room(condition.predicate)
            return np.asarray(1.0 - fit) if condition.negated else fit
        if _row_of(condition) is not None:
            return None
        anchors = [self._candidates(anchor) for anchor in condition.anchors]
        if condition.predicate in _COMPARING or not all(anchors):
            return None
        if condition.predicate == "between" and (len(anchors) > 1 or len(anchors[0]) > 1):
            fit = self._scene.relations.graded_between(anchors[0], anchors[-1])
        else:
            graded = self._scene.relations.graded
            each = [w * graded(condition.predicate, row, self.onlooker) for row, w in anchors[0]]
            fit = _several(np.asarray(each), condition)
            sure = [row for row, w in anchors[0] if w >= _SURELY]
            fit[self._scene.relations.denied(condition.predicate, sure)] = 0.0
        return np.asarray(1.0 - fit) if condition.negated else fit

    def _row_fit(self, condition: Related, row: NounPhrase, among: Mask) -> Vector:
        """Scores (N,) in [0, 1] for being in a row of things like it, or at its end."""
        fit = np.ones(len(among))
        points = self._scene.center[among, :2]
        seen_by = self._seen_by_who_is_faced() or self.onlooker
        rows = Rows(points, None if seen_by.viewpoint is None else seen_by.viewpoint.ahead)
        if condition.predicate == "at the end of":
            fit[among] = rows.ends()
        elif condition.predicate == "between":
            fit[among] = rows.middles()
        for rank in row.ranks:
            values = self._row_values(rank, seen_by, points.mean(axis=0))
            if rank.superlative == "middle":
                fit[among] *= rows.middle()
            elif rank.superlative in ("highest", "lowest"):
                heights = self._scene.center[among, 2]
                is_high = rank.superlative == "highest"
                fit[among] *= level_scores(heights, rank.order, highest=is_high)
            elif values is not None:
                fit[among] *= rows.ordered(values[among], rank.order)
        return fit

    def _row_values(self, rank: Rank, seen_by: Onlooker, group: Vector) -> Vector | None:
        """(N,) coordinates in metres, highest in the row that a rank puts first."""
        if rank.anchor is not None:
            anchors = [row for row, fit in self._candidates(rank.anchor) if fit >= _LIKELY]
            if not anchors:
                return None
            return compared(self._scene, anchors, farthest=rank.superlative == "farthest")
        if rank.superlative not in _SIDE_RANKS:
            return None
        if rank.superlative in ("leftmost", "rightmost") and self.onlooker.viewpoint is not None:
            seen_by = self.onlooker
        return along(self._scene, rank.superlative.removesuffix("most"), seen_by, group)

    def _seen_by_who_is_faced(self) -> Onlooker | None:
        """Somebody at what people in rows face, such as a board, who has the front row near; None
        where there is none."""
        for noun in _FACED:
            fit = self.label_fit(noun)
            if fit.any():
                at = self._scene.center[fit >= _SURELY * fit.max(), :2].mean(axis=0)
                return Onlooker.of(Viewpoint.looking(at, self._middle, f"the {noun}"))
        return None

    def _rank(self, said: Rank | Related, among: Mask) -> Vector:
        """(N,) log scores of a rank among the likely ones; "far" ranks too."""
        if isinstance(said, Related):
            said = Rank("closest" if said.negated else "farthest", 1, said.anchors[0])
            return _weight("far") * self._compared(said, among)
        if said.anchor is None:
            return rank_scores(self._scene, said, among, self.onlooker)
        return _weight("closest") * self._compared(said, among)

    def _compared(self, rank: Rank, among: Mask) -> Vector:
        assert rank.anchor is not None
        rows = [row for row, fit in self._candidates(rank.anchor) if fit >= _LIKELY]
        among = among.copy()
        is_other = isinstance(rank.anchor, NounPhrase) and rank.anchor.other
        among[[] if is_other else rows] = False
        if not rows or not among.any():
            return np.zeros(len(among))
        values_m = compared(self._scene, rows, farthest=rank.superlative == "farthest")
        if rank.order > 1:
            return order_scores(values_m, among, rank.order)
        behind_m = values_m - values_m[among].max()
        return np.asarray(np.minimum(behind_m / _COMPARED_M, 0.0))

    def _candidates(self, reference: Reference) -> Weighted:
        """Candidates of an anchor."""
        if not isinstance(reference, NounPhrase):
            return []
        scores = self.scores(reference)
        rows = np.flatnonzero(scores > _MAYBE * scores.max())
        rows = rows[np.argsort(-scores[rows], kind="stable")][:_MOST_ANCHORS]
        return list(zip(rows.tolist(), (scores[rows] / scores.max()).tolist(), strict=True))

    def _find_viewer(self, view: View) -> Onlooker | None:
        if isinstance(view.reference, NounPhrase):
            scores = self.scores(view.reference)
        elif view.kind == "facing":
            return None
        else:
            scores = self.label_fit("door")
        if not scores.any():
            return None
        rows = np.flatnonzero(scores >= _SURELY * scores.max())
        where = self._scene.center[rows, :2].mean(axis=0)
        return Onlooker.of(seen_by(view.kind, where, self._scene, "the phrase"))


def _several(each: Vector, condition: Related) -> Vector:
    """Scores (N,) from those (A, N) for each of the possible anchors: that of the best one, or,
    where a number of them is named, the mean of as many; less if there are more of what a thing
    has."""
    (anchor, *_) = condition.anchors
    count = anchor.count if isinstance(anchor, NounPhrase) else None
    if not count or condition.predicate in SIDES:
        return np.asarray(each.max(axis=0))
    ranked = -np.sort(-each, axis=0)
    fit = ranked[:count].sum(axis=0) / count
    if count < len(ranked) and condition.predicate in _COUNTED:
        fit *= 1.0 - _TOO_MANY * ranked[count]
    return fit


def _weight(part: str) -> float:
    """Exponent of a predicate or a kind of look."""
    return _WEIGHTS.get(part, 1.0)


def _has_sides(phrase: NounPhrase) -> bool:
    """Whether what is said depends on where one stands."""
    return any(isinstance(c, Related) and c.predicate in SIDES for c in phrase.conditions) or any(
        rank.superlative in _SIDE_RANKS for rank in phrase.ranks
    )


def _parts(phrase: NounPhrase) -> Iterator[tuple[float, Related | Rank]]:
    """Relations and places with their weights; relations of its anchors count half."""
    related = [c for c in phrase.conditions if isinstance(c, Related)]
    yield from ((1.0, condition) for condition in related)
    yield from ((1.0, rank) for rank in phrase.ranks if not is_look(rank))
    for condition in related:
        (anchor, *others) = condition.anchors
        if isinstance(anchor, NounPhrase) and not others and not condition.negated:
            yield from ((_OUTER, part) for part in _of_either(anchor))


def _of_either(anchor: NounPhrase) -> Iterator[Related | Rank]:
    """What is said of an anchor and may as well be said of what is related to it."""
    for condition in anchor.conditions:
        if isinstance(condition, Related) and condition.predicate not in _OWN:
            yield condition
    yield from (rank for rank in anchor.ranks if rank.anchor is not None)


def _looks(phrase: NounPhrase) -> list[HasAttribute | Rank]:
    attributes = [c for c in phrase.conditions if isinstance(c, HasAttribute)]
    return [*attributes, *filter(is_look, phrase.ranks)]


def _row_of(condition: Related) -> NounPhrase | None:
    """The row that a condition is about."""
    (anchor, *_) = condition.anchors
    return anchor if isinstance(anchor, NounPhrase) and anchor.noun in FREE_ROWS else None


def is_in_room(condition: Related) -> bool:
    (anchor, *_) = condition.anchors
    return isinstance(anchor, NounPhrase) and anchor.noun == ROOM


def _likely(log_scores: Vector) -> Mask:
    """Mask (N,) of scores not much worse than the best."""
    return np.asarray(log_scores >= log_scores.max() + np.log(_LIKELY))
