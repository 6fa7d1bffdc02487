"""Which rows are asked, as it was typed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scenemind.cli.evaluating.source_choice import SourceChoice
from scenemind.cli.output import progress_console
from scenemind.evaluation import EvaluationError
from scenemind.evaluation.benchmark import Benchmark
from scenemind.evaluation.datasets import Row
from scenemind.evaluation.scene_source import SceneSource
from scenemind.evaluation.selection import selected


@dataclass(frozen=True, slots=True)
class RowChoice:
    """
    Attributes:
        data: the benchmark's file or folder.
        only, limit, seed: see `selected`.
        skips_missing: rows whose scene cannot be had are left out, which is told.
    """

    data: Path
    only: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0
    skips_missing: bool = False

    def of(
        self, benchmark: Benchmark, choice: SourceChoice, scenes: SceneSource | None
    ) -> list[Row]:
        """
        Args:
            scenes: of the choice.

        Raises:
            EvaluationError: the benchmark's file, or something that a row needs, is missing.
        """
        rows = benchmark.read(self.data)
        if self.skips_missing:
            rows = _there(list(rows), choice, scenes)
        found = selected(rows, benchmark.groups, self.only, self.limit, self.seed)
        choice.check(found, scenes)
        return found


def _there(rows: list[Row], choice: SourceChoice, scenes: SceneSource | None) -> list[Row]:
    """
    Raises:
        EvaluationError: none is.
    """
    missing = dict(_missing(rows, choice, scenes))
    there = [row for row in rows if row.scene_id not in missing]
    if missing and not there:
        raise next(iter(missing.values()))
    if missing:
        progress_console().print(
            f"left out: {len(rows) - len(there)} of {len(rows)} rows, whose scenes are not there"
            f" ({len(missing)})"
        )
    return there


def _missing(
    rows: Iterable[Row], choice: SourceChoice, scenes: SceneSource | None
) -> Iterator[tuple[str, EvaluationError]]:
    """Scenes that cannot be had, and why."""
    for row in {row.scene_id: row for row in rows}.values():
        try:
            choice.check([row], scenes)
        except EvaluationError as error:
            yield row.scene_id, error
