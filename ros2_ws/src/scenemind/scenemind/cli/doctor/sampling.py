"""A few frames of a recording, for the checks that look at pixels."""

from __future__ import annotations

from collections.abc import Iterable

from scenemind.cli.doctor.finding import Finding
from scenemind.frames import FrameError, SensorFrame

SAMPLE = 12  # frames whose pixels are looked at


def sample(frames: Iterable[SensorFrame], every: int) -> tuple[list[SensorFrame], list[Finding]]:
    """Every n-th frame (`every`), and what ended the reading early."""
    taken: list[SensorFrame] = []
    try:
        for number, frame in enumerate(frames):
            if number % every == 0:
                taken.append(frame)
    except FrameError as error:
        fix = "the message says what to mend; frames before it are used"
        return taken, [Finding("frames", "fail", str(error), fix)]
    return taken, []
