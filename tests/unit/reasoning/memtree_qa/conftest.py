"""Memories to ask: a row of chairs, and simulated rooms as an instance camera sees them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from tests.unit.memory import walk


@pytest.fixture(scope="module")
def row() -> Iterator[Memory]:
    """Past five chairs, ids 1 to 5, with one location for each 1.5 m of the way (0 to 4). The
    camera is beside chair i in frame 20 (i - 1)."""
    with Memory.create(None, SceneMindConfig()) as memory:
        walk_past(memory, range(80))
        yield memory


def walk_past(memory: Memory, way: Iterable[int]) -> None:
    """Take the frames of `walk.step` in this order, no faster than the disk."""
    for number, place in enumerate(way, start=memory.last_frame_number + 1):
        step = walk.step(place)
        frame = replace(step.frame, number=number, stamp_ns=number * walk.FRAME_NS)
        memory.integrate(frame, step.detections, step.track_ids, step.observations)
        if number % 20 == 0:
            memory.flush()
    memory.flush()
