"""Programs in a model's words."""

from __future__ import annotations

import re

# Reasoning models think aloud first; some servers leave out where it begins.
_ALOUD = re.compile(r"(?:\A|<think>)(?:(?!<think>).)*?</think>", re.DOTALL)
_FENCED = re.compile(r"^[^\S\n]*```[^\S\n]*\w*[^\S\n]*\n(.*?)(?:^[^\S\n]*```|\Z)", re.DOTALL | re.M)


def find_code(text: str) -> str:
    """The last fenced program of a reply, or all of it where nothing is fenced; may be empty."""
    said = _ALOUD.sub("", text)
    fenced = _FENCED.findall(said)
    code: str = fenced[-1] if fenced else said
    return code.strip("\n").rstrip()


def printable(text: str) -> str:
    """Lines without what could move a terminal's cursor."""
    return "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text)
