"""This run beside a paper's table, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scenemind.evaluation.page.figures import named
from scenemind.evaluation.page.published import EVERY_ROW, PublishedTable
from scenemind.evaluation.result import Evaluation


@dataclass(frozen=True, slots=True)
class Cell:
    """
    Attributes:
        percent: empty where there is no number.
        detail: interval and number of rows, where they are known.
    """

    percent: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """
    Attributes:
        cells: one a column.
        is_this: it is the run of this page.
    """

    name: str
    input: str
    cells: tuple[Cell, ...]
    is_this: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    Attributes:
        heads: (group, metric) of each column, for people; the group of all rows is empty.
    """

    source: str
    rows: str
    heads: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]


def comparisons(evaluation: Evaluation, tables: Sequence[PublishedTable]) -> Iterator[Comparison]:
    """One a table; columns for all rows come first."""
    for table in tables:
        columns = sorted(table.columns(), key=lambda column: column[0] != EVERY_ROW)
        ours = tuple(_ours(evaluation, group, metric) for group, metric in columns)
        published = (
            Line(
                method.name,
                method.input,
                tuple(_printed(method.scores.get(group, {}).get(name)) for group, name in columns),
            )
            for method in table.methods
        )
        this = Line(evaluation.method, evaluation.source, ours, is_this=True)
        heads = tuple(
            ("" if group == EVERY_ROW else named(group), named(metric)) for group, metric in columns
        )
        yield Comparison(f"{table.paper}, {table.table}", table.rows, heads, (this, *published))


def _ours(evaluation: Evaluation, group: str, metric: str) -> Cell:
    if group == EVERY_ROW:
        score = evaluation.scores.get(metric)
    else:
        found = evaluation.breakdown.get(group)
        score = None if found is None else found.scores.get(metric)
    if score is None or score.percent is None:
        return Cell()
    interval = "" if score.low is None else f"{score.low:.1f} to {score.high:.1f}, "
    return Cell(f"{score.percent:.1f}", f"{interval}n {score.n:,}")


def _printed(percent: float | None) -> Cell:
    return Cell() if percent is None else Cell(f"{percent:g}")
