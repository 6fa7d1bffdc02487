"""Matches of an answer with the truth as papers define them.

Exact match (SQA3D's accuracy, LLM-TPC's strict match), soft match (LLM-TPC, supplement 2.1.1),
refined exact match (LEO), LLM-Match (OpenEQA, section 4) and VADAR's score on Omni3D-Bench.
"""

from __future__ import annotations

import re
from functools import cache

from scenemind.evaluation.datasets.questions import COUNT, OTHER_NUMBER
from scenemind.evaluation.metrics.numerals import number_words
from scenemind.language.english import find_number, read_table

_NOT_WORDS = re.compile(r"[^\w']+|_")
_SPECIAL = re.compile(r"[^a-z0-9\s]")
_NUMERAL = re.compile(r"\d+")
_DROPPED = re.compile(r"[^a-z0-9,'\s\-:]+")
_NUMBERED = re.compile(r"\b([a-z]+)[0-9]\b")  # "mat2"
_ARTICLE = re.compile(r"\b(?:a|an|the) (?=[a-z])")
_SPACES = re.compile(r" {2,}")
# The numbers of LEO's script.
_NUMBERS = (*range(21), 23)
_WORST, _BEST = 1.0, 5.0
_THRESHOLDS = (0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05)
_DECIMAL = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)


def exact_match(answer: str, truth: str) -> bool:
    """Whether both have the same words, regardless of case and punctuation."""
    return _plain(answer) == _plain(truth)


def _plain(text: str) -> str:
    return " ".join(_NOT_WORDS.sub(" ", text.lower()).split())


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


def _clean(text: str) -> str:
    """Lower case, without punctuation and special characters, numerals in words."""
    plain = _SPECIAL.sub("", text.lower())
    return " ".join(_NUMERAL.sub(lambda found: number_words(int(found[0])), plain).split())


@cache
def _synonyms() -> tuple[frozenset[str], ...]:
    groups = read_table("scenemind.evaluation.metrics", "soft_match_synonyms.yaml")
    return tuple(frozenset(map(_clean, group)) for group in groups)


def refined_match(answer: str, truth: str) -> bool:
    """Whether one contains the other after LEO's normalization."""
    said, meant = _alike(answer), _alike(truth)
    return said in meant or meant in said


@cache
def _alike(text: str) -> str:
    plain = _DROPPED.sub("", _SPACES.sub(" ", text.lower().strip(" ")))
    for pattern, word in _slips():
        plain = pattern.sub(word, plain)
    plain = _ARTICLE.sub("", _NUMBERED.sub(r"\1", plain))
    return "".join(plain.split())


@cache
def _slips() -> tuple[tuple[re.Pattern[str], str], ...]:
    words = read_table("scenemind.evaluation.metrics", "refined_match_words.yaml")
    slips = [(rf"\b{slip}\b", word) for word, of_word in words.items() for slip in of_word]
    numbers = [(rf"\b{n}\b", "twenty-three" if n == 23 else number_words(n)) for n in _NUMBERS]
    return tuple((re.compile(pattern), word) for pattern, word in (*slips, *numbers))


def llm_match(answer: str, mark: float | None) -> float | None:
    """LLM-Match in [0, 1]: (clip(mark, 1, 5) - 1) / 4; 0 for a missing answer.

    Args:
        mark: of the judge; None: not judged, or not readable.
    """
    if not answer.strip():
        return 0.0
    if mark is None:
        return None
    return (min(max(mark, _WORST), _BEST) - _WORST) / (_BEST - _WORST)


def vadar_score(answer: str, truth: str, category: str) -> float:
    """VADAR's score in [0, 1].

    Args:
        answer: may contain one number, in digits or words ("2.5 m").
        category: `COUNT`, `OTHER_NUMBER`, or another one for answers in words.
    """
    if category not in (COUNT, OTHER_NUMBER):
        return float(exact_match(answer, truth))
    said, meant = find_quantity(answer), float(truth)
    if said is None:
        return 0.0
    return float(said == meant) if category == COUNT else _relative_accuracy(said, meant)


def find_quantity(text: str) -> float | None:
    """The number in a text; None: there is none or there are several."""
    numerals = _DECIMAL.findall(text.replace(",", ""))
    if numerals:
        return float(numerals[0]) if len(numerals) == 1 else None
    named = {find_number(word) for word in re.findall(r"[a-z]+", text.lower())} - {None}
    (number,) = named if len(named) == 1 else (None,)
    return None if number is None else float(number)


def _relative_accuracy(said: float, meant: float) -> float:
    if meant == 0.0:  # where VADAR's script divides by zero
        return float(said == meant)
    error = abs(meant - said) / abs(meant)
    return sum(error < threshold for threshold in _THRESHOLDS) / len(_THRESHOLDS)
