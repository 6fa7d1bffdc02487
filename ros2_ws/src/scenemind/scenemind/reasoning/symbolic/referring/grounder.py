"""From a description to how likely each object is meant.

A mention's score of an object is the product of what its label, its look, its place and its
relations to other mentions say, each in (0, 1] and with its weight. Nothing excludes: what is said
and fits badly makes less likely. What a relation may be said of twice ("the cup on the table next
to the sofa") counts for the nearer noun, and less for the outer one.
"""

from __future__ import annotations

import numpy as np

from scenemind.reasoning.symbolic.referring.description import Description, Link
from scenemind.reasoning.symbolic.referring.looks import kind_of_look, look_scores
from scenemind.reasoning.symbolic.referring.naming import named
from scenemind.reasoning.symbolic.referring.placing import Mask, order_scores, place_scores
from scenemind.reasoning.symbolic.referring.relating import Weighted, between, compared, related
from scenemind.reasoning.symbolic.referring.sides import Onlooker, looking
from scenemind.reasoning.symbolic.referring.space import Space, Vector
from scenemind.reasoning.symbolic.referring.weights import LEAST, REACH_M, weight
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.words.vocabulary import Vocabulary

_MOST_DEPTH = 3
_MOST_ANCHORS = 50
# Of the best, what a thing must score to be taken for what is meant.
_MAYBE, _LIKELY, _SURELY = 0.1, 0.45, 0.8
# What a relation counts that may be said of this mention, but rather of the nearer noun.
_OUTER = 0.5
_COMPARING = ("closest", "farthest", "far")
# What is denied and yet so is this much less likely.
_LEAST_DENIED = 0.1


class Grounder:
    """Scores for one description on one scene.

    Attributes:
        onlooker: whose left and right count; None: nobody's in particular.
    """

    def __init__(
        self,
        scene: Scene,
        space: Space,
        vocabulary: Vocabulary,
        description: Description,
        onlooker: Onlooker | None = None,
    ) -> None:
        """
        Args:
            onlooker: counts unless the description says from where it is looked.
        """
        self._scene = scene
        self._space = space
        self._vocabulary = vocabulary
        self._description = description
        self._priors: dict[int, Vector] = {}
        self.onlooker = onlooker
        self.onlooker = self._described_onlooker() or onlooker

    def target_scores(self) -> Vector:
        """(N,) of all things, in [0, 1]; all 0 where none may be meant."""
        return self.scores(self._description.target)

    def scores(self, mention: int, depth: int = 0) -> Vector:
        """(N,) how well each fits a mention and all that is said of it."""
        prior = self.prior(mention)
        if depth > _MOST_DEPTH or not prior.any():
            return prior
        total = np.where(prior > 0.0, np.log(np.maximum(prior, 1e-12)), -np.inf)
        for link in self._description.links:
            if link.predicate not in _COMPARING:
                total += self._weighted(link, mention, prior > 0.0, depth)
        # "The middle chair on the left of the table" is in the middle of those.
        for link in self._description.links:
            if link.predicate in _COMPARING:
                total += self._weighted(link, mention, _likely(total), depth)
        for place in self._description.places:
            if place.subject == mention:
                total += place_scores(self._space, place, _likely(total), self.onlooker)
        return np.asarray(np.exp(total - total.max()) * prior.max())

    def _weighted(self, link: Link, mention: int, among: Mask, depth: int) -> Vector:
        """(N,) log scores that a link adds to a mention; 0 where it is said of others."""
        counts = weight(link.predicate)
        if mention in link.subjects:
            share = 1.0 if mention == link.subjects[0] else _OUTER
            return share * counts * self._link_scores(link, among, depth)
        if mention == self._description.target and link.anchors == (mention,):
            return counts * self._anchor_scores(link, among, depth)
        return np.zeros(len(among))

    def prior(self, mention: int) -> Vector:
        """(N,) by label and look alone."""
        if mention not in self._priors:
            said = self._description.mentions[mention]
            fit = self.label_fit(said.noun).copy()
            for trait in said.traits if fit.any() else ():
                fit *= self._looks(mention, trait)
            for trait in said.without if fit.any() else ():
                fit *= np.maximum(1.0 - self._looks(mention, trait), LEAST)
            self._priors[mention] = fit
        return self._priors[mention]

    def label_fit(self, noun: str) -> Vector:
        """(N,) how well each is what a noun says; see `named`."""
        return named(self._scene, self._vocabulary, noun)

    def look_fit(self, mention: int, trait: str) -> Vector:
        """(N,) how well each looks so, sizes among what the mention's noun says; all 1 for what
        nothing is known of."""
        like = self.label_fit(self._description.mentions[mention].noun)
        scores = look_scores(trait, self._scene.objects, self._space, like)
        return np.ones(len(like)) if scores is None else scores

    def _looks(self, mention: int, trait: str) -> Vector:
        fit = np.maximum(self.look_fit(mention, trait), LEAST)
        return np.asarray(fit ** weight(kind_of_look(trait)))

    def _link_scores(self, link: Link, among: Mask, depth: int) -> Vector:
        """(N,) log scores of being the subject of a relation."""
        if link.predicate in _COMPARING:
            anchors = self._may_be(link.anchors[0], depth)
            return self._compared(link, anchors, among) if anchors else np.zeros(len(among))
        fit = self.link_fit(link, depth)
        if fit is None:
            return np.zeros(len(among))
        if _is_denied(link):
            return np.asarray(weight("denied") * np.log(np.maximum(fit, _LEAST_DENIED)))
        best = max(float(fit[among].max()), 1e-6)
        return np.asarray(np.log(np.clip(fit / best, LEAST, 1.0)))

    def link_fit(self, link: Link, depth: int = 0) -> Vector | None:
        """(N,) in [0, 1]: how well each stands in a relation to what it may be said of; None where
        nothing of that kind is known, and where things are only compared."""
        anchors = [self._may_be(anchor, depth) for anchor in link.anchors]
        if link.predicate in _COMPARING or not all(anchors):
            return None
        if link.predicate == "between" and (len(anchors) > 1 or len(anchors[0]) > 1):
            fit = between(self._space, anchors[0], anchors[-1])
        else:
            each = [
                w * related(self._space, link.predicate, row, self.onlooker)
                for row, w in anchors[0]
            ]
            fit = np.max(each, axis=0)
        return np.asarray(1.0 - fit) if _is_denied(link) else fit

    def _compared(self, link: Link, anchors: Weighted, among: Mask) -> Vector:
        rows = [row for row, fit in anchors if fit >= _LIKELY]
        among = among.copy()
        among[rows] = False
        if not among.any():
            return np.zeros(len(among))
        farthest = (link.predicate != "closest") != link.negated
        values_m = compared(self._space, rows, farthest=farthest)
        if link.order > 1:
            return order_scores(values_m, among, link.order)
        behind_m = values_m - values_m[among].max()
        return np.asarray(np.minimum(behind_m / REACH_M["compared"], 0.0))

    def _anchor_scores(self, link: Link, among: Mask, depth: int) -> Vector:
        """(N,) log scores of being the anchor: "there is a lamp to the left of it"."""
        subjects = self._may_be(link.subjects[0], depth)
        if not subjects:
            return np.zeros(len(among))
        fit = np.full(len(among), LEAST)
        for anchor in np.flatnonzero(among).tolist():
            pair = related(self._space, link.predicate, anchor, self.onlooker)
            fit[anchor] = max(fit[anchor], *(of * pair[row] for row, of in subjects))
        return np.asarray(np.log(np.maximum(fit / fit.max(), LEAST)))

    def _may_be(self, mention: int, depth: int) -> Weighted:
        """What a mention in a relation may be; of the target only what it is."""
        is_target = mention == self._description.target
        scores = self.prior(mention) if is_target else self.scores(mention, depth + 1)
        rows = np.flatnonzero(scores > _MAYBE * scores.max())
        rows = rows[np.argsort(-scores[rows], kind="stable")][:_MOST_ANCHORS]
        return list(zip(rows.tolist(), (scores[rows] / scores.max()).tolist(), strict=True))

    def _described_onlooker(self) -> Onlooker | None:
        view, middle = self._description.view, self._space.middle
        if view is None or (view.mention is None and view.kind == "facing"):
            return None
        if view.mention is None:
            scores = self.label_fit("door")
        else:
            scores = self.scores(view.mention, 1)
        if not scores.any():
            return None
        rows = np.flatnonzero(scores >= _SURELY * scores.max())
        where = self._space.center[rows, :2].mean(axis=0)
        return looking(middle, where) if view.kind == "facing" else looking(where, middle)


def _is_denied(link: Link) -> bool:
    return link.negated or link.predicate == "without"


def _likely(log_scores: Vector) -> Mask:
    """(N,) bool: not much worse than the best."""
    return np.asarray(log_scores >= log_scores.max() + np.log(_LIKELY))
