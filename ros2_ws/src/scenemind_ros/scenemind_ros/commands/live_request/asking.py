"""What people ask and tell in words; each gives what to print as JSON, and how to print it for
people.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scenemind.cli.output import object_json, print_objects
from scenemind_interfaces.msg import Error
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import object_from_msg

_Result = tuple[dict[str, Any], Callable[[], None]]


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


def _set_vocabulary(client: SceneMindClient, request: dict[str, Any]) -> _Result:
    response = client.set_vocabulary(request["labels"])
    words = list(response.vocabulary)
    result = {"vocabulary": words, "error": _error(response.error)}
    done = f"looks for {', '.join(words)}"
    return result, lambda: print(done if response.success else response.error.message)


def _error(error: Error) -> dict[str, Any] | None:
    if error.code == Error.NONE:
        return None
    return {"code": _NAMES[error.code], "message": error.message}


# As the library writes them: NOT_FOUND is not_found. Constants live in the message's metaclass.
_NAMES = {getattr(Error, name): name.lower() for name in dir(type(Error)) if name.isupper()}
ASKING: dict[str, Callable[[SceneMindClient, dict[str, Any]], _Result]] = {
    "ask": _ask,
    "ground": _ground,
    "align": _align,
    "set_vocabulary": _set_vocabulary,
}
