"""A room that was visited twice, an hour apart, with things moved and taken away meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.mapping import Mapper
from scenemind.memory import Memory, MemorySnapshot, SceneMemoryError
from scenemind.memory.disk.store import Store
from scenemind.memory.history import (
    CameraViews,
    SceneChange,
    SceneChanges,
    TimeSpan,
    compare_maps,
)
from scenemind.memory.history.history import MemoryHistory
from scenemind.memory.types import DepthImage
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Sensors, SimulatedSequence, places_seen_again, simulate
from tests.unit.memory import walk
from tests.unit.memory.things import solid

FRAMES, PAUSE_NS = 160, 3600 * 10**9
NEAR_M = 0.4
CONFIG = SceneMindConfig()


@dataclass(frozen=True, slots=True, eq=False)
class Visited:
    """One memory of both visits, and each visit in a map of its own.

    Attributes:
        seen_again: ids of the changed things whose old places the second visit saw.
    """

    sequence: SimulatedSequence
    seen_again: frozenset[int]
    memory: Memory
    first: MemorySnapshot
    first_views: CameraViews
    second: Memory


@pytest.fixture(scope="module")
def visited() -> Iterator[Visited]:
    sequence = simulate(1, FRAMES, Sensors(240, 180), loops=2, changes=6)
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
        seen_again = places_seen_again(sequence)
        yield Visited(sequence, seen_again, both, first, first_views, second)


def is_at(box: Box3D | None, other: Box3D | None) -> bool:
    if box is None or other is None:
        return False
    return float(np.linalg.norm(np.subtract(box.center, other.center))) < NEAR_M


def told(found: SceneChanges, visited: Visited) -> tuple[int, int, int]:
    """How many true changes a map could know, how many it reported rightly (in one piece), and
    how many it reported that did not happen."""
    right, partly = set(), 0
    for change in visited.sequence.changes:
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
    known = visited.seen_again | right
    wrong = len(found.changes) - len(found.of_kind("new")) - len(right) - partly
    return len(known), len(right), wrong


def test_pause_separates_two_visits(visited: Visited) -> None:
    first, second = visited.memory.history.visits()
    assert first.frame_numbers == (0, FRAMES // 2 - 1)
    assert second.frame_numbers == (FRAMES // 2, FRAMES - 1)
    assert second.span.first_ns - first.span.last_ns > PAUSE_NS
    assert len(visited.memory.history.visits(pause_s=2 * PAUSE_NS / 1e9)) == 1


def test_changes_between_the_visits(visited: Visited) -> None:
    first, second = visited.memory.history.visits()
    found = visited.memory.history.changes(first.span, second.span)
    known, right, wrong = told(found, visited)
    assert known == 6
    assert right >= 4
    assert wrong <= 1
    assert found.unchanged > 20


def test_changes_between_two_maps(visited: Visited) -> None:
    after, views = visited.second.snapshot(), visited.second.history.views()
    found = compare_maps(visited.first, after, visited.first_views, views)
    known, right, wrong = told(found, visited)
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
        walk.go(memory, range(30))
        asked = memory.history.visits(), memory.history.views().translation.tolist()
        (chair, *_) = memory.snapshot().objects
        place = memory.history.place_of(chair, 5 * walk.FRAME_NS)
    with Memory.open(tmp_path / "row", CONFIG) as memory:
        again = memory.history.visits(), memory.history.views().translation.tolist()
        assert again == asked
        assert memory.history.place_of(chair, 5 * walk.FRAME_NS) == place


NS_PER_S = 10**9
HOUR_S = 3600
CHAIR = solid(1, "chair", (0.0, 0.0, 0.5), (0.5, 0.5, 1.0))


class Film:
    """In place of a store: frames by their stamps, all taken from above a spot on the floor."""

    def __init__(self, spot_of: dict[int, float]) -> None:
        """Args: spot_of: stamp in seconds -> x of the spot, metres."""
        self._spot_of = {stamp_s * NS_PER_S: x for stamp_s, x in sorted(spot_of.items())}

    def frame_stamps(self) -> NDArray[np.int64]:
        return np.array(list(enumerate(self._spot_of)), np.int64).reshape(-1, 2)

    def views(self, first_ns: int, last_ns: int) -> list[tuple[int, Pose, PinholeCamera]]:
        down = np.diag([1.0, -1.0, -1.0])
        camera = PinholeCamera(64, 64, 64.0, 64.0, 31.5, 31.5)
        return [
            (number, Pose(down, np.array([x, 0.0, 3.0])), camera)
            for number, (stamp, x) in enumerate(self._spot_of.items())
            if first_ns <= stamp <= last_ns
        ]

    def image_numbers(self) -> list[int]:
        return list(range(len(self._spot_of)))


def history_of(
    spot_of: dict[int, float], *, chair_seen_s: tuple[int, int], depth_m: float = 3.0
) -> MemoryHistory:
    """The history of a memory that knows one chair, which was seen from one second to another; the
    depth of all key frames is that of the floor, 3 m."""
    first_ns, last_ns = (second * NS_PER_S for second in chair_seen_s)
    chair = replace(CHAIR, first_seen_ns=first_ns, last_seen_ns=last_ns, here_since_ns=first_ns)
    scene = MemorySnapshot(1, last_ns, {1: chair}, (), None)
    camera = PinholeCamera(32, 32, 32.0, 32.0, 15.5, 15.5)
    depth = DepthImage(np.full((32, 32), depth_m, np.float32), 2, camera)
    film = cast(Store, Film(spot_of))
    return MemoryHistory(film, lambda: None, lambda: scene, lambda _: depth)


def kinds(found: SceneChanges) -> list[str]:
    return [change.kind for change in found.changes]


def three_visits(*spots: float) -> dict[int, float]:
    """Five frames a second apart in each of three hours, above a spot in each hour."""
    return {HOUR_S * n + second: x for n, x in enumerate(spots) for second in range(5)}


def test_a_place_that_any_earlier_visit_saw_without_the_thing_had_it_added() -> None:
    last = 2 * HOUR_S, 2 * HOUR_S + 4
    seen_in_the_first = history_of(three_visits(0.0, 50.0, 0.0), chair_seen_s=last)
    assert kinds(seen_in_the_first.changes_since()) == ["added"]
    never_seen = history_of(three_visits(50.0, 50.0, 0.0), chair_seen_s=last)
    assert kinds(never_seen.changes_since()) == ["new"]
    stood_there = history_of(three_visits(0.0, 50.0, 0.0), chair_seen_s=last, depth_m=2.0)
    assert kinds(stood_there.changes_since()) == ["new"]


def test_changes_are_those_since_the_visit_before_unless_a_moment_is_named() -> None:
    """The chair came between the first and the second visit."""
    since_s = HOUR_S, 2 * HOUR_S + 4
    history = history_of(three_visits(0.0, 0.0, 0.0), chair_seen_s=since_s)
    assert kinds(history.changes_since()) == []
    assert kinds(history.changes_since(4 * NS_PER_S)) == ["added"]


def test_a_moment_that_has_nothing_after_it_is_refused() -> None:
    history = history_of({5: 0.0, 9: 0.0}, chair_seen_s=(5, 9))
    assert history.changes_since(8 * NS_PER_S).unchanged == 1
    for stamp_s in (4, 9):
        with pytest.raises(SceneMemoryError, match=rf"{stamp_s}\.0 s is not within .* 5\.0 s to"):
            history.changes_since(stamp_s * NS_PER_S)


def test_changes_since_the_visit_before_need_one() -> None:
    with pytest.raises(SceneMemoryError, match="nothing has been mapped yet"):
        history_of({}, chair_seen_s=(0, 0)).changes_since()
    first = history_of({5: 0.0}, chair_seen_s=(5, 5)).changes_since()
    assert (first.changes, first.unseen) == ((), ())
    assert "was here only once" in first.note


def test_words_for_kinds_of_change_are_explained_where_they_occur() -> None:
    ghost, new = (
        SceneChange(kind, number, "vase", None, None)
        for number, kind in enumerate(("ghost", "new"), 1)
    )
    renamed = SceneChange("renamed", 3, "mug", None, None, old_label="cup")
    found = SceneChanges.of([ghost, new, renamed, replace(new, object_id=4)], 5, ())
    assert found.counted() == "1 renamed, 2 seen first now, 1 probably never there"
    assert [line.split(":")[0] for line in found.legend()] == [new.shown, ghost.shown]
    assert "no longer shows it" in found.legend()[1]
    nothing = SceneChanges.of([], 5, ())
    assert (nothing.counted(), nothing.legend()) == ("no changes", [])
