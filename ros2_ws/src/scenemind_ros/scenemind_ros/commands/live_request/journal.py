"""The journal of corrections; each task is a method of `scenemind.cli.corrections.Journal`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scenemind.cli.corrections.journal import (
    CANDIDATES,
    CORRECTIONS,
    REPLAY,
    Candidate,
    entry_of,
    repeat_reason,
)
from scenemind.memory import Correction, Replay, SimilarObject
from scenemind.memory.graph.corrections import LeftOut
from scenemind.memory.graph.corrections.exchange import corrections_from_json
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Correction as CorrectionMsg
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import correction_from_msg, edit_to_msg

_NEWEST = -1  # what undo and redo take for the newest


def _entries(client: SceneMindClient, _request: dict[str, Any]) -> dict[str, Any]:
    return _written(client.corrections(include_undone=True))


def _undo(client: SceneMindClient, request: dict[str, Any]) -> dict[str, Any]:
    number = _number(request)
    return _written([client.fetch(srv.UndoCorrection, correction_id=number).correction])


def _redo(client: SceneMindClient, request: dict[str, Any]) -> dict[str, Any]:
    number = _number(request)
    return _written([client.fetch(srv.RedoCorrection, correction_id=number).correction])


def _export(client: SceneMindClient, _request: dict[str, Any]) -> dict[str, Any]:
    return {"journal": client.export_corrections()}


def _import(client: SceneMindClient, request: dict[str, Any]) -> dict[str, Any]:
    text = request["journal"]
    known = {entry.correction_id: entry for entry in corrections_from_json(text)}
    response = client.import_corrections(text, by=request["by"], preview=request["preview"])
    left_out = zip(response.left_out_ids, response.left_out, strict=True)
    done = Replay(
        tuple(map(correction_from_msg, response.applied)),
        tuple(LeftOut(known[int(number)], reason) for number, reason in left_out),
    )
    return {"replay": REPLAY.dump_python(done, mode="json")}


def _similar(client: SceneMindClient, request: dict[str, Any]) -> dict[str, Any]:
    edit = _find(client, request["number"]).edit
    response = client.similar(edit_to_msg(edit, "", ""))
    found = tuple(
        Candidate(
            SimilarObject(int(thing.id), float(score), tuple(reasons.split("; "))), thing.label
        )
        for thing, score, reasons in zip(
            response.objects, response.scores, response.reasons, strict=True
        )
    )
    return {"candidates": CANDIDATES.dump_python(found, mode="json")}


def _repeat(client: SceneMindClient, request: dict[str, Any]) -> dict[str, Any]:
    number = request["number"]
    edit = replace(_find(client, number).edit, object_ids=tuple(request["object_ids"]))
    return _written(client.correct([edit_to_msg(edit, request["by"], repeat_reason(number))]))


def _find(client: SceneMindClient, number: int) -> Correction:
    entries = client.corrections(include_undone=True)
    return entry_of([correction_from_msg(entry) for entry in entries], number)


def _number(request: dict[str, Any]) -> int:
    return _NEWEST if request["number"] is None else int(request["number"])


def _written(entries: Sequence[CorrectionMsg]) -> dict[str, Any]:
    corrections = tuple(map(correction_from_msg, entries))
    return {"corrections": CORRECTIONS.dump_python(corrections, mode="json")}


JOURNAL: dict[str, Callable[[SceneMindClient, dict[str, Any]], dict[str, Any]]] = {
    "corrections": _entries,
    "undo": _undo,
    "redo": _redo,
    "export": _export,
    "import": _import,
    "similar": _similar,
    "repeat": _repeat,
}
