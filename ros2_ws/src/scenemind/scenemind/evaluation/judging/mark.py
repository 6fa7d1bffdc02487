"""The mark in what a judge replied."""

from __future__ import annotations

import re

_LOWEST, _HIGHEST = 0.0, 5.0
_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_THOUGHTS = re.compile(r"(?:\A|<think>)(?:(?!<think>).)*?</think>", re.DOTALL)
_ADORNED = re.compile(r"[*_`\"'#$\[\](){}]")
# What is said of the scale, not of the answer: "4/5", "4 out of 5", "from 1 to 5", "1-5".
_SCALE = re.compile(
    r"(?:/|\bout of|\bof) *5\b(?:[.,]0+)?|\b(?:from |between )?1(?: *- *| to | and )5\b"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_NAMED = re.compile(rf"\b(?:mark|score|rating|grade)\b(?: is| of)? *[:=-]? *({_NUMBER.pattern})")


def find_mark(reply: str) -> float | None:
    """What follows the last "mark" (or "score", "rating"), else the only number there is; None:
    nobody can tell which it is, or it is outside the scale."""
    text = _ADORNED.sub("", _THOUGHTS.sub("", reply).lower())
    text = _WORD.sub(lambda found: _WORDS[found[1]], text)
    text = _SCALE.sub(" ", text)
    found = _NAMED.findall(text)[-1:] or sorted(set(_NUMBER.findall(text)))
    if len(found) != 1:
        return None
    mark = float(found[0].replace(",", "."))
    return mark if _LOWEST <= mark <= _HIGHEST else None
