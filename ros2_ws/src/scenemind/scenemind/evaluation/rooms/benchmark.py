"""Simulated rooms as a benchmark beside the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from scenemind.evaluation.benchmark import Benchmark
from scenemind.evaluation.datasets import Row
from scenemind.evaluation.rooms.questions import room_rows
from scenemind.evaluation.rooms.scoring import RIGHT, RoomSource, room_scorer

SIMULATION = "simulation"


def simulation_benchmark(scene_ids: Sequence[str], source: RoomSource) -> Benchmark:
    """Phrases and questions about these rooms.

    Args:
        source: what is asked: a map's ids are no real object's, and it knows which is which.
    """

    def read(_path: Path) -> Iterator[Row]:
        return room_rows(scene_ids)

    return Benchmark(SIMULATION, "answer", read, room_scorer(source), RIGHT)
