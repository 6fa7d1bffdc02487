"""`scenemind play`: a recording in place of a camera, where there is no `ros2 launch`."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated

import typer

from scenemind.cli.ros_environment import ros_environment


def register(app: typer.Typer) -> None:
    app.command("play", epilog="Example: scenemind play ~/recordings/kitchen --rate 0")(_play)


def _play(
    sequence: Annotated[str, typer.Argument(help="Folder, bag, or sim:SEED for a simulated room.")],
    rate: Annotated[
        float, typer.Option(min=0.0, help="1: as recorded; 0: as fast as it is mapped.")
    ] = 1.0,
    loop: Annotated[bool, typer.Option("--loop", help="Start again at the end.")] = False,
) -> None:
    """Publish a recording on the camera topics, for nodes that run (scenemind up)."""
    command = [sys.executable, "-m", "scenemind_ros.sequence_player", "--ros-args"]
    # JSON is YAML, so a path of digits or with a colon stays a text.
    for name, value in (("sequence", json.dumps(sequence)), ("rate", rate), ("loop", loop)):
        command += ["-p", f"{name}:={str(value).lower() if isinstance(value, bool) else value}"]
    os.execve(command[0], command, ros_environment())
