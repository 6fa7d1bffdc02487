"""One spelling of what people write in several ways."""

from __future__ import annotations

import re

_REWRITTEN = (
    (r"[\u2019`]", "'"),
    (r"\bi'm\b", "i am"),
    (r"\b(\w+)'d\b", r"\1 would"),
    (r"\b(what|where|who|there|it|that|which)'s\b", r"\1 is"),
    (r"\bisn't\b", "is not"),
    (r"\bcolour", "color"),
    (r"\bo clock\b|\boclock\b|o'clocks\b", "o'clock"),
    (r"\binfront\b", "in front"),
    (r"-hand\b", " hand"),
    (r"\bdivisible by\b", "divided by"),
    (r"\bcount of\b", "number of"),
    (r"^count (?:the|all(?: the)?)\b", "how many"),
    (r"\b(odd|even) in number\b", r"\1"),
    (r"^(?:tell me|name) (?=the\b)", "what is "),
    (r"\b(?:get|go|walk|step|head) out\b(?: of here)?", "exit"),
    # "@" marks places: see `Places`.
    (r"[?!.;:\"()@]", " "),
    (r"\s*,\s*", " , "),
    (r"\b(?:please|exactly|currently)\b", " "),
    (r"\bmy (?:current )?(?:position|location|standpoint)\b", "me"),
)
_COMPILED = tuple((re.compile(pattern), written) for pattern, written in _REWRITTEN)


def spelled(text: str) -> str:
    """In lower case and single blanks, short forms written out, without signs but commas."""
    plain = text.lower()
    for pattern, written in _COMPILED:
        plain = pattern.sub(written, plain)
    return " ".join(plain.split()).strip(" ,")
