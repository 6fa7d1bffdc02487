"""Answers of a fixed form: JSON that pydantic has checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from scenemind.models.allowance import Allowance
from scenemind.models.chat import ChatMessage, ChatModel, OnText
from scenemind.models.errors import ModelError

Form = TypeVar("Form", bound=BaseModel)
Check = Callable[[Form], str | None]

# Reasoning models think aloud first; some servers leave out where it begins.
_THOUGHTS = re.compile(r"(?:\A|<think>)(?:(?!<think>).)*?</think>", re.DOTALL)
_ANSWER = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```\w*\s(.*?)(?:```|\Z)", re.DOTALL)
_NAMED_MISTAKES = 3
_SHOWN_CHARACTERS = 200
# Of a wrong reply and of what is wrong with it, when the model sees them again.
_REPEATED_CHARACTERS, _LONGEST_COMPLAINT = 4000, 600
_AGAIN = "That cannot be used: {}. Put it right, and answer again in the form that was asked for."


class BadFormError(ModelError):
    """A reply that is of no use still after it was asked for again.

    Attributes:
        form: the last reply of the right form, which `check` complained of; None: there was none.
    """

    def __init__(self, message: str, form: BaseModel | None = None) -> None:
        super().__init__("bad_reply", message)
        self.form = form


@dataclass(frozen=True, slots=True)
class _Attempt(Generic[Form]):
    """
    Attributes:
        text: as the model said it; empty where its reply did not even get here.
        value: None where it has another form.
        complaint: what is wrong, for the model; empty: nothing.
    """

    text: str
    value: Form | None
    complaint: str


def ask_for(
    model: ChatModel,
    messages: Sequence[ChatMessage],
    form: type[Form],
    allowance: Allowance,
    check: Check[Form] | None = None,
    on_text: OnText | None = None,
    on_repair: Callable[[str], None] | None = None,
) -> Form:
    """The model's answer as a value of a pydantic type. A reply that cannot be used is asked for
    again, once, with what is wrong with it.

    The JSON may stand by itself, between words, in a fence, in `<answer>`, and beside `<think>`.

    Args:
        form: with `extra="forbid"` and no defaults, as servers with strict schemas want it.
        check: says to the model, without a full stop, what is wrong with a reply of the right form,
            such as ids that do not exist; None: nothing.
        on_repair: hears what is wrong before the model is asked again.

    Raises:
        BadFormError: neither reply is of use.
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
    said = f"; it said {second.text[:_SHOWN_CHARACTERS]!r}" if second.text else ""
    raise BadFormError(
        f"{model.name} gave no answer of use, asked twice: {second.complaint}{said}",
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
        return _Attempt(text, None, _in_a_line(_mistakes(error)))
    complaint = None if check is None else check(value)
    return _Attempt(text, value, _in_a_line(complaint or ""))


@lru_cache
def _schema_of(form: type[BaseModel]) -> Mapping[str, Any]:
    """Without the docstrings of the forms, which are for people who read the code."""
    schema = form.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        part.pop("description", None)
    return schema


def _parsed(text: str, form: type[Form]) -> Form:
    """
    Raises:
        ValidationError: of the part that looks most like the JSON.
    """
    parts = list(_parts_with_json(text))
    for part in parts[:-1]:
        try:
            return form.model_validate_json(part)
        except ValidationError:
            continue
    return form.model_validate_json(parts[-1])


def _parts_with_json(text: str) -> Iterator[str]:
    """Where the JSON may be; the whole text is the first, as JSON may hold anything."""
    yield text
    body = _THOUGHTS.sub("", text)
    body = (_ANSWER.findall(body) or [body])[-1]
    yield from _FENCED.findall(body)[-1:]
    if "{" in body:
        yield body[body.index("{") : body.rfind("}") + 1] or body


def _mistakes(error: ValidationError) -> str:
    return "; ".join(map(_mistake, error.errors()[:_NAMED_MISTAKES]))


def _mistake(mistake: Mapping[str, Any]) -> str:
    if mistake["type"] == "json_invalid":
        return f"it is no JSON ({mistake['ctx']['error']})"
    where = ".".join(map(str, mistake["loc"])) or "the whole"
    return f"{where}: {mistake['msg']}"


def _in_a_line(complaint: str) -> str:
    """It may hold what the model or its server wrote, names of fields included."""
    cut = complaint[:_LONGEST_COMPLAINT]
    return " ".join("".join(c if c.isprintable() else " " for c in cut).split())


def _with_complaint(messages: Sequence[ChatMessage], wrong: _Attempt[Form]) -> list[ChatMessage]:
    """The conversation as it went on. Without a reply the complaint joins the last turn, since many
    models want turns to alternate."""
    complaint = _AGAIN.format(wrong.complaint)
    said = _THOUGHTS.sub("", wrong.text).strip()[:_REPEATED_CHARACTERS]
    if said:
        return [*messages, ChatMessage("assistant", said), ChatMessage("user", complaint)]
    last = messages[-1]
    return [*messages[:-1], replace(last, text=f"{last.text}\n\n{complaint}")]
