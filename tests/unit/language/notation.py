"""Trees of sentences as one line of text, as tables of expected readings have them."""

from __future__ import annotations

from dataclasses import MISSING, fields
from datetime import time
from typing import Any

from scenemind.language.time_expressions import Moment
from scenemind.language.trees import (
    Among,
    Described,
    HasAttribute,
    Marked,
    NounPhrase,
    ObjectNumber,
    Rank,
    Related,
    Several,
    Viewer,
)


def notation(tree: Any) -> str:
    """The name of a tree and its fields: "Verify(the cup [color=red] | on the table)".

    Fields at their defaults are left out, and those after one that is left out have their names.
    """
    match tree:
        case NounPhrase(noun, definite, count, conditions, ranks, bound=bound):
            words = ["the"] * definite + [bound] * (bound != "")
            words += [str(count)] * (count is not None) + [noun or "thing"]
            words += [f"[{notation(condition)}]" for condition in conditions]
            return " ".join(words + [f"<{notation(rank)}>" for rank in ranks])
        case Viewer():
            return "me"
        case Marked(noun):
            return f"this {noun}".strip()
        case ObjectNumber(number, noun):
            return f"{noun} #{number}".strip()
        case Several(numbers):
            return " + ".join(map(notation, numbers))
        case HasAttribute(key, value, negated):
            return f"{'not ' * negated}{key}={value}"
        case Related(predicate, anchors, negated):
            return f"{'not ' * negated}{predicate} {' & '.join(map(notation, anchors))}"
        case Among(things, negated):
            return f"{'except ' * negated}{notation(things)}"
        case Described(noun, negated):
            return f"{'not ' * negated}a {noun}"
        case Rank(superlative, order, anchor):
            far = "" if anchor is None else f" to {notation(anchor)}"
            return f"{order}. {superlative}{far}"
        case Moment():
            return ", ".join(_fields(tree))
        case time():
            return tree.isoformat("minutes")
        case tuple():
            return ", ".join(map(notation, tree))
        case str() | int() | float() | None:
            return str(tree)
    return f"{type(tree).__name__}({' | '.join(_fields(tree))})"


def _fields(tree: Any) -> list[str]:
    said: list[str] = []
    for place, field in enumerate(fields(tree)):
        value = getattr(tree, field.name)
        if field.default is MISSING or value != field.default:
            text = notation(value)
            said.append(text if len(said) == place else f"{field.name}={text}")
    return said
