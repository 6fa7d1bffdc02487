"""Answers of a fixed form: JSON that pydantic has checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from scenemind.models.chat import (
    Allowance,
    ChatMessage,
    ChatModel,
    ModelError,
    OnText,
    without_reasoning,
)

Form = TypeVar("Form", bound=BaseModel)
Check = Callable[[Form], str | None]

_ANSWER = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```\w*\s(.*?)(?:```|\Z)", re.DOTALL)
_NAMED_MISTAKES = 3
_SHOWN_CHARACTERS = 200
# Lengths of a wrong reply and of the complaint when they are shown to the model again.
_REPEATED_CHARACTERS, _LONGEST_COMPLAINT = 4000, 600
_REPEAT = "That cannot be used: {}. Put it right, and answer again in the form that was asked for."


class BadFormError(ModelError):
    """A reply that is still unusable after one repetition.

    Attributes:
        form: the last reply of the right form, which failed `check`; None: there was none.
    """

    def __init__(self, message: str, form: BaseModel | None = None) -> None:
        super().__init__("bad_reply", message)
        self.form = form


@dataclass(frozen=True, slots=True)
class _Attempt(Generic[Form]):
    """One reply of the model.

    Attributes:
        text: as received; empty where the reply itself failed.
        value: the parsed form; None where the form is wrong.
        complaint: error text for the model; empty: the reply is usable.
    """

    text: str
    value: Form | None
    complaint: str


def ask_for(
    model: ChatModel,
    messages: Sequence[ChatMessage],
    form: type[Form],
    allowance: Allowance,
    *,
    check: Check[Form] | None = None,
    on_text: OnText | None = None,
    on_repair: Callable[[str], None] | None = None,
) -> Form:
    """The model's answer as a value of a pydantic type; an unusable reply is repeated once.

    The repetition shows the model its error. The JSON may be the whole text, stand between words,
    in a fence or in `<answer>`, and follow `<think>`.

    Args:
        form: with `extra="forbid"` and no defaults, as servers with strict schemas require.
        check: error of a reply of the right form, without a full stop, such as ids that do not
            exist; None: usable.
        on_repair: receives the error before the repetition.

    Raises:
        BadFormError: neither reply is usable.
        ModelError: the model was not reached, refused, or the allowance is used up.
    """
    first = _attempt(model, messages, form, allowance, check, on_text)
    if first.value is not None and not first.complaint:
        return first.value
    if on_repair is not None:
        on_repair(first.complaint)
    again = _with_complaint(messages, first)
    second = _attempt(model, again, form, allowance, check, on_text)
    if second.value is not None and not second.complaint:
        return second.value
    quoted_reply = f"; it said {second.text[:_SHOWN_CHARACTERS]!r}" if second.text else ""
    raise BadFormError(
        f"{model.name} gave no answer of use, asked twice: {second.complaint}{quoted_reply}",
        first.value if second.value is None else second.value,
    )


def _attempt(
    model: ChatModel,
    messages: Sequence[ChatMessage],
    form: type[Form],
    allowance: Allowance,
    check: Check[Form] | None,
    on_text: OnText | None,
) -> _Attempt[Form]:
    """
    Raises:
        ModelError: of any kind but `bad_reply`.
    """
    try:
        text = model.ask(messages, allowance, _schema_of(form), on_text).text
    except ModelError as error:
        if error.kind != "bad_reply":
            raise
        return _Attempt("", None, _in_a_line(str(error)))
    try:
        value = _parsed(text, form)
    except ValidationError as error:
        return _Attempt(text, None, _in_a_line(_error_text(error)))
    complaint = None if check is None else check(value)
    return _Attempt(text, value, _in_a_line(complaint or ""))


@lru_cache
def _schema_of(form: type[BaseModel]) -> Mapping[str, Any]:
    """JSON schema of a form, without the docstrings, which are for readers of the code."""
    schema = form.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        part.pop("description", None)
    return schema


def _parsed(text: str, form: type[Form]) -> Form:
    """The form in a reply.

    Raises:
        ValidationError: error of the part that is most likely the JSON.
    """
    parts = list(_parts_with_json(text))
    for part in parts[:-1]:
        try:
            return form.model_validate_json(part)
        except ValidationError:
            continue
    return form.model_validate_json(parts[-1])


def _parts_with_json(text: str) -> Iterator[str]:
    """Parts that may be the JSON; first the whole text, as JSON strings may hold anything."""
    yield text
    body = without_reasoning(text)
    body = (_ANSWER.findall(body) or [body])[-1]
    yield from _FENCED.findall(body)[-1:]
    if "{" in body:
        yield body[body.index("{") : body.rfind("}") + 1] or body


def _error_text(error: ValidationError) -> str:
    return "; ".join(map(_error_line, error.errors()[:_NAMED_MISTAKES]))


def _error_line(mistake: Mapping[str, Any]) -> str:
    if mistake["type"] == "json_invalid":
        return f"it is no JSON ({mistake['ctx']['error']})"
    where = ".".join(map(str, mistake["loc"])) or "the whole"
    return f"{where}: {mistake['msg']}"


def _in_a_line(complaint: str) -> str:
    """The complaint in one line of bounded length: it may quote the model or its server."""
    cut = complaint[:_LONGEST_COMPLAINT]
    return " ".join("".join(c if c.isprintable() else " " for c in cut).split())


def _with_complaint(messages: Sequence[ChatMessage], wrong: _Attempt[Form]) -> list[ChatMessage]:
    """The conversation with the wrong reply and its complaint. Without a reply the complaint joins
    the last turn, since many models require alternating turns."""
    complaint = _REPEAT.format(wrong.complaint)
    quoted_reply = without_reasoning(wrong.text).strip()[:_REPEATED_CHARACTERS]
    if quoted_reply:
        return [*messages, ChatMessage("assistant", quoted_reply), ChatMessage("user", complaint)]
    last = messages[-1]
    return [*messages[:-1], replace(last, text=f"{last.text}\n\n{complaint}")]
