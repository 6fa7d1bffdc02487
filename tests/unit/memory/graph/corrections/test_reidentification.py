"""Objects found again by place and label."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from scenemind.geometry import Box3D
from scenemind.memory import ObjectAnchor
from scenemind.memory.graph.corrections.reidentification import (
    Match,
    find_match,
    find_plane_match,
)
from scenemind.memory.types import StructurePlane
from tests.unit.memory.graph.corrections.room import (
    CHAIR,
    OBJECTS,
    delete,
    merge,
    new_journal,
    rename,
    seen,
    solid,
    write,
)
from tests.unit.memory.things import thing

CHAIR_PLACES = ObjectAnchor(5, "chair", Box3D((2.0, 1.0, 0.45), (0.5, 0.5, 0.9)))
CUP = ObjectAnchor(6, "cup", Box3D((0.0, 0.0, 0.8), (0.08, 0.08, 0.1)))


def find(anchor: ObjectAnchor, *things) -> Match | None:
    return find_match(anchor, things)


def test_same_box_is_found_with_certainty() -> None:
    found = find(CHAIR_PLACES, thing(31, "chair", (2.0, 1.0, 0.45), (0.5, 0.5, 0.9)))
    assert found == Match(31, pytest.approx(1.0))


@pytest.mark.parametrize(
    ("label", "center", "size", "is_it"),
    [
        ("Chair", (2.1, 0.95, 0.45), (0.5, 0.55, 0.85), True),
        ("stool", (2.02, 1.0, 0.45), (0.5, 0.5, 0.9), True),  # nearly the same box
        ("stool", (2.3, 1.0, 0.45), (0.5, 0.5, 0.9), False),
        ("chair", (3.0, 1.0, 0.45), (0.5, 0.5, 0.9), False),  # the next chair
        ("chair", (2.0, 1.0, 0.2), (0.2, 0.2, 0.2), False),  # another size
    ],
)
def test_same_kind_nearby_or_same_box_is_found(label, center, size, is_it) -> None:
    found = find(CHAIR_PLACES, thing(31, label, center, size))
    assert (found is not None and not found.rivals) == is_it


def test_a_small_thing_may_drift_by_its_own_size() -> None:
    assert find(CUP, thing(31, "cup", (0.09, 0.04, 0.82), (0.08, 0.09, 0.1))) is not None
    assert find(CUP, thing(31, "cup", (0.4, 0.0, 0.8), (0.08, 0.08, 0.1))) is None


def test_one_of_two_alike_is_not_guessed() -> None:
    left = thing(31, "cup", (-0.06, 0.0, 0.8), (0.08, 0.08, 0.1))
    right = thing(32, "cup", (0.06, 0.0, 0.8), (0.08, 0.08, 0.1))
    found = find(CUP, left, right)
    assert {found.object_id, *found.rivals} == {31, 32}
    far = thing(33, "cup", (0.13, 0.0, 0.8), (0.08, 0.08, 0.1))
    at = thing(34, "cup", (0.0, 0.01, 0.8), (0.08, 0.08, 0.1))
    assert find(CUP, far, at) == Match(34, pytest.approx(0.85, abs=0.1))


def test_an_empty_map_has_no_place() -> None:
    assert find(CUP) is None


def wall(plane_id: int, along_m: float, across_m: float) -> StructurePlane:
    """A wall turned by 30 degrees, its middle shifted from the origin."""
    c, s = math.cos(math.radians(30.0)), math.sin(math.radians(30.0))
    center = (c * along_m - s * across_m, s * along_m + c * across_m, 1.5)
    box = Box3D(center, (4.0, 0.02, 3.0), math.radians(30.0))
    return StructurePlane(plane_id, "wall", box, (-s, c, 0.0), 12.0)


@pytest.mark.parametrize(
    ("along_m", "across_m", "is_it"),
    [(0.0, 0.0, True), (1.0, 0.05, True), (-1.0, 0.2, True), (0.0, 0.4, False), (5.0, 0.0, False)],
)
def test_a_turned_wall_is_found_by_its_distance_across_it(
    along_m: float, across_m: float, is_it: bool
) -> None:
    anchor = ObjectAnchor(-3, "wall", wall(-3, 0.0, 0.0).box)
    found = find_plane_match(anchor, [wall(-5, along_m, across_m)])
    assert (found is not None) == is_it
    if found is not None:
        assert found == Match(-5, pytest.approx(1.0 - across_m / 0.5))


AGAIN = solid(20, "chair", (2.05, 0.02, 0.45), (0.5, 0.5, 0.9), seed=1)
WITHOUT = {i: o for i, o in OBJECTS.items() if i != 7}


def test_a_renamed_object_that_was_lost_has_its_name_again() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"), merge(7, 1))
    assert journal.find_again(WITHOUT, {}) == []
    rewritten = journal.find_again({**WITHOUT, 20: AGAIN}, {})
    assert [e.edit.object_ids for e in rewritten] == [(20,), (20, 1)]
    assert seen(journal, {**WITHOUT, 20: AGAIN})[20].label == "stool"
    journal.undo(1)
    assert seen(journal, {**WITHOUT, 20: AGAIN})[20].label == "chair"


def test_object_found_again_may_be_lost_again() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"))
    journal.find_again({**WITHOUT, 20: AGAIN}, {})
    third = {**WITHOUT, 33: replace(AGAIN, object_id=33)}
    assert len(journal.find_again(third, {})) == 1
    assert seen(journal, third)[33].label == "stool"


def test_object_gone_from_its_place_is_not_lost() -> None:
    """It may come back under its own id; the thing that stands there now is another one."""
    journal = new_journal()
    write(journal, rename(7, "stool"))
    assert journal.find_again({**WITHOUT, 20: AGAIN}, {7: CHAIR}) == []
    assert seen(journal, {**WITHOUT, 20: AGAIN})[20].label == "chair"


def test_one_of_two_alike_is_not_guessed_recurrence() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"))
    twins = {20: AGAIN, 21: solid(21, "chair", (1.95, -0.02, 0.45), (0.5, 0.5, 0.9))}
    assert journal.find_again({**WITHOUT, **twins}, {}) == []


def test_corrected_object_is_not_taken_for_a_lost_one() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"))
    with_new = {**WITHOUT, 20: AGAIN}
    write(journal, rename(20, "armchair"), objects=with_new)
    assert journal.find_again(with_new, {}) == []
    assert seen(journal, with_new)[20].label == "armchair"


def test_a_deleted_reflection_stays_deleted_under_new_ids() -> None:
    journal = new_journal()
    write(journal, delete(7))
    assert journal.find_again(OBJECTS, {}) == []
    for there, gone in ((OBJECTS, {}), (WITHOUT, {7: CHAIR}), (WITHOUT, {})):
        restored = new_journal()
        restored.restore(journal.entries())
        (entry,) = restored.find_again({**there, 20: AGAIN}, gone)
        assert entry.edit.object_ids == (7, 20)
        assert 20 not in seen(restored, {**there, 20: AGAIN})
        assert restored.find_again({**there, 20: AGAIN}, gone) == []
        restored.undo()
        assert 20 in seen(restored, {**there, 20: AGAIN})


def test_confirmed_object_beside_a_deleted_one_stays() -> None:
    journal = new_journal()
    both = {**OBJECTS, 20: AGAIN}
    write(journal, delete(7), objects=both)
    changed = {**OBJECTS, 20: replace(AGAIN, observation_count=6)}
    assert journal.find_again(both, {}) == []
    assert journal.find_again(changed, {}) == []
    assert 20 in seen(journal, changed)


def test_object_beside_one_of_two_deleted_ones_stays() -> None:
    """It is newer than the one beside it, and older than the one elsewhere."""
    journal = new_journal()
    three = {**OBJECTS, 20: AGAIN, 30: solid(30, "vase", (6, 6, 0.2), (0.1, 0.1, 0.4))}
    write(journal, delete(7, 30), objects=three)
    assert journal.find_again(three, {}) == []
    assert 20 in seen(journal, three)


def test_new_object_at_a_deleted_place_is_another_one() -> None:
    journal = new_journal()
    write(journal, delete(7))
    old = solid(3, "chair", (2.0, 0.0, 0.45), (0.5, 0.5, 0.9))
    grown = replace(AGAIN, object_id=30, observation_count=200)
    other = solid(31, "plant", (2.2, 0.1, 0.5), (0.4, 0.4, 1.2))
    assert journal.find_again({**OBJECTS, 3: old, 30: grown, 31: other}, {}) == []


def test_object_of_another_certain_label_shows_at_a_deleted_place() -> None:
    """A plant is put where a reflection of a chair was deleted."""
    journal = new_journal()
    write(journal, delete(7))

    def see(label: str, views: int, directions: int) -> bool:
        thing = solid(30, label, (2.05, 0.02, 0.45), (0.5, 0.5, 0.9))
        now = replace(thing, observation_count=views, direction_count=directions)
        journal.find_again({**OBJECTS, 30: now}, {})
        return 30 in seen(journal, {**OBJECTS, 30: now})

    assert not see("plant", 3, 1)
    assert not see("plant", 200, 2)  # as often as can be, but from one side
    assert not see("plant", 20, 5)
    assert not see("Chair", 200, 9)  # it may be the reflection
    assert see("plant", 200, 3)
    assert journal.entries()[0].edit.object_ids == (7,)
    assert see("chair", 201, 3)  # once told apart, it stays so


def test_deleted_object_never_shows_again() -> None:
    journal = new_journal()
    write(journal, delete(7))
    other = replace(CHAIR, perceived_label="plant", observation_count=200, direction_count=9)
    assert journal.find_again({**OBJECTS, 7: other}, {}) == []
    assert 7 not in seen(journal, {**OBJECTS, 7: other})
