"""Requests to running nodes, by a child process with ROS."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from typing import Any, NoReturn

import typer

from scenemind.cli.suggestions import answer_to, can_take, taken
from scenemind.reasoning import ReasoningFailure
from scenemind.ros_environment import ros_environment


def run_live(
    task: str, text: str, *, as_json: bool, yes: bool = False, **options: object
) -> NoReturn:
    """Let the child ask running nodes and print the reply; end with its exit status.

    Args:
        task: ask, ground, key_frames, align or set_vocabulary.
        yes: take the suggestion in place of a sentence that is not understood, and say yes to what
            is proposed.
    """
    request = {"task": task, "text": text, "as_json": as_json, **options}
    is_open = can_take(yes, as_json)
    while True:
        with tempfile.NamedTemporaryFile() as offer:
            named = offer.name if is_open else None
            done = _run({**request, "offer": named}, stdout=None)
            offered = offer.read()
        if not offered:
            raise typer.Exit(done.returncode)
        failure = ReasoningFailure(**json.loads(offered))
        if failure.suggestion:
            request["text"] = taken(failure, yes=yes, as_json=as_json)
        else:
            request["text"] = answer_to(failure.text, yes=yes, as_json=as_json)
        is_open = not (yes or failure.suggestion)


def fetch_live(task: str, **options: object) -> dict[str, Any]:
    """The reply of running nodes, to be shown like that of a stored memory.

    Where they fail, the child prints the reason and this command ends with its status.

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
    """Run the child; the request goes to standard input, as a journal is too long for arguments."""
    command = [sys.executable, "-m", "scenemind_ros.commands.live_request"]
    # In a session of its own: a terminal sends an interrupt to the whole process group.
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
    """Let the child cancel its question; a second interrupt kills it."""
    child.send_signal(signal.SIGINT)
    try:
        return child.communicate()[0]
    except KeyboardInterrupt:
        child.kill()
        raise
