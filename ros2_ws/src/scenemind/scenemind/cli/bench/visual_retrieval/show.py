"""The result: as a table, as curves, and for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from scenemind.cli.asking.chosen_frames import usage_json, usage_text
from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.bench.visual_retrieval.run import Run
from scenemind.cli.output import print_table, printable
from scenemind.reasoning.vlm_grounder.stitching import (
    Layout,
    LayoutScore,
    MeasuredLayouts,
    best_layouts,
)
from scenemind.report import Chart, Series, render_curves, standalone_svg

_HEADINGS = ["layout", "sheets", "pictures", "requests", "failed", "recall %", "wrong", "seconds"]
_SMALLEST_LOSS = 0.1  # percent, which a logarithmic axis can show


def result_json(measured: MeasuredLayouts, run: Run, source: str) -> dict[str, Any]:
    """For programs."""
    return {
        **measured.model_dump(),
        "scores": [{**score.model_dump(), "recall": score.recall} for score in measured.scores],
        "best": [str(layout) for layout in best_layouts(measured.scores)],
        "requests": len(run.outcomes),
        "failed": len(run.failures),
        "stopped": run.stopped,
        "pictures": source,
        "usage": usage_json(run.usage),
        "machine": machine(),
        "versions": versions(),
    }


def print_result(measured: MeasuredLayouts, run: Run, source: str) -> None:
    """For people."""
    title = f"visual retrieval, {printable(measured.model)}, {source}"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for heading in _HEADINGS:
        table.add_column(heading, justify="right")
    for score in measured.scores:
        table.add_row(
            str(score.layout),
            str(score.sheets),
            str(score.layout.cells * score.sheets),
            str(score.requests),
            ", ".join(f"{count} {kind}" for kind, count in score.failed.items()) or "0",
            "-" if score.recall is None else f"{100 * score.recall:.1f}",
            str(score.wrong),
            "-" if score.seconds is None else f"{score.seconds:.1f}",
        )
    print_table(table)
    best = ", ".join(map(str, best_layouts(measured.scores)))
    print(f"best layouts: {best or 'none: nothing was read'}")
    for kind, message in {o.failure: o.message for o in reversed(run.failures)}.items():
        print(f"failed, {kind}: {printable(message)}")
    if run.stopped:
        print(f"ended early: {printable(run.stopped)}")
    print(usage_text(run.usage))


def draw(scores: Sequence[LayoutScore], path: Path) -> None:
    """Time and loss over the number of pictures in a request (paper, figure 4), as an SVG file."""
    charts = (
        Chart(
            "Time of a request",
            "median of those that were answered",
            "pictures",
            "seconds",
            _series(scores, lambda score: score.seconds),
        ),
        Chart(
            "Pictures that were not read",
            f"of answered requests; {_SMALLEST_LOSS:g} stands for none",
            "pictures",
            "percent",
            _series(scores, _loss_percent),
        ),
    )
    path.write_text(standalone_svg(render_curves(charts)), encoding="utf-8")


def _loss_percent(score: LayoutScore) -> float | None:
    return None if score.recall is None else max(_SMALLEST_LOSS, 100.0 * (1.0 - score.recall))


def _series(
    scores: Iterable[LayoutScore], value_of: Callable[[LayoutScore], float | None]
) -> tuple[Series, ...]:
    lines: dict[Layout, list[tuple[float, float]]] = {}
    for score in scores:
        value = value_of(score)
        if value is not None:
            point = (float(score.layout.cells * score.sheets), value)
            lines.setdefault(score.layout, []).append(point)
    return tuple(Series(str(layout), tuple(sorted(line))) for layout, line in lines.items())
