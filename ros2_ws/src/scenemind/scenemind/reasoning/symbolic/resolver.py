"""From a reference to the objects it means: every word narrows a column of scores.

A score is the product of how well the label, the attributes and the relations fit, in [0, 1];
0 means "not this one". What was taken for granted and is not so ("the door" without a door in the
memory) ends the search with an explanation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.memory import MapObject
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import conditions, explaining, phrasing, pointing, rendering
from scenemind.reasoning.symbolic.building import find_kind
from scenemind.reasoning.symbolic.naming import is_said, label_scores
from scenemind.reasoning.symbolic.ranking import ranked_rows
from scenemind.reasoning.symbolic.readings import flattened
from scenemind.reasoning.symbolic.relation_scores import Anchor
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.syntax import (
    Condition,
    Marked,
    NounPhrase,
    ObjectNumber,
    Reference,
    Viewer,
)
from scenemind.reasoning.symbolic.viewpoint import viewpoint_of
from scenemind.reasoning.types import Query
from scenemind.words.english import shown, with_article
from scenemind.words.vocabulary import Vocabulary

_NO_ROWS = (np.zeros(0, np.intp), np.zeros(0))


class Resolver:
    """Resolves the references of one query on one scene and keeps notes (`steps`)."""

    def __init__(
        self, scene: Scene, query: Query, vocabulary: Vocabulary, config: RelationConfig
    ) -> None:
        self.scene = scene
        self.steps: list[str] = []
        self._query = query
        self._vocabulary = vocabulary
        self._config = config
        self._viewpoint: Viewpoint | None = None
        self._anchors: dict[Reference, list[Anchor]] = {}
        self._lenient = False

    def viewpoint(self) -> Viewpoint:
        """Where the question is asked from; noted in the steps.

        Raises:
            ReasoningError: nobody's place is known.
        """
        if self._viewpoint is None:
            self._viewpoint = viewpoint_of(self._query, self.scene, self._vocabulary)
            self.note(f"directions and distances are from {self._viewpoint.describe()}")
        return self._viewpoint

    @property
    def has_marks(self) -> bool:
        """The person points at something that is there."""
        return bool(pointing.find_marked_rows(self.scene, self._query))

    @property
    def is_seen_from_somewhere(self) -> bool:
        """Whether it mattered up to now where the question is asked from."""
        return self._viewpoint is not None

    def scores(self, reference: Reference) -> Scores:
        """Scores (N,) of all objects; all 0 where none fits.

        Raises:
            ReasoningError: something it refers to does not exist.
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

        To the letter first; then, for what is said to exist, with what comes near, unless the
        policy is `strict`.

        Raises:
            ReasoningError: something it refers to does not exist.
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
        """As `rows`, for what must exist.

        Raises:
            ReasoningError: `not_found`, with what is known instead.
        """
        rows, scores = self.rows(reference)
        if not len(rows):
            raise self.missing(reference)
        return rows, scores

    def single(self, reference: Reference) -> int:
        """The row of the one object that is meant.

        Raises:
            ReasoningError: `not_found`, or `ambiguous` with the candidates.
        """
        rows, scores = self.existing(reference)
        best = rows[scores >= 0.8 * scores.max()] if len(rows) > 1 else rows
        if len(best) > 1:
            raise self.ambiguous(reference, best)
        return int(best[0])

    def anchors(self, reference: Reference) -> list[Anchor]:
        """What a relation or a distance refers to.

        Raises:
            ReasoningError: nothing of the kind exists.
        """
        if isinstance(reference, Viewer):
            return [Anchor(self.viewpoint().box, None, 1.0)]
        if reference not in self._anchors:
            self._anchors[reference] = self._resolved_anchors(reference)
        return self._anchors[reference]

    def condition_scores(self, condition: Condition, among: Scores, lenient: bool) -> Scores:
        """Scores (N,) of a condition on the candidates (those above 0).

        Args:
            lenient: take what comes near, once nothing fits to the letter.
        """
        lenient = lenient and self._lenient and not condition.negated
        scores = conditions.scores(self, condition, among, self._config, lenient)
        return (scores == 0.0).astype(np.float64) if condition.negated else scores

    def label_scores(self, noun: str) -> Scores:
        """How well each object's label fits a noun; all 1 for no noun ("thing")."""
        scores, note = label_scores(self.scene, self._vocabulary, noun)
        self.note(note)
        return scores

    def is_sure_of(self, noun: str) -> bool:
        """Whether what the noun means here is that, and not only something like it."""
        if find_kind(noun) is not None:
            return True
        matches = self._vocabulary.match(noun, self.scene.rows_of_label)
        if all(match.sure for match in matches):
            return True
        said = matches[0].unknown
        bare = noun.removeprefix(said).strip()
        return said != "" and bare != noun and self.is_sure_of(bare) and self._is_said(noun, said)

    def is_named_otherwise(self, things: Sequence[MapObject], noun: str) -> bool:
        """Whether one of the things is not surely what the noun says."""
        labels = {thing.label for thing in things}
        sure = {m.label for m in self._vocabulary.match(noun, labels) if m.sure}
        return bool(labels - sure)

    def missing(self, reference: Reference) -> ReasoningError:
        """The error for a reference that fits nothing, to be raised."""
        noun = reference.noun if isinstance(reference, NounPhrase) else ""
        known = int(np.count_nonzero(self.label_scores(noun)))
        return explaining.missing(
            reference, known, list(self.scene.rows_of_label), self._vocabulary
        )

    def ambiguous(self, reference: Reference, rows: NDArray[np.intp]) -> ReasoningError:
        """The error for a reference that fits several, to be raised."""
        return explaining.ambiguous(reference, self.objects(rows))

    def among_gone(self) -> Resolver:
        """For the same query, on the objects that are no longer there."""
        now = self.scene.snapshot
        then = replace(now, objects=now.gone, relations=(), structure={}, levels={})
        return Resolver(Scene(then), self._query, self._vocabulary, self._config)

    def objects(self, rows: NDArray[np.intp]) -> list[MapObject]:
        """The map objects of rows."""
        return [self.scene.objects[row] for row in rows]

    def note(self, step: str) -> None:
        """Keep a step of the way to the answer, once."""
        if step and step not in self.steps:
            self.steps.append(step)

    def _is_said(self, noun: str, words: str) -> bool:
        """Whether all that a noun may mean is as its first words say ("round mirror")."""
        rows = np.flatnonzero(label_scores(self.scene, self._vocabulary, noun)[0])
        return all(is_said(self.scene, row, words) for row in rows.tolist())

    def _rows(self, reference: Reference) -> tuple[NDArray[np.intp], Scores]:
        scores = self.scores(reference)
        fitting = np.flatnonzero(scores > 0.0)
        order = fitting[
            np.argsort(-scores[fitting] * self.scene.confidence[fitting], kind="stable")
        ]
        rank = reference.rank if isinstance(reference, NounPhrase) else None
        if rank is not None and isinstance(reference, NounPhrase) and len(order):
            order = ranked_rows(self, order, rank, reference.count or 1)
            self.note(f"{rank.superlative}: {phrasing.listed(self.objects(order)) or 'none'}")
        return order, scores[order]

    def _resolved_anchors(self, reference: Reference) -> list[Anchor]:
        rows, scores = self._rows(reference)
        if not len(rows):
            raise self.missing(reference)
        if len(rows) > 1:
            self.note(f"{rendering.describe(reference)}: {len(rows)} fit, each counts")
        objects = self.scene.objects
        return [
            Anchor(objects[row].box, int(row), float(score), objects[row])
            for row, score in zip(rows, scores, strict=True)
        ]

    def _of_phrase(self, phrase: NounPhrase) -> Scores:
        """Nested first; where that fits nothing, inner conditions are tried on the outer noun."""
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
            self.note(f'read as "{rendering.describe(flat)}"')
            return flat_scores
        if missing is not None:
            raise missing
        return scores

    def _of_conditions(self, phrase: NounPhrase) -> Scores:
        scores = self.label_scores(phrase.noun)
        for condition in phrase.conditions:
            before = np.count_nonzero(scores)
            scores = scores * self.condition_scores(condition, scores, lenient=phrase.definite)
            words = rendering.condition_words(condition)
            self.note(f"{words}: {np.count_nonzero(scores)} of {before}")
        return scores

    def _of_rows(self, rows: list[int]) -> Scores:
        scores = np.zeros(len(self.scene))
        scores[rows] = 1.0
        return scores

    def _of_marked(self, marked: Marked) -> Scores:
        rows = pointing.find_marked_rows(self.scene, self._query)
        if rows:
            return self._of_rows(rows)
        if marked.noun:
            return self._of_phrase(NounPhrase(marked.noun, definite=True))
        raise pointing.nothing_marked()

    def _row_of_number(self, reference: ObjectNumber) -> int:
        row = pointing.get_row(self.scene, reference.object_id)
        if reference.noun and not self.label_scores(reference.noun)[row]:
            label = with_article(shown(self.scene.objects[row].label))
            which = "Object" if reference.object_id >= 0 else "Number"
            raise ReasoningError(
                "not_found", f"{which} {reference.object_id} is {label}, not a {reference.noun}."
            )
        return row
