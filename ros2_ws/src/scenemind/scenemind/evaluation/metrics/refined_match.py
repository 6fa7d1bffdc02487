"""Refined exact match (EM-R), as LEO introduced it for SQA3D and ScanQA.

Huang et al., An Embodied Generalist Agent in 3D World, ICML 2024, appendix on evaluation, and its
published script: both answers are made alike (case, common slips of the annotators, articles,
numbers in words), and one has to contain the other, spaces apart. Kept as it is, to compare with
what others report: it gives credit for "no" against "notebook".
"""

from __future__ import annotations

import re
from functools import cache

from scenemind.evaluation.metrics.soft_match import number_words
from scenemind.words.tables import read_table

_DROPPED = re.compile(r"[^a-z0-9,'\s\-:]+")
_NUMBERED = re.compile(r"\b([a-z]+)[0-9]\b")  # "mat2"
_ARTICLE = re.compile(r"\b(?:a|an|the) (?=[a-z])")
_SPACES = re.compile(r" {2,}")
# The script knows no others.
_NUMBERS = (*range(21), 23)


def refined_match(answer: str, truth: str) -> bool:
    """Whether one contains the other."""
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
