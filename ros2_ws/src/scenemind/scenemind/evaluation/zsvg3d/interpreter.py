"""A program of ZSVG3D run on a scene: each statement names candidates, graded by its operator."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from scenemind.config import RelationConfig
from scenemind.evaluation.zsvg3d import operators
from scenemind.evaluation.zsvg3d.candidates import Candidates
from scenemind.evaluation.zsvg3d.operators import ALONE, ANCHORED, Grades, Room
from scenemind.evaluation.zsvg3d.syntax import Argument, Phrase, Program, Statement
from scenemind.memory import MemorySnapshot, SceneMemoryError
from scenemind.memory.finding.finder import LONGEST_TEXT, ObjectFinder
from scenemind.words.english import find_ordinal, word_set

# Where words for a thing end and words for its place begin: "chair in front of desk".
_PLACE_BEGINS = word_set(
    "in on with without near next at by behind under above below between against that which closest"
    " beside from facing to across around surrounding tucked sitting resting placed located affixed"
    " mounted hanging looking made"
)
_NOT = "NOT_"
_FROM = "_FROM_"
_NOTHING = Candidates((), np.zeros(0))
# Measures that MAX and MIN choose by: the largest and smallest are chosen by volume anyway.
_MEASURES = frozenset(("CALC_SIZE", "CALC_DIST", "FILTER"))


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """
    Attributes:
        object_ids: best first; empty where the program names nothing that is there.
        tied: how many share the first place.
        unused: operators and lines that were left out.
    """

    object_ids: tuple[int, ...]
    tied: int
    unused: tuple[str, ...]


@dataclass(slots=True)
class _State:
    """
    Attributes:
        named: variable -> what it stands for.
    """

    named: dict[str, Candidates] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)


class ProgramScene:
    """A scene to run programs on."""

    def __init__(self, snapshot: MemorySnapshot, config: RelationConfig) -> None:
        """
        Args:
            snapshot: with objects.
        """
        self._snapshot = snapshot
        self._finder = ObjectFinder()
        self._finder.refresh(snapshot.objects)
        extents = np.array([thing.box.extent() for thing in snapshot.objects.values()])
        center = (extents[:, :3].min(axis=0) + extents[:, 3:].max(axis=0)) / 2.0
        self._room = Room(center, config)

    def run(self, program: Program) -> Outcome:
        """What the last statement names, of those that name anything."""
        state = _State(unused=list(program.unread))
        result = _NOTHING
        for statement in program.statements:
            value = state.named[statement.name] = self._value(statement, state)
            result = value if value.things else result
        ids, tied = result.ranked()
        return Outcome(tuple(ids), tied, tuple(state.unused))

    def _value(self, statement: Statement, state: _State) -> Candidates:
        targets = self._together([self._of(argument, state) for argument in statement.targets])
        if (
            not targets.things
            or statement.operator in ("", "LOC")
            or statement.operator in _MEASURES
        ):
            return targets
        anchors = [self._of(argument, state) for argument in statement.anchors]
        grades = self._grades(statement.operator, targets, [a for a in anchors if a.things])
        if grades is None:
            state.unused.append(statement.operator)
            return targets
        return targets.graded(grades)

    def _grades(
        self, operator: str, targets: Candidates, anchors: list[Candidates]
    ) -> Grades | None:
        """By an operator, or by each part of a made-up one (HIGHER_RIGHT); None: unknown."""
        if operator.startswith(_NOT):
            grades = self._grades(operator.removeprefix(_NOT), targets, anchors)
            return None if grades is None else 1.0 - grades
        if operator == "BETWEEN" and anchors:
            return operators.between(targets, anchors, self._room)
        if operator in ANCHORED and anchors:
            grade = ANCHORED[operator]
            each = [operators.best_of_anchors(grade, targets, a, self._room) for a in anchors]
            return np.asarray(np.prod(each, axis=0))
        if operator in ALONE:
            return ALONE[operator](targets, self._room)
        return self._of_parts(operator, targets, anchors)

    def _of_parts(
        self, operator: str, targets: Candidates, anchors: list[Candidates]
    ) -> Grades | None:
        first, is_counted, side = operator.partition(_FROM)
        place = find_ordinal(first.lower())
        if is_counted and place is not None and side in ALONE:
            order = np.rint(1.0 / ALONE[side](targets, self._room)) - 1.0
            return np.asarray(1.0 / (1.0 + np.abs(order - (place - 1))))
        parts = operator.split("_")
        if len(parts) < 2:
            return None
        known = [self._grades(part, targets, anchors) for part in parts]
        grades = [of_part for of_part in known if of_part is not None]
        return np.asarray(np.prod(grades, axis=0)) if grades else None

    def _of(self, argument: Argument, state: _State) -> Candidates:
        if isinstance(argument, Phrase):
            return self._located(argument.text)
        found = state.named.get(argument.name)
        if found is None:
            state.unused.append(argument.name)
            return _NOTHING
        return found

    def _together(self, each: list[Candidates]) -> Candidates:
        """Any of several; an object keeps its best score."""
        if len(each) == 1:
            return each[0]
        best: dict[int, float] = {}
        for one in each:
            for thing, score in zip(one.things, one.scores.tolist(), strict=True):
                best[thing.object_id] = max(score, best.get(thing.object_id, 0.0))
        things = tuple(self._snapshot.objects[object_id] for object_id in best)
        return Candidates(things, np.array(list(best.values())))

    def _located(self, phrase: str) -> Candidates:
        try:
            found = self._finder.find(_thing_of(phrase), len(self._snapshot.objects))
        except SceneMemoryError:  # the words name no thing ("a", "the")
            return _NOTHING
        things = tuple(self._snapshot.objects[one.object_id] for one in found)
        return Candidates(things, np.array([one.score for one in found]))


def _thing_of(phrase: str) -> str:
    """Without what says where it is."""
    words = phrase.lower().split()
    end = next((k for k, word in enumerate(words) if k and word in _PLACE_BEGINS), len(words))
    return " ".join(words[:end])[:LONGEST_TEXT]
