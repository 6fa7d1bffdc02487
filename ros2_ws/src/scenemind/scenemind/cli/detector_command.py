"""`scenemind detector`: making files that detectors run from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.errors import CommandError

_app = typer.Typer(no_args_is_help=True, help="Make detectors ready to run without torch.")


def register(app: typer.Typer) -> None:
    app.add_typer(_app, name="detector")


@_app.callback()
def _detector() -> None:
    """Make detectors ready to run without torch."""


@_app.command(
    "export", epilog="Example: scenemind detector export yoloe-26n-seg --out yoloe-26n-seg.onnx"
)
def _export(
    model: Annotated[
        str,
        typer.Argument(help="A YOLO-World or YOLOE model by name, or the path of its .pt file."),
    ],
    out: Annotated[Path, typer.Option(help="The ONNX file to write.")],
    slots: Annotated[int, typer.Option(min=1, help="The largest vocabulary.")] = 256,
    size: Annotated[
        str, typer.Option(help="Height and width of the images, times 32.")
    ] = "480x640",
) -> None:
    """Write an open-vocabulary model with a picture and words as its inputs.

    OpenVINO's own format is written beside it where OpenVINO is installed. Needs the extra
    `ultralytics`; running the file does not.
    """
    from scenemind.perception.backends.export import convert_to_openvino, export_onnx, has_openvino

    export_onnx(model, out, slots, _parsed(size))
    typer.echo(f"wrote {out}: set detector.weights to it")
    if has_openvino():
        typer.echo(f"wrote {convert_to_openvino(out)}")


def _parsed(size: str) -> tuple[int, int]:
    """Width and height from `HEIGHTxWIDTH`."""
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", size)
    if found is None:
        raise CommandError(f"--size {size!r} is no HEIGHTxWIDTH such as 480x640")
    return int(found[2]), int(found[1])
