"""What to do about an error that the sandbox tells in its own terms."""

from __future__ import annotations

import re

from scenemind.reasoning.sandbox import ProgramError

_OF_OBJECTS = (
    "an ObjectAttribute has id, category and xyz; query_attribute() and query_state() tell the rest"
)
_OF_SETS = "that is a set of objects: go through it with for, or take one of them with pop()"
_HINTS = (
    (
        "cannot suspend in this synchronous context",
        "list.sort() can only ask for xyz, and for the attributes lwh, distance and color without"
        " candidates: use sorted(), or work its keys out before",
    ),
    (
        "suspension limit",
        "that are too many calls of the API: give relate() all objects at once, and ask for what"
        " stays the same before a loop",
    ),
    ("feed time limit", "that takes too long to compute: look for a loop that does not end"),
    ("memory limit", "that takes too much memory: look for a list that grows without end"),
    ("'ObjectAttribute' object has no attribute", _OF_OBJECTS),
    ("'ObjectAttribute' object is not subscriptable", _OF_OBJECTS),
    ("'set' object has no attribute", _OF_SETS),
    ("'set' object is not subscriptable", _OF_SETS),
    ("does not yet support", "this small Python does not have that: write it in a simpler way"),
)
_OF_METHODS = (
    "methods of a str, list, dict or set can be called here, but not handed on: write lambda x:"
    " counts.get(x) in place of counts.get"
)
_HAS_NO = re.compile(r"'(?P<type>\w+)'(?: object)? has no attribute '(?P<name>\w+)'")
_TYPES = {kind.__name__: kind for kind in (str, list, dict, set, frozenset, tuple)}


def hints_for(error: ProgramError) -> list[str]:
    """For who wrote the program; none where the error says it."""
    hints = [hint for words, hint in _HINTS if words in error.text]
    found = _HAS_NO.search(error.text)
    kind = _TYPES.get(found["type"]) if found else None
    if found and kind is not None and hasattr(kind, found["name"]):
        return [_OF_METHODS]
    return hints
