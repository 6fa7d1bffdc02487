"""Resolver of references: from a reference to the objects it means.

To the letter every word narrows a column of scores: the product of how well the label, the
attributes and the relations fit, in [0, 1]; 0 means "not this one". A presupposition that fails
("the door" without a door in the memory) ends the search with an explanation, or is met by what is
nearly so. Where words are only to be weighed, the likeliest objects by `PhraseScores` are meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.language import lexicon, trees, verbalization
from scenemind.language.english import is_plural, shown, singular, with_article
from scenemind.language.lexicon import OF_BOXES
from scenemind.language.measures import CLOSER, is_measured
from scenemind.language.trees import (
    Condition,
    HasAttribute,
    NounPhrase,
    Reference,
    Related,
    View,
)
from scenemind.language.vocabulary import Thesaurus, Vocabulary, did_you_mean
from scenemind.memory import MapObject
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.relations import RELATION_NAMES
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.memory.history import find_place
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.attribute_scores import (
    DESCRIBED_ONLY,
    USUALLY,
    attribute_scores,
    graded_attribute_scores,
    usual_scores,
)
from scenemind.reasoning.symbolic.graded_relations import SIDES
from scenemind.reasoning.symbolic.label_scores import has_words, label_scores, sure_labels
from scenemind.reasoning.symbolic.phrase_scores import PhraseScores
from scenemind.reasoning.symbolic.presumptions import NEARLY, is_unborne, unfit_parts, without
from scenemind.reasoning.symbolic.ranks import Mask, rank_keys
from scenemind.reasoning.symbolic.relation_scores import (
    ALIKE,
    BESIDE,
    Anchor,
    is_room,
    is_view_dependent,
    place_in_room,
    relations_of,
)
from scenemind.reasoning.symbolic.scene import Found, Scene, Scores, find_kind
from scenemind.reasoning.symbolic.usual import find_room
from scenemind.reasoning.symbolic.viewpoint import Surroundings, viewpoint_of

Place = Literal["seen", "told", "of camera", "unknown"]

ROOMS_UNKNOWN = (
    "Rooms are not known: the memory holds objects, and the floors, walls and ceilings around them."
)
# Share of footprints from which on one of several kinds is the main one.
_FAR_LARGER = 3.0
# Least share of the best look of what stands out by it.
_STANDS_OUT = 0.8
# Most objects that are tried as near matches.
_MOST_TRIED = 5
# Least shares of the best score for the objects of a plural, and for another one that may be meant.
_AS_WELL = 0.8
# Ranks for which what is probably not there counts.
_OF_DOUBT = ("surest", "doubtful", "oftenest", "rarest")
# Least share of the best fit, and least fit, of what is on a side of a thing.
_ON_SIDE, _LEAST_ON_SIDE = 0.6, 0.05
# Most things that are tried as the one of "closest to the lamp".
_MOST_MEANT = 20
# Where words are weighed: least score of a label that is the noun or a synonym, and of a counted
# object.
_NAMED, _COUNTED = 0.96, 0.4


class Resolver:
    """Resolver of one query on one scene, with notes (`steps`).

    Attributes:
        weighs: whether every word only weighs, so that the likeliest thing is found, and not what
            fits to the letter.
        nearest: what was taken in place of things of another colour, in a sentence each.
    """

    def __init__(
        self,
        scene: Scene,
        query: Query,
        view: View | None = None,
        *,
        weighs: bool = False,
        compares: bool = True,
    ) -> None:
        """
        Args:
            view: a viewpoint in words.
            compares: take "the long table" of two to be the longer one, though neither is known to
                be long, and of several tables those that are likely there.
        """
        self.scene, self.weighs = scene, weighs
        self._query, self._view, self._compares = query, view, compares
        self.steps: list[str] = []
        self.nearest: list[str] = []
        self._anchors: dict[Reference, list[Anchor]] = {}
        self._nouns: set[str] = set()
        self._took_near_matches = self.is_seen_from_somewhere = False
        if weighs:
            self.viewpoint()

    def viewpoint(self) -> Viewpoint:
        """Viewpoint of the question; noted in the steps.

        Raises:
            ReasoningError: `not_found`: no viewpoint is known.
        """
        if self.graded.around is None and not self.weighs:
            known = "neither a viewpoint was given nor a camera pose is known"
            text = f"That depends on where one stands, and {known}."
            raise ReasoningError("not_found", text)
        self.note(f"directions and distances are from {self.around.viewpoint.describe()}")
        self.is_seen_from_somewhere = True
        return self.around.viewpoint

    @cached_property
    def graded(self) -> PhraseScores:
        """The scorer of phrases that fit more or less."""
        seen_from = viewpoint_of(self._query, self.scene)
        return PhraseScores(self.scene, seen_from, self._view, stands=self.stands)

    @cached_property
    def around(self) -> Surroundings:
        """The objects about where the asker stands; about the middle of the scene where that is not
        known."""
        if self.graded.around is not None:
            return self.graded.around
        low, high = self.scene.low.min(axis=0), self.scene.high.max(axis=0)
        name = "the middle of the map, looking along x"
        return Surroundings(self.scene, Viewpoint((low + high) / 2.0, np.array((1.0, 0.0)), name))

    @property
    def place(self) -> Place:
        """How it is known where the asker stands: from a viewpoint, told in words, or taken to be
        where the camera is."""
        if self._query.viewpoint is not None:
            return "seen"
        if self.stands:
            return "told"
        return "unknown" if self.graded.around is None else "of camera"

    @property
    def stands(self) -> bool:
        """Whether the asker has said where they stand."""
        return self._query.viewpoint is not None or bool(self._query.situation.strip())

    @property
    def has_marks(self) -> bool:
        """Whether a present object is marked."""
        return bool(self._marked_rows())

    @property
    def took_near_matches(self) -> bool:
        """Whether what was found is not all that was said, to the letter."""
        return self._took_near_matches or any(not self.is_sure_of(noun) for noun in self._nouns)

    def rows(self, reference: Reference) -> Found:
        """The objects that fit; may be none.

        To the letter; where no object that is presupposed does ("the red chair"), what is nearly
        so, unless the policy is `strict`. Where words are weighed, what fits well enough to be
        counted: none where no label fits the noun.

        Raises:
            ReasoningError: `not_found`: an object that it refers to does not exist.
        """
        if self.weighs and isinstance(reference, NounPhrase):
            return self._counted(reference)
        reference = self._without_unmeasured(reference)
        scores = self._scores(reference)
        if not scores.any() and isinstance(reference, NounPhrase) and reference.definite:
            scores = self._near_misses(reference)
        fitting = np.flatnonzero(scores > 0.0)
        sure = scores[fitting] * self.scene.confidence[fitting]
        order = fitting[np.argsort(-sure, kind="stable")]
        if isinstance(reference, NounPhrase) and self._compares:
            order = self.standing_out(reference, order)
        of_doubt = any(rank.superlative in _OF_DOUBT for rank in reference.ranks)
        doubted = order[:0]
        if self._compares and reference.ranks and not of_doubt:
            is_likely = Found(self.scene, order, scores[order]).is_likely
            doubted, order = order[~is_likely], order[is_likely]
        for at, rank in enumerate(reference.ranks, 1):
            # Of "the two largest on the left" two are left at the end, not before.
            count = len(order) if at < len(reference.ranks) else reference.count or 1
            if rank.superlative == "closest" and rank.anchor is not None and not reference.noun:
                order = order[~np.isin(order, self._carriers_of(rank.anchor))]
            among, order = order, self.ranked(order, rank, count)
            if at == len(reference.ranks):
                scores = scores * self._agreement(rank, among, order)
                self._leave_out(doubted, rank, order)
            names = say.listed(self.scene.objects_at(order))
            self.note(f"{rank.superlative}: {names or 'none'}")
        return Found(self.scene, order, scores[order])

    def _carriers_of(self, reference: Reference) -> list[int]:
        """Rows of what carries a thing: the nearest thing to a lamp is not the table under it."""
        rows = (anchor.row for anchor in self.anchors(reference) if anchor.row is not None)
        return [carrier for row in rows for carrier in self.scene.carriers_of(row)]

    def existing(self, reference: Reference) -> Found:
        """As `rows`, for objects that must exist; a question is about what is likely there. Where
        words are weighed, the likeliest one, of those whose label fits the noun.

        Raises:
            ReasoningError: `not_found`, with what is known instead.
        """
        if self.weighs and isinstance(reference, NounPhrase):
            row = self.find_best(reference) if self.knows(reference) else None
            found = Found(self.scene, np.array([] if row is None else [row], np.intp), np.ones(1))
        else:
            found = self.rows(reference)
        if not len(found):
            raise self.missing(reference)
        is_likely = found.is_likely | (not self._compares)
        if reference.definite:  # who speaks of both fridges knows of two
            is_likely[: reference.count or 0] = True
        return found.where(is_likely)

    def single(self, reference: Reference) -> int:
        """Row of the one object of a reference.

        Raises:
            ReasoningError: `not_found`, or `ambiguous` with the candidates.
        """
        found = self.existing(reference)
        best = self.main_of(reference, found.rows[found.scores >= _AS_WELL * found.scores.max()])
        if len(best) > 1:
            raise self.ambiguous(reference, best)
        return int(best[0])

    def main_of(self, reference: Reference, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Of several kinds of a thing the one that a question takes for granted, which is far
        larger seen from above: "the table" is the dining table, and not the side table."""
        if len(rows) < 2 or not self._compares or self._query.policy == "strict":
            return rows
        things = self.scene.objects_at(rows)
        largest, *others = sorted(things, key=lambda thing: -_area_m2(thing))
        is_kind = isinstance(reference, NounPhrase) and reference.definite
        alike = any(thing.label == largest.label for thing in others)
        if not is_kind or alike or _area_m2(largest) < _FAR_LARGER * _area_m2(others[0]):
            return rows
        self.nearest.append(f"I take {verbalization.describe(reference)} to be {say.the(largest)}.")
        return np.array([self.scene.row_of_id[largest.object_id]])

    def find_single(self, reference: Reference) -> int | None:
        """As `single`; where words are weighed None where no label fits the noun."""
        try:
            return self.single(reference)
        except ReasoningError:
            if not self.weighs:
                raise
            return None

    def every(self, reference: Reference) -> NDArray[np.intp]:
        """Rows of all objects that fit as well as the best, or as many as a number says.

        Raises:
            ReasoningError: `not_found`; `ambiguous`: "both chairs", and there are three.
        """
        found = self.existing(reference)
        rows = found.rows[found.scores >= _AS_WELL * found.scores.max()]
        said = reference.count
        if said in (None, len(rows)):
            return rows
        best = rows[: np.count_nonzero(found.scores == found.scores.max())]
        if len(rows) < (said or 0):
            number = f"{say.counted(len(rows), say.noun_of(reference))} {say.be(len(rows))}"
            text = f"Only {number} known, not {said}: {say.listed(self.scene.objects_at(rows))}."
            raise ReasoningError("not_found", text)
        if len(best) != said:
            raise self.ambiguous(reference, rows)
        return best

    def anchors(self, reference: Reference) -> list[Anchor]:
        """Anchors that a reference gives for a relation or a distance; where words are weighed,
        the likely ones.

        Raises:
            ReasoningError: `not_found`: no object fits.
        """
        if isinstance(reference, trees.Viewer):
            return [Anchor(self.viewpoint().box, None, 1.0)]
        if reference not in self._anchors:
            likely = self.graded.likely_rows(reference) if self.weighs else []
            found = Found(self.scene, np.array(likely, np.intp), np.ones(len(likely)))
            found = found if likely else self.existing(reference)
            if len(found) > 1:
                self.note(f"{verbalization.describe(reference)}: {len(found)} fit, each counts")
            each = zip(found.rows.tolist(), found.scores.tolist(), strict=True)
            self._anchors[reference] = [Anchor.of_row(self.scene, *row) for row in each]
        return self._anchors[reference]

    def ranked(
        self,
        rows: NDArray[np.intp],
        rank: trees.Rank,
        count: int,
        anchors: Sequence[Anchor] | None = None,
    ) -> NDArray[np.intp]:
        """The `count` rows from the rank's place on; empty where there are too few.

        Args:
            anchors: what distances are from; None: all that the rank's anchor may be.
        """

        def anchors_of(reference: Reference) -> Sequence[Anchor]:
            return self.anchors(reference) if anchors is None else anchors

        if not len(rows):  # the rank before it left none
            return rows
        keys = rank_keys(self.scene, rank, rows, anchors_of, self.viewpoint)
        rows, keys = rows[np.isfinite(keys)], keys[np.isfinite(keys)]
        last = rank.order - 1 + count
        if 0 < last < len(keys):  # of many only those that may be first are sorted
            first = keys <= np.partition(keys, last - 1)[last - 1]
            rows, keys = rows[first], keys[first]
        return rows[np.argsort(keys, kind="stable")][rank.order - 1 : last]

    def _leave_out(
        self, doubted: NDArray[np.intp], rank: trees.Rank, best: NDArray[np.intp]
    ) -> None:
        """Say which things would rank before the best ones, but are probably not there."""
        if len(doubted) and len(best) and self._query.policy != "strict":
            order = self.ranked(np.append(doubted, best[:1]), rank, len(doubted) + 1).tolist()
            before = order[: order.index(best[0])] if best[0] in order else []
            if before:
                names = say.listed(self.scene.objects_at(before))
                self.nearest.append(f"I leave out what is doubtful and would come first: {names}.")

    def _agreement(
        self, rank: trees.Rank, among: NDArray[np.intp], best: NDArray[np.intp]
    ) -> float:
        """Share of the things that may be "the lamp" of "closest to the lamp" from which the same
        is the best; below 1 it is said that several may be meant."""
        anchor = rank.anchor
        is_one = isinstance(anchor, NounPhrase) and anchor.definite and len(best)
        if not is_one or not isinstance(anchor, NounPhrase) or is_plural(anchor.noun):
            return 1.0
        meant = [one for one in self.anchors(anchor) if one.row is not None]
        highest = max((one.score for one in meant), default=0.0)
        meant = [one for one in meant if one.score >= _AS_WELL * highest][:_MOST_MEANT]
        if len(meant) < 2:
            return 1.0
        same = [set(self.ranked(among, rank, len(best), [one])) == set(best) for one in meant]
        agreeing = max(sum(same), 1)
        if agreeing < len(meant):
            things = say.listed(self.scene.objects_at([one.row or 0 for one in meant]))
            said = verbalization.describe(anchor)
            self.nearest.append(f'Several may be "{said}": {things}; each counts.')
        return agreeing / len(meant)

    def claim_scores(self, condition: Condition, rows: NDArray[np.intp]) -> Scores:
        """Scores of a condition of each of the rows, to the letter.

        Raises:
            ReasoningError: something that the condition refers to does not exist.
        """
        return self._condition_scores(condition, self._of_rows(rows))[rows]

    def holds(self, condition: Related, among: Mask) -> Mask:
        """Mask (N,) of those objects of which a relation, or one like it, holds to the letter; also
        where nothing is known of what it refers to."""
        everything, scores = np.ones(len(self.scene), bool), among.astype(np.float64)
        asked, is_unseen = condition.predicate, self.graded.around is None
        is_known = asked in (*RELATION_NAMES, *OF_BOXES) and not (asked in SIDES and is_unseen)
        if not is_known or any(isinstance(one, trees.Viewer) for one in condition.anchors):
            return everything
        ways = (asked, *ALIKE.get(asked, ()))
        each = (replace(condition, predicate=way, negated=False) for way in ways)
        try:
            found = np.any([self._condition_scores(way, scores) > 0.0 for way in each], axis=0)
        except ReasoningError:
            return everything
        return np.asarray(found != condition.negated)

    def label_scores(self, noun: str) -> Scores:
        """Scores (N,) of labels for a noun; all 1 without a noun ("thing")."""
        self._nouns.add(noun)
        scores, note = label_scores(self.scene, noun)
        self.note(note)
        return scores

    def is_sure_of(self, noun: str) -> bool:
        """Whether all matches of a noun are sure; where words are weighed, similar names are likely
        meant."""
        if self.weighs or find_kind(noun) is not None:
            return True
        matches = self.scene.matches(noun)
        if all(match.sure for match in matches):
            return True
        said = matches[0].unknown
        bare = noun.removeprefix(said).strip()
        return said != "" and bare != noun and self.is_sure_of(bare) and self._has_words(noun, said)

    def is_named_otherwise(self, things: Sequence[MapObject], noun: str) -> bool:
        """Whether one of the objects is not surely of the noun's kind."""
        labels = {thing.label for thing in things}
        sure = {m.label for m in Vocabulary.load().match(noun, labels) if m.sure}
        return bool(labels - sure)

    def missing(self, reference: Reference) -> ReasoningError:
        """Error for a reference that fits nothing, to be raised."""
        reference = self._without_unmeasured(reference)
        noun = say.noun_of(reference)
        if not isinstance(reference, NounPhrase):
            return ReasoningError("not_found", f"There is no {noun} like that in the memory.")
        known = self.scene.objects_at(np.flatnonzero(self.label_scores(reference.noun)))
        if known and not self.is_sure_of(reference.noun):
            nearest = f"the nearest that I know {say.be(len(known))} {say.listed(known)}"
            text = f"I know of no {shown(reference.noun)}; {nearest}."
        elif known:
            number = f"{say.counted(len(known), noun)} {say.be(len(known))} known"
            said = shown(verbalization.bare(reference))
            text = f'Nothing in the memory fits "{said}" ({number}).'
        elif is_room(reference) or singular(noun).endswith(find_room(noun) or "?"):
            text = ROOMS_UNKNOWN
        else:
            head, _, last = noun.rpartition(" ")
            help_on = did_you_mean(reference.noun, list(self.scene.rows_of_label))
            text = f"There is no {f'{head} {singular(last)}'.strip()} in the memory.{help_on}"
        return ReasoningError("not_found", text)

    def ambiguous(self, reference: Reference, rows: NDArray[np.intp]) -> ReasoningError:
        """Error for a reference that fits several where one is needed, to be raised."""
        fitting = f'{len(rows)} objects fit "{verbalization.describe(reference)}"'
        names = say.candidates(self.scene.objects_at(rows))
        text = f"{fitting}: {names}. Say more about it, or give its number."
        return ReasoningError("ambiguous", text)

    def among_gone(self) -> Resolver:
        """Resolver of the same query on the vanished objects."""
        now = self.scene.snapshot
        then = replace(now, objects=now.gone, relations=(), structure={}, levels={}, denied=())
        return Resolver(Scene(then, self.scene.config), self._query)

    def at_moment(self, stamp_ns: int) -> Resolver:
        """Resolver of the same query on the map as it was known at a stamp: things that were there,
        or were not yet found gone, where they were."""
        now, then = self.scene.snapshot, {}
        for things, is_gone in ((now.objects, False), (now.gone, True)):
            for number, thing in things.items():
                place = find_place(thing, stamp_ns, is_gone=is_gone)
                if place is not None and place.knowledge in ("seen", "assumed"):
                    then[number] = replace(thing, box=place.box)
        snapshot = replace(now, objects=then, gone={}, relations=(), denied=())
        return Resolver(Scene(snapshot, self.scene.config), self._query)

    def note(self, step: str) -> None:
        """Keep a step, once."""
        if step and step not in self.steps:
            self.steps.append(step)

    def _has_words(self, noun: str, words: str) -> bool:
        """Whether all candidates of a noun have its first words as attributes ("round mirror")."""
        rows = np.flatnonzero(label_scores(self.scene, noun)[0])
        return all(has_words(self.scene, row, words) for row in rows.tolist())

    def _near_misses(self, phrase: NounPhrase) -> Scores:
        """Scores (N,) of what a phrase nearly fits, where it fits nothing to the letter: the
        likeliest, and others as good; all 0 where the policy wants what was said.

        Colours, sizes and distances may be nearly so; what is not known of a thing is not.
        """
        scores = np.zeros(len(self.scene))
        if self._query.policy == "strict" or not len(scores):
            return scores
        phrase = replace(phrase, ranks=())
        fit = self.graded.object_scores(phrase) * (self.label_scores(phrase.noun) > 0.0)
        for condition in phrase.conditions:
            if isinstance(condition, HasAttribute) and condition.key in ("color", "size"):
                fit *= [bool(o.attributes.get(condition.key)) for o in self.scene.objects]
            elif not isinstance(condition, Related):
                fit *= self._condition_scores(condition, fit) > 0.0
        for row in np.argsort(-fit, kind="stable")[:_MOST_TRIED].tolist():
            wrong = unfit_parts(phrase, self, row)
            is_near = (u.is_of_distance or (u.is_of_look and u.is_near) for u in wrong)
            if fit[row] > 0.0 and all(is_near):
                rows = np.flatnonzero((fit >= _AS_WELL * fit[row]) & (fit <= fit[row]))
                self._took_near_matches = True
                names = say.listed(self.scene.objects_at(rows))
                said = verbalization.describe(phrase)
                self.note(f"nothing is {said} to the letter; nearest: {names}")
                self.nearest += self._said_otherwise(phrase, row)
                scores[rows] = NEARLY
                break
        return scores

    def _said_otherwise(self, phrase: NounPhrase, row: int) -> list[str]:
        """A sentence on the thing that is taken for one of another colour; none for others."""
        thing = self.scene.objects[row]
        looks = (c for c in phrase.conditions if isinstance(c, HasAttribute) and c.key == "color")
        for said in looks:
            if not attribute_scores(self.scene, self._of_rows([row]), said)[row]:
                colour = shown(thing.attributes.get("color", "of another colour"))
                start = without(phrase.noun, said)
                if not is_unborne(phrase, said, self.scene):  # one is, and something else is not so
                    start = f"I know no {shown(verbalization.bare(phrase))}"
                return [f"{start}; the nearest that I know is {say.the(thing)}, {colour}."]
        return []

    def standing_out(self, phrase: NounPhrase, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The rows that "the large, round table" means: of several, those that look most like
        it; the two tallest of "the two tall plants"."""
        count = phrase.count or 0
        is_open = count >= len(rows) or (is_plural(phrase.noun) and not count)
        if len(rows) < 2 or not phrase.definite or is_open or phrase.bound:
            return rows
        match = self.scene.matches(phrase.noun)[:1]
        words = match[0].unknown.split() if match else []
        said = (HasAttribute(*lexicon.LOOKS[word]) for word in words if word in lexicon.LOOKS)
        sizes = (c for c in phrase.conditions if isinstance(c, HasAttribute) and not c.negated)
        fit, like = np.ones(len(self.scene)), self._of_rows(rows)
        for look in (*said, *sizes):
            if look.key in ("size", "shape"):
                graded = graded_attribute_scores(look, self.scene, like)
                fit *= 1.0 if graded is None else graded
        best = rows[fit[rows] >= _STANDS_OUT * fit[rows].max()]
        if count > 1:
            is_said = np.ptp(fit[rows]) > 0.0
            best = rows[np.argsort(-fit[rows], kind="stable")[:count]] if is_said else rows
        if len(best) < len(rows):
            self.note(
                f"{verbalization.describe(phrase)}: {say.listed(self.scene.objects_at(best))}"
            )
        return best

    def _scores(self, reference: Reference) -> Scores:
        """Scores (N,) of all objects; all 0 where none fits."""
        match reference:
            case NounPhrase():
                return self._of_phrase(reference)
            case trees.ObjectNumber():
                return self._of_rows([self._row_of_number(reference)])
            case trees.Marked(noun=noun):
                scores = self._of_rows(self._marked_rows())
                if noun and scores.any() and self._compares and self._query.before:
                    scores *= self.label_scores(noun) > 0.0  # "that umbrella" is no chair
                if scores.any():
                    return scores
                if noun:
                    return self._of_phrase(NounPhrase(noun, definite=True))
                unclear = "so it is not clear which one is meant: mark one or name it"
                raise ReasoningError("not_found", f"No object is marked, {unclear}.")
        raise ReasoningError(
            "not_found", "The one who asks is no object of the memory; name an object."
        )

    def _of_rows(self, rows: Sequence[int] | NDArray[np.intp]) -> Scores:
        scores = np.zeros(len(self.scene))
        scores[rows] = 1.0
        return scores

    def _marked_rows(self) -> list[int]:
        """Rows of the marked objects; empty where nothing was marked.

        Raises:
            ReasoningError: `not_found`: all marked objects have vanished.
        """
        marked, known = self._query.marked_object_ids, self.scene.row_of_id
        rows = [known[i] for i in marked if i in known]
        if marked and not rows:
            raise ReasoningError("not_found", "The marked object is not in the memory any more.")
        return rows

    def no_object(self, numbers: str) -> ReasoningError:
        """The refusal of numbers that no object has, with those there are, to be raised."""
        ids = self.scene.ids[self.scene.is_object]
        if not len(ids):
            return ReasoningError("not_found", "There are no objects in the memory yet.")
        first, last = ids.min(), ids.max()
        some = "" if last - first + 1 == len(ids) else ", and some are not used"
        return ReasoningError(
            "not_found",
            f"There is no object {numbers} in the memory: numbers go from {first} to {last}{some};"
            ' "list all objects" shows them.',
        )

    def _row_of_number(self, reference: trees.ObjectNumber) -> int:
        """The row of a numbered object.

        Raises:
            ReasoningError: `not_found`, with the numbers there are, or with what it is.
        """
        number, row = reference.object_id, self.scene.row_of_id.get(reference.object_id)
        if row is None:
            raise self.no_object(str(number))
        if reference.noun and not self.label_scores(reference.noun)[row]:
            label = with_article(shown(self.scene.objects[row].label))
            which = "Object" if number >= 0 else "Number"
            text = f"{which} {number} is {label}, not a {reference.noun}."
            raise ReasoningError("not_found", text)
        return row

    def _of_phrase(self, phrase: NounPhrase) -> Scores:
        """Scores of the nested reading; if all are 0, of inner conditions moved to the outer
        noun."""
        flat = trees.flattened(phrase)
        if flat is None:
            return self._of_conditions(phrase)
        nothing = np.zeros(len(self.scene))
        try:
            scores, missing = self._of_conditions(phrase), None
            if scores.any():
                return scores
        except ReasoningError as error:
            missing = error
        try:
            scores = self._of_phrase(flat)
        except ReasoningError:
            scores = nothing
        if scores.any():
            self.note(f'read as "{verbalization.describe(flat)}"')
        elif missing is not None:
            raise missing
        return scores

    def _of_conditions(self, phrase: NounPhrase) -> Scores:
        if phrase == NounPhrase("", definite=True, other=True):
            raise ReasoningError("ambiguous", "It is not clear which other one is meant: name it.")
        scores = self.label_scores(phrase.noun)
        if not scores.any():  # what else is unknown matters less
            return scores
        if phrase.of_speaker and (owned := scores * self._owned_by_speaker()).any():
            scores = owned
            self.note(f"of {self._query.by}: {np.count_nonzero(scores)}")
        for condition in phrase.conditions:
            before = np.count_nonzero(scores)
            scores = scores * self._condition_scores(condition, scores)
            words = verbalization.condition_words(condition)
            self.note(f"{words}: {np.count_nonzero(scores)} of {before}")
        return scores

    def _owned_by_speaker(self) -> Scores:
        """1 for each object that is known to belong to the one who speaks, else 0 (N,)."""
        by = self._query.by.lower()
        owners = [thing.attributes.get("owner", "").lower() for thing in self.scene.objects]
        return np.array([by != "" and owner == by for owner in owners], np.float64)

    def _condition_scores(self, condition: Condition, among: Scores) -> Scores:
        """Scores (N,) of a condition on the candidates (those of `among` above 0)."""
        match condition:
            case trees.Described(noun=noun):
                scores = self.label_scores(noun) * self.is_sure_of(noun)
                if condition.negated and not scores.any():  # "no mug" is no cup either
                    called = [
                        Thesaurus.load().is_called(thing.label, noun)
                        for thing in self.scene.objects
                    ]
                    scores = np.array(called, np.float64)
            case trees.Among(things=things, negated=True):
                scores = self._excepted(things)
            case trees.Among(things=things):
                scores = self._one_of(things)
            case HasAttribute():
                scores = self._with_attribute(condition, among)
            case Related() if (place := place_in_room(condition, self.scene)) != "":
                scores = relations_of(self.scene).holds_in_room(place)
            case Related(predicate="between"):
                scores = self._between(condition, among)
            case Related(predicate=predicate, anchors=(first, second)) if predicate == CLOSER:
                scores = relations_of(self.scene).closer(self.anchors(first), self.anchors(second))
            case Related(predicate=predicate) if predicate in (lexicon.TOWARD, lexicon.AWAY):
                scores = self._on_side(condition, among)
            case Related(anchors=(anchor,)) if anchor.bound or (
                (anchor.count or 0) > 1 and not anchor.definite
            ):
                scores = self._related_to_many(condition, anchor, among)
            case Related(anchors=(anchor,)) if self.is_of_nobody(anchor):
                return np.full(len(among), say.ABSENCE_CONFIDENCE * condition.negated)
            case Related():
                anchors = [one for of in condition.anchors for one in self.anchors(of)]
                scores = self._related(condition, anchors, among)
        if (
            isinstance(condition, Related)
            and condition.negated
            and is_measured(condition.predicate)
        ):
            # "Farther than 1 m from the door" is no door itself.
            ends = (end for anchor in condition.anchors for end in self.anchors(anchor))
            scores[[end.row for end in ends if end.row is not None]] = 1.0
        return (scores == 0.0).astype(np.float64) if condition.negated else scores

    def is_of_nobody(self, anchor: Reference) -> bool:
        """Whether people or animals are meant, and none was seen."""
        if not isinstance(anchor, NounPhrase) or anchor.definite or not anchor.noun:
            return False
        return sense_of(anchor.noun).moves and not len(self.rows(anchor))

    def _excepted(self, things: Reference) -> Scores:
        """1 for each of the things that are left out, else 0 (N,); what is not known leaves all."""
        try:
            return self._one_of(things)
        except ReasoningError as error:
            if error.failure.code != "not_found" or isinstance(things, trees.ObjectNumber):
                raise
            self.note(f"nothing is left out: {error}")
            return np.zeros(len(self.scene))

    def _one_of(self, things: Reference) -> Scores:
        """1 for each of the things, else 0 (N,).

        Raises:
            ReasoningError: `ambiguous`: one is said, and several fit.
        """
        rows = np.array([a.row for a in self.anchors(things) if a.row is not None], np.intp)
        if not isinstance(things, NounPhrase) or not things.noun or is_plural(things.noun):
            return self._of_rows(rows)
        beside = [c for c in things.conditions if isinstance(c, Related) and c.predicate in BESIDE]
        if len(rows) > 1 and beside and not things.ranks:  # "except the one by the door"
            kept = tuple(c for c in things.conditions if c not in beside)
            ranks = tuple(trees.Rank("closest", 1, c.anchors[0]) for c in beside[:1])
            return self._one_of(replace(things, conditions=kept, ranks=ranks))
        if len(rows) > 1:
            raise self.ambiguous(things, rows)
        return self._of_rows(rows)

    def _with_attribute(self, wanted: HasAttribute, among: Scores) -> Scores:
        """Scores (N,) of an attribute; of "mine" for the one who speaks.

        Raises:
            ReasoningError: `not_found`: it is not known who speaks.
        """
        if (wanted.key, wanted.value) == ("owner", lexicon.SPEAKER):
            if not self._query.by:
                raise ReasoningError("not_found", "I do not know who you are: say who asks (`by`).")
            wanted = replace(wanted, value=self._query.by.lower())
        found = attribute_scores(self.scene, among, wanted)
        if wanted.key in USUALLY and self._query.policy != "strict":
            found = found.clip(min=usual_scores(self.scene, among, wanted))
        return found

    def _related_to_many(self, condition: Related, of: Reference, among: Scores) -> Scores:
        """1 for what is related to as many things as are said, or to the most of the candidates;
        else 0 (N,)."""
        each = [self._related(condition, [anchor], among) > 0.0 for anchor in self.anchors(of)]
        counts = np.sum(each, axis=0)
        if of.count is not None:
            return np.array([of.allows(int(count)) for count in counts], np.float64)
        there = counts[among > 0.0]
        best = 0 if not len(there) else there.max() if of.bound == "most" else there.min()
        return np.asarray((counts == best) & ((best > 0) | (of.bound == "fewest")), np.float64)

    def _related(self, condition: Related, anchors: list[Anchor], among: Scores) -> Scores:
        predicate = condition.predicate
        of_viewer = any(anchor.row is None for anchor in anchors)
        viewpoint = self.viewpoint() if of_viewer or is_view_dependent(predicate) else None
        found = relations_of(self.scene).to_the_letter(predicate, anchors, among, viewpoint)
        denied = relations_of(self.scene).denied(predicate, [anchor.row for anchor in anchors])
        return np.where(denied, 0.0, found)

    def _between(self, condition: Related, among: Scores) -> Scores:
        """Between the best of two references, or the two best of one ("between the chairs")."""
        each = [self.anchors(reference) for reference in condition.anchors]
        ends = each[0] if len(each) == 1 else [anchors[0] for anchors in each]
        if len(ends) < 2:
            raise ReasoningError("not_found", "Between needs two objects, and only one fits.")
        things = np.flatnonzero(among)
        return relations_of(self.scene).lies_between([(ends[0], ends[1])], things)

    def _on_side(self, condition: Related, among: Scores) -> Scores:
        """Scores (N,) of being on a side of a thing, compared with the best of the candidates."""
        ends = (self.anchors(reference) for reference in condition.anchors)
        of, to = ([(a.row, a.score) for a in each if a.row is not None] for each in ends)
        things, scores = np.flatnonzero(among), np.zeros(len(among))
        fit = relations_of(self.scene).on_side(condition.predicate, of, to, things)
        scores[things] = 1.0 * (fit >= max(_ON_SIDE * fit.max(initial=0.0), _LEAST_ON_SIDE))
        return scores

    def _without_unmeasured(self, reference: Reference) -> Reference:
        """ "The tall wooden thing" as a thing of that size, and of that material if something's is
        known: no kind of thing is called so."""
        said = reference.noun.split() if isinstance(reference, NounPhrase) else []
        *looks, head = said or [""]
        is_kind = (
            head not in lexicon.ANYTHING or not looks or not set(looks) <= lexicon.LOOKS.keys()
        )
        if not isinstance(reference, NounPhrase) or is_kind:
            return reference
        shown = (HasAttribute(*lexicon.LOOKS[word]) for word in looks)
        told = {key for thing in self.scene.objects for key in thing.attributes}
        known = (c for c in shown if c.key in told or c.key not in DESCRIBED_ONLY)
        return replace(reference, noun="").that(*known)

    def _counted(self, phrase: NounPhrase) -> Found:
        """What fits well enough to be counted.

        Somebody who stands there calls two tables and a pool table two tables; for others kinds of
        a thing count as well.
        """
        rows = np.flatnonzero(self.graded.fits(phrase) >= _COUNTED)
        so_called = rows[self.named(phrase.noun)[rows] > _NAMED] if phrase.noun else rows[:0]
        rows = so_called if self.stands and len(so_called) else rows
        found = Found(self.scene, rows, np.ones(len(rows)))
        return found.where(found.is_likely)

    def knows(self, reference: Reference) -> bool:
        """Whether some label fits the noun of a reference, if it has one."""
        return not reference.noun or bool(self.named(reference.noun).any())

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


def _area_m2(thing: MapObject) -> float:
    """The area of a thing seen from above."""
    wide, long, _ = thing.yaw_box.size
    return float(wide * long)
