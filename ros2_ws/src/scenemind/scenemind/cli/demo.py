"""`scenemind demo`: nodes, a recording, questions and a report."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.options import DetectorName, named_detector
from scenemind.config import SceneMindConfig
from scenemind.ros_environment import private_domain, ros_environment
from scenemind.simulation import open_source

app = typer.Typer()


@app.command("demo", epilog="Example: scenemind demo recordings/kitchen")
def _demo(
    recording: Annotated[
        str, typer.Argument(envvar="RECORDING", help="Folder, bag, or sim:1, sim:2, ...")
    ] = "sim:1",
    detector: DetectorName = None,
    report: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("demo-report"),
    frames: Annotated[int, typer.Option(min=0, help="Number of frames; 0: all.")] = 0,
) -> None:
    """Play a recording to the nodes, ask questions, and write a report with pictures."""
    recording = recording or "sim:1"
    # Loads the model, so that a bad one is reported before anything starts.
    settings, _ = named_detector(SceneMindConfig(), open_source(recording), detector)
    command = [sys.executable, "-m", "scenemind_ros.demo", recording]
    command += ["--report", str(report), "--frames", str(frames)]
    if settings.detector.backend != "instance_camera":
        command += ["--detector", settings.detector.weights]
    os.execve(command[0], command, {**ros_environment(), **private_domain()})
