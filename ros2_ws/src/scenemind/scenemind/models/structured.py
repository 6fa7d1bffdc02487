"""Answers of a fixed form: JSON that pydantic has checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from scenemind.models.chat import ChatMessage, ChatModel
from scenemind.models.errors import ModelError

Form = TypeVar("Form", bound=BaseModel)

# Servers that do not hold a model to the schema let it put a fence around its JSON.
_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?```\s*\Z", re.DOTALL)
_NAMED_MISTAKES = 3
_SHOWN_CHARACTERS = 200


def ask_for(
    model: ChatModel, messages: Sequence[ChatMessage], form: type[Form], deadline_s: float
) -> Form:
    """The model's answer as a value of a pydantic type.

    Args:
        form: with `extra="forbid"` and no defaults, as servers with strict schemas want it.

    Raises:
        ModelError: no usable answer, or one of another form.
    """
    reply = model.ask(messages, deadline_s, form.model_json_schema())
    fenced = _FENCE.match(reply.text)
    try:
        return form.model_validate_json(fenced.group(1) if fenced else reply.text)
    except ValidationError as error:
        mistakes = "; ".join(
            f"{'.'.join(map(str, e['loc'])) or 'the whole'}: {e['msg']}"
            for e in error.errors()[:_NAMED_MISTAKES]
        )
        raise ModelError(
            "bad_reply",
            f"{model.name} did not answer in the form asked for ({mistakes}); it said"
            f" {reply.text[:_SHOWN_CHARACTERS]!r}",
        ) from error
