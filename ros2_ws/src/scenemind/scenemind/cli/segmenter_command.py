"""`scenemind segmenter`: making files that segmenters run from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_app = typer.Typer(no_args_is_help=True, help="Make segmenters ready to run without torch.")


def register(app: typer.Typer) -> None:
    app.add_typer(_app, name="segmenter")


@_app.callback()
def _segmenter() -> None:
    """Make segmenters ready to run without torch."""


@_app.command("export", epilog="Example: scenemind segmenter export mobile_sam.pt --out sam")
def _export(
    model: Annotated[
        str,
        typer.Argument(
            help="sam_vit_b_01ec64.pth, mobile_sam.pt or another of SAM's, or the path of one."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write to.")],
) -> None:
    """Write SAM as two ONNX files, one for images and one for boxes in them.

    Needs the extra `segment`; running the files does not.
    """
    from scenemind.perception.backends.sam_export import export_sam

    for path in export_sam(model, out):
        typer.echo(f"wrote {path}")
    typer.echo(f"set vlm_grounder.segmenter.weights to {out}")
