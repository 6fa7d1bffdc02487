"""Questions for a number: how many, odd or even, divided by three."""

from __future__ import annotations

import re
from typing import Literal

from scenemind.reasoning.symbolic.situated.sentence import Sentence
from scenemind.reasoning.symbolic.situated.tree import AskCount
from scenemind.words.english import find_number

_PARITY = re.compile(
    r"\b(?:an )?(odd or (?:an )?even|even or (?:an )?odd|odd|even)(?: amount| number)?\b"
)
_AMOUNT = re.compile(r"\b(?:amount|number|odd or even|even or odd)\b")
_AMOUNT_OF = re.compile(r"\b(?:the )?(?:amount|number) of\b")
_DIVIDED = re.compile(r"\b(?:be )?divided by (?:@\d+ )?(\w+)")
_HOW_MANY = re.compile(r"\bhow (?:many|much)\b(?: of\b)?|\bnumber of\b|\bamount of\b")
_MARK = re.compile(r"@\d+")


def parity(s: Sentence) -> AskCount | None:
    """ "is the number of chairs odd or even"."""
    found = _PARITY.search(s.marked)
    if found is None or _AMOUNT.search(s.marked) is None:
        return None
    thing = s.thing(_AMOUNT_OF.sub(" ", s.marked.replace(found.group(), " ")))
    asked: Literal["odd", "even", "either"] = "either"
    if found.group(1) in ("odd", "even"):
        asked = "odd" if found.group(1) == "odd" else "even"
    return AskCount(thing, asked)


def divided(s: Sentence) -> AskCount | None:
    """ "can the number of chairs be divided by three"."""
    found = _DIVIDED.search(s.marked)
    if found is None:
        return None
    thing = s.thing(_AMOUNT_OF.sub(" ", s.marked[: found.start()]))
    return AskCount(thing, divisor=find_number(found.group(1)) or 1)


def count(s: Sentence) -> AskCount | None:
    """ "how many chairs are there"."""
    found = _HOW_MANY.search(s.marked)
    if found is None or s.is_yes_no:
        return None
    before, counted = s.marked[: found.start()], s.marked[found.end() :]
    thing = s.thing(counted)
    if not thing.places and s.places.of(before):
        thing = s.thing(f"{counted} {' '.join(_MARK.findall(before))}")
    return AskCount(thing)
