"""Time after a question against length of the drive and number of questions (MemTree3D paper,
figures 5 and 6), for the tree and for a detector that searches for each question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scenemind.cli.bench.keyframes.long_drive import RATE_HZ, LongDrive
from scenemind.cli.bench.keyframes.selection_times import json_ms, select_ms
from scenemind.report import Chart, Series, render_curves, standalone_svg

_QUESTIONS = (1, 2, 5, 10, 20, 50)
_TREE = "tree"
_KEY_FRAMES, _ALL_FRAMES = "detector, stored frames", "detector, all frames"


@dataclass(frozen=True, slots=True)
class Length:
    """What a drive of some length costs; the models' own time is in none of it.

    Attributes:
        first_ms: the tree's text from nothing and the choice of 3 frames.
        next_ms: the same for the next question, when the text is there.
        search_ms: a detector on every stored frame, on every frame; for each question anew.
    """

    frames: int
    key_frames: int
    first_ms: float
    next_ms: float
    search_ms: tuple[float, float]

    def as_json(self) -> dict[str, float]:
        """With the search in seconds."""
        return {
            "minutes": self.frames / RATE_HZ / 60.0,
            "frames": self.frames,
            "stored_frames": self.key_frames,
            "tree_first_ms": self.first_ms,
            "tree_ms": self.next_ms,
            "detector_stored_frames_s": self.search_ms[0] / 1e3,
            "detector_all_frames_s": self.search_ms[1] / 1e3,
        }


def measure_length(drive: LongDrive, detector_ms: float) -> Length:
    """Of a drive as it is now."""
    first_ms, next_ms = json_ms(drive)
    (chosen_ms,) = select_ms([drive])
    return Length(
        drive.frames,
        drive.key_frames,
        first_ms + chosen_ms,
        next_ms + chosen_ms,
        (drive.key_frames * detector_ms, drive.frames * detector_ms),
    )


def after_questions(length: Length) -> list[dict[str, float]]:
    """Seconds that so many questions about one drive take together."""
    return [
        {
            "questions": count,
            "tree_s": _tree_ms(length, count) / 1e3,
            "detector_stored_frames_s": count * length.search_ms[0] / 1e3,
            "detector_all_frames_s": count * length.search_ms[1] / 1e3,
        }
        for count in _QUESTIONS
    ]


def draw(
    lengths: Sequence[Length], asked: Length, detector_ms: float, source: str, path: Path
) -> None:
    """Both figures as an SVG file.

    Args:
        asked: the length that is asked about again and again.
        detector_ms: for a frame. source: where that comes from.
    """
    minutes = asked.frames / RATE_HZ / 60.0
    charts = (
        Chart(
            "Time after one question",
            f"without language and vision models; detector: {detector_ms:.0f} ms a frame",
            "frames of the drive",
            "seconds",
            _series([(n.frames, n.next_ms, *n.search_ms) for n in lengths]),
        ),
        Chart(
            f"Time after several questions on {minutes:g} minutes",
            f"all together; time of a frame {source}",
            "questions",
            "seconds",
            _series(
                [
                    (count, _tree_ms(asked, count), *(count * ms for ms in asked.search_ms))
                    for count in _QUESTIONS
                ]
            ),
        ),
    )
    path.write_text(standalone_svg(render_curves(charts)), encoding="utf-8")


def _tree_ms(length: Length, questions: int) -> float:
    return length.first_ms + (questions - 1) * length.next_ms


def _series(rows: Sequence[tuple[float, ...]]) -> tuple[Series, ...]:
    """Args: rows: x, and milliseconds of each series."""
    names = (_TREE, _KEY_FRAMES, _ALL_FRAMES)
    return tuple(
        Series(name, tuple((float(row[0]), row[column] / 1e3) for row in rows))
        for column, name in enumerate(names, start=1)
    )
