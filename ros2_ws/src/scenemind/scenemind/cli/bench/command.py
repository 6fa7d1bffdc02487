"""`scenemind bench`: what is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.bench import (
    mapping_commands,
    question_commands,
    visual_retrieval,
)
from scenemind.cli.bench.named import bench_named
from scenemind.cli.bench.result_table import show_result
from scenemind.cli.bench.view import command as view_command
from scenemind.cli.options import AsJson, DetectorName
from scenemind.cli.output import print_json, progress_console

_app = typer.Typer(no_args_is_help=True, help="Measure how fast things are on this machine.")
_ALL = (
    "frame",
    "detect",
    "pipeline",
    "tracking",
    "mapping",
    "relations",
    "keyframes",
    "programs",
    "segment",
    "stitching",
    "grounding",
    "view",
    "disk",
    "transport",
)


def register(app: typer.Typer) -> None:
    for part in (mapping_commands, question_commands):
        _app.add_typer(part.app)
    view_command.register(_app)
    visual_retrieval.register(_app)
    app.add_typer(_app, name="bench")


@_app.command("projection", epilog="Example: scenemind bench projection --targets 60 --json")
def _projection(
    targets: Annotated[int, typer.Option(min=1, help="Things in simulated rooms.")] = 300,
    sequence: Annotated[
        str | None,
        typer.Option(help="Measure the things of a recording instead.", show_default=False),
    ] = None,
    detector: DetectorName = None,
    pictures: Annotated[
        Path | None,
        typer.Option(help="Folder for pictures of the recording's things.", show_default=False),
    ] = None,
    calibrate: Annotated[
        Path | None,
        typer.Option(help="YAML file for how likely boxes are right.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure boxes from masks: how long it takes, and how near they are to the true ones.

    IoU is with true boxes, hidden sides included: its mean, and the share above 0.5 (iou_50). Masks
    are exact; "stereo" has a depth camera that errs like one, "visible" is the best that can be
    seen, and "ablation" has coarse masks and adds one operation after the other (paper, Table 5).

    Of a recording: boxes made from every second stored frame, against what is detected in others:
    the IoU of a detection with the box as it is seen there (of the map's box: map_iou), and the
    share of it that the box covers. Things that are hidden in part lower both IoUs.

    To calibrate: which boxes are right (IoU above 0.5), by what is known of them, in simulated
    rooms with errors of several kinds; and how well that holds in rooms that were held out.
    """
    result = bench_named("projection")(targets, sequence, detector, pictures, calibrate)
    show_result("projection", result, as_json)


@_app.command("all", epilog="Example: scenemind bench all --json")
def _all(as_json: AsJson = False) -> None:
    """Run every benchmark with its defaults; one JSON object by name with --json."""
    results = {}
    for name in _ALL:
        progress_console().print(f"measuring {name} ...")
        results[name] = bench_named(name)()
        if not as_json:
            show_result(name, results[name], as_json=False)
    if as_json:
        print_json(results)
