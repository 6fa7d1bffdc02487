"""A second visit to a real kitchen table where nothing was changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from scenemind.composition import choose_detector
from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame, open_sequence, read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import MapObject, Memory
from scenemind.memory.history import SceneChange

STEP = 5  # every fifth frame, 0.8 s apart
LATER_NS = 3600 * 10**9


@pytest.fixture(scope="module")
def visits(
    shared_data: Path,
) -> tuple[Mapping[int, MapObject], Mapping[int, MapObject], tuple[SceneChange, ...]]:
    """Objects after the first half of the recording; objects, also gone ones, and changes after
    the second half, an hour later."""
    sequence = open_sequence(shared_data / "sequences" / "redkitchen")
    weights = str(shared_data / "weights" / "yolov8n-seg_int8.onnx")
    config, detector = choose_detector(SceneMindConfig(), sequence, weights)
    frames = list(islice(read_sequence(sequence), 0, None, STEP))
    half = len(frames) // 2
    second = [replace(frame, stamp_ns=frame.stamp_ns + LATER_NS) for frame in frames[half:]]
    with Memory.create(None, config) as memory:
        before = map_visit(memory, frames[:half], Mapper(detector, memory, config))
        after = map_visit(memory, second, Mapper(detector, memory, config))
        return before, {**after, **memory.snapshot().gone}, memory.changes_since().changes


def map_visit(memory: Memory, frames: list[RGBDFrame], mapper: Mapper) -> Mapping[int, MapObject]:
    for frame in frames:
        mapper.process(frame)
        memory.flush()  # frames come faster here than from a camera: drop none
    return memory.snapshot().objects


def test_nothing_was_added_moved_or_removed(
    visits: tuple[object, object, tuple[SceneChange, ...]],
) -> None:
    *_, changes = visits
    assert [c for c in changes if c.kind in ("added", "moved", "removed")] == []


def test_nothing_that_was_shown_goes_without_a_record(
    visits: tuple[Mapping[int, MapObject], Mapping[int, MapObject], object],
) -> None:
    """It is there, or among the gone objects, or became one with an older object at its place."""
    before, after, _ = visits
    assert len(before) >= 5
    for number, thing in before.items():
        if number not in after:
            assert any(
                other.box.contains([thing.box.center]).any()
                for older, other in after.items()
                if older < number
            ), thing
