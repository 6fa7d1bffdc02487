"""BLEU, ROUGE-L and CIDEr by pycocoevalcap."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from scenemind.evaluation.columns import Array, Column, mean_column
from scenemind.evaluation.metrics.captions.ptb_tokens import Texts

_LONGEST = 4
# As pycocoevalcap's, so that nothing is divided by zero.
_TINY, _SMALL = 1e-15, 1e-9


def bleu_columns(rows: Sequence[Texts]) -> dict[str, Column]:
    """`bleu_1` to `bleu_4`. Of many rows they are of the summed counts, as BLEU is defined
    (Papineni et al., ACL 2002): not means of the rows'.
    """
    from pycocoevalcap.bleu.bleu_scorer import BleuScorer

    scorer = BleuScorer(n=_LONGEST)
    for answer, references in rows:
        scorer += (answer, references)
    counts = np.array([_counts(one) for one in scorer.ctest], dtype=np.float64)
    of_sums = {f"bleu_{n}": partial(bleu_of, n=n) for n in range(1, _LONGEST + 1)}
    return {name: Column(bleu(counts), counts, bleu) for name, bleu in of_sums.items()}


def _counts(row: dict[str, Any]) -> list[float]:
    """Length of the answer, of the closest reference, n-grams of the answer, and those that match;
    from what pycocoevalcap counts of a row."""
    length, references = row["testlen"], row["reflen"]
    closest = min((abs(reference - length), reference) for reference in references)[1]
    return [length, closest, *row["guess"], *row["correct"]]


def bleu_of(counts: Array, n: int) -> Array:
    """BLEU-n of a row, or of the sums of many: (..., 10) -> (...)."""
    length, closest = counts[..., 0], counts[..., 1]
    guessed, correct = counts[..., 2 : 2 + n], counts[..., 2 + _LONGEST : 2 + _LONGEST + n]
    precision = np.prod((correct + _TINY) / (guessed + _SMALL), axis=-1) ** (1.0 / n)
    ratio = (length + _TINY) / (closest + _SMALL)
    with np.errstate(over="ignore"):
        brevity: Array = np.where(ratio < 1.0, np.exp(1.0 - 1.0 / ratio), 1.0)
    return precision * brevity


def rouge_column(rows: Sequence[Texts]) -> Column:
    """ROUGE-L (Lin, 2004)."""
    from pycocoevalcap.rouge.rouge import Rouge

    return _of_rows(Rouge(), rows)


def cider_column(rows: Sequence[Texts]) -> Column:
    """CIDEr (Vedantam et al., CVPR 2015), in [0, 10]; how rare a word is, all rows' references
    tell."""
    from pycocoevalcap.cider.cider import Cider

    return _of_rows(Cider(), rows)


def _of_rows(scorer: Any, rows: Sequence[Texts]) -> Column:
    references = {k: list(row[1]) for k, row in enumerate(rows)}
    answers = {k: [row[0]] for k, row in enumerate(rows)}
    return mean_column(np.asarray(scorer.compute_score(references, answers)[1]))
