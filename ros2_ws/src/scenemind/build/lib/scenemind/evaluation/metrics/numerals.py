"""Numbers in words and in figures, and the spelling in which each benchmark writes its answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

_BELOW_20 = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# "2.5" and "2 %" of a measure stay as they are, and so does the figure in "mat2".
_FIGURE = re.compile(r"(?<![\w.,:])\d{1,2}(?![\w:%]|[.,]\d)")
_ARTICLE = re.compile(r"\b(?:a|an|the)\s+", re.IGNORECASE)

Spelling = Literal["as_said", "figures", "words"]
"""How a benchmark writes its answers: `figures` ("2 chairs") and `words` ("two chairs") are also
without articles."""


def number_words(number: int) -> str:
    """A number in words, from 100 on in digits."""
    if number < len(_BELOW_20):
        return _BELOW_20[number]
    if number >= 100:
        return str(number)
    tens = _TENS[number // 10 - 2]
    return tens if number % 10 == 0 else f"{tens} {_BELOW_20[number % 10]}"


_VALUES = {number_words(value): str(value) for value in range(99, -1, -1)}
# Longer names first: "twenty one" is one number.
_NAMES = sorted(_VALUES, key=len, reverse=True)
_NAME = re.compile(
    rf"\b(?:{'|'.join(name.replace(' ', '[ -]') for name in _NAMES)})\b", re.IGNORECASE
)


def in_figures(text: str) -> str:
    """Number words as figures: "two chairs" -> "2 chairs", "Twenty-one" -> "21"."""
    return _NAME.sub(lambda found: _VALUES[found[0].lower().replace("-", " ")], text)


def in_words(text: str) -> str:
    """Figures below 100 as words: "2 chairs" -> "two chairs"; "2.5 m" stays."""
    return _FIGURE.sub(lambda found: number_words(int(found[0])), text)


def spelled(answer: str, spelling: Spelling) -> str:
    """An answer in the spelling of a benchmark; the same for an answer that is in it already."""
    if spelling == "as_said":
        return answer
    numbers: Callable[[str], str] = in_figures if spelling == "figures" else in_words
    return numbers(_ARTICLE.sub("", answer))
