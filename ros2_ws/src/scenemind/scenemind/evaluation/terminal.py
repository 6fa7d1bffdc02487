"""Terminal output of an evaluation: its progress, and its scores."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.reliability import BINS, SURE, Reliability
from scenemind.evaluation.result import INTERVALS, ONE_SCENE, Evaluation, Group, Score
from scenemind.models import Usage
from scenemind.models.chat import NOTHING_USED
from scenemind.report.replies import usage_text
from scenemind.report.terminal import print_table, progress_console
from scenemind.untrusted import printable, say


def print_evaluation(evaluation: Evaluation, unasked: int) -> None:
    """Print the scores of all rows and of groups, confidence, time and cost.

    Args:
        unasked: number of rows that were not asked because the budget was spent.
    """
    title = printable(f"{evaluation.benchmark}, {evaluation.method}, {evaluation.source}")
    if evaluation.scores:
        print_table(_scores(evaluation, title))
    else:
        say(f"{title}: no row could be scored")
    if any(score.interval is not None for score in evaluation.scores.values()):
        say(f"intervals: {INTERVALS}")
    if any(score.interval is None for score in evaluation.scores.values()):
        say(f"no interval: {ONE_SCENE}")
    for number, name in enumerate(evaluation.baselines, 1):
        say(f"baseline {number}: {name}")
    if evaluation.breakdown and evaluation.scores:
        print_table(_breakdown(evaluation))
    if evaluation.reliability is not None:
        say(_confidence(evaluation.reliability, evaluation.policy))
    for note in evaluation.notes:
        say(note)
    failures = ", ".join(f"{n} {code}" for code, n in evaluation.failures.items())
    say(f"without an answer: {failures or 'none'}")
    if unasked:
        say(f"not asked, as the budget is spent: {unasked} rows")
    median_ms, slowest_ms = evaluation.median_ms, evaluation.slowest_ms
    say(f"{evaluation.seconds:.1f} s, median {median_ms:.2f} ms a row, slowest {slowest_ms:.1f} ms")
    if evaluation.usage.calls:
        say(usage_text(evaluation.usage))


def _scores(evaluation: Evaluation, title: str) -> Table:
    """The scores of all rows, one metric a line."""
    table = Table(title=escape(title), title_justify="left", box=SIMPLE_HEAD)
    table.add_column("")
    baselines = list(evaluation.baselines.values())
    heads = ("%", "95 % interval", "rows scored", "of")
    for head in (*heads, *(f"baseline {number}" for number, _ in enumerate(baselines, 1))):
        table.add_column(head, justify="right")
    for metric, score in evaluation.scores.items():
        interval = "{:.1f} - {:.1f}".format(*score.interval) if score.interval else ""
        others = (_percent(scores.get(metric)) for scores in baselines)
        n = str(score.n), str(evaluation.n)
        table.add_row(metric.replace("_", " "), _percent(score), interval, *n, *others)
    return table


def _breakdown(evaluation: Evaluation) -> Table:
    """Scores in percent, one group of rows a line, with the number of scored rows in brackets where
    some are not scored."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("")
    for head in ("rows", *evaluation.scores):
        table.add_column(head.replace("_", " "), justify="right")
    for name, group in evaluation.breakdown.items():
        cells = (_of_group(group, metric) for metric in evaluation.scores)
        table.add_row(escape(printable(name.replace("_", " "))), str(group.n), *cells)
    return table


def _of_group(group: Group, metric: str) -> str:
    score = group.scores.get(metric)
    text = _percent(score)
    return text if score is None or score.n == group.n else f"{text} ({score.n})"


def _percent(score: Score | None) -> str:
    """A score in percent; empty where nothing is scored."""
    return "" if score is None else f"{score.percent:.1f}"


def _confidence(found: Reliability, policy: str) -> str:
    """How far confidences are from the truth, as a line."""
    n_sure, right = found.sure
    sure = (
        "" if right is None else f"; of {n_sure} that are {SURE:.0%} sure {right:.1f} % are right"
    )
    low, high = found.interval_if_perfect
    return (
        f"confidence{f' ({policy})' if policy else ''}: off by {found.calibration_error:.1f} %"
        f" ({BINS} bins of {found.n} answers, right by {found.metric.replace('_', ' ')}; a perfect"
        f" one: {low:.1f} to {high:.1f} %){sure}"
    )


# Without a terminal, such as in a log.
_LINE_EVERY_S = 30.0


class RunProgress:
    """A `RunObserver` that shows a bar on a terminal, and a line now and then elsewhere."""

    def __init__(self, title: str, console: Console) -> None:
        self._console = console
        self._title = title
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[so_far]}"),
            console=console,
            transient=True,
        )
        self._task = TaskID(0)
        self._rows = self._kept = self._done = 0
        self._used = NOTHING_USED
        self._start_s = self._last_line_s = time.monotonic()

    def begin(self, rows: int, kept: Sequence[Prediction]) -> None:
        """See `RunObserver`."""
        self._rows, self._kept = rows, len(kept)
        self._used = sum((one.usage for one in kept), NOTHING_USED)
        self._start_s = self._last_line_s = time.monotonic()
        self._task = self._bar.add_task(
            self._title, total=rows, completed=self._kept, so_far=self._so_far()
        )
        if kept:
            self._console.print(f"{self._kept} of {rows} rows were answered before")

    def answered(self, prediction: Prediction) -> None:
        """See `RunObserver`."""
        self._done += 1
        self._used += prediction.usage
        self._bar.update(self._task, advance=1, so_far=self._so_far())
        now_s = time.monotonic()
        if not self._console.is_terminal and now_s - self._last_line_s >= _LINE_EVERY_S:
            self._last_line_s = now_s
            left_s = (self._rows - self._kept - self._done) / self._pace()
            self._console.print(
                f"{self._title}: {self._kept + self._done} of {self._rows} rows,"
                f" about {left_s:.0f} s left, {self._so_far()}",
                markup=False,
            )

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the progress while this context is open."""
        if self._console.is_terminal:
            with self._bar:
                yield
        else:
            yield

    def _pace(self) -> float:
        """Rows a second in this run."""
        return self._done / max(time.monotonic() - self._start_s, 1e-6)

    def _so_far(self) -> str:
        pace = f"{self._pace():.3g} rows/s" if self._done else ""
        return ", ".join(filter(None, (pace, _used_text(self._used))))


def run_progress(title: str) -> RunProgress:
    """Progress on standard error."""
    return RunProgress(title, progress_console())


def _used_text(used: Usage) -> str:
    if not used.calls:
        return ""
    cost = f", cost {used.cost:.3g}" if used.cost else ""
    return f"{used.tokens} tokens{cost}"
