"""A run of `scenemind eval`: choose rows, ask, judge, score, write and print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer

from scenemind.cli.eval_recipe import Recipe, SourceChoice
from scenemind.config import ChatModelConfig, ModelsConfig
from scenemind.errors import UsageError
from scenemind.evaluation.benchmark import (
    Benchmark,
    check_scenes,
    check_truth,
    evaluate,
    has_poses,
    select_rows,
    unusable_scenes,
)
from scenemind.evaluation.datasets import Row
from scenemind.evaluation.judge import judge, judge_config
from scenemind.evaluation.method import most_workers
from scenemind.evaluation.page import PictureSources, write_report
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.result import Evaluation
from scenemind.evaluation.rooms import TrueRooms
from scenemind.evaluation.run_folder import RunFolder, identity_of
from scenemind.evaluation.runner import Budget, Run, run
from scenemind.evaluation.scenes import NamedSource, Scenes, SceneSource
from scenemind.evaluation.submissions import write_submission
from scenemind.evaluation.terminal import print_evaluation, run_progress
from scenemind.evaluation.workers import InProcess, Processes, RayCluster, Workers
from scenemind.models import open_models
from scenemind.report.replies import writing_to
from scenemind.report.terminal import print_json, progress_console


@dataclass(frozen=True, slots=True)
class Crew:
    """The workers of a run.

    Attributes:
        workers: processes; with `ray`, actors.
        ray: address of a cluster, or "local"; empty: this machine without it.
        at_once: questions that each worker has in flight.
    """

    workers: int
    ray: str
    at_once: int

    def of(self, recipe: Recipe) -> Workers:
        """Workers for a recipe: no more, and no more at once, than the limits of models allow.

        Raises:
            UsageError: several workers would write one recording.
        """
        models, count, at_once = recipe.settings.models, self.workers, self.at_once
        if recipe.asks_models:
            count = min(count, most_workers(models))
            at_once = min(at_once, max(1, models.parallel_calls // count))
            self._print_limits(count, at_once)
        if models.record and (count > 1 or self.ray):
            raise UsageError("a recording is written by one process: leave --workers out")
        if self.ray:
            return RayCluster(recipe, self.ray, count, at_once)
        if count == 1:
            return InProcess(recipe, at_once)
        return Processes(recipe, count, at_once)

    def _print_limits(self, count: int, at_once: int) -> None:
        if (count, at_once) != (self.workers, self.at_once):
            progress_console().print(
                f"{count} workers with {at_once} questions at once: models.parallel_calls and"
                " models.requests_per_minute allow no more"
            )


_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """The model that marks answers.

    Attributes:
        model: empty: answers are not marked.
        endpoint: empty: that of the language model.
    """

    model: str = ""
    endpoint: str = ""

    def marks(
        self, predictions: Sequence[Prediction], models: ModelsConfig, folder: RunFolder | None
    ) -> dict[str, float]:
        """Marks by row id; marks that the folder has already are kept.

        Args:
            models: their limits hold for the judge too.

        Raises:
            ModelError: the endpoint is no address, or its key is missing.
        """
        if not self.model:
            return {}
        judging = models.model_copy(
            update={
                "language": judge_config(self._config(models.language)),
                "vision": ChatModelConfig(),
                "record": "",
                "replay": "",
            }
        )
        with open_models(judging) as opened:
            opened.check_keys()
            assert opened.language is not None, "the judge is named"
            return judge(
                predictions,
                opened.language,
                folder.judgements() if folder else {},
                folder.keep_judgement if folder else _keep_nothing,
                lambda: opened.allowance(_TIMEOUT_S),
                models.parallel_calls,
            )

    def _config(self, language: ChatModelConfig) -> ChatModelConfig:
        """The judge at the language model's endpoint, with its key but not with its prices."""
        if self.endpoint:
            return ChatModelConfig(model=self.model, endpoint=self.endpoint)
        if self.model == language.model:
            return language
        return ChatModelConfig(
            model=self.model, endpoint=language.endpoint, key_variable=language.key_variable
        )


def _keep_nothing(row_id: str, judgement: Mapping[str, Any]) -> None:
    del row_id, judgement


@dataclass(frozen=True, slots=True)
class RowChoice:
    """The rows of a run.

    Attributes:
        data: the benchmark's file or folder.
        only, limit, seed: see `select_rows`.
        skips_missing: leave out rows whose scene is missing, and print how many.
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
        rows: Iterable[Row] = benchmark.read(self.data)
        check = partial(choice.check, scenes=scenes)
        if self.skips_missing:
            rows = _without_missing(list(rows), check)
        found = select_rows(rows, benchmark.groups, self.only, self.limit, self.seed)
        check_scenes(
            [row.scene_id for row in found], check, "; --skip-missing leaves their rows out"
        )
        return found


def _without_missing(rows: list[Row], check: Callable[[str], None]) -> list[Row]:
    """
    Raises:
        EvaluationError: no scene is there.
    """
    missing = unusable_scenes((row.scene_id for row in rows), check)
    there = [row for row in rows if row.scene_id not in missing]
    if missing and not there:
        check_scenes([row.scene_id for row in rows], check)
    if missing:
        progress_console().print(
            f"left out: {len(rows) - len(there)} of {len(rows)} rows, whose scenes are not there"
            f" ({len(missing)})"
        )
    return there


_INTERRUPTED = 130  # what a shell reports for an interrupt


@dataclass(frozen=True, slots=True)
class Plan:
    """A run of a benchmark.

    Attributes:
        with_pose: give the asker's viewpoint as a pose.
        out: folder of the run; None: nothing is kept.
        with_report: write a page for people.
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
    """Ask, judge, score, write and print a run.

    Raises:
        EvaluationError: files are missing, or do not match.
        Exit: it was interrupted; finished rows are kept.
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
        evaluation = evaluate(
            *(plan.benchmark, recipe.method, source, done.predictions, truth, marks),
            policy=recipe.policy,
        )
        if folder is not None:
            _write(folder, plan, done, evaluation, scenes, truth)
    if as_json:
        print_json({**evaluation.as_json(), "unasked": done.unasked})
    else:
        print_evaluation(evaluation, done.unasked)


def _truth(plan: Plan, rows: list[Row]) -> Scenes | None:
    """
    Raises:
        UsageError: poses need the axis alignment of --objects.
        EvaluationError: objects of the rows are missing.
    """
    choice = plan.recipe.source
    with_poses = plan.with_pose and not choice.is_blind
    if choice.objects is None:
        if with_poses and has_poses(rows):
            raise UsageError(
                f"{plan.benchmark.name} has viewpoints in the raw scan's axes: give --objects,"
                " which has the axis alignment, or --no-pose for viewpoints in words only"
            )
        return None
    truth = Scenes(choice.objects, plan.recipe.settings.relations)
    check_truth(rows, truth, with_poses=with_poses)
    return truth


def _asked(plan: Plan, rows: list[Row], folder: RunFolder | None) -> Run:
    """
    Raises:
        UsageError: the budget was spent before the first row.
    """
    progress = run_progress(plan.benchmark.name)
    with progress.shown():
        done = run(rows, plan.crew.of(plan.recipe), folder, plan.budget, progress)
    if not done.predictions:
        raise UsageError("the budget was spent before the first row: raise --budget")
    return done


def _interrupted(folder: RunFolder | None) -> str:
    if folder is None:
        return "interrupted; without --out nothing is kept"
    return f"interrupted; finished rows are kept in {folder.path}: the same command continues"


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
    submission = write_submission(plan.benchmark, done.predictions, folder.path)
    if submission is not None:
        written.append(submission)
    if plan.with_report:
        with writing_to(folder.report):
            choice = plan.recipe.source
            shown_truth = TrueRooms() if choice.is_simulated else truth
            page = write_report(
                folder.report,
                evaluation,
                done.predictions,
                PictureSources(scenes, shown_truth, choice.images),
                _run_settings(plan, done),
            )
        written.append(page)
    names = ", ".join(map(str, written))
    progress_console().print(f"written: {names}", soft_wrap=True, markup=False)


def _run_settings(plan: Plan, done: Run) -> dict[str, str]:
    """Settings of the run that the page shows, name -> value."""
    settings: dict[str, str] = {}
    if plan.rows.only:
        settings["only rows that are"] = ", ".join(plan.rows.only)
    if plan.rows.limit:
        settings["rows"] = f"{plan.rows.limit}, drawn with seed {plan.rows.seed}"
    if plan.rows.skips_missing:
        settings["scenes"] = "those that are there"
    if done.unasked:
        settings["not asked, as the budget was spent"] = f"{done.unasked} rows"
    return settings
