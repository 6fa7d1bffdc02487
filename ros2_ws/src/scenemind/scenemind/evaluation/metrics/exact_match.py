"""Exact match (SQA3D calls it accuracy; LLM-TPC "strict match")."""

from __future__ import annotations

import re

_NOT_WORDS = re.compile(r"[^\w']+|_")


def exact_match(answer: str, truth: str) -> bool:
    """Whether both are the same words, in any script, whatever their case and punctuation."""
    return _plain(answer) == _plain(truth)


def _plain(text: str) -> str:
    return " ".join(_NOT_WORDS.sub(" ", text.lower()).split())
