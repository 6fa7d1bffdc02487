"""`scenemind doctor`: examine a recording or the running camera."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.options import AsJson, ConfigFile, load_settings
from scenemind.doctor.collection import gather_bag, gather_indexed
from scenemind.doctor.evidence import Evidence
from scenemind.doctor.examination import examine
from scenemind.doctor.findings import show
from scenemind.errors import UsageError
from scenemind.frames import open_sequence
from scenemind.frames.bag import is_bag
from scenemind.frames.sequence import IndexedSequence
from scenemind.ros_environment import ros_environment

app = typer.Typer()


@app.command("doctor", epilog="Example: scenemind doctor recordings/kitchen")
def _doctor(
    path: Annotated[Path | None, typer.Argument(help="Folder or bag.", show_default=False)] = None,
    live: Annotated[bool, typer.Option("--live", help="Listen to the running camera.")] = False,
    seconds: Annotated[float, typer.Option(min=0.5, help="Seconds of listening.")] = 5.0,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Check encodings, depth, stamps, QoS and poses, and print how to fix what is wrong.

    Ends with status 1 where a check fails.
    """
    if (path is None) != live:
        raise UsageError("name a folder or a bag, or give --live: scenemind doctor PATH")
    if path is None:
        raise typer.Exit(_examine_live(seconds, config, as_json))
    settings = load_settings(config)
    evidence = gather(path)
    raise typer.Exit(show(evidence.source, examine(evidence, settings.sync), as_json))


def gather(path: Path) -> Evidence:
    """Evidence of a recording.

    Raises:
        FrameError: nothing is there, it is no known format, or a folder with a part missing.
    """
    if path.exists() and is_bag(path):
        return gather_bag(path)
    sequence = open_sequence(path)
    assert isinstance(sequence, IndexedSequence), "what is no bag can be read in any order"
    return gather_indexed(sequence)


def _examine_live(seconds: float, config: Path | None, as_json: bool) -> int:
    """Examine the running camera in a child process with ROS; returns its exit status."""
    command = [sys.executable, "-m", "scenemind_ros.commands.doctor_live"]
    command += ["--seconds", str(seconds)]
    command += ["--config", str(config)] if config else []
    command += ["--json"] if as_json else []
    return subprocess.run(command, env=ros_environment(), check=False).returncode
