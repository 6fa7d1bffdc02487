"""What the demo is told."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """
    Attributes:
        sequence: folder, bag, or sim:SEED.
        detector: see `detector.weights`; None for a simulated room's instance camera.
        report: folder to write into.
        frames: play so many only; 0: all.
    """

    sequence: str
    detector: str | None
    report: Path
    frames: int


def parse_options(arguments: Sequence[str] | None = None) -> DemoOptions:
    parser = argparse.ArgumentParser(prog="scenemind demo")
    parser.add_argument("sequence")
    parser.add_argument("--detector")
    parser.add_argument("--report", type=Path, default=Path("demo-report"))
    parser.add_argument("--frames", type=int, default=0)
    given = parser.parse_args(arguments)
    return DemoOptions(given.sequence, given.detector, given.report, given.frames)
