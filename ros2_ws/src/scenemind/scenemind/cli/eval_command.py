"""`scenemind eval`: how right a method is on a benchmark."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.progress import track
from rich.table import Table

from scenemind.cli.asking.chosen_frames import usage_text
from scenemind.cli.asking.methods import opened_methods
from scenemind.cli.asking.model_options import Endpoint, ModelName, Record, Replay, with_models
from scenemind.cli.errors import CommandError
from scenemind.cli.eval_alignment import eval_alignment
from scenemind.cli.options import AsJson, ConfigFile
from scenemind.cli.output import print_json, print_table, progress_console
from scenemind.config import SceneMindConfig
from scenemind.evaluation import (
    Benchmark,
    Evaluation,
    Grounder,
    RecordedPrograms,
    RoutedMethod,
    Scenes,
    open_predictions,
    run_benchmark,
)
from scenemind.evaluation.alignment import Wording
from scenemind.evaluation.objects_memory import SOURCE
from scenemind.evaluation.result import Score
from scenemind.reasoning import Asking, Policy


def register(app: typer.Typer) -> None:
    app.command(
        "eval",
        epilog="Example: scenemind eval nr3d --data ZSVG3D/nr3d_val.json --objects"
        " scannet_objects.json.gz --limit 500",
    )(_eval)


def _eval(
    benchmark: Annotated[
        Literal[Benchmark, "alignment"],
        typer.Argument(metavar="NAME", help="scanrefer, nr3d, sr3d, sqa3d or alignment."),
    ],
    objects: Annotated[
        Path, typer.Option(help="Objects file (JSON, also gzipped) with the benchmark's scenes.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            help="The benchmark's file, or its folder; for nr3d and scanrefer also ZSVG3D's."
            " Not for alignment, whose tasks are made from the objects.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="Who answers, as of scenemind ask; or zsvg3d_programs, the programs recorded in"
            " ZSVG3D's files."
        ),
    ] = "symbolic",
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="So many rows, drawn with a fixed seed.", show_default="all"),
    ] = None,
    pose: Annotated[
        bool, typer.Option(help="Tell who answers where the agent stands as a pose too.")
    ] = True,
    policy: Annotated[
        Policy,
        typer.Option(
            help="What to do where nothing that is known answers a row; see scenemind ask."
        ),
    ] = "always_answer",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write each row's prediction to this file as soon as it is there.",
            show_default=False,
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds that each answer may take.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(help="Alignment: which tasks are drawn.")] = 0,
    clicks: Annotated[
        bool, typer.Option(help="Alignment: the simulated persons may click on things.")
    ] = True,
    wording: Annotated[
        Wording,
        typer.Option(
            help="Alignment: in which set of wordings they correct; the grammar was made with all"
            " of these in view."
        ),
    ] = "first",
    model: ModelName = "",
    endpoint: Endpoint = "",
    record: Record = None,
    replay: Replay = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Measure how right a method is, on a benchmark's ground-truth objects.

    Scores are percents; a row without an answer counts as wrong.
    """
    settings = with_models(
        SceneMindConfig.load(config) if config else SceneMindConfig(),
        model=model,
        endpoint=endpoint,
        record=record,
        replay=replay,
    )
    if benchmark == "alignment":
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
    if data is None:
        raise CommandError(f"{benchmark} needs --data, the benchmark's file or folder")
    scenes = Scenes(objects, settings.relations)
    with opened_methods(settings) as (opened, methods), ExitStack() as files:
        asked: Grounder
        if method == RecordedPrograms.name:
            asked = RecordedPrograms(scenes)
        else:
            asking = lambda: Asking(opened.allowance(timeout))  # noqa: E731
            asked = RoutedMethod(scenes, method, methods, asking, pose, policy)
        console = progress_console()
        run = run_benchmark(
            benchmark,
            data,
            scenes,
            asked,
            limit,
            lambda rows: track(rows, benchmark, console=console, transient=True),
            files.enter_context(open_predictions(out)) if out else None,
        )
    if as_json:
        print_json(run.evaluation.as_json())
    else:
        _print(run.evaluation)


def _percent(score: Score) -> str:
    return "-" if score.percent is None else f"{score.percent:.1f}"


def _print(evaluation: Evaluation) -> None:
    table = Table(
        title=f"{evaluation.benchmark}, {evaluation.method}, {SOURCE}",
        title_justify="left",
        box=SIMPLE_HEAD,
    )
    table.add_column("")
    table.add_column("rows", justify="right")
    for metric in evaluation.scores:
        table.add_column(metric.replace("_", " "), justify="right")
    lines = [
        ("all", evaluation.n, evaluation.scores),
        *((name, group.n, group.scores) for name, group in evaluation.breakdown.items()),
        *((name, evaluation.n, scores) for name, scores in evaluation.baselines.items()),
    ]
    for name, n, scores in lines:
        table.add_row(
            name.replace("_", " "),
            str(n),
            *(_percent(scores[metric]) if metric in scores else "" for metric in evaluation.scores),
        )
    print_table(table)
    failures = ", ".join(f"{n} {code}" for code, n in evaluation.failures.items())
    print(f"without an answer: {failures or 'none'}")
    print(f"{evaluation.seconds:.1f} s, median {evaluation.median_ms:.2f} ms a row")
    if evaluation.usage.calls:
        print(usage_text(evaluation.usage))
