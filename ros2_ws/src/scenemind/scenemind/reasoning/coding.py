"""Code in a model's words."""

from __future__ import annotations

import re

from scenemind.models import ChatMessage, ChatModel, ModelError, OnText
from scenemind.reasoning.method import Asking

# Of what a model said, when it sees it again.
_REPEATED_CHARACTERS = 6000
# Reasoning models think aloud first; some servers leave out where it begins.
_ALOUD = re.compile(r"(?:\A|<think>)(?:(?!<think>).)*?</think>", re.DOTALL)
_FENCED = re.compile(r"^[^\S\n]*```[^\S\n]*\w*[^\S\n]*\n(.*?)(?:^[^\S\n]*```|\Z)", re.DOTALL | re.M)


def ask_for_code(
    model: ChatModel, messages: list[ChatMessage], asking: Asking, on_text: OnText | None = None
) -> str:
    """The code in the model's next turn, which joins the messages; empty where there is none, or
    where the reply is of no use.

    Raises:
        ModelError: the model was not reached, refused, or the allowance is used up.
    """
    try:
        text = model.ask(messages, asking.allowance, on_text=on_text).text
    except ModelError as error:
        if error.kind != "bad_reply":
            raise
        text = ""
    said = _ALOUD.sub("", text).strip()
    messages.append(ChatMessage("assistant", said[:_REPEATED_CHARACTERS] or "-"))
    return find_code(said)


def find_code(text: str) -> str:
    """The last fenced code in a text, or all of it where nothing is fenced; may be empty."""
    fenced: list[str] = _FENCED.findall(text)
    return (fenced[-1] if fenced else text).strip("\n").rstrip()


def printable(text: str) -> str:
    """Lines without what could move a terminal's cursor."""
    return "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text)
