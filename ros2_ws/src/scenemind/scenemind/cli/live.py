"""The same questions to running nodes: a child process speaks ROS, since this one does not."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import NoReturn

import typer

from scenemind.cli.ros_environment import ros_environment


def run_live(task: str, text: str, *, as_json: bool, **options: object) -> NoReturn:
    """Let `scenemind_ros.commands.live_request` ask the running nodes, and end as it ends.

    Args:
        task: ask, ground, align, undo, corrections or set_vocabulary.
    """
    request = json.dumps({"task": task, "text": text, "as_json": as_json, **options})
    command = [sys.executable, "-m", "scenemind_ros.commands.live_request", request]
    try:
        done = subprocess.run(command, env=ros_environment(), check=False)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    raise typer.Exit(done.returncode)
