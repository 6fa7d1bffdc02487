"""Speech acts: whether a text asks, states, orders, agrees or declines, or speaks of what was said
last; and what people say around a sentence: whom they address, politeness, stress, objections.

The words stand in `speech_acts.yaml`, by classes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scenemind.language.english import TITLE_STOP, patterns_of, read_table

_CLASSES: dict[str, list[str]] = read_table("scenemind.language", "speech_acts.yaml")
_PATTERNS = patterns_of(_CLASSES)


def any_of(name: str) -> str:
    """A pattern for one word or phrase of a class."""
    return _PATTERNS[name]


def words_in(name: str) -> frozenset[str]:
    """The words of a class."""
    return frozenset(_CLASSES[name])


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_POINTING = _pattern(rf"\b{any_of('pointing')}\b")
_SEVERAL = _pattern(rf"\b{any_of('pointing_at_several')}\b")
_WITH_NOUN = _pattern(
    rf"\b{any_of('pointing_at_noun')}\s+(?!{any_of('no_noun')}\b)"
    rf"([a-z-]+\s+){{1,3}}{any_of('after_noun')}\b"
)
_NAMES_A_SUBJECT = _pattern(rf"\b{any_of('subject')}\b|\d|\?")
_MOST_SHORT = 6  # words of "made of wood, not of glass"
_YES, _NO = (
    _pattern(rf"(?:{around}\W+)*{any_of(answer)}(?:\W+(?:{any_of(answer)}|{around}))*\W*")
    for around in [any_of("around_answer")]
    for answer in ("yes", "no")
)
_YES_FIRST = _pattern(rf"(?:{any_of('around_answer')}\W+)*{any_of('yes')}(?!\w)")
_NO_FIRST = _pattern(rf"(?:{any_of('around_answer')}\W+)*{any_of('no')}(?!\w)")
_NAME = r"[^\W\d_][\w'-]*"
_SPEAKER = _pattern(
    rf"(?:{any_of('around_answer')}\W+)*(?:{any_of('introducing')}\s+)?"
    rf"(?P<name>{_NAME}(?: {_NAME}){{0,2}})[\s.,!]*(?:{any_of('around_answer')}\W*)*"
)
_TELLS_SPEAKER = re.compile(
    r"(?<=\w)[.,;!]? (?:and |by the way,? |that is )?(?:[Ii]'m|[Ii] am|[Mm]y name is)"
    r" (?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)[.!]*$"
)
_REQUEST = _pattern(rf"\s*(please\s+)?{any_of('requesting')} you\b\s*")
_FILLERS = _pattern(rf"\s*(?:{any_of('before_question')}\b[\s,]*)*")
_ASKS = _pattern(rf"{any_of('asking')}\b")
_ORDERS = _pattern(rf"(?:{any_of('requesting')} you )?(?:please )?{any_of('ordering')}\b")
_TELLS_OF_WHAT = _pattern(any_of("telling_of_what"))
_TAG = _pattern(
    rf"([,:]?\s*\b({any_of('tag_verb')}(n't)?( not)? {any_of('tag_subject')}|{any_of('tag_word')})"
    rf"|,\s*{any_of('tag_verb')}(n't)?( not)? (you|we|i))\s*\?\s*$"
)
_REQUEST_TAG = _pattern(rf",?\s*\b{any_of('tag_of_request')}\s*\?\s*$")
_SENTENCE = re.compile(rf"[^.!?]*(?:(?:\.(?=\d)|{TITLE_STOP})[^.!?]*)*[.!?]*", re.DOTALL)
# Before them a word ends a noun phrase: "is there a man".
_NOT_AFTER = "".join(rf"(?<!\b{word})" for word in ("a", "an", "the", "my", "any", "no"))
_LONGEST = 60  # characters of what stands at the end


class Frame:
    """What may stand before and after a kind of sentence."""

    def __init__(self, front: str, back: str) -> None:
        """
        Args:
            front, back: classes of `speech_acts.yaml`.
        """
        self._front = re.compile(rf"(?:{any_of(front)}(?: |$)|, |,$)")
        self._back = re.compile(rf"{_NOT_AFTER}(?: |^){any_of(back)}$")

    def starts(self, words: Sequence[str]) -> list[int]:
        """Numbers of the words up to which nothing else stands, from 0."""
        said, starts, at = " ".join(words), [0], 0
        while at < len(said) and (found := self._front.match(said, at)):
            at = found.end()
            starts.append(len(said[:at].split()))
        return starts

    def end(self, words: Sequence[str]) -> int:
        """Number of the word from which on nothing else stands."""
        said = " ".join(words)
        while said and (found := self._back.search(said, max(0, len(said) - _LONGEST))):
            said = said[: found.start()]
        return len(said.split())


def agrees(text: str) -> bool:
    """Whether a text is a mere yes."""
    return _YES.fullmatch(_plain(text)) is not None


def declines(text: str) -> bool:
    """Whether a text is a mere no."""
    return _NO.fullmatch(_plain(text)) is not None


def begins_with_yes(text: str) -> bool:
    """Whether a yes stands at the front of a text: "yes, and the cup is red"."""
    return _YES_FIRST.match(_plain(text)) is not None


def begins_with_no(text: str) -> bool:
    """Whether a no stands at the front of a text: "no, I want it kept"."""
    return _NO_FIRST.match(_plain(text)) is not None


def find_speaker(text: str) -> str | None:
    """The name in an answer to the question who speaks: "Lena" of "I'm Lena." and "Lena"; None for
    other sentences."""
    if agrees(text) or declines(text) or is_question(text):
        return None
    found = _SPEAKER.fullmatch(_plain(text))
    return None if found is None else found["name"]


def split_speaker(text: str) -> tuple[str, str]:
    """A text without the words that tell who speaks, and that name: "the cup is mine" and "Lena" of
    "the cup is mine, I'm Lena."; empty where it does not tell."""
    said = _plain(text)
    found = _TELLS_SPEAKER.search(said)
    return (said[: found.start()], found["name"]) if found else (text, "")


def refers_to_last(text: str, was_asked: bool = False) -> bool:
    """Whether a text refers to the last object, by a pronoun ("It is blue") or by an omitted
    subject ("No, blue").

    Args:
        was_asked: whether the text follows a question, to which a word is an answer.
    """
    others = _WITH_NOUN.sub(" the ", text)
    if _POINTING.search(others):
        return True
    is_whole = _NAMES_A_SUBJECT.search(others) or agrees(text) or declines(text)
    return not is_whole and 1 < len(text.split()) + was_asked <= _MOST_SHORT + was_asked


def refers_to_several(text: str) -> bool:
    """Whether a text refers to several things that are pointed at: "these are stools"."""
    return _SEVERAL.search(text) is not None


def find_tagged(text: str) -> str | None:
    """What a sentence with a tag states: "there is a cup" of "there is a cup, isn't there?"; None
    for other sentences."""
    stated, said = _TAG.subn("", _plain(text))
    last = stated.strip(" ,").split(" ")[-1]  # "the cup, where is it?" has none
    is_stated = said and last and not asks(stated) and not _ASKS.fullmatch(last)
    return stated if is_stated else None


def find_request(text: str) -> str | None:
    """The content of a request: "call it a mug" of "Could you call it a mug?"; None for other
    sentences."""
    request = _REQUEST.match(text)
    return None if request is None else text[request.end() :].rstrip("? ")


def is_order(text: str) -> bool:
    """Whether a text sends the robot somewhere or asks it to show or fetch a thing ("show me the
    red chair"): no claim about the thing."""
    return _ORDERS.match(_without_fillers(_plain(text))) is not None


def is_question(text: str) -> bool:
    """Whether a text only asks: it has no statement and no request."""
    return bool(text.strip()) and not statements_in(text)


def statements_in(text: str) -> str:
    """The statements and requests of a text: "It is blue." of "The cup? It is blue."; may be
    empty."""
    return " ".join(part for part in sentences(text) if not asks(part))


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, with single spaces, which bounds the time of patterns."""
    return (part for found in _SENTENCE.findall(text) if (part := _plain(found)))


def asks(sentence: str) -> bool:
    """Whether one sentence asks, and neither states nor requests anything."""
    if _REQUEST.match(_without_fillers(sentence)):
        return False
    untagged = _REQUEST_TAG.sub("", _TAG.sub("", sentence))
    if not untagged.strip():
        return True
    if untagged.rstrip().endswith("?"):
        return True
    start = _without_fillers(untagged)
    return _ASKS.match(start) is not None and _TELLS_OF_WHAT.match(start) is None


def _without_fillers(sentence: str) -> str:
    return sentence[_FILLERS.match(sentence).end() :]  # type: ignore[union-attr]


def _plain(text: str) -> str:
    """With single spaces and plain apostrophes."""
    return " ".join(text.split()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
