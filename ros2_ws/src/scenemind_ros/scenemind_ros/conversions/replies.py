"""What comes back from the reasoning node, as values of the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenemind.memory import MapObject
from scenemind.models import Usage
from scenemind.reasoning import Alignment, Answer, Grounding, Query, ReasoningFailure
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind_interfaces.msg import Error, ModelUsage
from scenemind_interfaces.srv import SelectKeyFrames
from scenemind_ros.conversions.memory import key_frame_from_msg
from scenemind_ros.conversions.reasoning import ERROR_CODES
from scenemind_ros.conversions.scene import object_from_msg
from scenemind_ros.errors import RosError


def answer_from_msg(response: Any, query: Query, objects: Mapping[int, MapObject]) -> Answer:
    """From a response or result of Ask.

    Args:
        objects: of the map now; what it has no more is left out.

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
    """From a response or result of Ground; its objects' own confidence is that they are meant.

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
    """From a response or result of Align.

    Args:
        seconds: what it took; the message does not say.

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
    """None where nothing failed.

    Raises:
        RosError: the node failed, and not the question.
    """
    if error.code == Error.NONE:
        return None
    for name, code in ERROR_CODES.items():
        if code == error.code:
            return ReasoningFailure(name, error.message)
    raise RosError(error.message, error.code)


def usage_from_msg(usage: ModelUsage) -> Usage:
    return Usage(
        int(usage.calls),
        int(usage.prompt_tokens),
        int(usage.cached_prompt_tokens),
        int(usage.reply_tokens),
        float(usage.cost),
    )
