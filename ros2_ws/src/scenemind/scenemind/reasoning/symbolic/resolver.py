"""Resolver of references: from a reference to the objects it means.

Every word narrows a column of scores. A score is the product of how well the label, the attributes
and the relations fit, in [0, 1]; 0 means "not this one". A presupposition that fails ("the door"
without a door in the memory) ends the search with an explanation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.language import lexicon, verbalization
from scenemind.language.english import normal, shown, singular, with_article
from scenemind.language.trees import (
    Condition,
    HasAttribute,
    Marked,
    NounPhrase,
    ObjectNumber,
    Reference,
    Viewer,
    flattened,
)
from scenemind.language.vocabulary import Vocabulary, did_you_mean
from scenemind.memory import MapObject
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.symbolic.conditions import condition_scores
from scenemind.reasoning.symbolic.label_scores import has_words, label_scores, rows_standing_in
from scenemind.reasoning.symbolic.ranks import ranked_rows
from scenemind.reasoning.symbolic.relation_scores import Anchor
from scenemind.reasoning.symbolic.replies import (
    be,
    candidates,
    counted,
    listed,
    noun_of,
    the,
)
from scenemind.reasoning.symbolic.scene import Scene, Scores, find_kind
from scenemind.reasoning.symbolic.viewpoint import viewpoint_of

ROOMS_UNKNOWN = (
    "Rooms are not known: the memory holds objects, and the floors, walls and ceilings around them."
)
_NO_ROWS = (np.zeros(0, np.intp), np.zeros(0))
# Most confidence in what stands in for an unknown thing.
STANDING_IN = 0.7
# Least share of the best score for the objects of a plural.
_AS_WELL = 0.8


class Resolver:
    """Resolver of one query on one scene, with notes (`steps`)."""

    def __init__(self, scene: Scene, query: Query, vocabulary: Vocabulary) -> None:
        self.scene = scene
        self.steps: list[str] = []
        self._query = query
        self._vocabulary = vocabulary
        self._viewpoint: Viewpoint | None = None
        self._anchors: dict[Reference, list[Anchor]] = {}
        self._nouns: set[str] = set()
        self._lenient = False

    def viewpoint(self) -> Viewpoint:
        """Viewpoint of the question; noted in the steps.

        Raises:
            ReasoningError: `not_found`: no viewpoint is known.
        """
        if self._viewpoint is None:
            self._viewpoint = viewpoint_of(self._query, self.scene, self._vocabulary)
            self.note(f"directions and distances are from {self._viewpoint.describe()}")
        return self._viewpoint

    @property
    def has_marks(self) -> bool:
        """Whether a present object is marked."""
        return bool(_find_marked_rows(self.scene, self._query))

    @property
    def allows_usual(self) -> bool:
        """Whether answers may rest on what is usual of things of a kind."""
        return self._query.policy != "strict"

    @property
    def took_near_matches(self) -> bool:
        """Whether what was found is not all that was said, to the letter."""
        return self._lenient or any(not self.is_sure_of(noun) for noun in self._nouns)

    @property
    def is_seen_from_somewhere(self) -> bool:
        """Whether the viewpoint has been used so far."""
        return self._viewpoint is not None

    def scores(self, reference: Reference) -> Scores:
        """Scores (N,) of all objects; all 0 where none fits.

        Raises:
            ReasoningError: `not_found`: an object that it refers to does not exist.
        """
        match reference:
            case NounPhrase():
                return self._of_phrase(reference)
            case ObjectNumber():
                return self._of_rows([self._row_of_number(reference)])
            case Marked():
                return self._of_marked(reference)
            case Viewer():
                raise ReasoningError(
                    "not_found", "The one who asks is no object of the memory; name an object."
                )

    def rows(self, reference: Reference) -> tuple[NDArray[np.intp], Scores]:
        """Rows that fit, best first, and their scores; may be empty.

        To the letter first; then, for presupposed objects, with near matches, unless the policy is
        `strict`.

        Raises:
            ReasoningError: `not_found`: an object that it refers to does not exist.
        """
        self._lenient = False
        is_strict = self._query.policy == "strict"
        try:
            found = self._rows(reference)
        except ReasoningError:
            if is_strict:
                raise
            found = _NO_ROWS
        if not len(found[0]) and not is_strict:
            self._lenient = True
            self._anchors.clear()
            found = self._rows(reference)
        return found

    def existing(self, reference: Reference) -> tuple[NDArray[np.intp], Scores]:
        """Rows and scores as `rows`, for objects that must exist.

        Raises:
            ReasoningError: `not_found`, with what is known instead.
        """
        rows, scores = self.rows(reference)
        if not len(rows):
            raise self.missing(reference)
        return rows, scores

    def single(self, reference: Reference) -> int:
        """Row of the one object of a reference.

        Raises:
            ReasoningError: `not_found`, or `ambiguous` with the candidates.
        """
        rows, scores = self.existing(reference)
        best = rows[scores >= 0.8 * scores.max()] if len(rows) > 1 else rows
        if len(best) > 1:
            raise self.ambiguous(reference, best)
        return int(best[0])

    def anchors(self, reference: Reference) -> list[Anchor]:
        """Anchors that a reference gives for a relation or a distance.

        Raises:
            ReasoningError: `not_found`: no object fits.
        """
        if isinstance(reference, Viewer):
            return [Anchor(self.viewpoint().box, None, 1.0)]
        if reference not in self._anchors:
            self._anchors[reference] = self._resolved_anchors(reference)
        return self._anchors[reference]

    def condition_scores(self, condition: Condition, among: Scores, lenient: bool) -> Scores:
        """Scores (N,) of a condition on the candidates (those above 0).

        Args:
            lenient: use near matches, once nothing fits to the letter.
        """
        lenient = lenient and self._lenient and not condition.negated
        if isinstance(condition, HasAttribute) and condition.key == "owner":
            condition = self._of_named_owner(condition)
        scores = condition_scores(self, condition, among, lenient=lenient)
        return (scores == 0.0).astype(np.float64) if condition.negated else scores

    def label_scores(self, noun: str) -> Scores:
        """Scores (N,) of labels for a noun; all 1 without a noun ("thing")."""
        self._nouns.add(noun)
        scores, note = label_scores(self.scene, self._vocabulary, noun)
        self.note(note)
        return scores

    def is_sure_of(self, noun: str) -> bool:
        """Whether all matches of a noun are sure."""
        if find_kind(noun) is not None:
            return True
        matches = self._vocabulary.match(noun, self.scene.rows_of_label)
        if all(match.sure for match in matches):
            return True
        said = matches[0].unknown
        bare = noun.removeprefix(said).strip()
        return said != "" and bare != noun and self.is_sure_of(bare) and self._has_words(noun, said)

    def is_named_otherwise(self, things: Sequence[MapObject], noun: str) -> bool:
        """Whether one of the objects is not surely of the noun's kind."""
        labels = {thing.label for thing in things}
        sure = {m.label for m in self._vocabulary.match(noun, labels) if m.sure}
        return bool(labels - sure)

    def missing(self, reference: Reference) -> ReasoningError:
        """Error for a reference that fits nothing, to be raised."""
        noun = reference.noun if isinstance(reference, NounPhrase) else ""
        known = self.objects(np.flatnonzero(self.label_scores(noun)))
        if known and not self.is_sure_of(noun):
            text = f"I know of no {shown(noun)}; the nearest that I know {be(len(known))}"
            return ReasoningError("not_found", f"{text} {listed(known)}.")
        labels = list(self.scene.rows_of_label)
        return _missing_error(reference, len(known), labels, self._vocabulary)

    def ambiguous(self, reference: Reference, rows: NDArray[np.intp]) -> ReasoningError:
        """Error for a reference that fits several, to be raised."""
        return _ambiguous_error(reference, self.objects(rows))

    def among_gone(self) -> Resolver:
        """Resolver of the same query on the vanished objects."""
        now = self.scene.snapshot
        then = replace(now, objects=now.gone, relations=(), structure={}, levels={}, denied=())
        return Resolver(Scene(then, self.scene.config), self._query, self._vocabulary)

    def objects(self, rows: NDArray[np.intp]) -> list[MapObject]:
        """Map objects of rows."""
        return [self.scene.objects[row] for row in rows]

    def note(self, step: str) -> None:
        """Keep a step, once."""
        if step and step not in self.steps:
            self.steps.append(step)

    def _has_words(self, noun: str, words: str) -> bool:
        """Whether all candidates of a noun have its first words as attributes ("round mirror")."""
        rows = np.flatnonzero(label_scores(self.scene, self._vocabulary, noun)[0])
        return all(has_words(self.scene, row, words) for row in rows.tolist())

    def _rows(self, reference: Reference) -> tuple[NDArray[np.intp], Scores]:
        scores = self.scores(reference)
        fitting = np.flatnonzero(scores > 0.0)
        order = fitting[
            np.argsort(-scores[fitting] * self.scene.confidence[fitting], kind="stable")
        ]
        phrase = reference if isinstance(reference, NounPhrase) else NounPhrase("")
        for at, rank in enumerate(phrase.ranks, 1):
            # Of "the two largest on the left" two are left at the end, not before.
            count = len(order) if at < len(phrase.ranks) else phrase.count or 1
            order = ranked_rows(self, order, rank, count)
            self.note(f"{rank.superlative}: {listed(self.objects(order)) or 'none'}")
        return order, scores[order]

    def _resolved_anchors(self, reference: Reference) -> list[Anchor]:
        rows, scores = self._rows(reference)
        if not len(rows):
            raise self.missing(reference)
        if len(rows) > 1:
            self.note(f"{verbalization.describe(reference)}: {len(rows)} fit, each counts")
        return [
            Anchor.of_row(self.scene, row, score)
            for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
        ]

    def _of_phrase(self, phrase: NounPhrase) -> Scores:
        """Scores of the nested reading; if all are 0, of inner conditions moved to the outer
        noun."""
        flat = flattened(phrase)
        if flat is None:
            return self._of_conditions(phrase)
        try:
            scores = self._of_conditions(phrase)
            if scores.any():
                return scores
            missing = None
        except ReasoningError as error:
            scores, missing = np.zeros(len(self.scene)), error
        try:
            flat_scores = self._of_phrase(flat)
        except ReasoningError:
            flat_scores = np.zeros(len(self.scene))
        if flat_scores.any():
            self.note(f'read as "{verbalization.describe(flat)}"')
            return flat_scores
        if missing is not None:
            raise missing
        return scores

    def _of_conditions(self, phrase: NounPhrase) -> Scores:
        scores = self.label_scores(phrase.noun)
        if not scores.any():  # what else is unknown matters less
            return scores
        if phrase.of_speaker and (owned := scores * self._owned_by_speaker()).any():
            scores = owned
            self.note(f"of {self._query.by}: {np.count_nonzero(scores)}")
        for condition in phrase.conditions:
            before = np.count_nonzero(scores)
            scores = scores * self.condition_scores(condition, scores, lenient=phrase.definite)
            words = verbalization.condition_words(condition)
            self.note(f"{words}: {np.count_nonzero(scores)} of {before}")
        return scores

    def _of_named_owner(self, condition: HasAttribute) -> HasAttribute:
        """The condition with the speaker's name for "me".

        Raises:
            ReasoningError: `not_found`: it is not known who speaks.
        """
        if condition.value != lexicon.SPEAKER:
            return condition
        if not self._query.by:
            raise ReasoningError("not_found", "I do not know who you are: say who asks (`by`).")
        return replace(condition, value=self._query.by.lower())

    def _owned_by_speaker(self) -> Scores:
        """1 for each object that is known to belong to the one who speaks, else 0 (N,)."""
        by = self._query.by.lower()
        owners = [thing.attributes.get("owner", "").lower() for thing in self.scene.objects]
        return np.array([by != "" and owner == by for owner in owners], np.float64)

    def _of_rows(self, rows: list[int]) -> Scores:
        scores = np.zeros(len(self.scene))
        scores[rows] = 1.0
        return scores

    def _of_marked(self, marked: Marked) -> Scores:
        rows = _find_marked_rows(self.scene, self._query)
        if rows:
            return self._of_rows(rows)
        if marked.noun:
            return self._of_phrase(NounPhrase(marked.noun, definite=True))
        raise _nothing_marked_error()

    def _row_of_number(self, reference: ObjectNumber) -> int:
        row = _get_row(self.scene, reference.object_id)
        if reference.noun and not self.label_scores(reference.noun)[row]:
            label = with_article(shown(self.scene.objects[row].label))
            which = "Object" if reference.object_id >= 0 else "Number"
            raise ReasoningError(
                "not_found", f"{which} {reference.object_id} is {label}, not a {reference.noun}."
            )
        return row


def stand_in_notes(
    phrases: Iterable[NounPhrase], scene: Scene, vocabulary: Vocabulary
) -> tuple[str, ...]:
    """What stands in for each unknown thing, in a sentence each."""
    notes = []
    for noun in dict.fromkeys(phrase.noun for phrase in phrases):
        things = [scene.objects[row] for row in rows_standing_in(scene, vocabulary, noun)]
        if things:
            names = the(things[0]) if len(things) == 1 else listed(things)
            one = noun if " " in noun else singular(noun)
            known = f"the nearest that I know {be(len(things))} {names}"
            notes.append(f"I know no {shown(one)}; {known}.")
    return tuple(notes)


def every_row(reference: Reference, at: Resolver) -> NDArray[np.intp]:
    """Rows of all objects that fit as well as the best, or as many as a number says.

    Raises:
        ReasoningError: `not_found`; `ambiguous`: "both chairs", and there are three.
    """
    rows, scores = at.existing(reference)
    rows = rows[scores >= _AS_WELL * scores.max()]
    said = reference.count if isinstance(reference, NounPhrase) else None
    if said in (None, len(rows)):
        return rows
    best = rows[: np.count_nonzero(scores == scores.max())]
    if len(rows) < (said or 0):
        known = f"{counted(len(rows), noun_of(reference))} {be(len(rows))} known, not {said}"
        raise ReasoningError("not_found", f"Only {known}: {listed(at.objects(rows))}.")
    if len(best) != said:
        raise at.ambiguous(reference, rows)
    return best


def is_room(reference: Reference) -> bool:
    """Whether a reference is about rooms, which no memory separates."""
    return isinstance(reference, NounPhrase) and normal(reference.noun) == "room"


def _find_marked_rows(scene: Scene, query: Query) -> list[int]:
    """Rows of the marked objects; empty where nothing was marked.

    Raises:
        ReasoningError: `not_found`: all marked objects have vanished.
    """
    marked = query.marked_object_ids
    rows = [scene.row_of_id[i] for i in marked if i in scene.row_of_id]
    if marked and not rows:
        raise ReasoningError("not_found", "The marked object is not in the memory any more.")
    return rows


def _nothing_marked_error() -> ReasoningError:
    """Error for "this" without a mark."""
    return ReasoningError(
        "not_found",
        "No object is marked, so it is not clear which one is meant: mark one or name it.",
    )


def _get_row(scene: Scene, object_id: int) -> int:
    """The row of a numbered object.

    Raises:
        ReasoningError: `not_found`, with the numbers there are.
    """
    if object_id not in scene.row_of_id:
        ids = scene.ids[scene.is_object]
        raise ReasoningError(
            "not_found",
            f"There is no object {object_id} in the memory;"
            f" numbers go from {ids.min()} to {ids.max()}.",
        )
    return scene.row_of_id[object_id]


def _missing_error(
    reference: Reference, known: int, labels: Sequence[str], vocabulary: Vocabulary
) -> ReasoningError:
    """Error for a reference that fits nothing.

    Args:
        known: number of objects that fit its noun alone.
    """
    noun = noun_of(reference)
    if not isinstance(reference, NounPhrase):
        return ReasoningError("not_found", f"There is no {noun} like that in the memory.")
    if not known and is_room(reference):
        return ReasoningError("not_found", ROOMS_UNKNOWN)
    if not known:
        head, _, last = noun.rpartition(" ")
        help_on = did_you_mean(reference.noun, labels, vocabulary)
        one = f"{head} {singular(last)}".strip()
        return ReasoningError("not_found", f"There is no {one} in the memory.{help_on}")
    said = shown(verbalization.bare(reference))
    return ReasoningError(
        "not_found",
        f'Nothing in the memory fits "{said}" ({counted(known, noun)} {be(known)} known).',
    )


def _ambiguous_error(reference: Reference, objects: Sequence[MapObject]) -> ReasoningError:
    """Error for a reference that fits several where one is needed."""
    return ReasoningError(
        "ambiguous",
        f'{len(objects)} objects fit "{verbalization.describe(reference)}": {candidates(objects)}.'
        " Say more about it, or give its number.",
    )
