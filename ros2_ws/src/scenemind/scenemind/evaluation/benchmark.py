"""The benchmarks by name: what each asks, who reads its files, and how it is scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scenemind.evaluation.answering import answer_scorer
from scenemind.evaluation.datasets import (
    Row,
    openeqa_groups,
    read_nr3d,
    read_omni3d,
    read_openeqa,
    read_scanqa,
    read_scanrefer,
    read_sqa3d,
    read_sr3d,
    row_groups,
)
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.grounding import score_groundings
from scenemind.evaluation.metrics.captions import CAPTION_METRICS
from scenemind.evaluation.scored import Scorer

Asks = Literal["ground", "answer"]
NeedsImages = Literal["none", "episode", "image"]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """
    Attributes:
        asks: for an object (`ReferringExpression`) or an answer (`Question`).
        read: its file or folder, row by row; raises EvaluationError, which says where to get them.
        score: all its metrics.
        primary: the metric that it goes by, where that is defined; else the scorer's first.
        needs_images: nothing; what a camera saw in an episode; or one image a row.
        groups: what rows a row is counted with, as far as its file says.
    """

    name: str
    asks: Asks
    read: Callable[[Path], Iterable[Row]]
    score: Scorer
    primary: str
    needs_images: NeedsImages = "none"
    groups: Callable[[Row], tuple[str, ...]] = row_groups


BENCHMARKS: Mapping[str, Benchmark] = {
    one.name: one
    for one in (
        Benchmark("scanrefer", "ground", read_scanrefer, score_groundings, "acc_25"),
        Benchmark("nr3d", "ground", read_nr3d, score_groundings, "accuracy"),
        Benchmark("sr3d", "ground", read_sr3d, score_groundings, "accuracy"),
        Benchmark(
            "sqa3d",
            "answer",
            read_sqa3d,
            answer_scorer("exact_match", "refined_match", "soft_match", "sense_match"),
            "exact_match",
        ),
        Benchmark(
            "scanqa",
            "answer",
            read_scanqa,
            answer_scorer(
                "exact_match", "refined_match", *CAPTION_METRICS, "soft_match", "sense_match"
            ),
            "exact_match",
        ),
        Benchmark(
            "openeqa",
            "answer",
            read_openeqa,
            answer_scorer("llm_match", "exact_match", "soft_match", "sense_match"),
            "llm_match",
            "episode",
            openeqa_groups,
        ),
        Benchmark(
            "omni3d",
            "answer",
            read_omni3d,
            answer_scorer("vadar_score", "exact_match", "sense_match"),
            "vadar_score",
            "image",
        ),
    )
}


def get_benchmark(name: str) -> Benchmark:
    """
    Raises:
        EvaluationError: there is none of that name.
    """
    if name not in BENCHMARKS:
        raise EvaluationError(f"there is no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]
