"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MemoryName = Annotated[str, typer.Option("--memory", "-m", help="Name of the memory.")]
MemoryRoot = Annotated[
    Path | None,
    typer.Option(
        help="Folder of all memories; else $SCENEMIND_HOME, else ~/.local/share/scenemind.",
        show_default=False,
    ),
]
Live = Annotated[
    bool, typer.Option("--live", help="Ask the running nodes over ROS instead of a saved memory.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object as the last line.")]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="YAML file with settings.", show_default=False)
]
DetectorName = Annotated[
    str | None,
    typer.Option(
        "--detector",
        help="For recorded sequences: an .onnx, .xml or .pt file, or a name such as"
        " yoloe-26n-seg; else detector.weights, else $SCENEMIND_WEIGHTS.",
        show_default=False,
    ),
]
