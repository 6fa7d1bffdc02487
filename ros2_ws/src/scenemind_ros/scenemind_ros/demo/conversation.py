"""Puts the requests to the running nodes, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from scenemind.memory import KeyFrame
from scenemind.report import Step
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import key_frame_from_msg, snapshot_from_msg
from scenemind_ros.demo.request import Reply, Request
from scenemind_ros.errors import RosError


def converse(client: SceneMindClient, requests: Iterable[Request]) -> Iterator[Step]:
    """A step for each request; a node that does not answer makes it a failed one.

    Raises:
        RosError: the map cannot be had.
    """
    put = {"ask": _ask, "ground": _ground, "align": _align, "undo": _undo}
    for request in requests:
        start = time.perf_counter()
        reply = _reply(put[request.kind], client, request.text)
        seconds = time.perf_counter() - start
        yield Step(
            name=request.name,
            question=request.text or "(undo the newest correction)",
            answer=reply.text,
            expected=request.expected,
            ok=reply.success and request.is_right(reply),
            seconds=seconds,
            object_ids=reply.object_ids,
            key_frames=reply.key_frames,
            detail=reply.detail,
            labels=_labels(client, reply.object_ids) if reply.key_frames else {},
        )


def _reply(
    put: Callable[[SceneMindClient, str], Reply], client: SceneMindClient, text: str
) -> Reply:
    try:
        return put(client, text)
    except RosError as error:
        return Reply(False, str(error))


def _ask(client: SceneMindClient, text: str) -> Reply:
    response = client.ask(text)
    answer = response.answer
    return Reply(
        response.success,
        answer.text or response.error.message,
        tuple(answer.object_ids),
        _key_frames(response),
    )


def _ground(client: SceneMindClient, text: str) -> Reply:
    response = client.ground(text)
    found = response.objects
    listed = ", ".join(f"{obj.label} {obj.id} ({obj.confidence:.2f})" for obj in found)
    return Reply(
        response.success,
        listed or response.error.message,
        tuple(obj.id for obj in found),
        _key_frames(response),
        response.reasoning,
    )


def _align(client: SceneMindClient, text: str) -> Reply:
    response = client.align(text)
    touched = dict.fromkeys(i for edit in response.edits for i in edit.object_ids)
    return Reply(response.success, response.response or response.error.message, tuple(touched))


def _undo(client: SceneMindClient, _text: str) -> Reply:
    response = client.undo()
    if not response.success:
        return Reply(False, response.error.message)
    entry = response.correction
    return Reply(True, f'taken back: correction {entry.id}, "{entry.reason}"')


def _labels(client: SceneMindClient, object_ids: Iterable[int]) -> dict[int, str]:
    """What the objects are called now: a correction may be taken back later."""
    objects = snapshot_from_msg(client.scene_graph()).objects
    return {i: objects[i].label for i in object_ids if i in objects}


def _key_frames(response: Any) -> tuple[KeyFrame, ...]:
    return tuple(key_frame_from_msg(message) for message in response.evidence)
