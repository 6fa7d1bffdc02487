"""How far a run is, on standard error: rows, pace, time left, tokens and cost."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from scenemind.cli.output import progress_console
from scenemind.evaluation.predictions import Prediction
from scenemind.models import Usage
from scenemind.models.usage import NOTHING_USED

# Where nobody looks on, such as in a log.
_LINE_EVERY_S = 30.0


class RunProgress:
    """A `Watch`: a bar on a terminal, elsewhere a line now and then."""

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
        """See `Watch`."""
        self._rows, self._kept = rows, len(kept)
        self._used = sum((one.usage for one in kept), NOTHING_USED)
        self._start_s = self._last_line_s = time.monotonic()
        self._task = self._bar.add_task(
            self._title, total=rows, completed=self._kept, so_far=self._so_far()
        )
        if kept:
            self._console.print(f"{self._kept} of {rows} rows were answered before")

    def answered(self, prediction: Prediction) -> None:
        """See `Watch`."""
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
        """While this is open."""
        if self._console.is_terminal:
            with self._bar:
                yield
        else:
            yield

    def _pace(self) -> float:
        """Rows a second, of this run."""
        return self._done / max(time.monotonic() - self._start_s, 1e-6)

    def _so_far(self) -> str:
        pace = f"{self._pace():.3g} rows/s" if self._done else ""
        return ", ".join(filter(None, (pace, _used_text(self._used))))


def run_progress(title: str) -> RunProgress:
    """On standard error."""
    return RunProgress(title, progress_console())


def _used_text(used: Usage) -> str:
    if not used.calls:
        return ""
    cost = f", cost {used.cost:.3g}" if used.cost else ""
    return f"{used.tokens} tokens{cost}"
