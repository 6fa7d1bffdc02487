"""Grounding of referring expressions: from a phrase to ranked objects with confidences.

A phrase's score of an object is the product of what its noun, its attributes, its relations and its
ranks say, each in (0, 1] and with its weight. Nothing excludes: a part that fits badly makes an
object less likely. A relation that may be said of two things ("the cup on the table next to the
sofa") counts for the nearer noun, and less for the outer one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scenemind.language import verbalization
from scenemind.language.english import joined, shown
from scenemind.language.lexicon import free_text
from scenemind.language.questions import parse_question
from scenemind.language.referring.reader import read
from scenemind.language.situated.situation import split_situation
from scenemind.language.trees import (
    Ground,
    HasAttribute,
    NounPhrase,
    Rank,
    Reading,
    Reference,
    Related,
    View,
    is_in_words,
    noun_phrases,
)
from scenemind.language.vocabulary import Vocabulary, did_you_mean
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.method import GroundReply
from scenemind.reasoning.query import Query, ReasoningError
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
from scenemind.reasoning.symbolic.resolver import STANDING_IN, stand_in_notes
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.situated.usual import usual_count
from scenemind.reasoning.symbolic.viewpoint import seen_by, viewpoint_of

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
_ROWS = free_text("rows")
# Exponent of means over places where one may stand: people choose a place that tells things apart.
_SHARPER = 1.6
_SIDE_RANKS = ("leftmost", "rightmost", "frontmost", "rearmost")
_COMPARING = ("closest", "farthest", "far")
# Relations of an anchor that say nothing of what is related to it.
ROOM = "room"
_OWN = ("with", "supports", "contains")
# Relations to a number of things that are counted, and the loss by one too many.
_COUNTED, _TOO_MANY = (*_OWN, "around"), 0.5
_VIEWS = {"facing": "seen by who faces", "from": "seen from"}
# Scores below which a part of the phrase fails.
_LABEL, _COLOUR, _RELATION = 0.5, 0.1, 0.05
_KEPT = 0.5
"""Factor on the confidence of a choice that fails a condition. On rows of Nr3D and Sr3D, 6 % of the
choices fail one; with the target removed from the scene it is 14 % (36 % if no object fits the
whole phrase). With the target present, such choices are right 0.8 times as often as their share
suggests. If one target in five is missing from the map, the factor is about one half."""
_LONGEST = 1000  # characters
_MOST_CANDIDATES = 10
# Least share, relative to the best candidate's.
_LEAST_SHARE = 0.1
_log = logging.getLogger(__name__)
# Least confidence of a match by all that is said, and, more than this, of one without an unknown
# anchor: else the anchor chooses, and nobody knows which. Such a match is never surer than this.
_LIKELY_ENOUGH, _RIVAL, _WITHOUT_ANCHOR = 0.3, 0.999, 0.5
# Probability that the target of a phrase that nothing fits to the letter is in the map. On Nr3D
# such phrases are answered nearly as often without their target in the scene (45 %) as with it
# (49 %), so that this is the prior: of ten targets, one is assumed to be missing.
_IS_THERE = 0.9


def ground_expression(query: Query, scene: Scene, vocabulary: Vocabulary) -> GroundReply:
    """The objects that an expression of any shape may mean; their confidences sum to at most 1.

    A confidence is how often such a choice is right where what is described is in the map: on
    ScanRefer's and Nr3D's validation rows with ground-truth boxes, shares of the scores are off by
    5 % on average. Where something that is said is not so of the best one, or a thing is not known
    that it is related to, less of it is left.

    Where something must be named (`always_answer`) and nothing of the kind is known, all else that
    is said counts.

    Raises:
        ReasoningError: `not_found`: no object of its kind is known; or, unless something must be
            named, an unknown thing chooses between objects.
    """
    match = _match(query, scene, vocabulary)
    if match.chooser and query.policy != "always_answer":
        raise ReasoningError("not_found", _missing(match.chooser, scene, vocabulary))
    return match.reply


@dataclass(frozen=True, slots=True)
class _Match:
    """What an expression may mean.

    Attributes:
        fits: all that is said is so of the best object.
        chooser: an unknown thing without which several objects fit equally well; or empty.
    """

    reply: GroundReply
    fits: bool
    chooser: str


def _match(query: Query, scene: Scene, vocabulary: Vocabulary) -> _Match:
    """See `ground_expression`."""
    reading = read(query.text[:_LONGEST])
    phrase = reading.phrase
    if not _says_something(phrase):
        raise ReasoningError("not_found", "That names no kind of object.")
    grounder = Grounder(scene, vocabulary, reading.view, _find_viewpoint(query, scene, vocabulary))
    scores = grounder.object_scores(phrase)
    unnamed = []
    if not scores.any():
        unnamed = [phrase.noun]
        others = _with_other_nouns(phrase) if query.policy == "always_answer" else ()
        for phrase in others:
            scores = grounder.object_scores(phrase)
            if scores.any():
                break
        else:
            raise ReasoningError("not_found", _missing(unnamed[0], scene, vocabulary))
    sure = scores / scores.sum() * scene.confidence
    order = np.argsort(-sure, kind="stable")[:_MOST_CANDIDATES]
    wrong = unnamed + _contradictions(phrase, grounder, int(order[0]))
    sure *= _KEPT if wrong else 1.0
    parts = _parts_of_it(reading)
    dropped = [noun for noun in _unknown_nouns(reading, grounder) if noun not in parts]
    rivals = np.count_nonzero(sure >= _RIVAL * sure.max())
    sure = np.minimum(sure, _WITHOUT_ANCHOR if dropped else 1.0)
    stand_ins = stand_in_notes(_phrases(reading), scene, vocabulary)
    sure = np.minimum(sure, STANDING_IN if stand_ins else 1.0)
    rows = order[sure[order] >= _LEAST_SHARE * sure.max()]
    tied = int(np.count_nonzero(sure == sure.max()))
    objects = tuple(scene.objects[row] for row in rows)
    steps = _steps(replace(reading, phrase=phrase), grounder, wrong, tied)
    reply = GroundReply(objects, tuple(sure[rows].tolist()), (*steps, *stand_ins))
    return _Match(reply, not wrong, dropped[0] if dropped and rivals > 1 else "")


def ground_loosely(
    query: Query, scene: Scene, vocabulary: Vocabulary, error: ReasoningError
) -> GroundReply:
    """Best match in place of an error of the grammar.

    Always for a phrase that the grammar does not read; for one that no object fits to the letter,
    only if all that is said is so of the match, and it is likely enough.

    Raises:
        ReasoningError: that error, or `not_found`: an unknown thing chooses between objects.
    """
    is_read = error.failure.code != "not_understood"
    if is_read and (error.failure.code != "not_found" or not _is_of_words(query)):
        raise error
    try:
        match = _match(query, scene, vocabulary)
    except ReasoningError as nothing:
        _log.debug("no expression either: %s", nothing)
        raise error from nothing
    reply = match.reply
    sure = tuple(_IS_THERE * confidence for confidence in reply.confidences)
    if is_read and (match.chooser or not match.fits or sure[0] <= _LIKELY_ENOUGH):
        raise error
    if match.chooser:
        raise ReasoningError("not_found", _missing(match.chooser, scene, vocabulary)) from error
    if not is_read:
        return reply
    return replace(reply, confidences=sure, steps=(f"to the letter: {error}", *reply.steps))


def likelier(query: Query, scene: Scene, vocabulary: Vocabulary, found: GroundReply) -> GroundReply:
    """The match of a description with all that is said, where it is another than one by near
    matches to some of it, and likely enough."""
    if not _is_of_words(query):
        return found
    try:
        match = _match(query, scene, vocabulary)
    except ReasoningError:
        return found
    is_other = match.reply.objects[0].object_id != found.objects[0].object_id
    is_likely = match.fits and not match.chooser and match.reply.confidence > _LIKELY_ENOUGH
    return match.reply if is_other and is_likely else found


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
        best = 1.0 if _is_in_room(condition) else max(float(fit[among].max()), 1e-6)
        return np.asarray(counts * np.log(np.clip(fit / best, _LEAST, 1.0)))

    def relation_fit(self, condition: Related) -> Vector | None:
        """Scores (N,) in [0, 1] for a relation to its possible anchors.

        None where no anchor is known, and for comparisons.
        """
        if _is_in_room(condition):
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
    return anchor if isinstance(anchor, NounPhrase) and anchor.noun in _ROWS else None


def _is_in_room(condition: Related) -> bool:
    (anchor, *_) = condition.anchors
    return isinstance(anchor, NounPhrase) and anchor.noun == ROOM


def _likely(log_scores: Vector) -> Mask:
    """Mask (N,) of scores not much worse than the best."""
    return np.asarray(log_scores >= log_scores.max() + np.log(_LIKELY))


def _contradictions(phrase: NounPhrase, grounder: Grounder, row: int) -> list[str]:
    """Parts of a phrase that an object fails, in words.

    Sizes, comparisons and places in a group are none: one object is always the largest, the
    nearest, and the one on the left.
    """
    found = []
    if phrase.noun and grounder.label_fit(phrase.noun)[row] < _LABEL:
        found.append(phrase.noun)
    for condition in phrase.conditions:
        if isinstance(condition, Related) and not _is_in_room(condition):
            fit, least = grounder.relation_fit(condition), _RELATION
        elif (
            isinstance(condition, HasAttribute)
            and condition.key == "color"
            and not condition.negated
        ):
            fit, least = grounder.look_fit(phrase, condition), _COLOUR
        else:
            continue
        if fit is not None and fit[row] < least:
            found.append(verbalization.claim(condition))
    return found


def _unused_words(reading: Reading, grounder: Grounder) -> list[str]:
    """Nouns without objects, and looks that boxes and colours do not show."""
    found = [*reading.phrase.unread, *_unknown_nouns(reading, grounder)]
    for phrase in _phrases(reading):
        attributes = [c for c in phrase.conditions if isinstance(c, HasAttribute)]
        found += [c.value for c in attributes if grounder.look_fit(phrase, c) is None]
    return list(dict.fromkeys(map(shown, found)))


def _unknown_nouns(reading: Reading, grounder: Grounder) -> list[str]:
    """Nouns that no object has."""
    nouns = (phrase.noun for phrase in _phrases(reading))
    return [n for n in nouns if n not in ("", ROOM, *_ROWS) and not grounder.label_fit(n).any()]


def _parts_of_it(reading: Reading) -> set[str]:
    """Nouns of parts that are told of a thing: "with four legs"."""
    of_all = (c for phrase in _phrases(reading) for c in phrase.conditions)
    withs = (c for c in of_all if isinstance(c, Related) and c.predicate == "with")
    nouns = {a.noun for c in withs for a in c.anchors if isinstance(a, NounPhrase)}
    return {noun for noun in nouns if usual_count(noun) is not None}


def _phrases(reading: Reading) -> Iterator[NounPhrase]:
    references = [reading.phrase, reading.view and reading.view.reference]
    return (each for whole in references if whole for each in noun_phrases(whole))


def _steps(
    reading: Reading, grounder: Grounder, wrong: Sequence[str], tied: int
) -> tuple[str, ...]:
    said = verbalization.bare(reading.phrase)
    if reading.view is not None:
        place = reading.view.reference
        where = "the door" if place is None else verbalization.describe(place)
        said = f"{said}, {_VIEWS[reading.view.kind]} {where}"
    steps = [f"read as: {shown(said)}"]
    left_out = _unused_words(reading, grounder)
    if left_out:
        steps.append(f"not used: {joined(left_out)}")
    if wrong:
        steps.append(f"not so of the best one: {joined(wrong)}")
    if tied > 1:
        steps.append(f"{tied} objects fit equally well")
    return tuple(steps)


def _find_viewpoint(query: Query, scene: Scene, vocabulary: Vocabulary) -> Viewpoint | None:
    """The asker's, or the camera's; None without either."""
    try:
        return viewpoint_of(query, scene, vocabulary)
    except ReasoningError:
        return None  # expressions that need one take onlookers in the room


def _says_something(phrase: NounPhrase) -> bool:
    return bool(phrase.noun or phrase.conditions or phrase.ranks)


def _with_other_nouns(phrase: NounPhrase) -> Iterator[NounPhrase]:
    """The phrase with the nouns that nothing joins to it, then with none."""
    nouns = (noun for noun in (*phrase.unread, "") if noun != phrase.noun)
    return filter(_says_something, (replace(phrase, noun=noun) for noun in nouns))


def _missing(noun: str, scene: Scene, vocabulary: Vocabulary) -> str:
    labels = list(scene.rows_of_label)
    return f"I know of no {shown(noun or 'such object')}.{did_you_mean(noun, labels, vocabulary)}"


def _is_of_words(query: Query) -> bool:
    """Whether it describes objects, by no number and no mark."""
    question = parse_question(split_situation(query.text)[0])
    return isinstance(question, Ground) and is_in_words(question)
