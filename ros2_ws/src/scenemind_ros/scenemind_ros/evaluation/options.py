"""What an evaluation of the live nodes is told."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from rclpy.utilities import remove_ros_args

from scenemind.reasoning import Policy


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """
    Attributes:
        benchmark: its name.
        recording: folder, bag, or sim:SEED.
        scene: the benchmark's name of what was recorded; empty: the recording's own.
        data: the benchmark's file or folder; None for simulated rooms.
        objects: file of true objects, for boxes and alignments.
        out: folder of the run.
        detector: see `detector.weights`; empty for a simulated room's instance camera.
        frames: play so many only; 0: all.
        is_running: the nodes are running, and the recording has been played to them.
        as_json: print the scores as a line of JSON.
    """

    benchmark: str
    recording: str
    scene: str
    data: Path | None
    objects: Path | None
    out: Path
    method: str
    policy: Policy
    limit: int | None
    seed: int
    timeout_s: float
    detector: str
    frames: int
    is_running: bool
    as_json: bool


def parse_options(arguments: Sequence[str] | None = None) -> LiveOptions:
    """Empty texts are nothing, as launch files pass them."""
    parser = argparse.ArgumentParser(
        "evaluate_benchmark", description="Ask the live nodes a benchmark."
    )
    parser.add_argument("benchmark")
    parser.add_argument("--recording", required=True, help="folder, bag, or sim:SEED")
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--scene", default="", help="the benchmark's name of what was recorded")
    parser.add_argument("--data", type=_path, help="the benchmark's file or folder")
    parser.add_argument("--objects", type=_path, help="file of true objects")
    parser.add_argument("--method", default="symbolic")
    parser.add_argument("--policy", default="always_answer", choices=get_args(Policy))
    parser.add_argument("--limit", type=_number, help="so many rows, drawn with --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds an answer may take")
    parser.add_argument("--detector", default="", help="detector.weights of the mapping node")
    parser.add_argument("--frames", type=int, default=0, help="play so many only; 0: all")
    parser.add_argument("--running", action="store_true", help="the recording has been played")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(remove_ros_args(arguments)[1:] if arguments is None else arguments)
    return LiveOptions(
        given.benchmark,
        given.recording,
        given.scene,
        given.data,
        given.objects,
        given.out,
        given.method,
        given.policy,
        given.limit,
        given.seed,
        given.timeout,
        given.detector,
        given.frames,
        given.running,
        given.json,
    )


def _path(text: str) -> Path | None:
    return Path(text) if text else None


def _number(text: str) -> int | None:
    return int(text) if text else None
