"""Commands that start ROS 2 nodes: `scenemind up` and `play`.

They import nothing of the library: `play` says at once what it waits for.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from scenemind.ros_environment import ros_environment
from scenemind.untrusted import say

app = typer.Typer()


@app.command(
    "up",
    epilog="Example: scenemind up --sim; scenemind up --params detector.weights=./yolo.onnx",
)
def _up(
    separate: Annotated[
        bool, typer.Option("--separate", help="Start each node in a process of its own.")
    ] = False,
    sim: Annotated[
        bool,
        typer.Option("--sim", help="For a simulated room (`scenemind play sim:3`): no weights."),
    ] = False,
    config: Annotated[
        Path | None, typer.Option("--config", help="ROS parameter file (YAML).", show_default=False)
    ] = None,
    params: Annotated[
        list[str] | None,
        typer.Option(show_default=False, help="A parameter as NAME=VALUE; may be repeated."),
    ] = None,
) -> None:
    """Start the mapping and reasoning nodes, until Ctrl+C."""
    names_detector = any(item.startswith("detector.") for item in params or ())
    if not (sim or config or names_detector or "SCENEMIND_WEIGHTS" in os.environ):
        say(
            "no detector is named, so nothing will be mapped: `scenemind up --params"
            " detector.weights=FILE.onnx`, or `--sim` for a simulated room",
            file=sys.stderr,
        )
    command = [sys.executable, "-m", "scenemind_ros.commands.up"]
    command += ["--separate"] if separate else []
    command += ["--sim"] if sim else []
    command += ["--config", str(config)] if config else []
    for item in params or ():
        command += ["--params", item]
    os.execve(command[0], command, ros_environment())


@app.command("play", epilog="Example: scenemind play ~/recordings/kitchen --rate 0")
def _play(
    recording: Annotated[
        str, typer.Argument(help="Folder, bag, or sim:SEED for a simulated room.")
    ],
    rate: Annotated[
        float, typer.Option(min=0.0, help="Speed; 1: as recorded, 0: as fast as frames are mapped.")
    ] = 1.0,
    loop: Annotated[bool, typer.Option("--loop", help="Repeat the recording.")] = False,
) -> None:
    """Publish a recording on the camera topics, for running nodes (`scenemind up`)."""
    say(
        f"{recording} is played once nodes read its topics. In another terminal"
        " `scenemind up --sim`"
        " starts them for a simulated room, `scenemind up --params detector.weights=FILE.onnx` for"
        " a recording",
        file=sys.stderr,
    )
    command = [sys.executable, "-m", "scenemind_ros.sequence_player", "--ros-args"]
    # JSON is YAML, so a path of digits or with a colon stays a text.
    for name, value in (("sequence", json.dumps(recording)), ("rate", rate), ("loop", loop)):
        command += ["-p", f"{name}:={str(value).lower() if isinstance(value, bool) else value}"]
    os.execve(command[0], command, ros_environment())
