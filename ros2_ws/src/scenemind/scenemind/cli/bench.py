"""`scenemind bench`: measure frame, detector, pipeline and transport on this machine."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeGuard

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.options import AsJson
from scenemind.report.terminal import print_json, print_table
from scenemind.untrusted import say

_WITHOUT_TABLE = ("machine", "versions")


def show_result(name: str, result: Mapping[str, Any], as_json: bool) -> None:
    """Print a result: a row a measure, a table for each list of measures, then the machine
    where it matters."""
    if as_json:
        print_json(result)
        return
    table = Table(title=f"bench {name}", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("measure")
    table.add_column("value", justify="right")
    for key, value in _rows(result):
        table.add_row(key, value)
    print_table(table)
    for key, things in result.items():
        if _is_table(things):
            print_table(_things(key, things))
    known = [_line(result[part]) for part in _WITHOUT_TABLE if part in result]
    if known:
        say("; ".join(known))


def _rows(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in result.items():
        if key in _WITHOUT_TABLE or _is_table(value):
            continue
        if isinstance(value, Mapping):
            rows += [(f"{key}  {part}", text) for part, text in _rows(value)]
        elif isinstance(value, list):
            rows += [(f"{key}  {count}", _text(part)) for count, part in enumerate(value, start=1)]
        else:
            rows.append((key, _text(value)))
    return rows


def _is_table(value: object) -> TypeGuard[list[Mapping[str, object]]]:
    """Whether it is a list of results with the same measures."""
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(part, Mapping) and part.keys() == value[0].keys() for part in value)
    )


def _things(title: str, things: Sequence[Mapping[str, object]]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for heading, value in things[0].items():
        table.add_column(heading, justify="left" if isinstance(value, str) else "right")
    for thing in things:
        table.add_row(*(escape(_text(value)) for value in thing.values()))
    return table


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(part)}" for key, part in value.items())
    if isinstance(value, list):
        return " x ".join(map(_text, value))
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _line(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())


def bench_named(name: str, package: str = "scenemind.bench") -> Callable[..., dict[str, Any]]:
    """The function `bench_NAME` of a package; imported late, as some take seconds."""
    module = importlib.import_module(f"{package}.{'pipeline' if name == 'transport' else name}")
    measure: Callable[..., dict[str, Any]] = getattr(module, f"bench_{name}")
    return measure


commands = typer.Typer(no_args_is_help=True, help="Measure how fast mapping is on this machine.")
_FRAMES_PER_HOUR = 3600 * 30
_Objects = Annotated[int, typer.Option(min=0, help="Number of objects in the map.")]


@commands.command("frame", epilog="Example: scenemind bench frame --objects 2000 --json")
def _frame(
    objects: _Objects = 200,
    frames: Annotated[int, typer.Option(min=1, help="Number of frames to map.")] = 600,
    hours: Annotated[
        float | None,
        typer.Option(min=0.0, help="Camera time at 30 Hz instead of frames.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Map simulated 640x480 frames with about 20 detections, on one core. It takes some minutes.

    Milliseconds are medians, without the detector.
    """
    if hours is not None:
        frames = max(1, round(hours * _FRAMES_PER_HOUR))
    show_result("frame", bench_named("frame")(objects, frames), as_json)


@commands.command("detect", epilog="Example: scenemind bench detect --json")
def _detect(
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each model.")] = 3.0,
    batch: Annotated[
        int, typer.Option(min=1, help="Measure networks with so many pictures at once, too.")
    ] = 1,
    runtime: Annotated[
        list[str] | None,
        typer.Option(
            help='Only these, such as "torch CUDA float16"; may be repeated.', show_default="all"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Detect in simulated 640x480 frames, with every installed model, runtime and precision.

    Models "with random weights" have the architecture and the speed of trained ones. On a GPU the
    copies to it and back are counted.
    """
    show_result("detect", bench_named("detect")(seconds, batch, runtime or ()), as_json)


@commands.command("pipeline", epilog="Example: scenemind bench pipeline --detector yoloe-26n-seg")
def _pipeline(
    detector: Annotated[
        str,
        typer.Option(
            help="yoloe-26n-seg or yolo-world-s (random weights), simulated, or an ONNX file.",
            show_default="yoloe-26n-seg where it can run, else simulated",
        ),
    ] = "",
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds at each speed.")] = 20.0,
    runtime: Annotated[
        str,
        typer.Option(help="As `bench detect` names them.", show_default="the first that can run"),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Detect and map simulated 640x480 frames: at full speed, then at 30 Hz.

    Milliseconds are from a frame's arrival until it is in memory, at 30 a second.
    """
    show_result("pipeline", bench_named("pipeline")(detector, seconds, runtime), as_json)


@commands.command("transport", epilog="Example: scenemind bench transport --seconds 10 --json")
def _transport(
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds of sending.")] = 60.0,
    rate: Annotated[float, typer.Option(min=0.1, help="Frames a second.")] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Send 640x480 RGB-D and odometry over DDS to a mapping node in another process.

    Milliseconds are from a frame's publication until it is in memory.
    """
    show_result("transport", bench_named("transport")(seconds, rate), as_json)


app = typer.Typer()
app.add_typer(commands, name="bench")
