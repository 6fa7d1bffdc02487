"""Words for what is to become of a thing as a whole: merged, split, deleted."""

from __future__ import annotations

import re

from scenemind.memory.types import EditKind
from scenemind.reasoning.spoken_words import any_of

_COUNTED = rf"{any_of('measure')}\b"
_ACTS: dict[EditKind, re.Pattern[str]] = {
    "merge": re.compile(
        rf"\bsame\b(?! {any_of('quality')})|\b{any_of('merging')}\b"
        r"|(\b(is|are|only|just|counted)|'(s|re))( (only|just|really|actually))? one\b"
    ),
    "split": re.compile(
        rf"\b{any_of('splitting')}\b|\b(two|three|four|several)\b(?! {_COUNTED})"
        rf"|(\b(is|are|in|into|of|really|actually)|'(s|re)) [234]\b(?! {_COUNTED})"
    ),
    "delete_object": re.compile(
        rf"\b{any_of('deleting')}\b"
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
