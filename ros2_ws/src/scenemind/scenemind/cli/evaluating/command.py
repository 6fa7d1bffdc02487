"""`scenemind eval`: how right a method is on a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.asking.model_options import Endpoint, ModelName, Record, Replay, with_models
from scenemind.cli.asking.photographs import DepthModel, DetectorOfPhoto, with_photograph
from scenemind.cli.errors import CommandError
from scenemind.cli.evaluating import options
from scenemind.cli.evaluating.alignment import eval_alignment
from scenemind.cli.evaluating.crew import Crew
from scenemind.cli.evaluating.judging import JudgeChoice
from scenemind.cli.evaluating.live import eval_live
from scenemind.cli.evaluating.maps import kept_maps
from scenemind.cli.evaluating.plan import Plan, carry_out
from scenemind.cli.evaluating.recipe import Recipe
from scenemind.cli.evaluating.row_choice import RowChoice
from scenemind.cli.evaluating.source_choice import SourceChoice
from scenemind.cli.evaluating.taken_options import refuse_untaken
from scenemind.cli.options import AsJson, ConfigFile
from scenemind.config import SceneMindConfig
from scenemind.evaluation.benchmark import BENCHMARKS, get_benchmark
from scenemind.evaluation.budget import Budget
from scenemind.evaluation.rooms import SIMULATION, room_names, simulation_benchmark

_ALIGNMENT = "alignment"
_NAMES = ", ".join((*BENCHMARKS, SIMULATION, _ALIGNMENT))


def register(app: typer.Typer) -> None:
    app.command(
        "eval",
        epilog="Example: scenemind eval nr3d --data ZSVG3D/nr3d_val.json --objects"
        " scannet_objects.json.gz --limit 500 --out nr3d-run --workers 4",
    )(_eval)


def _eval(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"{_NAMES}.")],
    data: options.Data = None,
    objects: options.Objects = None,
    memories: options.Memories = None,
    instances: options.Instances = None,
    images: options.Images = None,
    blind: options.Blind = False,
    rooms: options.Rooms = 5,
    mapped: options.Mapped = False,
    live: options.LiveRecording = "",
    scene: options.LiveScene = "",
    method: options.MethodName = "symbolic",
    limit: options.Limit = None,
    seed: options.Seed = 0,
    only: options.Only = None,
    skip_missing: options.SkipMissing = False,
    pose: options.WithPose = True,
    policy: options.PolicyName = "always_answer",
    workers: options.WorkerCount = 1,
    ray: options.Ray = "",
    at_once: options.AtOnce = 1,
    budget: options.CostBudget = 0.0,
    budget_tokens: options.TokenBudget = 0,
    judge: options.Judge = "",
    judge_endpoint: options.JudgeEndpoint = "",
    out: options.Out = None,
    report: options.Report = True,
    timeout: options.AnswerTimeout = 60.0,
    clicks: options.Clicks = True,
    wording: options.WordingName = "first",
    detector: DetectorOfPhoto = "",
    depth_model: DepthModel = "",
    model: ModelName = "",
    endpoint: Endpoint = "",
    record: Record = None,
    replay: Replay = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Measure how right a method is on a benchmark, and go on where it was interrupted.

    Scores are percents with 95 % confidence intervals; a row without an answer counts as wrong, one
    that cannot be scored not at all.
    """
    if name not in (*BENCHMARKS, SIMULATION, _ALIGNMENT):
        raise CommandError(f"there is no benchmark {name!r}; there are {_NAMES}")
    refuse_untaken(context, name, bool(live))
    settings = with_models(
        SceneMindConfig.load(config) if config else SceneMindConfig(),
        model=model,
        endpoint=endpoint,
        record=record,
        replay=replay,
    )
    if name == _ALIGNMENT:
        if objects is None:
            raise CommandError("alignment needs --objects, from which its tasks are made")
        eval_alignment(
            objects,
            settings,
            method,
            seed=seed,
            clicks=clicks,
            wording=wording,
            timeout_s=timeout,
            limit=limit,
            out=out,
            as_json=as_json,
        )
        return
    if live:
        if config or model or endpoint or record or replay:
            raise CommandError(
                "live nodes have models and settings from ROS parameters: start them with these"
                " (evaluate.launch.py params_file:=..., or see docs/evaluation.md)"
            )
        eval_live(
            name,
            live,
            settings,
            scene=scene,
            data=data,
            objects=objects,
            out=out,
            method=method,
            policy=policy,
            limit=limit,
            seed=seed,
            timeout_s=timeout,
            detector=detector,
            as_json=as_json,
        )
    is_simulated = name == SIMULATION
    maps = kept_maps(out) if is_simulated and mapped else None
    if is_simulated:
        of_rooms = SourceChoice(is_simulated=True, maps=maps).simulated_rooms(settings)
        benchmark, data = simulation_benchmark(room_names(rooms), of_rooms), Path()
    else:
        benchmark = get_benchmark(name)
    if data is None:
        raise CommandError(f"{name} needs --data, the benchmark's file or folder")
    if benchmark.needs_images == "image" and not blind:
        images = images or _images_of(data)
    choice = SourceChoice(objects, memories, instances, images, blind, is_simulated, maps)
    recipe = Recipe(
        choice,
        _method(choice, method),
        with_photograph(settings, detector, depth_model),
        objects if pose else None,
        policy,
        timeout,
    )
    carry_out(
        Plan(
            benchmark,
            RowChoice(data, tuple(only or ()), limit, seed, skip_missing),
            recipe,
            Crew(workers, ray, at_once),
            Budget(budget, budget_tokens),
            pose,
            JudgeChoice(judge, judge_endpoint),
            out,
            report,
        ),
        as_json,
    )


def _method(choice: SourceChoice, typed: str) -> str:
    """The one way in which questions without a scene, and about photographs, are asked."""
    if choice.is_blind:
        return "blind"
    return "vadar" if choice.images else typed


def _images_of(data: Path) -> Path:
    """Where such a benchmark has its images, as it is published: beside its file."""
    return (data if data.is_dir() else data.parent) / "images"
