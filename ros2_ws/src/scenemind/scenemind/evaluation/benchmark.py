"""The benchmarks by name: what each asks, and who reads its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scenemind.evaluation.datasets import (
    Row,
    read_nr3d,
    read_scanrefer,
    read_sqa3d,
    read_sr3d,
)
from scenemind.evaluation.errors import EvaluationError

Asks = Literal["ground", "answer"]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """
    Attributes:
        asks: for an object (`ReferringExpression`) or an answer (`Question`).
        read: its file or folder, row by row; raises EvaluationError, which says where to get them.
    """

    name: str
    asks: Asks
    read: Callable[[Path], Iterator[Row]]


BENCHMARKS: Mapping[str, Benchmark] = {
    one.name: one
    for one in (
        Benchmark("scanrefer", "ground", read_scanrefer),
        Benchmark("nr3d", "ground", read_nr3d),
        Benchmark("sr3d", "ground", read_sr3d),
        Benchmark("sqa3d", "answer", read_sqa3d),
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
