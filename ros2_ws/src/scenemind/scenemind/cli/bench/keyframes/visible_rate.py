"""How often the frames that a selector chooses show what was asked about."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
from rich.progress import track

from scenemind.cli.bench.keyframes.mapped_room import MappedRoom, mapped_room
from scenemind.cli.bench.keyframes.oracles import (
    Oracle,
    RememberedDetector,
    class_oracle,
    encoder_of,
    location_oracle,
)
from scenemind.cli.output import progress_console
from scenemind.memory import KeyFrame
from scenemind.reasoning import Query, ReasoningError
from scenemind.reasoning.detecting import SharedDetector
from scenemind.reasoning.memtree_qa.selectors.detector_search import DetectorSelector
from scenemind.reasoning.memtree_qa.selectors.objects import ObjectSelector
from scenemind.reasoning.memtree_qa.selectors.retrieval import RetrievalSelector
from scenemind.reasoning.memtree_qa.selectors.selection import FrameSelector
from scenemind.reasoning.memtree_qa.selectors.tree import TreeSelector
from scenemind.reasoning.memtree_qa.selectors.uniform import UniformSelector
from scenemind.reasoning.method import Asking
from scenemind.simulation import Question

_K = 3
_Makers = Sequence[Callable[[Question], FrameSelector]]


@dataclass(slots=True)
class Tally:
    """Questions of one selector.

    Attributes:
        first, among: questions whose object is visible in the first frame, in any of them.
        unanswered: questions for which it chose no frame.
        ms: CPU time of each choice, with the models' stand-ins and reading the images.
    """

    asked: int = 0
    first: int = 0
    among: int = 0
    unanswered: int = 0
    ms: list[float] = field(default_factory=list)


def visible_rates(questions: int, rooms: int, frames: int, noise: bool) -> dict[str, Any]:
    """Ask about single objects of simulated rooms, as many in each.

    By the selectors' names: `visible_rate` is the share of the questions for which the asked object
    can be seen in any of the 3 chosen frames, `visible_rate_first` for which in the first of them,
    by the true pixels of these frames; `selector_ms` is the CPU time of a choice, with reading the
    images.

    Args:
        frames: of the drive through each room.
        noise: let the detector err: the one that the map is made with, and that is searched with.
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
    except ReasoningError:  # such as a question that names nothing that is in the map
        return ()
