"""One spelling of what people type."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+|[.,;!?:]")
# Spellings that would otherwise need a rule each.
_REWRITES = [
    (re.compile(pattern), text)
    for pattern, text in (
        (r"\b(it|that|there|what|here|he|she) ?'s\b", r"\1 is"),
        (r"\b(you|they|we) ?'re\b", r"\1 are"),
        (r"\bits(?= (the|an?|on|in|at|next|near|by|to|under|above|below|between|not)\b)", "it is"),
        (r"\b(that|there|what)s\b", r"\1 is"),
        (r"\barm chair", "armchair"),
        (r"(n't|n 't)\b", " not"),
        (r"\bcannot\b", "can not"),
        (
            r"\b(on|to|at|in) its (own )?(left|right|front|back)\b( (hand )?side)?",
            r"\1 the \3 of it",
        ),
        (
            r"\b(left|right|front|back|top|bottom|upper|lower|far) ?- ?(most|left|right|hand)\b",
            r"\1\2",
        ),
        (r"\b(left|right|top|bottom) (most)\b", r"\1\2"),
        (r"\bt\.? ?v\.?\b", "tv"),
        (r"\bin[ -]between\b", "between"),
        # Which way a thing faces: boxes do not tell.
        (
            r"\b(facing|faces|turned|pointed|angled|turning|pointing)"
            r" (to |towards? )?(the )?(left|right|away|inwards?|outwards?|forwards?|down|up)\b",
            "",
        ),
        (r"\bwith (its|the|their) backs? (facing |pointed |turned )?(to|towards?|against)\b", "by"),
        (r"\b(wall|floor|ceiling)[ -]*mounted\b", ""),
        (r"\b(wo|ca) not\b", "not"),
        (r"'s\b", ""),
    )
]


def words_of(text: str) -> list[str]:
    """Lower-case words and signs of an expression, in one spelling."""
    line = " ".join(text.lower().replace("\u2019", "'").split())
    for pattern, replacement in _REWRITES:
        line = pattern.sub(replacement, line)
    return _WORD.findall(line)
