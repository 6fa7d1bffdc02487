"""A run of `scenemind eval`, from what was typed to what is printed."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from scenemind.cli.asking.pictures import writing_to
from scenemind.cli.errors import CommandError
from scenemind.cli.evaluating.crew import Crew
from scenemind.cli.evaluating.judging import JudgeChoice
from scenemind.cli.evaluating.progress import run_progress
from scenemind.cli.evaluating.recipe import Recipe
from scenemind.cli.evaluating.row_choice import RowChoice
from scenemind.cli.evaluating.show import print_evaluation
from scenemind.cli.output import print_json, progress_console
from scenemind.evaluation.benchmark import Benchmark
from scenemind.evaluation.budget import Budget
from scenemind.evaluation.datasets import Row
from scenemind.evaluation.identity import identity_of
from scenemind.evaluation.page import write_report
from scenemind.evaluation.result import Evaluation
from scenemind.evaluation.rooms import TrueRooms
from scenemind.evaluation.run_folder import RunFolder
from scenemind.evaluation.runner import Run, run
from scenemind.evaluation.scene_source import NamedSource, SceneSource
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.scoring import evaluate
from scenemind.evaluation.selection import check_truth, has_poses
from scenemind.evaluation.submissions import write_submission

_INTERRUPTED = 130  # what a shell reports for an interrupt


@dataclass(frozen=True, slots=True)
class Plan:
    """
    Attributes:
        with_pose: who answers is to be told where who asks stands as a pose.
        out: folder of the run; None: nothing is kept.
        with_report: with a page for people.
    """

    benchmark: Benchmark
    rows: RowChoice
    recipe: Recipe
    crew: Crew
    budget: Budget
    with_pose: bool
    judge: JudgeChoice
    out: Path | None
    with_report: bool


def carry_out(plan: Plan, as_json: bool) -> None:
    """Ask, judge, score, write and print.

    Raises:
        EvaluationError: what is needed is not there, or does not belong together.
        Exit: it was interrupted; what is done is kept.
    """
    recipe = plan.recipe
    scenes = recipe.source.opened(recipe.settings)
    rows = plan.rows.of(plan.benchmark, recipe.source, scenes)
    source, truth = recipe.source.name(scenes), _truth(plan, rows)
    with ExitStack() as files:
        folder = None
        if plan.out is not None:
            folder = files.enter_context(RunFolder(plan.out, _identity(plan, rows, source)))
        try:
            done = _asked(plan, rows, folder)
            marks = plan.judge.marks(done.predictions, recipe.settings.models, folder)
        except KeyboardInterrupt:
            progress_console().print(_interrupted(folder), soft_wrap=True, markup=False)
            raise typer.Exit(_INTERRUPTED) from None
        evaluation = evaluate(plan.benchmark, recipe.method, source, done.predictions, truth, marks)
        if folder is not None:
            _write(folder, plan, done, evaluation, scenes, truth)
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
    with_poses = plan.with_pose and not choice.is_blind
    if choice.objects is None:
        if with_poses and has_poses(rows):
            raise CommandError(
                f"{plan.benchmark.name} tells where who asks stands in the raw scan's axes, and"
                " --objects has the alignment: say it, or --no-pose to go by the words alone"
            )
        return None
    truth = Scenes(choice.objects, plan.recipe.settings.relations)
    check_truth(rows, truth, with_poses=with_poses)
    return truth


def _asked(plan: Plan, rows: list[Row], folder: RunFolder | None) -> Run:
    """
    Raises:
        CommandError: the budget does not reach for a single row.
    """
    progress = run_progress(plan.benchmark.name)
    with progress.shown():
        done = run(rows, plan.crew.of(plan.recipe), folder, plan.budget, progress)
    if not done.predictions:
        raise CommandError("the budget was spent before the first row: raise --budget")
    return done


def _interrupted(folder: RunFolder | None) -> str:
    if folder is None:
        return "interrupted; without --out nothing is kept"
    return f"interrupted; what is done is kept in {folder.path}: the same command goes on"


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


def _write(
    folder: RunFolder,
    plan: Plan,
    done: Run,
    evaluation: Evaluation,
    scenes: SceneSource | None,
    truth: Scenes | None,
) -> None:
    document = {**evaluation.as_json(), "unasked": done.unasked}
    written = [folder.write_evaluation(document)]
    submission = write_submission(plan.benchmark.name, done.predictions, folder.path)
    if submission is not None:
        written.append(submission)
    if plan.with_report:
        with writing_to(folder.report):
            choice = plan.recipe.source
            page = write_report(
                folder.report,
                evaluation,
                done.predictions,
                scenes,
                TrueRooms() if choice.is_simulated else truth,
                _told(plan, done),
                choice.images,
            )
        written.append(page)
    names = ", ".join(map(str, written))
    progress_console().print(f"written: {names}", soft_wrap=True, markup=False)


def _told(plan: Plan, done: Run) -> dict[str, str]:
    """What the page tells of how it was run: name -> value."""
    told: dict[str, str] = {"policy": plan.recipe.policy}
    if plan.rows.only:
        told["only rows that are"] = ", ".join(plan.rows.only)
    if plan.rows.limit:
        told["rows"] = f"{plan.rows.limit}, drawn with seed {plan.rows.seed}"
    if plan.rows.skips_missing:
        told["scenes"] = "those that are there"
    if done.unasked:
        told["not asked, as the budget was spent"] = f"{done.unasked} rows"
    return told
