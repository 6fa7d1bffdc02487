"""Words for what is to become of a thing as a whole: merged, split, deleted."""

from __future__ import annotations

import re

from scenemind.memory.types import EditKind

# What a number before it counts.
MEASURES = (
    r"(m|cm|mm|kg|met(er|re)s?|feet|foot|inch(es)?|years?|months?|weeks?|days?|hours?|euros?"
    r"|dollars?|doors?|drawers?|legs?|shelves|seats?)\b"
)
_QUALITIES = r"(colou?r|material|shape|size|height|width|length|age|kind|type|owner|place|room)"
_ACTS: dict[EditKind, re.Pattern[str]] = {
    "merge": re.compile(
        rf"\bsame\b(?! {_QUALITIES})|\b(merge|join|combine|together|twice|doubles?|duplicates?"
        r"|single|identical)\b"
        r"|(\b(is|are|only|just|counted)|'(s|re))( (only|just|really|actually))? one\b"
    ),
    "split": re.compile(
        r"\b(split|divide|parts|separate|several|pieces)\b"
        rf"|\b(two|three|four)\b(?! {MEASURES})"
        rf"|(\b(is|are|in|into|of|really|actually)|'(s|re)) [234]\b(?! {MEASURES})"
    ),
    "delete_object": re.compile(
        r"\b(delete|remove|forget|erase|exist|exists|ghost|reflection|shadow|gone|threw|thrown"
        r"|sold|imagined|imagination|no such|(is|are) (a )?mistakes?)\b"
        r"|\bmade (this|that|it|them) up\b|\bnot (a )?real\b|n't (a )?real\b"
        r"|\b(is|are|was|see|'s) nothing\b|\bnothing (here|there)\b"
        r"|\bthere( (is|are|was|were)|'s)(n't| not?)\b"
        r"|(\bnot|n't)( really| actually)? (here|there)\b"
    ),
}


def is_wanted(act: EditKind, told: str) -> bool:
    """Words for it stand there.

    Args:
        act: merge, split or delete_object.
        told: in lower case, with plain apostrophes.
    """
    return _ACTS[act].search(told) is not None
