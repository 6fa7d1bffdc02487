"""LLM-TPC's soft match, as its supplement prints it (2.1.1, figure S1 and table S1).

Kept as it is, to compare with what others report. It gives credit for an empty answer, for "no"
against "notebook", and for "not a chair" against "a table": see `sense_match` for one that does
not.
"""

from __future__ import annotations

import re
from functools import cache

from scenemind.words.tables import read_table

_SPECIAL = re.compile(r"[^a-z0-9\s]")
_NUMERAL = re.compile(r"\d+")
_BELOW_20 = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def soft_match(answer: str, truth: str) -> bool:
    """Whether one contains the other, both share a word, or both are synonyms."""
    answer, truth = _clean(answer), _clean(truth)
    if answer in truth or truth in answer:
        return True
    joined_answer, joined_truth = "".join(answer.split()), "".join(truth.split())
    if joined_answer in joined_truth or joined_truth in joined_answer:
        return True
    if not set(answer.split()).isdisjoint(truth.split()):
        return True
    return any(answer in group and truth in group for group in _synonyms())


def number_words(number: int) -> str:
    """A number in words; in figures from a hundred on."""
    if number < len(_BELOW_20):
        return _BELOW_20[number]
    if number >= 100:
        return str(number)
    tens = _TENS[number // 10 - 2]
    return tens if number % 10 == 0 else f"{tens} {_BELOW_20[number % 10]}"


def _clean(text: str) -> str:
    """Lower case, without punctuation and special characters, numerals in words."""
    plain = _SPECIAL.sub("", text.lower())
    return " ".join(_NUMERAL.sub(lambda found: number_words(int(found[0])), plain).split())


@cache
def _synonyms() -> tuple[frozenset[str], ...]:
    groups = read_table("scenemind.evaluation.metrics", "soft_match_synonyms.yaml")
    return tuple(frozenset(map(_clean, group)) for group in groups)
