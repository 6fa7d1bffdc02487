"""How long the choice of key frames takes without any model, and how that grows with the drive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median

import numpy as np

from scenemind.cli.bench.keyframes.drive_memory import memory_of
from scenemind.cli.bench.keyframes.long_drive import LongDrive
from scenemind.cli.bench.keyframes.oracles import Oracle
from scenemind.cli.bench.keyframes.timed import timed
from scenemind.memory import MemoryAccess
from scenemind.memory.garbage import no_garbage_collection
from scenemind.reasoning import Query
from scenemind.reasoning.memtree_qa.location_choice import ChosenLocation, LocationChoice
from scenemind.reasoning.memtree_qa.selectors.tree import TreeSelector
from scenemind.reasoning.memtree_qa.shown_tree import read_tree
from scenemind.reasoning.method import Asking

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
            at once and images that are read in no time. It is the first one, so that the tree's
            text is written from nothing.
        next: the same for any question after it; a median.
        text: of that the tree's text.
        at_locations: of that choosing 3 frames of 3 locations (paper, section 3.3).
        anywhere: choosing 3 frames of all locations, as for objects that a question names.
    """

    first: float
    next: float
    text: float
    at_locations: float
    anywhere: float


def selection_times(drives: Sequence[LongDrive]) -> list[Times]:
    """For each drive; they take turns, so that what else the machine does falls on all alike."""
    asked = [_Asked(drive) for drive in drives]
    columns = iter(_taking_turns([row for drive in asked for row in drive.works()]))
    return [Times(drive.first_ms(), *islice(columns, _COLUMNS)) for drive in asked]


class _Asked:
    """Questions about one drive, and what a model could have answered."""

    def __init__(self, drive: LongDrive) -> None:
        self._drive = drive
        self._memory = memory_of(drive)
        self._choices = list(_choices(self._memory))

    def first_ms(self) -> float:
        """A memory is asked for the first time."""
        choice = self._choices[0]
        works = [_question(memory_of(self._drive), choice) for _ in range(_FIRST_ROUNDS)]
        with no_garbage_collection():
            return median(timed(work)[0] for work in works)

    def works(self) -> Iterator[list[Work]]:
        """As the columns of `Times` after the first one."""
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
    """Some locations of the tree's text each, with objects that are listed there."""
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
    """Median milliseconds over the work of each row; call by call in turns."""
    times: list[list[float]] = [[] for _ in works]
    with no_garbage_collection():
        for _ in range(_ROUNDS):
            for turn in zip(*works, strict=True):
                for row, work in enumerate(turn):
                    times[row].append(timed(work)[0])
    return [median(row) for row in times]
