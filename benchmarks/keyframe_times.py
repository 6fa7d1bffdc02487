"""Time to choose key frames and to write the tree's text, and how both grow with the drive."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from typing import TypeVar

import numpy as np

from benchmarks.keyframe_oracles import Oracle
from benchmarks.long_drive import RATE_HZ, LongDrive, memory_of
from scenemind.config import TreeConfig
from scenemind.garbage import no_garbage_collection
from scenemind.memory import MemoryAccess
from scenemind.memory.tree.mem_tree import MemTree
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET, TreeJson, TreeJsonWriter
from scenemind.reasoning import Query
from scenemind.reasoning.memtree_qa.tree_selector import (
    ChosenLocation,
    LocationChoice,
    TreeSelector,
    read_tree,
)
from scenemind.reasoning.method import Asking
from scenemind.report.curves import Chart, Series, render_curves
from scenemind.report.drawing import standalone_svg

Value = TypeVar("Value")


def timed(work: Callable[[], Value]) -> tuple[float, Value]:
    """Run a call: milliseconds of this thread, and the result."""
    started = time.thread_time()
    result = work()
    return 1e3 * (time.thread_time() - started), result


Work = Callable[[], object]
_K = 3
_KEYS, _CUES = 2, 4  # objects that a model names at a location
_CHOICES = 60
_ROUNDS = 5
_FIRST_ROUNDS = 3
_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of CPU time.

    Attributes:
        first: from a question to its 3 frames (`TreeSelector`), with a language model that answers
            at once and images that need no reading. It is the first question: the tree's
            text is written from nothing.
        next: the same for later questions; a median.
        text: the share of the tree's text in it.
        at_locations: time to choose 3 frames of 3 locations (paper, section 3.3).
        anywhere: time to choose 3 frames of all locations, as for objects that a question names.
    """

    first: float
    next: float
    text: float
    at_locations: float
    anywhere: float


def selection_times(drives: Sequence[LongDrive]) -> list[Times]:
    """Times for each drive; the drives take turns, to share the machine's other load equally."""
    asked = [_Asked(drive) for drive in drives]
    columns = iter(_taking_turns([row for drive in asked for row in drive.works()]))
    return [Times(drive.first_ms(), *islice(columns, _COLUMNS)) for drive in asked]


class _Asked:
    """Questions about one drive, and answers that a model could give."""

    def __init__(self, drive: LongDrive) -> None:
        self._drive = drive
        self._memory = memory_of(drive)
        self._choices = list(_choices(self._memory))

    def first_ms(self) -> float:
        """Time of the first question about a memory."""
        choice = self._choices[0]
        works = [_question(memory_of(self._drive), choice) for _ in range(_FIRST_ROUNDS)]
        with no_garbage_collection():
            return median(timed(work)[0] for work in works)

    def works(self) -> Iterator[list[Work]]:
        """Work in the order of the columns of `Times` after the first one."""
        yield [_question(self._memory, choice) for choice in self._choices]
        yield [self._memory.tree_json for _ in self._choices]
        yield [self._frames(choice, anywhere=False) for choice in self._choices]
        yield [self._frames(choice, anywhere=True) for choice in self._choices]

    def _frames(self, choice: LocationChoice, *, anywhere: bool) -> Work:
        keys = [int(i) for place in choice.locations for i in place.key_objects]
        cues = [int(i) for place in choice.locations for i in place.cue_objects]
        places = None if anywhere else [place.location for place in choice.locations]
        return lambda: self._memory.select_key_frames(keys, cues, _K, places)


def _choices(memory: MemoryAccess) -> Iterator[LocationChoice]:
    """Some locations of the tree's text, each with objects that are listed there."""
    rng = np.random.default_rng(0)
    shown = read_tree(memory.tree_json())
    rich = [i for i, place in shown.items() if len(place.object_ids) >= _KEYS + _CUES]
    for _ in range(_CHOICES):
        places = []
        for location in rng.choice(rich, _K, replace=False).tolist():
            there = sorted(shown[location].object_ids)
            named = rng.choice(there, _KEYS + _CUES, replace=False).tolist()
            places.append(
                ChosenLocation(
                    location=location, key_objects=named[:_KEYS], cue_objects=named[_KEYS:]
                )
            )
        yield LocationChoice(think="They are there, beside the others.", locations=places)


def _question(memory: MemoryAccess, choice: LocationChoice) -> Work:
    selector = TreeSelector(Oracle(choice))
    return lambda: selector.select(Query("Where is the thing?"), memory, _K, Asking())


def _taking_turns(works: Sequence[Sequence[Work]]) -> list[float]:
    """Median milliseconds of each row's work; the rows take turns call by call."""
    times: list[list[float]] = [[] for _ in works]
    with no_garbage_collection():
        for _ in range(_ROUNDS):
            for turn in zip(*works, strict=True):
                for row, work in enumerate(turn):
                    times[row].append(timed(work)[0])
    return [median(row) for row in times]


_LOCATIONS = 300
_ROUND_M, _NO_ROUND_M = 150.0, 600.0  # a location every 1.5 m
_FRAMES_PER_SECOND = 2.0  # the text does not depend on the number of frames of a location


def json_of_300() -> dict[str, float | int | str]:
    """Median milliseconds to write the text of a tree of 300 locations from nothing, and the text:
    for rounds that pass everything three times, and for a way that passes everything once."""
    rounds_ms, rounds = _json_of_300(_ROUND_M)
    once_ms, once = _json_of_300(_NO_ROUND_M)
    return {
        "json_300_ms": rounds_ms,
        "json_300_tokens": rounds.tokens,
        "json_300_detail": rounds.detail.name.lower(),
        "json_300_once_ms": once_ms,
        "json_300_once_tokens": once.tokens,
        "json_300_once_detail": once.detail.name.lower(),
        "json_budget_tokens": DEFAULT_TOKEN_BUDGET,
    }


def _json_of_300(round_m: float) -> tuple[float, TreeJson]:
    drive = LongDrive(_FRAMES_PER_SECOND, round_m)
    while drive.tree.location_count < _LOCATIONS:
        drive.go_on(1)
    everything, times = drive.tree.take_changes(), []
    for _ in range(_ROUNDS):
        tree = MemTree(TreeConfig())  # as after a restart, without any text in the cache
        tree.restore(everything)
        locations, writer = tree.locations(), TreeJsonWriter()
        with no_garbage_collection():
            ms, text = timed(
                lambda: writer.write(locations, drive.objects, DEFAULT_TOKEN_BUDGET, {})  # noqa: B023
            )
        times.append(ms)
    return median(times), text


_QUESTIONS = (1, 2, 5, 10, 20, 50)
_TREE = "tree"
_KEY_FRAMES, _ALL_FRAMES = "detector, stored frames", "detector, all frames"


@dataclass(frozen=True, slots=True)
class Length:
    """Cost of a drive by its length, without the models' own time.

    Attributes:
        tree: time to choose frames by the tree.
        search_ms: a detector on every stored frame, on every frame, again for each question.
    """

    frames: int
    key_frames: int
    tree: Times
    search_ms: tuple[float, float]

    def as_json(self) -> dict[str, float]:
        """Times with the search in seconds."""
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
    """Costs of a drive at its present length."""
    stored, every = drive.key_frames, drive.frames
    return Length(every, stored, tree, (stored * detector_ms, every * detector_ms))


def after_questions(length: Length) -> list[dict[str, float]]:
    """Total seconds of a number of questions about one drive."""
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
        asked: length of the drive that has several questions.
        detector_ms: for a frame. source: origin of that figure.
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
            f"total; time per frame {source}",
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
    """Curves of a figure.

    Args:
    rows: x, and milliseconds of each series."""
    names = (_TREE, _KEY_FRAMES, _ALL_FRAMES)
    return tuple(
        Series(name, tuple((float(row[0]), row[column] / 1e3) for row in rows))
        for column, name in enumerate(names, start=1)
    )
