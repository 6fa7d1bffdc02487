"""One request to running nodes, printed: what `scenemind ask --live` and its siblings start.

`python -m scenemind_ros.commands.live_request '{"task": "ask", "text": "where is the cup?"}'`;
tasks are ask, ground, align, undo, corrections and set_vocabulary. `as_json` prints a JSON object.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from scenemind.cli.output import (
    correction_json,
    object_json,
    print_corrections,
    print_json,
    print_objects,
)
from scenemind_interfaces.msg import Error
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import correction_from_msg, object_from_msg
from scenemind_ros.errors import RosError

_READY_S = 5.0

# What to print as JSON, and how to print it for people.
_Result = tuple[dict[str, Any], Callable[[], None]]


def main(arguments: Sequence[str] | None = None) -> int:
    """0, or 1 when there was no answer."""
    (text,) = sys.argv[1:] if arguments is None else arguments
    request = json.loads(text)
    try:
        with SceneMindClient() as client:
            client.wait_ready(_READY_S)
            result, show = _TASKS[request["task"]](client, request)
    except RosError as error:
        print(f"scenemind: {error}", file=sys.stderr)
        return 1
    if request.get("as_json"):
        print_json(result)
    else:
        show()
    return 0 if result.get("error") is None else 1


def _ask(client: SceneMindClient, request: dict[str, Any]) -> _Result:
    response = client.ask(
        request["text"],
        situation=request.get("situation", ""),
        method=request.get("method", "auto"),
    )
    answer = response.answer
    result = {
        "question": answer.question,
        "answer": answer.text or response.error.message,
        "confidence": answer.confidence,
        "object_ids": list(answer.object_ids),
        "key_frames": [frame.frame_id for frame in response.evidence],
        "method": answer.method,
        "seconds": answer.seconds,
        "error": _error(response.error),
    }
    return result, lambda: print(result["answer"])


def _ground(client: SceneMindClient, request: dict[str, Any]) -> _Result:
    response = client.ground(request["text"], method=request.get("method", "auto"))
    found = [object_from_msg(message) for message in response.objects]
    result = {
        "query": request["text"],
        "objects": [object_json(obj) for obj in found],
        "reasoning": response.reasoning,
        "key_frames": [frame.frame_id for frame in response.evidence],
        "method": response.method,
        "seconds": response.seconds,
        "error": _error(response.error),
    }

    def show() -> None:
        print(response.reasoning or response.error.message)
        if found:
            print_objects(found)

    return result, show


def _align(client: SceneMindClient, request: dict[str, Any]) -> _Result:
    response = client.align(request["text"])
    result = {
        "instruction": request["text"],
        "response": response.response or response.error.message,
        "correction_ids": [edit.id for edit in response.edits],
        "error": _error(response.error),
    }
    return result, lambda: print(result["response"])


def _undo(client: SceneMindClient, _request: dict[str, Any]) -> _Result:
    response = client.undo()
    if not response.success:
        message = response.error.message
        return {"corrections": [], "error": _error(response.error)}, lambda: print(message)
    return _journal([correction_from_msg(response.correction)])


def _corrections(client: SceneMindClient, _request: dict[str, Any]) -> _Result:
    journal = client.corrections(include_undone=True)
    return _journal([correction_from_msg(entry) for entry in journal])


def _set_vocabulary(client: SceneMindClient, request: dict[str, Any]) -> _Result:
    response = client.set_vocabulary(request["labels"])
    words = list(response.vocabulary)
    result = {"vocabulary": words, "error": _error(response.error)}
    done = f"looks for {', '.join(words)}"
    return result, lambda: print(done if response.success else response.error.message)


def _journal(entries: list[Any]) -> _Result:
    result = {"corrections": [correction_json(entry) for entry in entries]}
    return result, lambda: print_corrections(entries)


def _error(error: Error) -> dict[str, Any] | None:
    if error.code == Error.NONE:
        return None
    return {"code": _NAMES[error.code], "message": error.message}


# As the library writes them: NOT_FOUND is not_found. Constants live in the message's metaclass.
_NAMES = {getattr(Error, name): name.lower() for name in dir(type(Error)) if name.isupper()}
_TASKS: dict[str, Callable[[SceneMindClient, dict[str, Any]], _Result]] = {
    "ask": _ask,
    "ground": _ground,
    "align": _align,
    "undo": _undo,
    "corrections": _corrections,
    "set_vocabulary": _set_vocabulary,
}


if __name__ == "__main__":
    raise SystemExit(main())
