"""Tasks of alignment as in SynergAI's table A.2, and the judgement of answers and edits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scenemind.evaluation.metrics import sense_match
from scenemind.geometry import Pose
from scenemind.memory import Edit, MapObject, MemorySnapshot
from scenemind.reasoning import Answer

Category = Literal["attribute", "spatial", "numeric"]
Difficulty = Literal["easy", "hard"]
ErrorKind = Literal["label", "color", "material", "shape", "twice", "joined", "ghost", "relation"]
Objects = Mapping[int, MapObject]
# Parts of the robot's sentences that are no answer: asides, lists, verbs and places.
_ASIDE = re.compile(r" ?\([^)]*\)")
_REST = re.compile(r"[:;,](?: .*|$)", re.DOTALL)
_VERB = re.compile(r"\b(?:is|are|has this texture:|consists of)\b(?: made (?:of|from)| called)?")
_PLACE = re.compile(r"^ *(?:standing |lying |resting )?(?:on top of|supported by|on) ")


@dataclass(frozen=True, slots=True)
class PlantedError:
    """A perception error of one object.

    Attributes:
        object_id: in the perceived scene.
        second_id: for `twice` the other half; for `joined` the true object merged into it.
        noun: the true label; for `ghost` the perceived one.
        wrong, value: the perceived and the true value; empty for `relation`.
        anchor_id: its support, where that is clear; for `relation` its true support.
    """

    kind: ErrorKind
    object_id: int
    noun: str
    wrong: str = ""
    value: str = ""
    second_id: int | None = None
    anchor_id: int | None = None


@dataclass(frozen=True, slots=True)
class TaskQuestion:
    """A question and its right answers, known in closed form from the true scene.

    Attributes:
        answers: right answers; empty: the question is a phrase, with objects as its answer.
        object_ids: exactly the objects that a phrase refers to.
    """

    question: str
    answers: tuple[str, ...] = ()
    object_ids: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentTask:
    """A task: a question that the robot answers wrongly because of planted errors.

    Attributes:
        novel: a further question that depends on the corrections; None: none was found.
        true, perceived: id -> object, in reality and as the robot perceives it.
        viewpoint: pose of the person's head, x forward and z up; None: not relevant.
    """

    task_id: str
    scene_id: str
    category: Category
    difficulty: Difficulty
    wanted: TaskQuestion
    novel: TaskQuestion | None
    errors: tuple[PlantedError, ...]
    true: Objects
    perceived: Objects
    viewpoint: Pose | None = None


def is_right(wanted: TaskQuestion, answer: Answer) -> bool:
    """Whether an answer is right by the sense of its words, or by exactly the right objects."""
    if answer.failure is not None:
        return False
    if not wanted.answers:
        return {thing.object_id for thing in answer.objects} == wanted.object_ids
    said = [answer.brief, *_statements(answer.text, wanted.question)]
    return any(sense_match(one, truth) for one in said if one for truth in wanted.answers)


def is_mended(error: PlantedError, perceived: Objects, now: MemorySnapshot) -> bool:
    """Whether an error is corrected.

    Args:
        perceived: objects before the corrections.
        now: the current scene.
    """
    if error.kind == "twice":
        return {error.object_id, error.second_id} - now.objects.keys() != set()
    thing = now.objects.get(error.object_id)
    if thing is None or error.kind == "ghost":
        return thing is None and error.kind == "ghost"
    match error.kind:
        case "label":
            return thing.label == error.value
        case "joined":
            return not now.objects.keys() <= perceived.keys()
        case "relation":
            return any(
                (r.subject_id, r.predicate, r.object_id) == (error.object_id, "on", error.anchor_id)
                for r in now.relations
            )
        case _:
            return thing.attributes.get(error.kind) == error.value


def is_true(edit: Edit, task: AlignmentTask) -> bool:
    """Whether an edit agrees with the true scene."""
    halves = {e.second_id: e.object_id for e in task.errors if e.kind == "twice"}
    thing = task.true.get(halves.get(edit.object_ids[0], edit.object_ids[0]))
    match edit.kind:
        case "rename":
            return thing is not None and thing.label == edit.value
        case "set_attribute":
            return thing is not None and thing.attributes.get(edit.key) == edit.value
        case "confirm":
            return thing is not None
        case "merge":
            return any({e.object_id, e.second_id} == {*edit.object_ids} for e in _of(task, "twice"))
        case "split":
            return edit.object_ids[0] in {e.object_id for e in _of(task, "joined")}
        case "delete_object":
            return edit.object_ids[0] in {e.object_id for e in _of(task, "ghost")}
        case "add_relation":
            ends = {(e.object_id, e.anchor_id) for e in _of(task, "relation")}
            said = {"on": edit.object_ids, "supports": edit.object_ids[::-1]}
            return said.get(edit.key) in ends
        case _:
            return False


def _of(task: AlignmentTask, kind: ErrorKind) -> list[PlantedError]:
    return [error for error in task.errors if error.kind == kind]


def _statements(text: str, question: str) -> list[str]:
    """Parts of a sentence, before and after its verb, with words that the question lacks."""
    clause = _REST.sub("", _ASIDE.sub("", text.rstrip(".")))
    asked = {*_words(question), "the", "a", "an"}
    parts = [clause, *(_PLACE.sub("", part) for part in _VERB.split(clause, maxsplit=1))]
    return [part for part in parts if not asked.issuperset(_words(part))]


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())
