"""`scenemind bench keyframes`: choosing frames for a question, without the models' own time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.progress import track

from scenemind.cli.bench.keyframes.detector_time import detector_ms as time_of_detector
from scenemind.cli.bench.keyframes.growth import after_questions, draw, measure_length
from scenemind.cli.bench.keyframes.long_drive import DETECTIONS, RATE_HZ, LongDrive
from scenemind.cli.bench.keyframes.selection_times import (
    json_of_300,
    select_anywhere_ms,
    select_ms,
)
from scenemind.cli.bench.keyframes.visible_rate import visible_rates
from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.output import progress_console

_MINUTES = (0.5, 2.0, 6.0, 20.0, 60.0)
_SHORT, _LONG = 6.0, 60.0


def bench_keyframes(
    questions: int = 200,
    rooms: int = 8,
    *,
    noise: bool = False,
    detector_ms: float | None = None,
    picture: Path | None = None,
    minutes: tuple[float, ...] = _MINUTES,
    frames_a_room: int = 300,
) -> dict[str, Any]:
    """Milliseconds are medians of CPU time, of one thread.

    - `select_6min_ms`, `select_1h_ms`: 3 frames of 3 picked locations with their key and cue
      objects, after so long at 30 Hz with 20 detections a frame. `select_anywhere_...`: among all
      locations, of which more show an object the longer the drive is. Reading the images is not in
      it.
    - `json_300_ms`, `json_300_tokens`: the tree of 300 locations as text, from nothing.
    - `visible_rate`: see `visible_rates`.
    - `lengths`, `questions_after_6min`: figures 5 and 6 of the MemTree3D paper (`growth`). The
      detector's figures are computed from its time for a frame, which is measured or stated.

    Args:
        questions, rooms, noise, frames_a_room: of `visible_rates`.
        detector_ms: for a frame; None: measured where weights are here.
        picture: an SVG file for the two figures.
        minutes: lengths of the drive that are measured, ascending; the last stands for 1 h.
    """
    frame_ms, source = time_of_detector(detector_ms)
    short, drive = LongDrive(), LongDrive()
    short.go_on(_frames(min(_SHORT, minutes[-1])))
    lengths = []
    console = progress_console()
    for length in track(minutes, "driving", console=console, transient=True):
        drive.go_on(_frames(length) - drive.frames)
        lengths.append(measure_length(drive, frame_ms))
    asked = measure_length(short, frame_ms)
    short_ms, long_ms = select_ms([short, drive])
    anywhere_short_ms, anywhere_long_ms = select_anywhere_ms([short, drive])
    json_300 = json_of_300()
    if picture is not None:
        draw(lengths, asked, frame_ms, source, picture)
    return {
        "select_1h_ms": long_ms,
        "select_6min_ms": short_ms,
        "select_anywhere_1h_ms": anywhere_long_ms,
        "select_anywhere_6min_ms": anywhere_short_ms,
        **json_300,
        **visible_rates(questions, rooms, frames_a_room, noise),
        "drive": {
            "minutes": minutes[-1],
            "frames": drive.frames,
            "detections_a_frame": DETECTIONS,
            "stored_frames": drive.key_frames,
            "locations": drive.tree.location_count,
        },
        "detector_ms": frame_ms,
        "detector_ms_source": source,
        "lengths": [length.as_json() for length in lengths],
        "questions_after_6min": after_questions(asked),
        "machine": machine(),
        "versions": versions(),
    }


def _frames(minutes: float) -> int:
    return round(minutes * 60.0 * RATE_HZ)
