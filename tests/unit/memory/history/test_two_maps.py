"""Two maps of one room with other ids: what is matched, and what is different."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory.history import SceneChanges, compare_maps
from scenemind.memory.types import MapObject, MemorySnapshot
from tests.unit.memory.history.test_changes import EVERYWHERE, NOWHERE
from tests.unit.memory.things import thing


def box(object_id: int, label: str, x: float, color: str = "", size_m: float = 0.5) -> MapObject:
    bare = thing(object_id, label, (x, 0.0, 0.5), (size_m, size_m, 1.0))
    return replace(bare, attributes={"color": color} if color else {})


def scene(*things: MapObject) -> MemorySnapshot:
    return MemorySnapshot(1, 0, {o.object_id: o for o in things}, (), None)


def compare(before: MemorySnapshot, after: MemorySnapshot) -> SceneChanges:
    return compare_maps(before, after, EVERYWHERE, EVERYWHERE)


def test_the_same_things_under_other_ids_are_no_change() -> None:
    before = scene(box(1, "chair", 0.0), box(2, "sofa", 2.0))
    after = scene(box(8, "couch", 2.05), box(9, "chair", 0.03))
    assert compare(before, after) == SceneChanges((), 2, ())


def test_added_missing_and_moved() -> None:
    before = scene(box(1, "chair", 0.0, "red"), box(2, "lamp", 1.0), box(3, "cup", 2.0))
    after = scene(box(4, "chair", -2.0, "dark red"), box(5, "cup", 2.0), box(6, "vase", 1.0))
    found = compare(before, after)
    assert [(c.kind, c.object_id, c.earlier_id) for c in found.changes] == [
        ("moved", 4, 1),
        ("renamed", 6, 2),  # something stands exactly where the lamp stood
    ]
    assert found.changes[0].distance_m == pytest.approx(2.0)
    assert found.changes[1].old_label == "lamp"
    assert found.unchanged == 1


def test_what_differs_in_size_or_colour_is_another_thing() -> None:
    before = scene(box(1, "chair", 0.0, "red"), box(2, "table", 1.0, size_m=0.4))
    after = scene(box(3, "chair", -2.0, "blue"), box(4, "table", 2.5, size_m=2.0))
    kinds = sorted(change.kind for change in compare(before, after).changes)
    assert kinds == ["added", "added", "missing", "missing"]


def test_where_the_other_camera_did_not_look_nothing_is_claimed() -> None:
    before, after = scene(box(1, "lamp", 0.0)), scene(box(2, "vase", 2.0))
    found = compare_maps(before, after, NOWHERE, NOWHERE)
    assert ([c.kind for c in found.changes], found.unseen) == (["new"], (1,))


def test_what_was_pushed_a_little_has_moved() -> None:
    found = compare(scene(box(1, "sofa", 0.0, size_m=1.5)), scene(box(2, "sofa", 0.6, size_m=1.5)))
    (change,) = found.changes
    assert (change.kind, change.distance_m) == ("moved", pytest.approx(0.6))


LABELS = st.sampled_from(["chair", "sofa", "couch", "lamp"])
THINGS = st.lists(st.tuples(LABELS, st.integers(-6, 6)), max_size=8)


def of(rows: list[tuple[str, int]]) -> MemorySnapshot:
    return scene(*(box(i, label, x / 4) for i, (label, x) in enumerate(rows, start=1)))


@given(THINGS, THINGS)
def test_every_thing_is_accounted_for_exactly_once(
    before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    found = compare(of(before), of(after))
    count = found.counts()
    both = found.unchanged + count["moved"] + count["renamed"]
    assert both + count["missing"] + count["removed"] + len(found.unseen) == len(before)
    assert both + count["added"] + count["new"] == len(after)


@given(THINGS)
def test_a_map_does_not_differ_from_itself(rows: list[tuple[str, int]]) -> None:
    assert compare(of(rows), of(rows)) == SceneChanges((), len(rows), ())


def test_thousands_of_things_are_compared_in_a_moment() -> None:
    rng = np.random.default_rng(3)
    places = rng.uniform(-40.0, 40.0, (2000, 2))
    things = [
        thing(i, f"kind {i % 50}", (x, y, 0.5), (0.5, 0.5, 1.0))
        for i, (x, y) in enumerate(places, start=1)
    ]
    found = compare(scene(*things[:1900]), scene(*things[100:]))
    assert found.unchanged == 1800
    assert found.counts()["moved"] + found.counts()["added"] + found.counts()["new"] == 100
