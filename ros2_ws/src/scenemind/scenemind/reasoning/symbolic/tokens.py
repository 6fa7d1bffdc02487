"""A sentence as words with their places, so that a complaint can quote what was said."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A number below zero is that of a wall, a floor or a ceiling.
_BELOW_ZERO = r"(?<!\S)-\d+(?!\S*\w)"
_TOKEN = re.compile(_BELOW_ZERO + r"|#?\d+(?:\.\d+)?(?!\w)|\w+(?:-\w+)*(?:['\u2019]\w+)?|[^\w\s]")
_IGNORED = frozenset(".?!\"'`()\u2019\u2018\u201c\u201d#")
_SHORT_FORMS = {
    "where's": "where is", "what's": "what is", "who's": "who is", "which's": "which is",
    "that's": "that is", "there's": "there is", "it's": "it is", "how's": "how is",
    "isn't": "is not", "aren't": "are not", "doesn't": "does not", "don't": "do not",
    "they're": "they are", "i'm": "i am", "can't": "can not", "i'd": "i would",
    "you're": "you are", "we're": "we are", "wasn't": "was not", "weren't": "were not",
    "didn't": "did not", "i've": "i have", "we've": "we have", "you've": "you have",
    "one's": "one is", "these're": "these are",
    "that'd": "that would", "it'd": "it would", "you'd": "you would", "let's": "let us",
    "shouldn't": "should not", "wouldn't": "would not", "couldn't": "could not",
    "cannot": "can not", "hasn't": "has not", "haven't": "have not", "won't": "will not",
    "here's": "here is", "those're": "those are", "they've": "they have", "hadn't": "had not",
    "it'll": "it will", "you'll": "you will", "i'll": "i will", "we'll": "we will",
    "that'll": "that will", "there're": "there are",
}  # fmt: skip
_ONE_WORD = {"left-most": "leftmost", "right-most": "rightmost", "&": "and"}


@dataclass(frozen=True, slots=True)
class Token:
    """One lower-case word or sign, and where it starts in the sentence."""

    word: str
    start: int


def tokenize(text: str) -> list[Token]:
    """Words and signs; quotes, sentence ends and "still" are dropped, short forms written out."""
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        word = found.group().lower().replace("\u2019", "'")
        if word in _IGNORED:
            continue
        word = word.lstrip("#")
        spelled = _SHORT_FORMS.get(word, _ONE_WORD.get(word, word)).removesuffix("'s")
        tokens.extend(Token(part, found.start()) for part in spelled.split())
    following = [*(token.word for token in tokens), ""][1:]
    # "Is the cup still there?", but "the still life".
    return [
        token
        for token, after in zip(tokens, following, strict=True)
        if token.word != "still" or after == "life"
    ]
