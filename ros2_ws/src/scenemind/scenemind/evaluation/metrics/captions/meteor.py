"""METEOR 1.5 (Denkowski and Lavie, WMT 2014) by its authors' Java program, with its English
parameters and normalised text, as pycocoevalcap runs it.

The program tells what matches; what that comes to is computed here, for a row and for the sums of
many, so that it need not stay to be asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scenemind.evaluation.columns import Array, Column
from scenemind.evaluation.metrics.captions.java_program import (
    JavaError,
    coco_folder,
    run_java,
)
from scenemind.evaluation.metrics.captions.ptb_tokens import Texts

_PROGRAM = ("-Xmx2G", "-jar", "meteor-1.5.jar", "-", "-", "-stdio", "-l", "en", "-norm")
_TIMEOUT_S, _TIMEOUT_PER_ROW_S = 120.0, 0.05
# The paper's parameters for English: recall against precision, fragmentation, content words, and
# how much a match by the word, its stem, a synonym and a paraphrase counts.
_ALPHA, _BETA, _GAMMA, _DELTA = 0.85, 0.2, 0.6, 0.75
_MATCHERS = np.array([1.0, 0.6, 0.8, 0.6])
# What the program prints of a row: lengths and function words of the answer and the reference that
# fits best; four numbers a matcher; chunks; matches in the answer and in the reference.
_NUMBERS = 23
_CHUNKS, _MATCHES = 20, slice(21, 23)
# Stands for an empty text, which would shift the columns: it matches nothing.
_NOTHING = "\u2205"


def meteor_column(rows: Sequence[Texts]) -> Column:
    """Of many rows it is of their summed statistics, not a mean.

    Args:
        rows: of tokens.

    Raises:
        JavaError: the program failed, or did not end.
    """
    asked = [
        " ||| ".join(["SCORE", *map(_field, references), _field(answer)])
        for answer, references in rows
    ]
    timeout_s = _TIMEOUT_S + _TIMEOUT_PER_ROW_S * len(rows)
    statistics = _parsed(run_java(_PROGRAM, coco_folder("meteor"), asked, timeout_s), len(rows))
    statistics[[not answer for answer, _ in rows], 0] = 0.0
    # An answer that is the reference, word by word, has no fragments.
    matches = statistics[:, _MATCHES]
    whole = (matches == statistics[:, :2]).all(axis=1) & (statistics[:, _CHUNKS] == 1.0)
    statistics[whole, _CHUNKS] = 0.0
    return Column(meteor_of(statistics), statistics, meteor_of)


def _field(text: str) -> str:
    return text.replace("|||", " ").strip() or _NOTHING


def _parsed(lines: Sequence[str], rows: int) -> Array:
    """(rows, 23)."""
    try:
        statistics = np.array([line.split() for line in lines], dtype=np.float64)
    except ValueError as error:
        raise JavaError(f"METEOR did not print numbers: {error}") from error
    if statistics.shape != (rows, _NUMBERS):
        raise JavaError(f"METEOR printed {statistics.shape} numbers for {rows} rows")
    return statistics


def meteor_of(statistics: Array) -> Array:
    """Of a row, or of the sums of many: (..., 23) -> (...)."""
    of_matcher = statistics[..., 4:_CHUNKS].reshape(*statistics.shape[:-1], len(_MATCHERS), 4)
    content, function = of_matcher[..., :2], of_matcher[..., 2:]
    matched = np.einsum("...mk,m->...k", _DELTA * content + (1.0 - _DELTA) * function, _MATCHERS)
    function_words = statistics[..., 2:4]
    words = statistics[..., :2]
    weight = _DELTA * (words - function_words) + (1.0 - _DELTA) * function_words
    precision, recall = np.moveaxis(_divided(matched, weight), -1, 0)
    mean = _divided(precision * recall, _ALPHA * precision + (1.0 - _ALPHA) * recall)
    fragments = _divided(statistics[..., _CHUNKS], statistics[..., _MATCHES].mean(axis=-1))
    score: Array = mean * (1.0 - _GAMMA * fragments**_BETA)
    return score


def _divided(a: Array, b: Array) -> Array:
    """0 for 0 / 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0.0)
