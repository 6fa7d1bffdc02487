"""Questions, answers, groundings and alignments as messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from scenemind.memory import KeyFrame, MapObject
from scenemind.models import Usage
from scenemind.reasoning import (
    POLICIES,
    Alignment,
    Answer,
    Grounding,
    Policy,
    Query,
    ReasoningFailure,
)
from scenemind.reasoning.query import ErrorCode
from scenemind.reasoning.stored_frames import Selection
from scenemind_interfaces.msg import Answer as AnswerMsg
from scenemind_interfaces.msg import Error, ModelUsage, SceneObject
from scenemind_interfaces.msg import KeyFrame as KeyFrameMsg
from scenemind_interfaces.srv import SelectKeyFrames
from scenemind_ros.conversions.geometry import box_to_msg, header_to_msg, pose_from_msg
from scenemind_ros.conversions.memory import key_frame_from_msg, key_frame_to_msg
from scenemind_ros.conversions.scene import object_from_msg, object_to_msg
from scenemind_ros.errors import RosError

ERROR_CODES: dict[ErrorCode, int] = {
    "not_understood": Error.NOT_UNDERSTOOD,
    "not_found": Error.NOT_FOUND,
    "ambiguous": Error.AMBIGUOUS,
    "method_unavailable": Error.METHOD_UNAVAILABLE,
    "invalid_request": Error.INVALID_REQUEST,
    "timeout": Error.TIMEOUT,
    "empty_memory": Error.EMPTY_MEMORY,
    "memory_refused": Error.MEMORY_REFUSED,
    "model_failed": Error.MODEL_FAILED,
    "budget_exceeded": Error.BUDGET_EXCEEDED,
    "cancelled": Error.CANCELLED,
}


def query_from_msg(request: Any) -> Query:
    """The query of a request or goal of Ask or Ground, or a request of Align or SelectKeyFrames.

    Raises:
        GeometryError: `has_viewpoint` is set and the viewpoint is no pose.
        RosError: there is no such policy.
    """
    text = next(
        getattr(request, name)
        for name in ("question", "query", "instruction")
        if hasattr(request, name)
    )
    has_viewpoint = getattr(request, "has_viewpoint", False)
    return Query(
        text=text,
        situation=getattr(request, "situation", ""),
        viewpoint=pose_from_msg(request.viewpoint) if has_viewpoint else None,
        marked_object_ids=_marked(request),
        policy=_policy(getattr(request, "policy", "")),
        dialogue_id=getattr(request, "dialogue_id", ""),
        by=getattr(request, "speaker", "").strip(),
    )


def _marked(request: Any) -> tuple[int, ...]:
    """Query of a key-frame request; the question's marked objects should be visible."""
    is_selection = isinstance(request, SelectKeyFrames.Request)
    ids = request.object_ids if is_selection else request.marked_object_ids
    return tuple(int(i) for i in ids)


def _policy(name: str) -> Policy:
    for policy in POLICIES:
        if name in (policy, ""):  # the first is the default
            return policy
    raise RosError(f"there is no policy {name!r}: use one of {', '.join(POLICIES)}")


def timeout_from_msg(request: Any, default_s: float) -> float:
    """Time limit of the request in seconds; zero means the default.

    Raises:
        RosError: a negative time.
    """
    seconds = float(request.timeout.sec) + float(request.timeout.nanosec) * 1e-9
    if seconds < 0.0:
        raise RosError(f"a timeout of {seconds:g} s is negative; 0 is the node's own limit")
    return seconds or default_s


def failure_to_msg(failure: ReasoningFailure | None) -> Error:
    """Error code of a failure; NONE without one."""
    if failure is None:
        return Error()
    return Error(
        code=ERROR_CODES[failure.code], message=failure.text, suggestion=failure.suggestion
    )


def answer_to_msg(answer: Answer, stamp: int, map_frame: str) -> AnswerMsg:
    """Message of an answer; `stamp`: that of the newest frame in the snapshot, nanoseconds."""
    return AnswerMsg(
        header=header_to_msg(stamp, map_frame),
        question=answer.query.text,
        text="" if answer.failure else answer.text,
        brief=answer.brief,
        confidence=float(answer.confidence),
        object_ids=[int(thing.object_id) for thing in answer.objects],
        boxes=[box_to_msg(thing.box) for thing in answer.objects],
        method=answer.method,
        seconds=float(answer.seconds),
        error=failure_to_msg(answer.failure),
        fallback=answer.fallback,
        usage=usage_to_msg(answer.usage),
        steps=list(answer.steps),
    )


def usage_to_msg(usage: Usage) -> ModelUsage:
    return ModelUsage(
        calls=int(usage.calls),
        prompt_tokens=int(usage.prompt_tokens),
        cached_prompt_tokens=int(usage.cached_tokens),
        reply_tokens=int(usage.reply_tokens),
        cost=float(usage.cost),
    )


def grounded_objects_to_msg(grounding: Grounding) -> list[SceneObject]:
    """Objects with their confidences as referents, best first."""
    messages = [object_to_msg(thing) for thing in grounding.objects]
    for message, confidence in zip(messages, grounding.confidences, strict=True):
        message.confidence = float(confidence)
    return messages


def evidence_to_msg(
    key_frames: Iterable[KeyFrame], camera_frame: str, *, with_images: bool
) -> list[KeyFrameMsg]:
    shown = key_frames if with_images else (replace(frame, jpeg=b"") for frame in key_frames)
    return [key_frame_to_msg(key_frame, camera_frame) for key_frame in shown]


def fill_selection(
    selection: Selection, camera_frame: str, response: SelectKeyFrames.Response
) -> None:
    response.key_frames = evidence_to_msg(selection.key_frames, camera_frame, with_images=True)
    response.key_object_ids = [int(i) for i in selection.key_objects]
    response.cue_object_ids = [int(i) for i in selection.cue_objects]
    response.reasoning = selection.reasoning
    response.steps = list(selection.steps)


def answer_from_msg(response: Any, query: Query, objects: Mapping[int, MapObject]) -> Answer:
    """The answer in a response or result of Ask.

    Args:
        objects: those of the map now; removed ones are left out.

    Raises:
        RosError: the node failed, and not the question.
    """
    answer, failure = response.answer, failure_from_msg(response.error)
    return Answer(
        query=query,
        text=answer.text if failure is None else failure.text,
        confidence=float(answer.confidence),
        objects=tuple(objects[i] for i in answer.object_ids if i in objects),
        key_frames=tuple(map(key_frame_from_msg, response.evidence)),
        method=answer.method,
        seconds=float(answer.seconds),
        steps=tuple(answer.steps),
        failure=failure,
        usage=usage_from_msg(answer.usage),
        fallback=answer.fallback,
        brief=answer.brief,
    )


def grounding_from_msg(response: Any, query: Query) -> Grounding:
    """The grounding in a response or result of Ground, with its confidences.

    Raises:
        RosError: the node failed, and not the phrase.
    """
    objects = tuple(map(object_from_msg, response.objects))
    failure = failure_from_msg(response.error)
    return Grounding(
        query=query,
        objects=objects,
        confidences=tuple(thing.confidence for thing in objects),
        reasoning=response.reasoning if failure is None else failure.text,
        key_frames=tuple(map(key_frame_from_msg, response.evidence)),
        method=response.method,
        seconds=float(response.seconds),
        failure=failure,
        usage=usage_from_msg(response.usage),
        fallback=response.fallback,
    )


def alignment_from_msg(response: Any, query: Query, seconds: float) -> Alignment:
    """The alignment in a response or result of Align.

    Args:
        seconds: duration, which is not in the message.

    Raises:
        RosError: the node failed, and not the sentence.
    """
    failure = failure_from_msg(response.error)
    return Alignment(
        query,
        response.response if failure is None else failure.text,
        tuple(int(edit.id) for edit in response.edits),
        tuple(map(int, response.object_ids)),
        seconds,
        failure,
        response.method,
        tuple(response.steps),
        usage_from_msg(response.usage),
    )


def selection_from_msg(response: SelectKeyFrames.Response) -> Selection:
    return Selection(
        tuple(map(key_frame_from_msg, response.key_frames)),
        response.reasoning,
        tuple(response.steps),
        tuple(int(i) for i in response.key_object_ids),
        tuple(int(i) for i in response.cue_object_ids),
    )


def failure_from_msg(error: Error) -> ReasoningFailure | None:
    """The failure that an error message reports; None for no failure.

    Raises:
        RosError: the node failed, and not the question.
    """
    if error.code == Error.NONE:
        return None
    for name, code in ERROR_CODES.items():
        if code == error.code:
            return ReasoningFailure(name, error.message, error.suggestion)
    raise RosError(error.message, error.code)


def usage_from_msg(usage: ModelUsage) -> Usage:
    return Usage(
        int(usage.calls),
        int(usage.prompt_tokens),
        int(usage.cached_prompt_tokens),
        int(usage.reply_tokens),
        float(usage.cost),
    )
