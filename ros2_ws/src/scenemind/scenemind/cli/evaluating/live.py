"""A benchmark asked of the live nodes: a child process speaks ROS, since this one does not."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from scenemind.cli.detector import choose_detector
from scenemind.cli.errors import CommandError
from scenemind.cli.ros_environment import private_domain, ros_environment
from scenemind.config import SceneMindConfig
from scenemind.simulation import open_source


def eval_live(
    benchmark: str,
    recording: str,
    settings: SceneMindConfig,
    *,
    scene: str,
    data: Path | None,
    objects: Path | None,
    out: Path | None,
    method: str,
    policy: str,
    limit: int | None,
    seed: int,
    timeout_s: float,
    detector: str,
    as_json: bool,
) -> NoReturn:
    """Become the process that plays the recording to new nodes and asks them.

    Raises:
        CommandError: there is no folder for the run.
        FrameError, SimulationError, PerceptionError: the recording or the detector is of no use.
    """
    if out is None:
        raise CommandError("--live keeps the nodes' logs and map beside what they said: say --out")
    # Loads the model, so that a bad one is known before anything starts.
    chosen, _ = choose_detector(settings, open_source(recording), detector or None)
    options = {
        "--recording": recording,
        "--out": str(out),
        "--scene": scene,
        "--data": str(data or ""),
        "--objects": str(objects or ""),
        "--method": method,
        "--policy": policy,
        "--limit": str(limit or ""),
        "--seed": str(seed),
        "--timeout": str(timeout_s),
    }
    if chosen.detector.backend != "instance_camera":
        options["--detector"] = chosen.detector.weights
    command = [sys.executable, "-m", "scenemind_ros.evaluation", benchmark]
    command += [word for pair in options.items() for word in pair]
    command += ["--json"] if as_json else []
    os.execve(command[0], command, {**ros_environment(), **private_domain()})
