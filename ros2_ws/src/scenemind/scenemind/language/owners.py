"""Names of owners: "Anna's", "mine"."""

from __future__ import annotations

from scenemind.language import lexicon
from scenemind.language.english import word_set
from scenemind.language.parser import Parser

_MINE = word_set("mine me i")
_LONGEST_NAME = 3
_NO_NAMES = (
    lexicon.NOUN_END | lexicon.BE | word_set(", ; : nobody no none who whoever somebody everybody")
)


def is_possessive(p: Parser) -> bool:
    """Whether the last word was written with a possessive ending ("Anna's")."""
    last = len(p.words) - 1
    if not p.at <= last < p.at + _LONGEST_NAME:
        return False
    token = p.tokens[last]
    after = p.text[token.start + len(token.word) :]
    return after.replace("\u2019", "'").startswith(("'s", "s'")) or (
        token.word.endswith("s") and after.startswith(("'", "\u2019"))
    )


def owner_name(p: Parser) -> str:
    """Name of an owner, as it was written.

    Raises:
        NotUnderstoodError: no name follows, or too long a one.
    """
    p.take("the", "my", "our", "your")
    start = p.at
    while p.peek() and p.peek() not in _NO_NAMES and p.at - start < _LONGEST_NAME:
        if not p.peek()[0].isalnum():
            raise p.fail()
        p.at += 1
    if p.at == start:
        if p.take_of(_MINE):
            return lexicon.SPEAKER
        raise p.fail()
    if p.at - start == 1 and p.words[start] in _MINE:
        return lexicon.SPEAKER
    tokens = p.tokens[start : p.at]
    return " ".join(p.text[t.start : t.start + len(t.word)] for t in tokens)
