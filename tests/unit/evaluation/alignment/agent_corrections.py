"""Edits of a scripted agent after a correction by a simulated person."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from scenemind.evaluation.alignment.generator import fill_wording as worded
from scenemind.evaluation.alignment.generator import read_wordings
from scenemind.evaluation.alignment.tasks import AlignmentTask, PlantedError
from scenemind.language.quoting import tame
from tests.unit.evaluation.alignment.agent_sight import seen_in

_TABLES = ("person.yaml", "person_more.yaml", "person_development.yaml", "person_fresh.yaml")


def corrected(
    task: AlignmentTask, said: str, is_marked: bool
) -> Generator[tuple[str, dict[str, Any]], str, None]:
    """Find the thing and correct it; do nothing if the sentence is no correction of the task."""
    meant = [error for error in task.errors if said in _sentences(task, error)]
    if not meant:
        return
    if is_marked:
        observed = yield "find_marked_object", {}
    else:
        error = meant[0]
        name = error.wrong if error.kind == "label" else error.noun
        observed = yield "query_for_objects", {"query": name}
    known = [thing.object_id for thing in seen_in(observed)]
    found = [e for e in meant if e.object_id in known or str(e.object_id) in said]
    if not found:
        yield "ask_back", {"question": "Which one?", "candidate_ids": known[:5]}
        return
    error = found[0]
    if error.kind == "relation":
        yield "query_for_objects", {"query": task.true[error.anchor_id or 0].label}
    yield _edit(error)
    if error.kind != "ghost":
        yield "post_process", {"object_ids": [error.object_id]}
    yield "final_answer", {"answer": f"I have learned that (id: {error.object_id})."}


def _edit(error: PlantedError) -> tuple[str, dict[str, Any]]:
    subject = error.object_id
    match error.kind:
        case "label":
            return "update_name", {"names": [error.value], "object_ids": [subject]}
        case "twice":
            return "merge_objects", {"object_ids": [subject, error.second_id]}
        case "joined":
            return "split_object", {"object_id": subject, "count": 2}
        case "ghost":
            return "delete_object", {"object_id": subject}
        case "relation":
            ends = {"subject_id": subject, "object_id": error.anchor_id}
            return "add_relation", {**ends, "relation": "on"}
        case _:
            return "update_attributes", {
                "object_id": subject,
                "attributes": {error.kind: error.value},
            }


def _sentences(task: AlignmentTask, error: PlantedError) -> Iterator[str]:
    """All sentences by which a person may correct the error."""
    thing = task.true.get(error.object_id)
    anchor = None if error.anchor_id is None else task.true[error.anchor_id]
    words = {
        "noun": error.noun,
        "wrong": error.wrong,
        "value": error.value,
        "anchor": anchor.label if anchor else "",
        "color": thing.attributes.get("color", "") if thing else "",
        "number": str(error.object_id),
        "second": "" if error.second_id is None else str(error.second_id),
    }
    for table in _TABLES:
        for ways in read_wordings(table)["corrections"][error.kind].values():
            for wording in ways:
                if error.wrong or "wrong}" not in wording:
                    yield tame(worded(wording, **words), 600)
