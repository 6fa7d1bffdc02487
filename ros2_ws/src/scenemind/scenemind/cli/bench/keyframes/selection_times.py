"""How long the choice of key frames takes without any model, and how that grows with the drive."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

import numpy as np

from scenemind.cli.bench.keyframes.long_drive import LongDrive
from scenemind.config import TreeConfig
from scenemind.memory.garbage import no_garbage_collection
from scenemind.memory.tree.select_frames import select_key_frames
from scenemind.memory.tree.tree import MemTree
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET, TreeJson, TreeJsonWriter

Value = TypeVar("Value")

_K = 3
_KEYS, _CUES = 2, 4  # objects that a model names at a location
_CHOICES = 200
_ROUNDS = 5
_JSON_LOCATIONS = 300
_ROUND_M, _NO_ROUND_M = 150.0, 600.0  # a location every 1.5 m
_JSON_FRAMES_PER_SECOND = 2.0  # the text does not depend on how many frames a location has


@dataclass(frozen=True, slots=True)
class Choice:
    """What a language model could have picked of a tree."""

    locations: tuple[int, ...]
    keys: tuple[int, ...]
    cues: tuple[int, ...]


def select_ms(drives: Sequence[LongDrive]) -> list[float]:
    """Median milliseconds to select 3 frames of 3 picked locations (paper, section 3.3) in each of
    some drives; they take turns, so that what else the machine does falls on all alike."""
    return _taking_turns([[_at_locations(drive, c) for c in _choices(drive)] for drive in drives])


def select_anywhere_ms(drives: Sequence[LongDrive]) -> list[float]:
    """The same among all locations, as for objects that a question names."""
    return _taking_turns([[_anywhere(drive, c) for c in _choices(drive)] for drive in drives])


def json_ms(drive: LongDrive) -> tuple[float, float]:
    """Milliseconds to write the tree's text for the first question and for the next one."""
    writer = TreeJsonWriter()
    first_ms, _ = _write(writer, drive, drive.tree)
    again_ms, _ = _write(writer, drive, drive.tree)
    return first_ms, again_ms


def json_of_300() -> dict[str, float | int | str]:
    """Median milliseconds to write the text of a tree of 300 locations from nothing, and what came
    out: of rounds that pass everything three times, and of a way that passes everything once."""
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
    drive = LongDrive(_JSON_FRAMES_PER_SECOND, round_m)
    while drive.tree.location_count < _JSON_LOCATIONS:
        drive.go_on(1)
    everything, times = drive.tree.take_changes(), []
    for _ in range(_ROUNDS):
        tree = MemTree(TreeConfig())  # as after a restart, when nothing was written of it yet
        tree.restore(everything)
        ms, text = _write(TreeJsonWriter(), drive, tree)
        times.append(ms)
    return median(times), text


def _write(writer: TreeJsonWriter, drive: LongDrive, tree: MemTree) -> tuple[float, TreeJson]:
    locations = tree.locations()
    with no_garbage_collection():
        return _timed(lambda: writer.write(locations, drive.objects, DEFAULT_TOKEN_BUDGET, {}))


def _choices(drive: LongDrive) -> list[Choice]:
    """Some locations of the whole drive each, with objects that can be seen there."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(_CHOICES):
        places = rng.choice(drive.tree.location_count, _K, replace=False).tolist()
        keys: list[int] = []
        cues: list[int] = []
        for place in places:
            there = np.unique(drive.views.of_location(place).object_ids)
            named = rng.choice(there[there > 0], _KEYS + _CUES, replace=False).tolist()
            keys += named[:_KEYS]
            cues += named[_KEYS:]
        found.append(Choice(tuple(places), tuple(keys), tuple(cues)))
    return found


def _at_locations(drive: LongDrive, choice: Choice) -> Callable[[], object]:
    return lambda: select_key_frames(drive.views, choice.keys, choice.cues, _K, choice.locations)


def _anywhere(drive: LongDrive, choice: Choice) -> Callable[[], object]:
    return lambda: select_key_frames(drive.views, choice.keys, choice.cues, _K)


def _taking_turns(works: Sequence[Sequence[Callable[[], object]]]) -> list[float]:
    """Median milliseconds over the work of each row; call by call in turns."""
    times: list[list[float]] = [[] for _ in works]
    with no_garbage_collection():
        for _ in range(_ROUNDS):
            for turn in zip(*works, strict=True):
                for row, work in enumerate(turn):
                    times[row].append(_timed(work)[0])
    return [median(row) for row in times]


def _timed(work: Callable[[], Value]) -> tuple[float, Value]:
    started = time.thread_time()
    result = work()
    return 1e3 * (time.thread_time() - started), result
