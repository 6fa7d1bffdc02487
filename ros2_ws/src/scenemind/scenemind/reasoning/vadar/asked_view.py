"""A question about a picture that is in no memory, answered as one about a memory is."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scenemind.reasoning.attempt import Attempt, attempt
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.sentence import check_sentence
from scenemind.reasoning.trail import Trail
from scenemind.reasoning.types import CANCELLED, Answer, Query
from scenemind.reasoning.vadar.method import Vadar, ViewReply
from scenemind.reasoning.vadar.view import BoxPx, View


@dataclass(frozen=True, slots=True, eq=False)
class AskedView:
    """
    Attributes:
        boxes_px: what the answer names, in pixels of the view; none where that is no thing.
        found: words -> boxes of what they were found to mean.
    """

    view: View
    answer: Answer
    boxes_px: tuple[BoxPx, ...] = ()
    found: Mapping[str, tuple[BoxPx, ...]] = field(default_factory=dict)


def ask_about_view(vadar: Vadar, query: Query, view: View, asking: Asking) -> AskedView:
    """Like `Router.ask`: what fails is the answer's `failure`. Nobody answers in the place of a
    model that fails, as there is no map."""
    start, asking = time.perf_counter(), replace(asking, trail=Trail())
    tried = _try(vadar, query, view, asking)
    said = tried.failure.text if tried.failure else ""
    reply = tried.reply or ViewReply(said, 0.0, steps=asking.trail.steps)
    answer = Answer(
        query,
        reply.text,
        reply.confidence,
        (),
        (),
        vadar.name,
        time.perf_counter() - start,
        reply.steps,
        tried.failure,
        asking.allowance.used,
        brief=reply.brief,
    )
    return AskedView(view, answer, reply.boxes_px, reply.found)


def _try(vadar: Vadar, query: Query, view: View, asking: Asking) -> Attempt[ViewReply]:
    try:
        check_sentence(query, "question")
    except ReasoningError as error:
        return Attempt(vadar.name, failure=error.failure)
    tried = attempt(vadar.name, lambda: vadar.ask_view(query, view, asking))
    if tried.is_broken and asking.allowance.is_cancelled:
        return replace(tried, failure=CANCELLED)
    return tried
