"""Whether an answer is right, by its own words, and an edit; and whether an error is mended."""

from __future__ import annotations

import re

from scenemind.evaluation.alignment.tasks import (
    AlignmentTask,
    ErrorKind,
    Objects,
    PlantedError,
    Wanted,
)
from scenemind.evaluation.metrics import sense_match
from scenemind.memory import Edit, MemorySnapshot
from scenemind.reasoning import Answer

# Numbers of things, what is listed, and who says so.
_ASIDE = re.compile(r" ?\([^)]*\)")
_REST = re.compile(r"[:;,](?: .*|$)", re.DOTALL)
_VERB = re.compile(r"\b(?:is|are|has this texture:|consists of)\b(?: made (?:of|from)| called)?")
_PLACE = re.compile(r"^ *(?:standing |lying |resting )?(?:on top of|supported by|on) ")


def is_right(wanted: Wanted, answer: Answer) -> bool:
    """By the strict sense of the words, or by exactly the objects that are meant."""
    if answer.failure is not None:
        return False
    if not wanted.answers:
        return {thing.object_id for thing in answer.objects} == wanted.object_ids
    said = [answer.brief, *_told(answer.text, wanted.question)]
    return any(sense_match(one, truth) for one in said if one for truth in wanted.answers)


def is_mended(error: PlantedError, perceived: Objects, now: MemorySnapshot) -> bool:
    """Whether the robot has a thing as it is.

    Args:
        perceived: what it had before anybody said anything.
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
    """Whether an edit says what is so: who is asked agrees to such ones only."""
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


def _told(text: str, question: str) -> list[str]:
    """What a sentence says beyond the words of the question: what stands before its verb, and what
    stands after it."""
    clause = _REST.sub("", _ASIDE.sub("", text.rstrip(".")))
    asked = {*_words(question), "the", "a", "an"}
    parts = [clause, *(_PLACE.sub("", part) for part in _VERB.split(clause, maxsplit=1))]
    return [part for part in parts if not asked.issuperset(_words(part))]


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())
