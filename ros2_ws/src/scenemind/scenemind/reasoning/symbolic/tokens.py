"""A sentence as words with their places, so that a complaint can quote what was said."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?<!\S)-\d+(?!\S*\w)|#?\d+(?:\.\d+)?(?!\w)|\w+(?:-\w+)*(?:['\u2019]\w+)?|[^\w\s]"
)
_IGNORED = frozenset(".?!\"'`()\u2019\u2018\u201c\u201d#")
_SHORT_FORMS = {
    "where's": "where is", "what's": "what is", "who's": "who is", "which's": "which is",
    "that's": "that is", "there's": "there is", "it's": "it is", "how's": "how is",
    "isn't": "is not", "aren't": "are not", "doesn't": "does not", "don't": "do not",
    "they're": "they are", "i'm": "i am", "can't": "can not",
}  # fmt: skip
_ONE_WORD = {"left-most": "leftmost", "right-most": "rightmost", "&": "and"}


@dataclass(frozen=True, slots=True)
class Token:
    """One lower-case word or sign, and where it starts in the sentence."""

    word: str
    start: int


def tokenize(text: str) -> list[Token]:
    """Words and signs; quotes and sentence ends are dropped, short forms written out."""
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        word = found.group().lower().replace("\u2019", "'")
        if word in _IGNORED:
            continue
        word = word.lstrip("#")
        spelled = _SHORT_FORMS.get(word, _ONE_WORD.get(word, word)).removesuffix("'s")
        tokens.extend(Token(part, found.start()) for part in spelled.split())
    return tokens
