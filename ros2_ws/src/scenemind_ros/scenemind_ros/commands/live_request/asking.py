"""What people ask and tell in words; each is printed, for people or as JSON."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.cli.align_command import show_alignment
from scenemind.cli.asking.answers import exit_status, show_answer
from scenemind.cli.asking.chosen_frames import Chosen, show_chosen
from scenemind.cli.asking.progress import with_progress
from scenemind.cli.ground_command import show_grounding
from scenemind.cli.output import print_json, printable
from scenemind.models import Allowance
from scenemind.reasoning import Query
from scenemind.reasoning.method import Asking
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import (
    alignment_from_msg,
    answer_from_msg,
    failure_from_msg,
    grounding_from_msg,
    key_frame_from_msg,
    selection_from_msg,
    snapshot_from_msg,
    usage_from_msg,
)
from scenemind_ros.pending_goal import OnFeedback, PendingGoal

_FINISHING_S = 1.0  # beside the time that the node may take to answer


def _ask(client: SceneMindClient, request: dict[str, Any]) -> int:
    query = Query(request["text"], request["situation"], policy=request["policy"])
    result = _result(
        lambda hear: client.start_asking(
            query.text,
            situation=query.situation,
            method=request["method"],
            policy=query.policy,
            timeout_s=float(request["timeout_s"]),
            on_feedback=hear,
        ),
        request,
    )
    snapshot = snapshot_from_msg(client.scene_graph())
    answer = answer_from_msg(result, query, snapshot.objects)
    show_answer(answer, snapshot, *_page(client, request), request["as_json"])
    return exit_status(answer.failure)


def _ground(client: SceneMindClient, request: dict[str, Any]) -> int:
    query = Query(request["text"], policy=request["policy"])
    result = _result(
        lambda hear: client.start_grounding(
            query.text,
            method=request["method"],
            policy=query.policy,
            timeout_s=float(request["timeout_s"]),
            on_feedback=hear,
        ),
        request,
    )
    found = grounding_from_msg(result, query)
    snapshot = snapshot_from_msg(client.scene_graph())
    show_grounding(found, snapshot, *_page(client, request), request["as_json"])
    return exit_status(found.failure)


def _result(start: Callable[[OnFeedback], PendingGoal], request: dict[str, Any]) -> Any:
    """Of a goal, while progress is shown; an interrupt takes it back."""
    timeout_s = float(request["timeout_s"])

    def wait(asking: Asking) -> Any:
        def hear(feedback: Any) -> None:
            frames = tuple(map(key_frame_from_msg, feedback.evidence))
            asking.report(feedback.stage, feedback.partial_reasoning, frames)

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
    show_chosen(chosen, snapshot, *_page(client, request), request["as_json"])
    return exit_status(chosen.failure)


def _page(
    client: SceneMindClient, request: dict[str, Any]
) -> tuple[NDArray[np.float32], Path | None]:
    """Where the camera was, (N, 3) float32, and the folder of the pictures, where one is wanted."""
    if request["pictures"] is None:
        return np.zeros((0, 3), np.float32), None
    anchors = [node.anchor.position for node in client.fetch(srv.GetMemTree).mem_tree.locations]
    path = np.array([(at.x, at.y, at.z) for at in anchors], np.float32).reshape(-1, 3)
    return path, Path(request["pictures"])


def _align(client: SceneMindClient, request: dict[str, Any]) -> int:
    query, start = Query(request["text"]), time.perf_counter()
    result = _result(
        lambda hear: client.start_aligning(
            query.text,
            speaker=request["by"],
            timeout_s=float(request["timeout_s"]),
            on_feedback=hear,
        ),
        request,
    )
    done = alignment_from_msg(result, query, time.perf_counter() - start)
    show_alignment(done, request["as_json"])
    return exit_status(done.failure)


def _set_vocabulary(client: SceneMindClient, request: dict[str, Any]) -> int:
    response = client.set_vocabulary(request["labels"])
    words = list(response.vocabulary)
    result = {"vocabulary": words, "error": _error(response.error)}
    done = f"looks for {', '.join(words)}"
    return _printed(result, done if response.success else response.error.message, request)


def _printed(result: dict[str, Any], said: str, request: dict[str, Any]) -> int:
    """The exit status of what is printed now: the result as JSON, or what was said."""
    if request["as_json"]:
        print_json(result)
    else:
        print(printable(said))
    return 0 if result["error"] is None else 1


def _error(error: Error) -> dict[str, Any] | None:
    if error.code == Error.NONE:
        return None
    return {"code": _NAMES[error.code], "message": error.message}


# As the library writes them: NOT_FOUND is not_found. Constants live in the message's metaclass.
_NAMES = {getattr(Error, name): name.lower() for name in dir(type(Error)) if name.isupper()}
ASKING: dict[str, Callable[[SceneMindClient, dict[str, Any]], int]] = {
    "ask": _ask,
    "key_frames": _key_frames,
    "ground": _ground,
    "align": _align,
    "set_vocabulary": _set_vocabulary,
}
