"""Commands with `--live`: requests to running nodes."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from scenemind.errors import SceneMindError, UsageError
from scenemind.exchange import SceneExport, scene_to_json
from scenemind.memory import Correction, MemorySnapshot, Replay, SimilarObject
from scenemind.memory.graph.corrections import LeftOut
from scenemind.memory.graph.corrections.replay import corrections_from_json
from scenemind.memory.history import SceneChanges, TimeSpan, Visit
from scenemind.memory.journal_access import (
    CANDIDATES,
    CORRECTIONS,
    REPLAY,
    Candidate,
    entry_of,
    repeat_reason,
)
from scenemind.memory.moments import COMPARISON, Comparison, compared_spans
from scenemind.models import Allowance
from scenemind.reasoning import Query, ReasoningFailure
from scenemind.reasoning.method import Asking
from scenemind.report.replies import (
    Chosen,
    PictureFolder,
    exit_status,
    show_alignment,
    show_answer,
    show_chosen,
    show_grounding,
)
from scenemind.report.terminal import print_json, with_progress
from scenemind.untrusted import say
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Correction as CorrectionMsg
from scenemind_interfaces.msg import Error, MemTree
from scenemind_ros.calls import OnFeedback, PendingGoal
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import (
    alignment_from_msg,
    answer_from_msg,
    correction_from_msg,
    edit_to_msg,
    failure_from_msg,
    grounding_from_msg,
    key_frame_from_msg,
    selection_from_msg,
    snapshot_from_msg,
    time_to_msg,
    usage_from_msg,
)
from scenemind_ros.conversions.floor import approach_from_response
from scenemind_ros.conversions.memory import change_from_msg, visit_from_msg
from scenemind_ros.errors import RosError


def _scene_graph(client: SceneMindClient, _request: dict[str, Any]) -> dict[str, Any]:
    snapshot = snapshot_from_msg(client.scene_graph())
    tree = client.fetch(srv.GetMemTree).mem_tree
    return {"scene_graph": scene_to_json(SceneExport(snapshot, _seen_from(tree)))}


def _seen_from(tree: MemTree) -> dict[int, tuple[int, ...]]:
    """Object id -> the locations that saw it, oldest first."""
    seen: dict[int, dict[int, None]] = {}
    for location in tree.locations:
        for tracklet in location.tracklets:
            if tracklet.object_id >= 0:
                seen.setdefault(int(tracklet.object_id), {})[int(location.id)] = None
    return {object_id: tuple(ids) for object_id, ids in sorted(seen.items())}


def _changes(client: SceneMindClient, request: dict[str, Any]) -> dict[str, Any]:
    between, since = request["between"], request["since"]
    # The response lists the visits even if it is an error.
    response = client.call(srv.GetChanges)
    visits = tuple(map(visit_from_msg, response.visits))
    if not visits:
        raise RosError(response.error.message, response.error.code)
    before, after = compared_spans(visits, between, since)
    if since is not None and before is not None:
        response = client.fetch(srv.GetChanges, since=time_to_msg(before.last_ns))
    elif before is not None:
        first, second = (_visit_number(visits, span) for span in (before, after))
        response = client.fetch(srv.GetChanges, before_visit=first, after_visit=second)
    changes = SceneChanges(
        tuple(map(change_from_msg, response.changes)),
        int(response.unchanged),
        tuple(int(object_id) for object_id in response.unseen_ids),
        response.note,
    )
    unseen = _labels(client, changes.unseen)
    compared = Comparison(visits, before, after, changes, unseen)
    return {"comparison": COMPARISON.dump_python(compared, mode="json")}


def _visit_number(visits: Sequence[Visit], span: TimeSpan) -> int:
    for visit in visits:
        if visit.span == span:
            return visit.number
    raise UsageError(
        "running nodes compare whole visits, or any moment with now: say --between 1 2, or --since"
    )


def _labels(client: SceneMindClient, object_ids: Sequence[int]) -> dict[int, str]:
    if not object_ids:
        return {}
    scene = client.scene_graph()
    labels = {int(thing.id): thing.label for thing in (*scene.gone, *scene.objects)}
    return {object_id: labels[object_id] for object_id in object_ids if object_id in labels}


def _approach(client: SceneMindClient, request: dict[str, Any]) -> dict[str, Any]:
    robot = request.pop("robot")
    wish = {name: value for name, value in request.items() if name not in ("task", "thing")}
    found = client.approach_poses(request["thing"], robot=robot and tuple(robot), **wish)
    return {"poses": [asdict(pose) for pose in approach_from_response(found)]}


FETCHING: dict[str, Callable[[SceneMindClient, dict[str, Any]], dict[str, Any]]] = {
    "scene_graph": _scene_graph,
    "changes": _changes,
    "approach": _approach,
}
_FINISHING_S = 1.0  # in addition to the node's own time limit


def _ask(client: SceneMindClient, request: dict[str, Any]) -> int:
    query = Query(request["text"], request["situation"], policy=request["policy"], by=request["by"])
    result = _result(
        lambda hear: client.start_asking(
            query.text,
            situation=query.situation,
            method=request["method"],
            policy=query.policy,
            speaker=query.by,
            timeout_s=float(request["timeout_s"]),
            on_feedback=hear,
        ),
        request,
    )
    snapshot = snapshot_from_msg(client.scene_graph())
    answer = answer_from_msg(result, query, snapshot.objects)
    if _offered(answer.failure, request):
        return 1
    show_answer(answer, _pictures(client, request, snapshot), request["as_json"])
    return exit_status(answer.failure)


def _ground(client: SceneMindClient, request: dict[str, Any]) -> int:
    query = Query(request["text"], request["situation"], policy=request["policy"], by=request["by"])
    result = _result(
        lambda hear: client.start_grounding(
            query.text,
            situation=query.situation,
            method=request["method"],
            policy=query.policy,
            speaker=query.by,
            timeout_s=float(request["timeout_s"]),
            on_feedback=hear,
        ),
        request,
    )
    found = grounding_from_msg(result, query)
    if _offered(found.failure, request):
        return 1
    snapshot = snapshot_from_msg(client.scene_graph())
    show_grounding(found, _pictures(client, request, snapshot), request["as_json"])
    return exit_status(found.failure)


def _offered(failure: ReasoningFailure | None, request: dict[str, Any]) -> bool:
    """Whether a suggestion was left to the parent process, which can ask the person."""
    if failure is None or not failure.suggestion:
        return False
    return _written_to_parent(failure, request)


def _written_to_parent(failure: ReasoningFailure, request: dict[str, Any]) -> bool:
    """Whether the parent process asks the person: for a suggestion, or for words where there is
    none."""
    if request["offer"] is None:
        return False
    Path(request["offer"]).write_text(json.dumps(asdict(failure)), encoding="utf-8")
    return True


def _result(start: Callable[[OnFeedback], PendingGoal], request: dict[str, Any]) -> Any:
    """The result of a goal, with its progress shown; an interrupt cancels it."""
    timeout_s = float(request["timeout_s"])

    def wait(asking: Asking) -> Any:
        def hear(feedback: Any) -> None:
            frames = tuple(map(key_frame_from_msg, feedback.evidence))
            asking.progress.report(feedback.stage, feedback.partial_reasoning, frames)

        goal = start(hear)
        with asking.allowance.waking(goal.cancel):
            return goal.result(timeout_s + _FINISHING_S)

    return with_progress(wait, Allowance(timeout_s))


def _key_frames(client: SceneMindClient, request: dict[str, Any]) -> int:
    response = client.choose_key_frames(
        request["text"],
        selector=request["selector"],
        count=request["count"],
        timeout_s=float(request["timeout_s"]),
    )
    chosen = Chosen(
        Query(request["text"]),
        selection_from_msg(response),
        response.selector,
        float(response.seconds),
        usage_from_msg(response.usage),
        failure_from_msg(response.error),
    )
    snapshot = snapshot_from_msg(client.scene_graph())
    show_chosen(chosen, _pictures(client, request, snapshot), request["as_json"])
    return exit_status(chosen.failure)


def _pictures(
    client: SceneMindClient, request: dict[str, Any], snapshot: MemorySnapshot
) -> PictureFolder:
    """The folder for pictures, if one is named; the camera's path is that of the locations."""
    if request["pictures"] is None:
        return PictureFolder(None, snapshot, np.zeros((0, 3), np.float32))
    anchors = [node.anchor.position for node in client.fetch(srv.GetMemTree).mem_tree.locations]
    path = np.array([(at.x, at.y, at.z) for at in anchors], np.float32).reshape(-1, 3)
    return PictureFolder(Path(request["pictures"]), snapshot, path)


def _align(client: SceneMindClient, request: dict[str, Any]) -> int:
    query, start = Query(request["text"]), time.perf_counter()
    result = _result(
        lambda hear: client.start_aligning(
            query.text,
            dialogue_id=request["dialogue_id"],
            speaker=request["by"],
            timeout_s=float(request["timeout_s"]),
            on_feedback=hear,
        ),
        request,
    )
    done = alignment_from_msg(result, query, time.perf_counter() - start)
    question = ReasoningFailure("ambiguous", done.response)
    if done.asks_back and _written_to_parent(question, request):
        return 0
    if _offered(done.failure, request):
        return 1
    show_alignment(done, request["as_json"])
    return exit_status(done.failure)


def _set_vocabulary(client: SceneMindClient, request: dict[str, Any]) -> int:
    response = client.set_vocabulary(request["labels"])
    words = list(response.vocabulary)
    result = {"vocabulary": words, "error": _error(response.error)}
    done = f"looks for {', '.join(words)}"
    return _printed(result, done if response.success else response.error.message, request)


def _printed(result: dict[str, Any], said: str, request: dict[str, Any]) -> int:
    """Print the result as JSON, or the text; returns the exit status."""
    if request["as_json"]:
        print_json(result)
    else:
        say(said)
    return 0 if result["error"] is None else 1


def _error(error: Error) -> dict[str, Any] | None:
    if error.code == Error.NONE:
        return None
    return {"code": _NAMES[error.code], "message": error.message}


# In the library's spelling: NOT_FOUND is not_found. Constants are in the message's metaclass.
_NAMES = {getattr(Error, name): name.lower() for name in dir(type(Error)) if name.isupper()}
ASKING: dict[str, Callable[[SceneMindClient, dict[str, Any]], int]] = {
    "ask": _ask,
    "key_frames": _key_frames,
    "ground": _ground,
    "align": _align,
    "set_vocabulary": _set_vocabulary,
}


def _entries(client: SceneMindClient, _request: dict[str, Any]) -> dict[str, Any]:
    return _written(client.corrections(include_undone=True))


def _undo(client: SceneMindClient, request: dict[str, Any]) -> dict[str, Any]:
    numbers = request["numbers"]
    return _written(client.fetch(srv.UndoCorrection, correction_ids=numbers).corrections)


def _redo(client: SceneMindClient, request: dict[str, Any]) -> dict[str, Any]:
    numbers = request["numbers"]
    return _written(client.fetch(srv.RedoCorrection, correction_ids=numbers).corrections)


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
_READY_S = 5.0
_INTERRUPTED = 130  # exit status of a shell for an interrupt
_FETCHED: dict[str, Callable[[SceneMindClient, dict[str, Any]], dict[str, Any]]] = {
    **FETCHING,
    **JOURNAL,
}


def main() -> int:
    """Exit status: 0; 1 without an answer, 130 when interrupted."""
    request = json.load(sys.stdin)
    task = request["task"]
    try:
        with SceneMindClient() as client:
            client.wait_ready(_READY_S, reasoning=task in ASKING)
            if task in _FETCHED:
                print_json(_FETCHED[task](client, request))
                return 0
            return ASKING[task](client, request)
    except SceneMindError as error:
        say(f"scenemind: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED


if __name__ == "__main__":
    raise SystemExit(main())
