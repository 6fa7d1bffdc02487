"""The one graded scorer of phrases: how well each object fits all that is said of it.

A phrase's score of an object is the product of what its noun, its attributes, its relations and its
ranks say, each in (0, 1] and with its weight. Nothing excludes: a part that fits badly makes an
object less likely. A relation that may be said of two things ("the cup on the table next to the
sofa") counts for the nearer noun, and less for the outer one. What has no noun is rather large and
near, or serves the purpose that words beside it name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain

import numpy as np

from scenemind.language.english import is_plural
from scenemind.language.lexicon import AWAY, TOWARD, free_text
from scenemind.language.trees import (
    HasAttribute,
    NounPhrase,
    Rank,
    Reference,
    Related,
    View,
    Viewer,
    parts_of,
)
from scenemind.memory.graph.common_sense import sense_of
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
    row_order_scores,
)
from scenemind.reasoning.symbolic.relation_scores import Weighted, relations_of
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.usual import find_room, purpose_share
from scenemind.reasoning.symbolic.viewpoint import Surroundings, seen_by

# Exponents of the scores of relations; 1 for all others.
_WEIGHTS = {"left of": 1.3, "right of": 1.3, "in front of": 0.8, "behind": 0.8}
_WEIGHTS |= {"opposite": 0.7, "at the foot of": 0.7}
_CLOSEST, _FAR = 2.0, 1.5
# Of one that does not hold: "near" falls slowly, so that its opposite says little.
_DENIED = 2.0
# Of looks, which depend on light and on the observer.
_LOOK = 0.6
# Least scores of a part, and of a denied part that holds.
_LEAST, _LEAST_DENIED = 0.02, 0.1
# Distance in which the score of a comparison falls to 1/e.
_COMPARED_M = 0.5
# Stations of an unknown onlooker are the middle of the room, and places this far to its corners.
_STATION = 0.6
_MOST_ANCHORS = 50
# Shares of the best score: possible, likely and sure candidates.
_MAYBE, _LIKELY, _SURELY = 0.1, 0.35, 0.8
# Labels that are no answer to "what is there": parts of the building, unnamed objects.
_NO_THING = frozenset(("object", "doorframe", "ledge", "rail", "pipe", "column", "structure"))
# Weight of the prominence of an object where hints support others, and factor for things of the
# anchor's class: "what is next to the chair?" is rarely another chair.
_UNHINTED, _SAME_CLASS = 0.015, 0.03
# Exponent of what is said of a thing without a noun: it alone tells which one is meant.
_ALONE = 2.0
# Size above which prominence does not grow, and distances at which it and nearness halve.
_LARGE_M, _FADE_M, _NEARNESS_M = 1.5, 1.0, 5.0
# Least share of the best label's score of what is of a kind.
_OF_KIND = 0.5
# Factor for kinds where one thing alone is called so: "the chair" beside office chairs.
_UNLIKE_THE_ONE = 0.4
# Weights of a relation of the anchor for what stands in relation to it, and of nearness to things
# that are named and that nothing joins to it.
_OUTER, _BESIDE = 0.7, 0.8
# What people in rows face.
_FACED = ("whiteboard", "blackboard", "projector screen", "stage", "podium")
FREE_ROWS = free_text("rows")
# Exponent of means over places where one may stand: people choose a place that tells things apart.
_SHARPER = 1.6
_ENDS = ("leftmost", "rightmost")
_SIDE_RANKS = (*_ENDS, "frontmost", "rearmost")
# Weight of a place in a row of its own beside one among all that is likely meant, and the most
# things that are taken for rows, each of which is compared with each.
_IN_ROW, _MOST_IN_ROWS = 0.6, 300
_COMPARING = ("closest", "farthest", "far")
# Relations of an anchor that say nothing of what is related to it.
ROOM = "room"
_OWN = ("with", "supports", "contains")
# Relations to a number of things that are counted, and the loss by one too many.
_COUNTED, _TOO_MANY = (*_OWN, "around"), 0.5


class PhraseScores:
    """Scores of phrases on one scene.

    Attributes:
        onlooker: defines left and right.
        around: where things lie for who speaks; None where they stand nobody knows where.
        nearness: (N,) weights of things in answers and as anchors: less for farther ones where who
            speaks stands there.
    """

    def __init__(
        self,
        scene: Scene,
        viewpoint: Viewpoint | None,
        view: View | None = None,
        *,
        stands: bool = False,
    ) -> None:
        """
        Args:
            viewpoint: of who speaks; None: it is not known.
            view: replaces it, where it names known things.
            stands: who speaks is there, and means the nearer one of several things.
        """
        self.scene = scene
        self._scores: dict[tuple[NounPhrase, Onlooker | None], Vector] = {}
        self._priors: dict[NounPhrase, Vector] = {}
        self._of_nouns: dict[str, Vector] = {}
        self.onlooker = Onlooker(scene.middle)
        self.around: Surroundings | None = None
        self.nearness = np.ones(len(scene))
        if view is not None:
            viewpoint = self._find_viewer(view) or viewpoint
            self._scores.clear()
            self._priors.clear()
        if viewpoint is not None:
            self.onlooker = Onlooker.of(viewpoint)
            self.around = Surroundings(scene, viewpoint)
            if stands:
                self.nearness /= 1.0 + self.around.gap_m / _NEARNESS_M

    def object_scores(self, phrase: NounPhrase) -> Vector:
        """Scores (N,) of objects; 0 for parts of the building, all 0 without candidates.

        Where sides are those of an onlooker of whom nothing is known, the mean over where one may
        stand, so that all sides of the phrase are seen from one place.
        """
        scores = self.scores(phrase)
        if self.onlooker.viewpoint is None and _is_sided(phrase):
            unknown, each = self.onlooker, [scores]
            for station in self._stations:
                self.onlooker = station
                each.append(self.scores(phrase))
            self.onlooker = unknown
            scores = np.mean(each, axis=0) ** _SHARPER
        return np.where(self.scene.is_object, scores, 0.0)

    @cached_property
    def _stations(self) -> list[Onlooker]:
        """Onlookers beside the one in the middle of the room, equally likely."""
        low, high = self.scene.room
        ways = np.array(((1, 1), (1, -1), (-1, 1), (-1, -1)))
        return list(map(Onlooker, self.scene.middle + ways * _STATION * (high - low) / 2.0))

    def scores(self, phrase: NounPhrase) -> Vector:
        """Scores (N,) in [0, 1] for a phrase, with all that is said in it, to compare objects."""
        key = phrase, self.onlooker if _is_sided(phrase) else None
        if key not in self._scores:
            self._scores[key] = self._compared_with_best(phrase)
        return self._scores[key]

    def fits(self, phrase: NounPhrase) -> Vector:
        """Scores (N,) in [0, 1] for a phrase, to tell how many fit: each by itself."""
        like = self.of_kind(phrase.noun) if phrase.noun else 1.0 * (self._of_class(phrase) > 0.0)
        fit = like * self._look_scores(phrase)
        for condition in _relations(phrase):
            related = self.relation_fit(condition, fit > 0.0)
            fit = fit if related is None else fit * related
        return np.asarray(fit)

    def _compared_with_best(self, phrase: NounPhrase) -> Vector:
        if phrase not in self._priors:  # the same wherever one stands
            self._priors[phrase] = self._of_class(phrase) * self._look_scores(phrase)
        prior = self._priors[phrase]
        if not prior.any():
            return prior
        total = np.where(prior > 0.0, np.log(np.maximum(prior, 1e-12)), -np.inf)
        said = [(share if phrase.noun else share * _ALONE, part) for share, part in _parts(phrase)]
        for share, part in said:
            if isinstance(part, Related) and part.predicate not in _COMPARING:
                total += share * self._relation(part, prior > 0.0)
        # "The middle chair on the left of the table" is in the middle of those.
        for share, part in said:
            if isinstance(part, Rank) or part.predicate in _COMPARING:
                total += share * self._rank(part, _likely(total), prior > 0.0)
        return np.asarray(np.exp(total - total.max()) * prior.max())

    def _of_class(self, phrase: NounPhrase) -> Vector:
        """Scores (N,) by what things are called; without a noun by what they are for, and by
        prominence, and less for things like those that they are related to."""
        if phrase.noun:
            return self.label_fit(phrase.noun)
        hinted = self.by_purpose(phrase.unread)
        prominent = (_UNHINTED if hinted.any() else 1.0) * self._prominence()
        fit = np.where(self._is_thing, hinted**2 + prominent, 0.0)
        for anchor in (a for c in _relations(phrase) for a in c.anchors):
            if anchor.noun:
                fit[self.label_fit(anchor.noun) > 0.0] *= _SAME_CLASS
        return np.asarray(fit)

    @cached_property
    def _is_thing(self) -> Mask:
        """Mask (N,) of what is an answer to "what is there"."""
        things = self.scene.objects
        none = [t.label in _NO_THING or sense_of(t.label).structure is not None for t in things]
        return ~np.array(none, bool)

    def by_purpose(self, words: Sequence[str]) -> Vector:
        """Share (N,) of the words that each object's class explains."""
        shares = {label: purpose_share(label, words) for label in self.scene.rows_of_label}
        return np.array([shares.get(thing.label, 0.0) for thing in self.scene.objects])

    def _prominence(self) -> Vector:
        """Likelihood (N,) to be mentioned first: large and near things."""
        length, width, height = self.scene.size.T
        face_m = np.sqrt(np.maximum(height * np.hypot(length, width), 0.0))
        gap_m = 0.0 if self.around is None else self.around.gap_m
        return np.asarray(np.minimum(face_m, _LARGE_M) / (1.0 + gap_m / _FADE_M))

    def label_fit(self, noun: str) -> Vector:
        """Scores (N,) of labels for a noun; see `graded_label_scores`."""
        if noun not in self._of_nouns:
            self._of_nouns[noun] = graded_label_scores(self.scene, noun)
        return self._of_nouns[noun]

    def of_kind(self, noun: str) -> Vector:
        """Scores (N,) of labels for a noun, of the best 1; 0 for what is only like it."""
        fit = self.label_fit(noun)
        return np.where(fit >= _OF_KIND * fit.max(), fit, 0.0) / max(float(fit.max()), 1e-12)

    def _look_scores(self, phrase: NounPhrase) -> Vector:
        """Scores (N,) by attributes, and by superlatives of such."""
        fit = np.ones(len(self.scene))
        for look in _looks(phrase):
            scores = self.look_fit(phrase, look)
            if scores is not None:
                scores = np.maximum(scores, _LEAST) ** _LOOK
                fit *= np.maximum(1.0 - scores, _LEAST) if look.negated else scores
        return fit

    def look_fit(self, phrase: NounPhrase, look: HasAttribute | Rank) -> Vector | None:
        """Scores (N,) of a look, sizes compared among things of the phrase's noun; None if
        unknown."""
        like = self.label_fit(phrase.noun)
        return graded_attribute_scores(look, self.scene, like)

    def _relation(self, condition: Related, among: Mask) -> Vector:
        """(N,) log scores of being the subject of a relation."""
        counts = _WEIGHTS.get(condition.predicate, 1.0)
        row = _row_of(condition)
        if row is None:
            fit = self.relation_fit(condition, among)
        else:
            fit = self._row_fit(condition, row, among)
        if fit is None:
            return np.zeros(len(among))
        if condition.negated:
            return np.asarray(counts * _DENIED * np.log(np.maximum(fit, _LEAST_DENIED)))
        best = 1.0 if is_in_room(condition) else max(float(fit[among].max()), 1e-6)
        return np.asarray(counts * np.log(np.clip(fit / best, _LEAST, 1.0)))

    def relation_fit(self, condition: Related, among: Mask) -> Vector | None:
        """Scores (N,) in [0, 1] for a relation to its possible anchors, or to who speaks.

        None where nothing is known of those, and for comparisons.

        Args:
            among: (N,) of the candidates; scores of others are meaningless.
        """
        if condition.predicate in _COMPARING or _row_of(condition) is not None:
            return None
        fit = self._affirmed(condition, among)
        return np.asarray(1.0 - fit) if fit is not None and condition.negated else fit

    def _affirmed(self, condition: Related, among: Mask) -> Vector | None:
        predicate, relations = condition.predicate, relations_of(self.scene)
        place = condition.anchors[0].noun
        if isinstance(condition.anchors[0], Viewer):
            return self._toward_viewer(condition)
        if is_in_room(condition):
            return relations.in_room(predicate)
        kind = find_room(place)
        if kind is not None and not self.label_fit(place).any():
            return relations.in_kind_of_room(kind)
        anchors = [self.candidates(anchor) for anchor in condition.anchors]
        if not all(anchors):
            return None
        things, fit = np.flatnonzero(among), np.zeros(len(among))
        if predicate == "between" and (len(anchors) > 1 or len(anchors[0]) > 1):
            fit[things] = relations.graded_between(anchors[0], anchors[-1], things)
            return fit
        if predicate in (TOWARD, AWAY):
            fit[things] = relations.on_side(predicate, anchors[0], anchors[1], things)
            return fit
        rows, weights = zip(*chain(*anchors), strict=True)  # "on the table or the desk"
        each = relations.graded(predicate, rows, self.onlooker, things)
        fit[things] = _several(np.array(weights)[:, None] * each, condition)
        sure = [row for row, w in chain(*anchors) if w >= _SURELY]
        fit[relations.denied(predicate, sure)] = 0.0
        return fit

    def _toward_viewer(self, condition: Related) -> Vector | None:
        """Scores (N,) for where things lie for who speaks, or between them and another thing."""
        if self.around is None:
            return None
        if len(condition.anchors) == 1:
            return self.around.scores(condition)
        before, ends = self.around.before, self.candidates(condition.anchors[1])
        return np.max([weight * before(row) for row, weight in ends], axis=0) if ends else None

    def _row_fit(self, condition: Related, row: NounPhrase, among: Mask) -> Vector:
        """Scores (N,) in [0, 1] for being in a row of things like it, or at its end."""
        fit = np.ones(len(among))
        points = self.scene.center[among, :2]
        seen_by = self._seen_by_who_is_faced() or self.onlooker
        rows = Rows(points, None if seen_by.viewpoint is None else seen_by.viewpoint.ahead)
        if condition.predicate == "at the end of":
            fit[among] = rows.ends()
        elif condition.predicate == "between":
            fit[among] = rows.middles()
        for rank in row.ranks:
            values = self._row_values(rank, seen_by, points.mean(axis=0), among)
            if rank.superlative == "middle":
                fit[among] *= rows.middle()
            elif rank.superlative in ("highest", "lowest"):
                heights = self.scene.center[among, 2]
                is_high = rank.superlative == "highest"
                fit[among] *= level_scores(heights, rank.order, highest=is_high)
            elif values is not None:
                fit[among] *= rows.ordered(values[among], rank.order)
        return fit

    def _row_values(
        self, rank: Rank, seen_by: Onlooker, group: Vector, among: Mask
    ) -> Vector | None:
        """(N,) coordinates in metres, highest in the row that a rank puts first."""
        if rank.anchor is not None:
            rows = self.likely_rows(rank.anchor)
            is_farthest = rank.superlative == "farthest"
            return compared(self.scene, rows, among, farthest=is_farthest) if rows else None
        if rank.superlative not in _SIDE_RANKS:
            return None
        if rank.superlative in _ENDS and self.onlooker.viewpoint is not None:
            seen_by = self.onlooker
        return along(self.scene, rank.superlative.removesuffix("most"), seen_by, group)

    def _seen_by_who_is_faced(self) -> Onlooker | None:
        """Somebody at what people in rows face, such as a board, who has the front row near; None
        where there is none."""
        for noun in _FACED:
            fit = self.label_fit(noun)
            if fit.any():
                at = self.scene.center[fit >= _SURELY * fit.max(), :2].mean(axis=0)
                return Onlooker.of(Viewpoint.looking(at, self.scene.middle, f"the {noun}"))
        return None

    def _rank(self, said: Rank | Related, among: Mask, possible: Mask) -> Vector:
        """(N,) log scores of a rank of the possible ones among the likely ones; "far" ranks too."""
        if isinstance(said, Related):
            said = Rank("closest" if said.negated else "farthest", 1, said.anchors[0])
            return _FAR * self._compared(said, among, possible)
        if said.superlative in _COMPARING:
            return _CLOSEST * self._compared(said, among, possible)
        scores = rank_scores(self.scene, said, among, self.onlooker)
        from_end = said.superlative in _ENDS and self.onlooker.viewpoint is None
        is_in_row = from_end or said.superlative == "middle"
        if said.negated or not is_in_row or np.count_nonzero(possible) > _MOST_IN_ROWS:
            return scores
        return np.logaddexp(scores, np.log(_IN_ROW) + row_order_scores(self.scene, said, possible))

    def _compared(self, rank: Rank, among: Mask, possible: Mask) -> Vector:
        is_farthest = rank.superlative == "farthest"
        values_m = None
        if isinstance(rank.anchor, NounPhrase):
            rows = self.likely_rows(rank.anchor)
            if rows:
                values_m = compared(self.scene, rows, possible, farthest=is_farthest)
            among = among.copy()
            among[[] if rank.anchor.other else rows] = False
        elif self.around is not None:
            values_m = self.around.gap_m * (1.0 if is_farthest else -1.0)
        if values_m is None or not among.any():
            return np.zeros(len(among))
        if rank.order > 1:
            return order_scores(values_m, among, rank.order)
        behind_m = values_m - values_m[among].max()
        return np.asarray(np.minimum(behind_m / _COMPARED_M, 0.0))

    def candidates(self, reference: Reference) -> Weighted:
        """What an anchor may be, likeliest first."""
        if not isinstance(reference, NounPhrase):
            return []
        scores = self.scores(reference) * self.nearness
        if reference.noun and not reference.count and not is_plural(reference.noun):
            fit = self.label_fit(reference.noun)
            if np.count_nonzero(fit == fit.max()) == 1:
                scores = np.where(fit == fit.max(), scores, _UNLIKE_THE_ONE * scores)
        rows = np.flatnonzero(scores > _MAYBE * scores.max())
        rows = rows[np.argsort(-scores[rows], kind="stable")][:_MOST_ANCHORS]
        return list(zip(rows.tolist(), (scores[rows] / scores.max()).tolist(), strict=True))

    def likely_rows(self, reference: Reference) -> list[int]:
        """Rows of the likely candidates."""
        return [row for row, fit in self.candidates(reference) if fit >= _LIKELY]

    def _find_viewer(self, view: View) -> Viewpoint | None:
        of = view.reference
        scores = self.scores(of) if isinstance(of, NounPhrase) else self.label_fit("door")
        rows = np.flatnonzero((scores > 0.0) & (scores >= _SURELY * scores.max()))
        return seen_by(view, rows, self.scene, "the phrase")


@lru_cache(maxsize=4096)
def _is_sided(phrase: NounPhrase) -> bool:
    """Whether what is said depends on where one stands."""
    related, ranks = parts_of(phrase, Related), parts_of(phrase, Rank)
    is_beside = any(condition.predicate in SIDES for condition in related)
    return is_beside or any(rank.superlative in _SIDE_RANKS for rank in ranks)


def _several(each: Vector, condition: Related) -> Vector:
    """Scores (M,) from those (A, M) for each of the possible anchors: that of the best one, or,
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


def _relations(phrase: NounPhrase) -> list[Related]:
    return [c for c in phrase.conditions if isinstance(c, Related)]


def _parts(phrase: NounPhrase) -> Iterator[tuple[float, Related | Rank]]:
    """Relations and places with their weights; relations of its anchors count less, and so does
    nearness to what is named beside it."""
    related = _relations(phrase)
    yield from ((1.0, condition) for condition in related)
    yield from ((1.0, rank) for rank in phrase.ranks if not is_look(rank))
    for condition in related:
        (anchor, *others) = condition.anchors
        if isinstance(anchor, NounPhrase) and not others and not condition.negated:
            yield from ((_OUTER, part) for part in _of_either(anchor))
    beside = [noun for noun in phrase.unread if phrase.noun and noun != ROOM]
    yield from ((_BESIDE, Related("near", (NounPhrase(noun),))) for noun in beside)


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
