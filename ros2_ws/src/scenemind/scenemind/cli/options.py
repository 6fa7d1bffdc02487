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
DetectorFile = Annotated[
    Path | None,
    typer.Option(
        "--detector",
        help="ONNX file (YOLOv8, YOLO11, YOLOX) for recorded sequences.",
        show_default=False,
    ),
]
