"""A room that was visited twice, an hour apart, with things moved and taken away meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.geometry import Box3D
from scenemind.mapping import Mapper
from scenemind.memory import Memory, MemorySnapshot, SceneMemoryError
from scenemind.memory.history import CameraViews, SceneChanges, TimeSpan, compare_maps
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import SimulatedSequence, places_seen_again, simulate
from tests.unit.memory import walk

FRAMES, PAUSE_NS = 240, 3600 * 10**9
NEAR_M = 0.4
CONFIG = SceneMindConfig()


@dataclass(frozen=True, slots=True, eq=False)
class Visited:
    """One memory of both visits, and each visit in a map of its own."""

    sequence: SimulatedSequence
    memory: Memory
    first: MemorySnapshot
    first_views: CameraViews
    second: Memory


@pytest.fixture(scope="module")
def visited() -> Iterator[Visited]:
    sequence = simulate(1, FRAMES, 240, 180, loops=2, changes=6)
    with ExitStack() as stack:
        both, second = (stack.enter_context(Memory.create(None, CONFIG)) for _ in range(2))
        mappers = [
            Mapper(InstanceCamera(sequence.class_names), memory, CONFIG)
            for memory in (both, second)
        ]
        for frame in read_sequence(sequence):
            if frame.number == FRAMES // 2:
                first, first_views = both.snapshot(), both.history.views()
            if frame.number >= FRAMES // 2:
                later = replace(frame, stamp_ns=frame.stamp_ns + PAUSE_NS)
                mappers[0].process(later)
                mappers[1].process(later)
            else:
                mappers[0].process(frame)
        yield Visited(sequence, both, first, first_views, second)


def is_at(box: Box3D | None, other: Box3D | None) -> bool:
    if box is None or other is None:
        return False
    return float(np.linalg.norm(np.subtract(box.center, other.center))) < NEAR_M


def told(found: SceneChanges, sequence: SimulatedSequence) -> tuple[int, int, int]:
    """How many true changes there were that a map could know, how many were told right (in one
    piece), and how many of those told are none."""
    right, partly = set(), 0
    for change in sequence.changes:
        new_box = None if change.after is None else change.after.box
        for said in found.changes:
            if said.label != change.before.label:
                continue
            left = is_at(said.before, change.old_box)
            came = is_at(said.after, new_box)
            if left and (came if new_box is not None else said.after is None):
                right.add(change.instance_id)
            elif (left and said.after is None) or (came and said.before is None):
                partly += 1
    known = places_seen_again(sequence) | right
    wrong = len(found.changes) - len(found.of_kind("new")) - len(right) - partly
    return len(known), len(right), wrong


def test_two_visits_are_told_by_the_pause(visited: Visited) -> None:
    first, second = visited.memory.history.visits()
    assert first.frame_numbers == (0, FRAMES // 2 - 1)
    assert second.frame_numbers == (FRAMES // 2, FRAMES - 1)
    assert second.span.first_ns - first.span.last_ns > PAUSE_NS
    assert len(visited.memory.history.visits(pause_s=2 * PAUSE_NS / 1e9)) == 1


def test_what_changed_between_the_visits(visited: Visited) -> None:
    first, second = visited.memory.history.visits()
    found = visited.memory.history.changes(first.span, second.span)
    known, right, wrong = told(found, visited.sequence)
    assert known == 6
    assert right >= 4
    assert wrong <= 1
    assert found.unchanged > 20


def test_what_changed_between_two_maps(visited: Visited) -> None:
    after, views = visited.second.snapshot(), visited.second.history.views()
    found = compare_maps(visited.first, after, visited.first_views, views)
    known, right, wrong = told(found, visited.sequence)
    assert right >= known - 2
    assert wrong <= 1


def test_a_moved_thing_was_where_it_stood_then(visited: Visited) -> None:
    history = visited.memory.history
    first, second = history.visits()
    moved = history.changes(first.span, second.span).of_kind("moved")
    followed = [c for c in moved if c.object_id == c.earlier_id]
    assert followed
    for change in followed:
        then = history.place_of(change.object_id, first.span.last_ns)
        now = history.place_of(change.object_id, second.span.last_ns)
        assert then is not None and is_at(then.box, change.before)  # noqa: PT018
        assert now is not None and is_at(now.box, change.after)  # noqa: PT018
        assert history.place_of(change.object_id, 0) is None


def test_wrong_questions_are_refused(visited: Visited) -> None:
    history = visited.memory.history
    with pytest.raises(SceneMemoryError, match="there is no object 99999"):
        history.place_of(99999, 0)
    with pytest.raises(SceneMemoryError, match="name the earlier one first"):
        history.changes(TimeSpan(10, 20), TimeSpan(0, 5))


def test_an_empty_memory_has_no_past() -> None:
    with Memory.create(None, CONFIG) as memory:
        assert memory.history.visits() == ()
        assert memory.history.changes(TimeSpan(0, 1), TimeSpan(2, 3)) == SceneChanges((), 0, ())


def test_the_past_survives_a_restart(tmp_path) -> None:
    with Memory.create(tmp_path / "row", CONFIG) as memory:
        for number in range(30):
            step = walk.step(number)
            memory.integrate(step.frame, step.detections, step.track_ids, step.observations)
        asked = memory.history.visits(), memory.history.views().translation.tolist()
        (chair, *_) = memory.snapshot().objects
        place = memory.history.place_of(chair, 5 * walk.FRAME_NS)
    with Memory.open(tmp_path / "row", CONFIG) as memory:
        again = memory.history.visits(), memory.history.views().translation.tolist()
        assert again == asked
        assert memory.history.place_of(chair, 5 * walk.FRAME_NS) == place
