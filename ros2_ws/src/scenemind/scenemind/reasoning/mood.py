"""Whether somebody asks, tells or requests: what may change the memory, and what is an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scenemind.reasoning.spoken_words import any_of

_REQUEST = re.compile(rf"\s*(please\s+)?{any_of('requesting')} you\b\s*", re.IGNORECASE)
_FILLERS = re.compile(rf"\s*(?:{any_of('before_question')}\b[\s,]*)*", re.IGNORECASE)
_ASKS = re.compile(rf"{any_of('asking')}\b", re.IGNORECASE)
# "What you call lamp is a cup", "what's on the shelf is a mug": what it begins with is a thing.
_TELLS_OF_WHAT = re.compile(
    r"what(ever)? (you|we|they|people|i)\b.*\b(is|are|was|were)\b"
    r"|what(ever)?('s| is| stands| lies| sits| hangs) (?!that\b|this\b|it\b).*"
    r" (is|are|was) (an?|the|actually|really|not|in|called|made)\b",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(
    rf",?\s*({any_of('tag_verb')}(n't)?( not)? {any_of('tag_subject')}|{any_of('tag_word')})"
    r"\s*\?\s*$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?]*(?:\.(?=\d)[^.!?]*)*[.!?]*", re.DOTALL)


def find_request(text: str) -> str | None:
    """What is wished: "call it a mug" of "Could you call it a mug?"; None for other sentences."""
    request = _REQUEST.match(text)
    return None if request is None else text[request.end() :].rstrip("? ")


def is_question(text: str) -> bool:
    """Something is to be answered, and nothing told; a request is no question."""
    return bool(text.strip()) and not told_in(text)


def told_in(text: str) -> str:
    """The sentences of a text that ask nothing: "It is blue." of "The cup? It is blue."; those that
    request something included. Empty where there are none."""
    return " ".join(part for part in _sentences(text) if not _asks(part))


def _sentences(text: str) -> Iterator[str]:
    """With one space between words: some patterns would take long over many."""
    return (part for found in _SENTENCE.findall(text) if (part := " ".join(found.split())))


def _asks(sentence: str) -> bool:
    if _REQUEST.match(sentence):
        return False
    untagged = _TAG.sub("", sentence)
    if not untagged.strip():
        return True
    if untagged.rstrip().endswith("?"):
        return True
    start = untagged[_FILLERS.match(untagged).end() :]  # type: ignore[union-attr]
    return _ASKS.match(start) is not None and _TELLS_OF_WHAT.match(start) is None
