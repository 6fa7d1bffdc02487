"""Asking one request after the other, while somebody watches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from scenemind.cli.output import progress_console
from scenemind.evaluation.visual_retrieval import HOPELESS, Outcome, Step, VisualRetrieval
from scenemind.models import Usage

_HOPELESS_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Run:
    """
    Attributes:
        outcomes: in the order in which they were asked for.
        stopped: why it ended before its end; empty: it did not.
    """

    outcomes: tuple[Outcome, ...]
    stopped: str

    @property
    def usage(self) -> Usage:
        return _usage(self.outcomes)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.failure)


def run_benchmark(benchmark: VisualRetrieval, steps: Sequence[Step]) -> Run:
    """All steps, with a bar, the time left and the cost so far. It ends early when it is
    interrupted, or when several requests in a row fail for what no other request would mend.

    Raises:
        EvaluationError: see `VisualRetrieval.ask`.
    """
    outcomes: list[Outcome] = []
    name = TextColumn("{task.description}", markup=False)
    columns = (name, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    stopped = ""
    with Progress(*columns, console=progress_console(), transient=True) as progress:
        task = progress.add_task("asking", total=len(steps))
        try:
            for step in steps:
                outcomes.append(benchmark.ask(step))
                progress.update(task, advance=1, description=_so_far(outcomes))
                if stopped := _hopeless(outcomes):
                    break
        except KeyboardInterrupt:
            stopped = "interrupted"
    return Run(tuple(outcomes), stopped)


def _hopeless(outcomes: Sequence[Outcome]) -> str:
    last = outcomes[-_HOPELESS_IN_A_ROW:]
    if len(last) < _HOPELESS_IN_A_ROW or any(outcome.failure not in HOPELESS for outcome in last):
        return ""
    return f"{len(last)} requests failed in a row: {last[-1].message}"


def _so_far(outcomes: Sequence[Outcome]) -> str:
    usage = _usage(outcomes)
    failed = sum(outcome.failure is not None for outcome in outcomes)
    cost = f", cost {usage.cost:.3g}" if usage.cost else ""
    return f"{usage.tokens:,} tokens{cost}, {failed} failed"


def _usage(outcomes: Sequence[Outcome]) -> Usage:
    return sum((outcome.usage for outcome in outcomes), Usage())
