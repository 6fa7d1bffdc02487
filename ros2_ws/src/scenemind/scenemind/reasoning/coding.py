"""Code in a model's words."""

from __future__ import annotations

import re

from scenemind.models import ChatMessage, ChatModel, ModelError, OnText
from scenemind.reasoning.method import Asking
from scenemind.reasoning.thoughts import without_thoughts

# Of what a model said, when it sees it again.
_REPEATED_CHARACTERS = 6000
_PYTHON = frozenset(("python", "py", "python3"))
# Bounded, so that a model that stutters blanks is read in no time.
FENCED = re.compile(
    r"```[^\S\n]{0,9}(?P<language>\w{0,20})[^\S\n]{0,9}\n(?P<code>.*?)(?:^[^\S\n]*```|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""Code between fences, or from a fence to the end."""


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
    said = without_thoughts(text).strip()
    messages.append(ChatMessage("assistant", said[:_REPEATED_CHARACTERS] or "-"))
    return find_code(said)


def find_code(text: str) -> str:
    """The last fenced code in a text, of what is called Python where anything is, or all of it
    where nothing is fenced; may be empty."""
    fenced = list(FENCED.finditer(text))
    in_python = [block for block in fenced if block["language"].lower() in _PYTHON] or fenced
    return (in_python[-1]["code"] if in_python else text).strip("\n").rstrip()


def printable(text: str) -> str:
    """Lines without what could move a terminal's cursor."""
    return "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text)
