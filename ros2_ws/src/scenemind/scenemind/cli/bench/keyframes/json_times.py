"""How long the text of a tree of 300 locations takes, and how long it is."""

from __future__ import annotations

from statistics import median

from scenemind.cli.bench.keyframes.long_drive import LongDrive
from scenemind.cli.bench.keyframes.timed import timed
from scenemind.config import TreeConfig
from scenemind.memory.garbage import no_garbage_collection
from scenemind.memory.tree.tree import MemTree
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET, TreeJson, TreeJsonWriter

_LOCATIONS = 300
_ROUND_M, _NO_ROUND_M = 150.0, 600.0  # a location every 1.5 m
_FRAMES_PER_SECOND = 2.0  # the text does not depend on how many frames a location has
_ROUNDS = 5


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
    drive = LongDrive(_FRAMES_PER_SECOND, round_m)
    while drive.tree.location_count < _LOCATIONS:
        drive.go_on(1)
    everything, times = drive.tree.take_changes(), []
    for _ in range(_ROUNDS):
        tree = MemTree(TreeConfig())  # as after a restart, when nothing was written of it yet
        tree.restore(everything)
        locations, writer = tree.locations(), TreeJsonWriter()
        with no_garbage_collection():
            ms, text = timed(
                lambda: writer.write(locations, drive.objects, DEFAULT_TOKEN_BUDGET, {})  # noqa: B023
            )
        times.append(ms)
    return median(times), text
