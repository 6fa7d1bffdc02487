"""Phrases grounded by any method, also by one that only answers questions."""

from __future__ import annotations

from dataclasses import replace

from scenemind.memory import MemoryAccess
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import Asking, AskMethod, GroundMethod, GroundReply
from scenemind.reasoning.types import Query

# What a phrase names beside it ("next to the desk") is not meant.
_WHICH = (
    "Which object is meant? As objects give it alone, or all that may be meant, likeliest first: {}"
)


def ground_by(method: AskMethod, query: Query, memory: MemoryAccess, asking: Asking) -> GroundReply:
    """In the method's own way, where it has one, else by asking it.

    Raises:
        ReasoningError, ModelError: as of the method.
    """
    if isinstance(method, GroundMethod):
        return method.ground(query, memory, asking)
    return ground_by_asking(method, query, memory, asking)


def ground_by_asking(
    method: AskMethod, query: Query, memory: MemoryAccess, asking: Asking
) -> GroundReply:
    """The objects of the map that the answer to "which object is ..." speaks of; the answer's
    confidence is that of each.

    Raises:
        ReasoningError: it cannot be answered, or the answer names no object of the map.
        ModelError: as of the method.
    """
    question = replace(query, text=_WHICH.format(query.text))
    reply = method.ask(question, memory, asking)
    with asking.trail.kept(reply.steps, reply.key_frames or ()):
        if not reply.objects:
            raise ReasoningError("not_found", f"That is no object of the map. {reply.text}")
    confidences = (reply.confidence,) * len(reply.objects)
    return GroundReply(reply.objects, confidences, (reply.text, *reply.steps), reply.key_frames)
