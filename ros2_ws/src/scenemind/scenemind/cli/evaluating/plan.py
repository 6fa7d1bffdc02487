"""A run of `scenemind eval`, from what was typed to what is printed."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from scenemind.cli.errors import CommandError
from scenemind.cli.evaluating.crew import Crew
from scenemind.cli.evaluating.progress import run_progress
from scenemind.cli.evaluating.recipe import Recipe
from scenemind.cli.evaluating.show import print_evaluation
from scenemind.cli.output import print_json, progress_console
from scenemind.evaluation.benchmark import Benchmark
from scenemind.evaluation.budget import Budget
from scenemind.evaluation.datasets import Row
from scenemind.evaluation.identity import identity_of
from scenemind.evaluation.result import Evaluation
from scenemind.evaluation.run_folder import RunFolder
from scenemind.evaluation.runner import Run, run
from scenemind.evaluation.scene_source import NamedSource
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.scoring import evaluate
from scenemind.evaluation.selection import check_truth, has_poses, selected
from scenemind.evaluation.submissions import write_submission

_INTERRUPTED = 130  # what a shell reports for an interrupt


@dataclass(frozen=True, slots=True)
class Plan:
    """
    Attributes:
        data: the benchmark's file or folder.
        only, limit, seed: see `selected`.
        with_pose: who answers is to be told where who asks stands as a pose.
        out: folder of the run; None: nothing is kept.
    """

    benchmark: Benchmark
    data: Path
    recipe: Recipe
    crew: Crew
    only: tuple[str, ...]
    limit: int | None
    seed: int
    budget: Budget
    with_pose: bool
    out: Path | None


def carry_out(plan: Plan, as_json: bool) -> None:
    """Ask, score, write and print.

    Raises:
        EvaluationError: what is needed is not there, or does not belong together.
        Exit: it was interrupted; what is done is kept.
    """
    recipe = plan.recipe
    rows = selected(
        plan.benchmark.read(plan.data), plan.benchmark.groups, plan.only, plan.limit, plan.seed
    )
    source = recipe.source.checked(rows, recipe.settings)
    truth = _truth(plan, rows)
    with ExitStack() as files:
        folder = None
        if plan.out is not None:
            folder = files.enter_context(RunFolder(plan.out, _identity(plan, rows, source)))
        done = _asked(plan, rows, folder)
        if not done.predictions:
            raise CommandError("the budget was spent before the first row: raise --budget")
        evaluation = evaluate(plan.benchmark, recipe.method, source, done.predictions, truth, None)
        if folder is not None:
            _write(folder, plan.benchmark.name, done, evaluation)
    if as_json:
        print_json({**evaluation.as_json(), "unasked": done.unasked})
    else:
        print_evaluation(evaluation, done.unasked)


def _truth(plan: Plan, rows: list[Row]) -> Scenes | None:
    """
    Raises:
        CommandError: poses cannot be turned without.
        EvaluationError: it does not have what the rows are about.
    """
    choice = plan.recipe.source
    if choice.objects is None:
        if plan.with_pose and has_poses(rows) and not choice.is_blind:
            raise CommandError(
                f"{plan.benchmark.name} tells where who asks stands in the raw scan's axes, and"
                " --objects has the alignment: say it, or --no-pose to go by the words alone"
            )
        return None
    truth = Scenes(choice.objects, plan.recipe.settings.relations)
    check_truth(rows, truth, with_poses=plan.with_pose and not choice.is_blind)
    return truth


def _asked(plan: Plan, rows: list[Row], folder: RunFolder | None) -> Run:
    progress = run_progress(plan.benchmark.name)
    try:
        with progress.shown():
            return run(rows, plan.crew.of(plan.recipe), folder, plan.budget, progress)
    except KeyboardInterrupt:
        kept = f"what is done is kept in {folder.path}: the same command goes on" if folder else ""
        progress_console().print(f"interrupted; {kept or 'nothing is kept without --out'}")
        raise typer.Exit(_INTERRUPTED) from None


def _identity(plan: Plan, rows: list[Row], source: NamedSource) -> dict[str, Any]:
    recipe = plan.recipe
    return identity_of(
        plan.benchmark.name,
        rows,
        recipe.method,
        source.name,
        recipe.source.files,
        recipe.settings,
        policy=recipe.policy,
        poses=recipe.poses is not None,
        timeout_s=recipe.timeout_s,
    )


def _write(folder: RunFolder, benchmark: str, done: Run, evaluation: Evaluation) -> None:
    folder.write_evaluation({**evaluation.as_json(), "unasked": done.unasked})
    submission = write_submission(benchmark, done.predictions, folder.path)
    written = [folder.path / "evaluation.json", submission]
    names = ", ".join(str(path) for path in written if path is not None)
    progress_console().print(f"written: {names}", soft_wrap=True, markup=False)
