"""`scenemind bench keyframes`: choosing frames for a question, without the models' own time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.progress import track

from scenemind.cli.bench.keyframes.detector_time import detector_ms as time_of_detector
from scenemind.cli.bench.keyframes.growth import after_questions, draw, length_of
from scenemind.cli.bench.keyframes.json_times import json_of_300
from scenemind.cli.bench.keyframes.long_drive import DETECTIONS, RATE_HZ, LongDrive
from scenemind.cli.bench.keyframes.selection_times import Times, selection_times
from scenemind.cli.bench.keyframes.visible_rate import visible_rates
from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.errors import CommandError
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

    - `select_6min_ms`, `select_1h_ms`: from a question to 3 frames by the tree, after so long at
      30 Hz with 20 detections a frame: text of the tree, prompts, reading and checking the reply of
      a model that answers at once, choosing frames. Reading images is not in it. `select_first_...`
      is the first question's, which finds no text of the tree yet.
    - parts of it: `tree_text_...`; `choose_at_locations_...`, 3 frames of 3 picked locations, and
      `choose_anywhere_...`, of all of them, with 2 key and 4 cue objects for each.
    - `json_300_ms`, `json_300_tokens`: the tree of 300 locations as text, from nothing.
    - `visible_rate`: see `visible_rates`.
    - `lengths`, `questions_after_6min`: figures 5 and 6 of the MemTree3D paper (`growth`). The
      detector's figures are computed from its time for a frame, which is measured or stated.

    Args:
        questions, rooms, noise, frames_a_room: of `visible_rates`.
        detector_ms: for a frame; None: measured where weights are here.
        picture: an SVG file for the two figures; its folder is made.
        minutes: lengths of the drive that are measured, ascending; the last stands for 1 h.

    Raises:
        CommandError: the picture cannot be written.
    """
    if picture is not None:
        _make_room_for(picture)
    frame_ms, source = time_of_detector(detector_ms)
    short, drive = LongDrive(), LongDrive()
    short.go_on(_frames(min(_SHORT, minutes[-1])))
    lengths = []
    console = progress_console()
    for length in track(minutes, "driving", console=console, transient=True):
        drive.go_on(_frames(length) - drive.frames)
        (times,) = selection_times([drive])
        lengths.append(length_of(drive, times, frame_ms))
    short_times, long_times = selection_times([short, drive])
    asked = length_of(short, short_times, frame_ms)
    json_300 = json_of_300()
    if picture is not None:
        draw(lengths, asked, frame_ms, source, picture)
    return {
        **_figures(long_times, "1h"),
        **_figures(short_times, "6min"),
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


def _make_room_for(picture: Path) -> None:
    """Before minutes of measuring."""
    try:
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.open("ab").close()
    except OSError as error:
        raise CommandError(f"cannot write to {picture}: {error.strerror}") from error


def _figures(times: Times, length: str) -> dict[str, float]:
    return {
        f"select_{length}_ms": times.next,
        f"select_first_{length}_ms": times.first,
        f"tree_text_{length}_ms": times.text,
        f"choose_at_locations_{length}_ms": times.at_locations,
        f"choose_anywhere_{length}_ms": times.anywhere,
    }


def _frames(minutes: float) -> int:
    return round(minutes * 60.0 * RATE_HZ)
