"""How an evaluation is printed."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.asking.chosen_frames import usage_text
from scenemind.cli.output import print_table, printable
from scenemind.evaluation.result import Evaluation, Group, Score


def print_evaluation(evaluation: Evaluation, unasked: int) -> None:
    """Its scores, the same of groups of rows, and what it took.

    Args:
        unasked: rows that the budget had nothing left for.
    """
    print_table(_scores(evaluation))
    for number, name in enumerate(evaluation.baselines, 1):
        print(f"baseline {number}: {name}")
    if evaluation.breakdown:
        print_table(_breakdown(evaluation))
    for note in evaluation.notes:
        print(printable(note))
    failures = ", ".join(f"{n} {code}" for code, n in evaluation.failures.items())
    print(f"without an answer: {failures or 'none'}")
    if unasked:
        print(f"not asked, as the budget is spent: {unasked} rows")
    print(f"{evaluation.seconds:.1f} s, median {evaluation.median_ms:.2f} ms a row")
    if evaluation.usage.calls:
        print(usage_text(evaluation.usage))


def _scores(evaluation: Evaluation) -> Table:
    """A line a metric."""
    title = f"{evaluation.benchmark}, {evaluation.method}, {evaluation.source}"
    table = Table(title=escape(printable(title)), title_justify="left", box=SIMPLE_HEAD)
    table.add_column("")
    baselines = list(evaluation.baselines.values())
    heads = ("%", "95 % interval", "rows scored", "of")
    for head in (*heads, *(f"baseline {number}" for number, _ in enumerate(baselines, 1))):
        table.add_column(head, justify="right")
    for metric, score in evaluation.scores.items():
        interval = "" if score.low is None else f"{score.low:.1f} - {score.high:.1f}"
        others = (_percent(scores.get(metric)) for scores in baselines)
        n = str(score.n), str(evaluation.n)
        table.add_row(metric.replace("_", " "), _percent(score), interval, *n, *others)
    return table


def _breakdown(evaluation: Evaluation) -> Table:
    """A line a group of rows; percents, of metrics that any row is scored by, with how many rows
    are scored in brackets where that is not all of them."""
    metrics = [metric for metric, score in evaluation.scores.items() if score.n]
    table = Table(box=SIMPLE_HEAD)
    table.add_column("")
    for head in ("rows", *metrics):
        table.add_column(head.replace("_", " "), justify="right")
    for name, group in evaluation.breakdown.items():
        cells = (_of_group(group, metric) for metric in metrics)
        table.add_row(escape(printable(name.replace("_", " "))), str(group.n), *cells)
    return table


def _of_group(group: Group, metric: str) -> str:
    score = group.scores.get(metric)
    text = _percent(score)
    return text if score is None or score.n in (0, group.n) else f"{text} ({score.n})"


def _percent(score: Score | None) -> str:
    """Of what is not scored a dash."""
    return "-" if score is None or score.percent is None else f"{score.percent:.1f}"
