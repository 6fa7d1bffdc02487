"""Time after a question against length of the drive and number of questions (MemTree3D paper,
figures 5 and 6), for the tree and for a detector that searches for each question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scenemind.cli.bench.keyframes.long_drive import RATE_HZ, LongDrive
from scenemind.cli.bench.keyframes.selection_times import Times
from scenemind.report import Chart, Series, render_curves, standalone_svg

_QUESTIONS = (1, 2, 5, 10, 20, 50)
_TREE = "tree"
_KEY_FRAMES, _ALL_FRAMES = "detector, stored frames", "detector, all frames"


@dataclass(frozen=True, slots=True)
class Length:
    """What a drive of some length costs; the models' own time is in none of it.

    Attributes:
        tree: of choosing frames by the tree.
        search_ms: a detector on every stored frame, on every frame; for each question anew.
    """

    frames: int
    key_frames: int
    tree: Times
    search_ms: tuple[float, float]

    def as_json(self) -> dict[str, float]:
        """With the search in seconds."""
        return {
            "minutes": self.frames / RATE_HZ / 60.0,
            "frames": self.frames,
            "stored_frames": self.key_frames,
            "tree_first_ms": self.tree.first,
            "tree_ms": self.tree.next,
            "detector_stored_frames_s": self.search_ms[0] / 1e3,
            "detector_all_frames_s": self.search_ms[1] / 1e3,
        }


def length_of(drive: LongDrive, tree: Times, detector_ms: float) -> Length:
    """Of a drive as it is now."""
    stored, every = drive.key_frames, drive.frames
    return Length(every, stored, tree, (stored * detector_ms, every * detector_ms))


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
            _series([(n.frames, n.tree.next, *n.search_ms) for n in lengths]),
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
    return length.tree.first + (questions - 1) * length.tree.next


def _series(rows: Sequence[tuple[float, ...]]) -> tuple[Series, ...]:
    """Args: rows: x, and milliseconds of each series."""
    names = (_TREE, _KEY_FRAMES, _ALL_FRAMES)
    return tuple(
        Series(name, tuple((float(row[0]), row[column] / 1e3) for row in rows))
        for column, name in enumerate(names, start=1)
    )
