"""`zsvg3d_programs`: recorded programs of ZSVG3D's language model, run on a memory's relations.

Yuan et al., Visual Programming for Zero-shot Open-Vocabulary 3D Visual Grounding, CVPR 2024.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.errors import EvaluationError
from scenemind.evaluation.datasets import ReferringExpression, Row
from scenemind.evaluation.method import Predict
from scenemind.evaluation.predictions import GroundingPrediction
from scenemind.evaluation.scenes import SceneSource
from scenemind.language.english import find_ordinal, word_set
from scenemind.memory import MapObject, MemorySnapshot, SceneMemoryError
from scenemind.memory.finding.finder import LONGEST_TEXT, ObjectFinder
from scenemind.memory.graph.relation_query import RelationContext, RelationQuery
from scenemind.memory.graph.relations.box_relations import Bounds
from scenemind.memory.graph.relations.names import canonical_relation
from scenemind.memory.graph.relations.superlatives import Superlative, superlative_values
from scenemind.memory.graph.relations.viewpoint import Viewpoint

_TARGETS = ("targets", "data", "values", "target")
_ANCHORS = ("anchors", "anchors2", "anchor")
# An object that fails a step keeps this share of its score, as the step may be wrong.
_LEFT_OVER = 0.05
# Anchors are the objects with at least this share of the best score.
_ANCHOR_SHARE = 0.9
Grades = NDArray[np.float64]
# An object this much farther than the closest one has half its grade.
_HALF_M = 0.5
# Weight of the distance to the anchor in relations such as left and above.
_NEARNESS = 0.3
_NOT = "NOT_"
_FROM = "_FROM_"
# Measures within MAX and MIN, which are ignored: extremes are chosen by volume.
_MEASURES = frozenset(("CALC_SIZE", "CALC_DIST", "FILTER"))


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of an earlier line."""

    name: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words for a thing."""

    text: str


Argument = Reference | Phrase


@dataclass(frozen=True, slots=True)
class Statement:
    """One line of a program.

    Attributes:
        operator: such as CLOSEST; empty for an assignment (`TARGET=BOX1`).
        targets: the candidates.
        anchors: objects that the candidates are related to.
    """

    name: str
    operator: str
    targets: tuple[Argument, ...]
    anchors: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """A parsed program.

    Attributes:
        unread: lines that could not be parsed.
    """

    statements: tuple[Statement, ...]
    unread: tuple[str, ...]


def parse_program(text: str) -> Program:
    """Parse a program line by line."""
    statements: list[Statement] = []
    unread: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        statement = _find_statement(line)
        if statement is None:
            unread.append(line)
        else:
            statements.append(statement)
    return Program(tuple(statements), tuple(unread))


def _find_statement(line: str) -> Statement | None:
    try:
        body = ast.parse(line).body
    except (SyntaxError, ValueError):
        return None
    match body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other))]:
            return Statement(name, "", (Reference(other),))
        case [
            ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id=operator), keywords=keywords),
            )
        ]:
            return _called(name, operator, keywords)
    return None


def _called(name: str, operator: str, keywords: list[ast.keyword]) -> Statement:
    given = {keyword.arg: _arguments(keyword.value) for keyword in keywords}
    if operator == "LOC":
        return Statement(name, operator, given.get("object", ()))
    targets = tuple(argument for key in _TARGETS for argument in given.get(key, ()))
    anchors = tuple(argument for key in _ANCHORS for argument in given.get(key, ()))
    return Statement(name, operator, targets, anchors)


def _arguments(value: ast.expr) -> tuple[Argument, ...]:
    match value:
        case ast.Name(id=name):
            return (Reference(name),)
        case ast.Constant(value=str(text)):
            return (Phrase(text),)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return tuple(argument for element in elements for argument in _arguments(element))
        case ast.Call(keywords=keywords):  # MAX(data=CALC_SIZE(targets=BOX0)) is about BOX0
            named = [k.value for k in keywords if k.arg in ("object", *_TARGETS)]
            return tuple(argument for value in named for argument in _arguments(value))
    return ()


@dataclass(frozen=True, eq=False)
class Candidates:
    """The objects that a variable may stand for, each with a score.

    Attributes:
        scores: (N,) in [0, 1].
    """

    things: tuple[MapObject, ...]
    scores: NDArray[np.float64]

    @cached_property
    def bounds(self) -> Bounds:
        """Lowest and highest corners (N, 6), world, metres."""
        return np.array([thing.box.extent() for thing in self.things]).reshape(-1, 6)

    @cached_property
    def best(self) -> tuple[MapObject, ...]:
        """The objects with about the best score."""
        if not self.things:
            return ()
        least = _ANCHOR_SHARE * float(self.scores.max())
        return tuple(
            thing for thing, score in zip(self.things, self.scores, strict=True) if score >= least
        )

    def graded(self, grades: NDArray[np.float64]) -> Candidates:
        """The candidates after a step with grades (N,) in [0, 1]."""
        return Candidates(self.things, self.scores * (_LEFT_OVER + (1.0 - _LEFT_OVER) * grades))

    def ranked(self) -> tuple[list[int], int]:
        """Ids, best first, and the number of ids with the best score."""
        if not self.things:
            return [], 0
        order = np.argsort(-self.scores, kind="stable")
        tied = int(np.isclose(self.scores, self.scores.max()).sum())
        return [self.things[row].object_id for row in order], tied


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """The scene of a program.

    Attributes:
        center: (3,) middle of all boxes, world.
    """

    center: NDArray[np.float64]
    config: RelationConfig

    def facing(self, place: NDArray[np.float64]) -> Viewpoint:
        """The viewpoint in the middle of the room, looking towards a place (3,)."""
        ahead = place[:2] - self.center[:2]
        length = float(np.linalg.norm(ahead))
        unit = ahead / length if length > 1e-6 else np.array((1.0, 0.0))
        return Viewpoint(self.center, unit, "the middle of the room")


Anchored = Callable[[Candidates, MapObject, Room], Grades]
Alone = Callable[[Candidates, Room], Grades]


def related(relation: str) -> Anchored:
    """Grades by one relation, and a little by the distance to the anchor."""
    name = canonical_relation(relation)

    def grades(targets: Candidates, anchor: MapObject, room: Room) -> Grades:
        viewpoint = room.facing(np.asarray(anchor.box.center))
        query = RelationQuery(targets.things, anchor, RelationContext(room.config, viewpoint))
        holds = query.scores(name)
        return holds * (1.0 - _NEARNESS + _NEARNESS * nearness(query.distances_m()))

    return grades


def nearness(distances_m: Grades) -> Grades:
    """Grades by distance: 1 for the nearest, less with the distance beyond its."""
    beyond = distances_m - distances_m.min(initial=np.inf)
    return np.asarray(_HALF_M / (_HALF_M + beyond))


def closest(targets: Candidates, anchor: MapObject, room: Room) -> Grades:
    query = RelationQuery(targets.things, anchor, RelationContext(room.config))
    return nearness(query.distances_m())


def farthest(targets: Candidates, anchor: MapObject, room: Room) -> Grades:
    query = RelationQuery(targets.things, anchor, RelationContext(room.config))
    distances = query.distances_m()
    return nearness(distances.max(initial=0.0) - distances)


def opposite(targets: Candidates, anchor: MapObject, room: Room) -> Grades:
    """Grades of being on the other side of the room's middle."""
    to_anchor = np.asarray(anchor.box.center)[:2] - room.center[:2]
    to_targets = (targets.bounds[:, :2] + targets.bounds[:, 3:5]) / 2.0 - room.center[:2]
    lengths = np.linalg.norm(to_targets, axis=1) * np.linalg.norm(to_anchor)
    return np.asarray((1.0 - (to_targets @ to_anchor) / np.maximum(lengths, 1e-9)) / 2.0)


def extreme(name: Superlative) -> Alone:
    """Grades by rank in the order of a superlative."""

    def grades(targets: Candidates, room: Room) -> Grades:
        middle = (targets.bounds[:, :3] + targets.bounds[:, 3:]).mean(axis=0) / 2.0
        values = superlative_values(targets.bounds, name, room.facing(middle))
        return 1.0 / (1.0 + places(values))

    return grades


def places(values: Grades) -> Grades:
    """Ranks: 0 for the smallest, 1 for the next, ...; equal for equal values."""
    return np.asarray(np.searchsorted(np.unique(values), values), dtype=np.float64)


def between(targets: Candidates, anchors: Sequence[Candidates], room: Room) -> Grades:
    """Grades of being between two anchors, or two objects of one anchor ("between the beds")."""
    if len(anchors) >= 2:
        pairs = [(a, b) for a in anchors[0].best for b in anchors[1].best]
    else:
        pairs = list(combinations(anchors[0].best, 2))
    best = np.zeros(len(targets.things))
    for one, other in pairs:
        query = RelationQuery(targets.things, one, RelationContext(room.config))
        is_end = np.array([thing in (one, other) for thing in targets.things], dtype=bool)
        best = np.maximum(best, np.where(is_end, 0.0, query.between_scores(other)))
    return best


def best_of_anchors(grade: Anchored, targets: Candidates, anchor: Candidates, room: Room) -> Grades:
    """The best grade by any object that an anchor may stand for, except the candidate itself."""
    best = np.zeros(len(targets.things))
    for thing in anchor.best:
        is_self = np.array([other is thing for other in targets.things], dtype=bool)
        best = np.maximum(best, np.where(is_self, 0.0, grade(targets, thing, room)))
    return best


def _forms(grade: Anchored, *names: str) -> Mapping[str, Anchored]:
    return dict.fromkeys(names, grade)


ANCHORED: Mapping[str, Anchored] = {
    **_forms(closest, "CLOSEST", "CLOSER", "NEAR", "BY", "BESIDE", "ADJACENT", "TOUCHING", "AT"),
    **_forms(closest, "AGAINST", "ALONGSIDE", "LEANING", "ATTACHED", "WITH", "CONTAINS", "TO"),
    **_forms(farthest, "FARTHEST", "FARTHER", "FAR", "AWAY", "WITHOUT", "NOT"),
    **_forms(opposite, "OPPOSITE", "ACROSS", "FACING"),
    **_forms(related("left of"), "LEFT", "LEFTMOST"),
    **_forms(related("right of"), "RIGHT", "RIGHTMOST"),
    **_forms(related("in front of"), "FRONT", "IN_FRONT_OF", "FRONT_OF"),
    **_forms(related("behind"), "BEHIND", "BACK", "BEYOND"),
    **_forms(related("higher than"), "HIGHER", "HIGHEST", "UP", "OVER", "ABOVE", "TOP"),
    **_forms(related("lower than"), "LOWER", "LOWEST", "DOWN", "UNDER", "BELOW", "BENEATH"),
    **_forms(related("lower than"), "UNDERNEATH", "BOTTOM"),
    **_forms(related("on"), "ON", "ON_TOP", "LYING_ON", "RESTING_ON"),
    **_forms(related("inside"), "IN", "INTO"),
}
ALONE: Mapping[str, Alone] = {
    "LEFT": extreme("leftmost"),
    "LEFTMOST": extreme("leftmost"),
    "RIGHT": extreme("rightmost"),
    "RIGHTMOST": extreme("rightmost"),
    "FRONT": extreme("frontmost"),
    "BEHIND": extreme("rearmost"),
    "BACK": extreme("rearmost"),
    "HIGHER": extreme("highest"),
    "HIGHEST": extreme("highest"),
    "TOP": extreme("highest"),
    "UP": extreme("highest"),
    "ABOVE": extreme("highest"),
    "LOWER": extreme("lowest"),
    "LOWEST": extreme("lowest"),
    "BOTTOM": extreme("lowest"),
    "DOWN": extreme("lowest"),
    "UNDER": extreme("lowest"),
    "MID": extreme("middle"),
    "CENTER": extreme("middle"),
    "MAX": extreme("largest"),
    "BIGGER": extreme("largest"),
    "LONG": extreme("longest"),
    "LONGEST": extreme("longest"),
    "MIN": extreme("smallest"),
    "SMALLEST": extreme("smallest"),
    "SMALLER": extreme("smallest"),
    "SHORTER": extreme("shortest"),
}
# Words that begin the place in a phrase: "chair in front of desk".
_PLACE_BEGINS = word_set(
    "in on with without near next at by behind under above below between against that which closest"
    " beside from facing to across around surrounding tucked sitting resting placed located affixed"
    " mounted hanging looking made"
)
_NOTHING = Candidates((), np.zeros(0))


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The result of a program.

    Attributes:
        object_ids: best first; empty: the program names no object of the scene.
        tied: number of objects with the best score.
        unused: operators and lines that were ignored.
    """

    object_ids: tuple[int, ...]
    tied: int
    unused: tuple[str, ...]


@dataclass(slots=True)
class _State:
    """The variables of a running program.

    Attributes:
        named: variable -> candidates.
    """

    named: dict[str, Candidates] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)


class ProgramScene:
    """A scene on which programs are run."""

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
        """The value of the last statement that has one."""
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
        """Grades by an operator or the parts of a compound one (HIGHER_RIGHT); None: unknown."""
        if operator.startswith(_NOT):
            grades = self._grades(operator.removeprefix(_NOT), targets, anchors)
            return None if grades is None else 1.0 - grades
        if operator == "BETWEEN" and anchors:
            return between(targets, anchors, self._room)
        if operator in ANCHORED and anchors:
            grade = ANCHORED[operator]
            each = [best_of_anchors(grade, targets, a, self._room) for a in anchors]
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
        """The union of candidates; an object keeps its best score."""
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
        except SceneMemoryError:  # no noun ("a", "the")
            return _NOTHING
        things = tuple(self._snapshot.objects[one.object_id] for one in found)
        return Candidates(things, np.array([one.score for one in found]))


def _thing_of(phrase: str) -> str:
    """A phrase without its place."""
    words = phrase.lower().split()
    end = next((k for k, word in enumerate(words) if k and word in _PLACE_BEGINS), len(words))
    return " ".join(words[:end])[:LONGEST_TEXT]


class RecordedPrograms:
    """A `Method` that runs the program of each row; the sentence is not read."""

    name = "zsvg3d_programs"

    def __init__(self, source: SceneSource, relations: RelationConfig | None = None) -> None:
        self._source = source
        self._relations = relations or RelationConfig()

    @contextmanager
    def at(self, scene_id: str) -> Iterator[Predict]:
        """See `Method`."""
        with self._source.opened(scene_id) as memory:
            snapshot = memory.snapshot()
            scene = ProgramScene(snapshot, self._relations)
            yield lambda row: _ground(scene, snapshot, row)


def _ground(scene: ProgramScene, snapshot: MemorySnapshot, row: Row) -> GroundingPrediction:
    """The prediction of a row's program.

    Raises:
        EvaluationError: the row has no program.
    """
    if not isinstance(row, ReferringExpression):
        raise EvaluationError(f"{RecordedPrograms.name} answers no questions")
    if not row.program:
        raise EvaluationError(
            f"row {row.row_id} has no recorded program: {RecordedPrograms.name} needs ZSVG3D's"
            " files (github.com/CurryYuan/ZSVG3D)"
        )
    start = time.perf_counter()
    outcome = scene.run(parse_program(row.program))
    seconds = time.perf_counter() - start
    return GroundingPrediction(
        row,
        outcome.object_ids,
        tuple(snapshot.objects[object_id].yaw_box for object_id in outcome.object_ids),
        outcome.tied,
        seconds,
        failure="" if outcome.object_ids else "not_found",
        steps=f"not used: {', '.join(outcome.unused)}" if outcome.unused else "",
    )
