"""What a model thinks, in a reply that it is still writing, or aloud before it answers."""

from __future__ import annotations

import json
import re

from scenemind.models import OnText
from scenemind.reasoning.method import Report, say_nothing

# A JSON string, also one that has not ended yet, without half an escape.
_THINK = re.compile(r'"(?:think|reasoning)"\s*:\s*("(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt])*)')

# Reasoning models think aloud first; some servers leave out where it begins.
_ALOUD = re.compile(r"(?:\A|<think>)(?:(?!<think>).)*?</think>", re.DOTALL)


def without_thoughts(text: str) -> str:
    """A reply without what was thought aloud, which may not have come to an end."""
    return _ALOUD.sub("", text).partition("<think>")[0]


def hears_thoughts(report: Report, stage: str) -> OnText | None:
    """Reports the thoughts of a reply in JSON as they grow; None where nobody listens, so that the
    reply need not be streamed."""
    if report is say_nothing:
        return None
    told = ""

    def hear(text: str) -> None:
        nonlocal told
        thoughts = thoughts_in(text)
        if thoughts != told:
            told = thoughts
            report(stage, thoughts)

    return hear


def thoughts_in(text: str) -> str:
    """The value of "think", or of "reasoning", in a reply as far as it is there; empty before it
    begins."""
    found = _THINK.search(text)
    thoughts = json.loads(f'{found[1]}"', strict=False) if found else ""
    return thoughts.encode("utf-8", "ignore").decode("utf-8")  # without half a surrogate pair
