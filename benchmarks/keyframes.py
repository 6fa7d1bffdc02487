"""Speed and quality of the choice of key frames, without the models' own time."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.progress import track

from benchmarks.keyframe_oracles import (
    MappedRoom,
    Oracle,
    RememberedDetector,
    class_oracle,
    encoder_of,
    location_oracle,
    mapped_room,
)
from benchmarks.keyframe_times import (
    Times,
    after_questions,
    draw,
    json_of_300,
    length_of,
    selection_times,
)
from benchmarks.long_drive import DETECTIONS, RATE_HZ, LongDrive
from scenemind.bench.machine import machine, versions
from scenemind.bench.workload import bench_sequence
from scenemind.composition import data_beside_the_repository
from scenemind.config import DetectorConfig
from scenemind.errors import UsageError
from scenemind.frames import read_sequence
from scenemind.memory import KeyFrame
from scenemind.perception.backends import make_detector
from scenemind.reasoning import Query, ReasoningError
from scenemind.reasoning.memtree_qa.baseline_selectors import (
    DetectorSelector,
    ObjectSelector,
    RetrievalSelector,
    UniformSelector,
)
from scenemind.reasoning.memtree_qa.tree_selector import TreeSelector
from scenemind.reasoning.method import Asking
from scenemind.reasoning.shared_models import SharedDetector
from scenemind.reasoning.stored_frames import FrameSelector
from scenemind.report.terminal import progress_console
from scenemind.simulation import Question

# As small as open-vocabulary detectors come; it takes no words, but has the same network.
_WEIGHTS = "weights/yolov8n-seg_deq640.onnx"
_WITHOUT_WEIGHTS_MS = 40.0
_FRAMES, _RUNS = 4, 12


def time_of_detector(stated_ms: float | None) -> tuple[float, str]:
    """Milliseconds per 640x480 frame, and the origin of the figure.

    Args:
        stated_ms: used as it is; None: measured if the weights are available.
    """
    if stated_ms is not None:
        return stated_ms, "stated on the command line"
    weights = data_beside_the_repository(_WEIGHTS)
    if weights is None:
        return _WITHOUT_WEIGHTS_MS, "assumed: no weights beside the repository"
    detector = make_detector(DetectorConfig(weights=str(weights)))
    frames = list(read_sequence(bench_sequence(_FRAMES)))
    times = []
    for run in range(_RUNS):
        started = time.perf_counter()
        detector.detect(frames[run % _FRAMES])
        times.append(time.perf_counter() - started)
    # The shortest time counts: other programs can only lengthen it.
    return 1e3 * min(times), f"measured: {detector.name}"


_K = 3
_Makers = Sequence[Callable[[Question], FrameSelector]]


@dataclass(slots=True)
class Tally:
    """Results of one selector.

    Attributes:
        first, among: questions whose object is visible in the first frame, and in any frame.
        unanswered: questions without a chosen frame.
        ms: CPU time of each choice, with the models' stand-ins and reading the images.
    """

    asked: int = 0
    first: int = 0
    among: int = 0
    unanswered: int = 0
    ms: list[float] = field(default_factory=list)


def visible_rates(questions: int, rooms: int, frames: int, noise: bool) -> dict[str, Any]:
    """Ask the same number of questions about single objects in each simulated room.

    By the selectors' names: `visible_rate` is the share of the questions for which the asked object
    can be seen in any of the 3 chosen frames, `visible_rate_first` for which in the first of them,
    by the true pixels of these frames; `selector_ms` is the CPU time of a choice, with reading the
    images.

    Args:
        frames: of the drive through each room.
        noise: let the detector err, both for the map and for the search.
    """
    tallies: dict[str, Tally] = defaultdict(Tally)
    asked, detector = 0, "none"
    stored = []
    for seed in track(range(1, rooms + 1), "rooms", console=progress_console(), transient=True):
        with mapped_room(seed, frames, noise) as room:
            makers = _makers(room)
            stored.append(len(room.memory.stored_frames()))
            detector = room.detector_name
            share = (questions - asked) // (rooms + 1 - seed)
            for question in _some(room.questions(), share, seed):
                asked += 1
                for make in makers:
                    selector = make(question)
                    _count(tallies[selector.name], room, question, selector)
    return {
        "visible_rate": {name: tally.among / tally.asked for name, tally in tallies.items()},
        "visible_rate_first": {name: tally.first / tally.asked for name, tally in tallies.items()},
        "selector_ms": {name: median(tally.ms) for name, tally in tallies.items()},
        "no_frame": {name: t.unanswered for name, t in tallies.items() if t.unanswered},
        "questions": asked,
        "rooms": rooms,
        "frames_a_room": frames,
        "stored_frames_a_room": float(np.mean(stored)),
        "language_model": Oracle.name,
        "detector": detector,
    }


def _makers(room: MappedRoom) -> _Makers:
    encoder, detector = encoder_of(room), RememberedDetector(room)
    retrieval = RetrievalSelector(encoder, "retrieval (simulated encoder)")
    return (
        lambda asked: TreeSelector(location_oracle(room, asked, _K)),
        lambda _: ObjectSelector(),
        lambda asked: DetectorSelector(
            class_oracle(room, asked), SharedDetector(lambda: detector), "detector (simulated)"
        ),
        lambda _: retrieval,
        lambda _: UniformSelector(),
    )


def _some(questions: list[Question], count: int, seed: int) -> Iterator[Question]:
    order = np.random.default_rng(seed).permutation(len(questions))
    return (questions[place] for place in order[:count].tolist())


def _count(tally: Tally, room: MappedRoom, question: Question, selector: FrameSelector) -> None:
    started = time.thread_time()
    frames = _chosen(room, question, selector)
    tally.ms.append(1e3 * (time.thread_time() - started))
    seen = [room.shows(frame.frame_number, question.target_ids[0]) for frame in frames]
    tally.asked += 1
    tally.first += any(seen[:1])
    tally.among += any(seen)
    tally.unanswered += not frames


def _chosen(room: MappedRoom, question: Question, selector: FrameSelector) -> tuple[KeyFrame, ...]:
    try:
        return selector.select(Query(question.text), room.memory, _K, Asking()).key_frames
    except ReasoningError:  # such as a question that names nothing in the map
        return ()


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

    - `select_6min_ms`, `select_1h_ms`: from a question to 3 frames by the tree, after that time at
      30 Hz with 20 detections a frame: text of the tree, prompts, reading and checking the reply of
      a model that answers at once, choosing frames. It excludes reading images. `select_first_...`
      is the first question's, without any text of the tree yet.
    - parts of it: `tree_text_...`; `choose_at_locations_...`, 3 frames of 3 picked locations, and
      `choose_anywhere_...`, of all of them, with 2 key and 4 cue objects for each.
    - `json_300_ms`, `json_300_tokens`: the tree of 300 locations as text, from nothing.
    - `visible_rate`: see `visible_rates`.
    - `lengths`, `questions_after_6min`: figures 5 and 6 of the MemTree3D paper (`growth`). The
      detector's figures are computed from its time per frame, measured or stated.

    Args:
        questions, rooms, noise, frames_a_room: arguments of `visible_rates`.
        detector_ms: per frame; None: measured if weights are available.
        picture: an SVG file for the two figures; its folder is made.
        minutes: lengths of the measured drives, ascending; the last is reported as 1 h.

    Raises:
        UsageError: the picture cannot be written.
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
    """Create the picture's folder and file, to fail before minutes of measuring."""
    try:
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.open("ab").close()
    except OSError as error:
        raise UsageError(f"cannot write to {picture}: {error.strerror}") from error


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
