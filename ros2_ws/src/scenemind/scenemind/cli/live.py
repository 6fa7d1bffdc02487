"""The same questions to running nodes: a child process speaks ROS, since this one does not."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import Any, NoReturn

import typer

from scenemind.cli.ros_environment import ros_environment


def run_live(task: str, text: str, *, as_json: bool, **options: object) -> NoReturn:
    """Let the child ask the running nodes and print what they say, and end as it ends.

    Args:
        task: ask, ground, key_frames, align or set_vocabulary.
    """
    done = _run({"task": task, "text": text, "as_json": as_json, **options}, stdout=None)
    raise typer.Exit(done.returncode)


def fetch_live(task: str, **options: object) -> dict[str, Any]:
    """What running nodes say, for this process to show as it shows what a stored memory says.

    Where they cannot, the child says why and this command ends with its status.

    Args:
        task: one that `scenemind_ros.commands.live_request` fetches.
        options: of that task.
    """
    done = _run({"task": task, **options}, stdout=subprocess.PIPE)
    if done.returncode != 0:
        raise typer.Exit(done.returncode)
    reply: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return reply


def _run(request: dict[str, object], stdout: int | None) -> subprocess.CompletedProcess[str]:
    """The request goes by standard input: an imported journal is longer than arguments may be."""
    command = [sys.executable, "-m", "scenemind_ros.commands.live_request"]
    # In a session of its own, or it would hear of an interrupt twice where a terminal sends it.
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=stdout,
        text=True,
        env=ros_environment(),
        start_new_session=True,
    ) as child:
        try:
            output, _ = child.communicate(json.dumps(request))
        except KeyboardInterrupt:
            output = _output_of_interrupted(child)
    return subprocess.CompletedProcess(command, child.returncode, output)


def _output_of_interrupted(child: subprocess.Popen[str]) -> str:
    """It takes back what it has asked, and says so; who interrupts again does not wait for that."""
    child.send_signal(signal.SIGINT)
    try:
        return child.communicate()[0]
    except KeyboardInterrupt:
        child.kill()
        raise
