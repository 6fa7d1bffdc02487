"""`scenemind up`: the nodes, where there is no `ros2 launch`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.ros_environment import ros_environment


def register(app: typer.Typer) -> None:
    app.command("up", epilog="Example: scenemind up --params detector.weights=yolov8n-seg.onnx")(
        _up
    )


def _up(
    separate: Annotated[bool, typer.Option("--separate", help="A process for each node.")] = False,
    config: Annotated[
        Path | None, typer.Option("--config", help="ROS parameter file (YAML).", show_default=False)
    ] = None,
    params: Annotated[
        list[str] | None,
        typer.Option(show_default=False, help="A parameter as NAME=VALUE; again for more."),
    ] = None,
) -> None:
    """Start the mapping and reasoning nodes, until Ctrl+C."""
    command = [sys.executable, "-m", "scenemind_ros.commands.up"]
    command += ["--separate"] if separate else []
    command += ["--config", str(config)] if config else []
    for item in params or ():
        command += ["--params", item]
    os.execve(command[0], command, ros_environment())
