"""The command, and what is typed with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.asking.model_options import Endpoint, ModelName, Record, Replay, with_models
from scenemind.cli.bench.visual_retrieval.pictures import open_pictures
from scenemind.cli.bench.visual_retrieval.run import run_benchmark
from scenemind.cli.bench.visual_retrieval.show import draw, print_result, result_json
from scenemind.cli.errors import CommandError
from scenemind.cli.options import AsJson, ConfigFile, MemoryRoot
from scenemind.cli.output import print_json
from scenemind.config import SceneMindConfig
from scenemind.describing import seeing_only
from scenemind.evaluation.visual_retrieval import VisualRetrieval, scores_of, steps_of
from scenemind.models import open_models
from scenemind.reasoning.vlm_grounder.stitching import Layout, MeasuredLayouts, best_layouts

_LAYOUTS = "2x2,4x1,2x4,3x3,8x2,5x5,9x3,6x6"
_LENGTHS = "1,2,4,6"


def register(app: typer.Typer) -> None:
    app.command(
        "visual-retrieval",
        epilog="Example: scenemind bench visual-retrieval --config models.yaml --images kitchen"
        " --out layouts.json",
    )(_visual_retrieval)


def _visual_retrieval(
    images: Annotated[
        str,
        typer.Option(
            help="Folder of pictures, or name of a memory.", show_default="simulated rooms"
        ),
    ] = "",
    layouts: Annotated[
        str, typer.Option(help="Rows x columns of pictures on a sheet, each to be measured.")
    ] = _LAYOUTS,
    lengths: Annotated[
        str, typer.Option(help="Numbers of sheets in a request, each with each layout.")
    ] = _LENGTHS,
    trials: Annotated[int, typer.Option(min=1, help="Requests for each of these.")] = 3,
    seed: Annotated[int, typer.Option(min=0, help="Of pictures, ids, colours and places.")] = 0,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds that a request may take.")
    ] = 120.0,
    out: Annotated[
        Path | None,
        typer.Option(help="File for vlm_grounder.layouts_file.", show_default=False),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="SVG file for time and loss as curves.", show_default=False),
    ] = None,
    model: ModelName = "",
    endpoint: Endpoint = "",
    record: Record = None,
    replay: Replay = None,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Find the layouts in which your vision model still reads stitched pictures.

    Every picture has an id and a block of one of six colours; recall is the share of pictures that
    the model names with both (VLM-Grounder, section 4.3). A request that fails is shown as such and
    lowers no recall. Requests go one after the other, within the budgets of the models.
    """
    settings = with_models(
        SceneMindConfig.load(config) if config else SceneMindConfig(),
        model=model,
        endpoint=endpoint,
        record=record,
        replay=replay,
    )
    steps = steps_of(_layouts(layouts), _numbers(lengths, "--lengths"), trials)
    for file in filter(None, (out, picture)):
        _make_room_for(file)
    longest_px = settings.vlm_grounder.longest_px
    with open_models(seeing_only(settings.models)) as opened:
        opened.check_keys()
        if opened.vision is None:
            raise CommandError(
                "no model is named: say --model, or set models.vision.model in the --config file"
            )
        shown = open_pictures(images, memory_root, settings)
        benchmark = VisualRetrieval(
            opened.vision, shown.files, longest_px, seed, lambda: opened.allowance(timeout)
        )
        run = run_benchmark(benchmark, steps)
        name = opened.vision.name
    if not run.outcomes:
        raise CommandError(f"{run.stopped} before the first answer")
    measured = MeasuredLayouts(
        model=name,
        longest_px=longest_px,
        picture_px=shown.size_px,
        seed=seed,
        is_whole=not run.stopped,
        scores=scores_of(run.outcomes),
    )
    if out is not None:
        out.write_text(measured.model_dump_json(indent=1), encoding="utf-8")
    if picture is not None:
        draw(measured.scores, picture)
    if as_json:
        print_json(result_json(measured, run, shown.source))
    else:
        print_result(measured, run, shown.source)
        if out is not None and measured.is_whole and best_layouts(measured.scores):
            typer.echo(f"wrote {out}: set vlm_grounder.layouts_file to it")
    if len(run.failures) == len(run.outcomes):
        raise typer.Exit(1)


def _layouts(text: str) -> tuple[Layout, ...]:
    """
    Raises:
        CommandError: it is no list of layouts.
    """
    found = []
    for part in text.split(","):
        sides = part.strip().lower().split("x")
        if len(sides) != 2 or not all(side.isascii() and side.isdigit() for side in sides):
            raise CommandError(f"--layouts: {part!r} is no layout such as 4x1")
        found.append(Layout(*map(int, sides)))
    if any(layout.cells < 1 for layout in found):
        raise CommandError(f"--layouts: {text!r} has one without cells")
    return tuple(dict.fromkeys(found))


def _numbers(text: str, option: str) -> tuple[int, ...]:
    """
    Raises:
        CommandError: it is no list of numbers from 1.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise CommandError(f"{option}: {text!r} is no list of numbers such as 1,2,4")
    return tuple(dict.fromkeys(map(int, parts)))


def _make_room_for(file: Path) -> None:
    """Before what costs money; no empty file stays.

    Raises:
        CommandError: it cannot be written.
    """
    is_new = not file.exists()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.open("ab").close()
        if is_new:
            file.unlink()
    except OSError as error:
        raise CommandError(f"cannot write to {file}: {error.strerror}") from error
