"""`scenemind eval alignment`: simulated persons correct planted errors."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.progress import track
from rich.table import Table

from scenemind.cli.asking.chosen_frames import usage_text
from scenemind.cli.asking.methods import opened_methods
from scenemind.cli.errors import CommandError
from scenemind.cli.output import print_json, print_table, progress_console
from scenemind.config import SceneMindConfig
from scenemind.evaluation.alignment import (
    INPUT,
    PAPER,
    AlignmentResult,
    Wording,
    make_tasks,
    run_alignment,
    session_json,
    summed_up_sessions,
)
from scenemind.evaluation.line_file import open_lines
from scenemind.evaluation.result import Score
from scenemind.evaluation.scenes import Scenes
from scenemind.reasoning import Asking
from scenemind.reasoning.method_choice import BUILT_METHODS


def eval_alignment(
    objects: Path,
    settings: SceneMindConfig,
    method: str,
    *,
    seed: int,
    clicks: bool,
    wording: Wording,
    timeout_s: float,
    limit: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Make the tasks, play them, and print what came of them."""
    if method not in BUILT_METHODS:
        raise CommandError(f"there is no method {method!r}; there are {', '.join(BUILT_METHODS)}")
    scenes = Scenes(objects, settings.relations)
    tasks = make_tasks(scenes, seed)[:limit]
    with ExitStack() as files:
        opened, methods = files.enter_context(opened_methods(settings))
        write = files.enter_context(open_lines(out)) if out else None
        console = progress_console()
        sessions = run_alignment(
            tasks,
            method,
            {} if method == "symbolic" else methods,
            seed,
            clicks,
            wording,
            settings.relations,
            lambda: Asking(opened.allowance(timeout_s)),
            lambda rows: track(rows, "alignment", console=console, transient=True),
            (lambda session: write(session_json(session))) if write else None,
        )
    result = summed_up_sessions(sessions, method)
    if as_json:
        print_json({"seed": seed, "clicks": clicks, "wording": wording, **result.as_json()})
    else:
        _print(result, seed)


def _print(result: AlignmentResult, seed: int) -> None:
    tasks, novel = result.tasks, result.novel
    table = _table(
        f"alignment, {tasks.method}, seed {seed}",
        ("tasks", "success %", "right at first %", "interactions"),
    )
    rows = {"all": (tasks.n, tasks.scores)}
    rows |= {name: (group.n, group.scores) for name, group in tasks.breakdown.items()}
    for name, (n, scores) in rows.items():
        mean = result.interactions[name]
        table.add_row(name, str(n), *map(_percent, scores.values()), f"{mean:.2f}")
    print_table(table)
    table = _table("novel questions", ("questions", "before %", "after %"))
    rows = {"all": (novel.n, novel.scores)}
    rows |= {name: (group.n, group.scores) for name, group in novel.breakdown.items()}
    for name, (n, scores) in rows.items():
        table.add_row(name, str(n), *map(_percent, scores.values()))
    print_table(table)
    print(f"of {INPUT}")
    print(f"corrections that did what was meant: {result.corrections_done:.1f} %")
    if result.query_ratio is not None:
        print(f"told of the scene graph in an answer: {result.query_ratio:.1f} %")
    paper = PAPER["success_judged_by_a_model"]
    print(
        "paper (people, GPT-4 turbo, 3D-VisTA's errors): success"
        f" {paper['easy']:.0f} / {paper['hard']:.0f} % easy / hard, novel questions"
        f" {PAPER['novel_before']['all']} -> {PAPER['novel_after']['all']} %"
    )
    print(f"{tasks.seconds + novel.seconds:.1f} s")
    usage = tasks.usage + novel.usage
    if usage.calls:
        print(usage_text(usage))


def _percent(score: Score) -> str:
    return "-" if score.percent is None else f"{score.percent:.1f}"


def _table(title: str, columns: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    return table
