"""`scenemind eval`: how right a method is on a benchmark."""

from __future__ import annotations

from typing import Annotated

import typer

from scenemind.cli.asking.model_options import Endpoint, ModelName, Record, Replay, with_models
from scenemind.cli.asking.photographs import DepthModel, DetectorOfPhoto, with_photograph
from scenemind.cli.errors import CommandError
from scenemind.cli.evaluating import options
from scenemind.cli.evaluating.alignment import eval_alignment
from scenemind.cli.evaluating.crew import Crew
from scenemind.cli.evaluating.plan import Plan, carry_out
from scenemind.cli.evaluating.recipe import Recipe
from scenemind.cli.evaluating.source_choice import SourceChoice
from scenemind.cli.options import AsJson, ConfigFile
from scenemind.config import SceneMindConfig
from scenemind.evaluation.benchmark import BENCHMARKS, get_benchmark
from scenemind.evaluation.budget import Budget

_ALIGNMENT = "alignment"
_NAMES = ", ".join((*BENCHMARKS, _ALIGNMENT))


def register(app: typer.Typer) -> None:
    app.command(
        "eval",
        epilog="Example: scenemind eval nr3d --data ZSVG3D/nr3d_val.json --objects"
        " scannet_objects.json.gz --limit 500 --out nr3d-run --workers 4",
    )(_eval)


def _eval(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"{_NAMES}.")],
    data: options.Data = None,
    objects: options.Objects = None,
    memories: options.Memories = None,
    instances: options.Instances = None,
    images: options.Images = None,
    blind: options.Blind = False,
    method: options.MethodName = "symbolic",
    limit: options.Limit = None,
    seed: options.Seed = 0,
    only: options.Only = None,
    pose: options.WithPose = True,
    policy: options.PolicyName = "always_answer",
    workers: options.WorkerCount = 1,
    ray: options.Ray = "",
    at_once: options.AtOnce = 1,
    budget: options.CostBudget = 0.0,
    budget_tokens: options.TokenBudget = 0,
    out: options.Out = None,
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
    benchmark = get_benchmark(name)
    if data is None:
        raise CommandError(f"{name} needs --data, the benchmark's file or folder")
    choice = SourceChoice(objects, memories, instances, images, blind)
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
            data,
            recipe,
            Crew(workers, ray, at_once),
            tuple(only or ()),
            limit,
            seed,
            Budget(budget, budget_tokens),
            pose,
            out,
        ),
        as_json,
    )


def _method(choice: SourceChoice, typed: str) -> str:
    """The one way in which questions without a scene, and about photographs, are asked."""
    if choice.is_blind:
        return "blind"
    return "vadar" if choice.images else typed
