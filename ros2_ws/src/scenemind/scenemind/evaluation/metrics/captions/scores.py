"""All of them together, and what is done where a part of them is not here."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from shutil import which

import numpy as np

from scenemind.evaluation.columns import Column, mean_column
from scenemind.evaluation.metrics.captions.java_program import JavaError
from scenemind.evaluation.metrics.captions.meteor import meteor_column
from scenemind.evaluation.metrics.captions.ngrams import bleu_columns, cider_column, rouge_column
from scenemind.evaluation.metrics.captions.ptb_tokens import Texts, ptb_tokens

CAPTION_METRICS = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "meteor", "cider")
_LOG = logging.getLogger(__name__)


def caption_columns(rows: Sequence[Texts | None]) -> dict[str, Column]:
    """`CAPTION_METRICS`, each in [0, 1] (CIDEr: in [0, 10]).

    Without pycocoevalcap or Java none of them is scored, and METEOR is not where its program fails
    or does not end.

    Args:
        rows: each row's answer and references, of which there is at least one; None: there are
            none, and the row stays unscored.
    """
    scored = [k for k, row in enumerate(rows) if row is not None]
    columns = {} if not scored or _is_missing() else _columns([row for row in rows if row])
    return {name: _among(columns.get(name), scored, len(rows)) for name in CAPTION_METRICS}


def _columns(rows: Sequence[Texts]) -> dict[str, Column]:
    try:
        tokens = ptb_tokens(rows)
    except JavaError as error:
        _LOG.warning("BLEU, ROUGE-L, METEOR and CIDEr stay unscored: %s", error)
        return {}
    columns = {
        **bleu_columns(tokens),
        "rouge_l": rouge_column(tokens),
        "cider": cider_column(tokens),
    }
    try:
        columns["meteor"] = meteor_column(tokens)
    except JavaError as error:
        _LOG.warning("METEOR stays unscored: %s", error)
    return columns


@cache
def _is_missing() -> bool:
    """Whether something is missing here, which is told once."""
    if find_spec("pycocoevalcap") is None:
        missing = "pycocoevalcap is not installed: pip install 'scenemind[eval]'"
    elif which("java") is None:
        missing = "their tokenizer needs java, which is not here: apt install default-jre-headless"
    else:
        return False
    _LOG.warning("BLEU, ROUGE-L, METEOR and CIDEr stay unscored: %s", missing)
    return True


def _among(column: Column | None, rows: Sequence[int], count: int) -> Column:
    """A column of some rows as one of all rows; None: it could not be computed."""
    values = np.full(count, np.nan)
    if column is None:
        return mean_column(values)
    statistics = np.zeros((count, column.statistics.shape[1]))
    values[rows], statistics[rows] = column.values, column.statistics
    return Column(values, statistics, column.of_sums)
