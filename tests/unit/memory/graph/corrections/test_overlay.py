"""Corrected objects: entries applied to perception."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.memory import Correction, Edit, MapObject, Stay
from scenemind.memory.graph.corrections.separation import find_split_places
from tests.unit.memory.graph.corrections.room import (
    CHAIR,
    LEFT,
    MONITORS,
    OBJECTS,
    RIGHT,
    delete,
    merge,
    new_journal,
    rename,
    seen,
    set_attribute,
    solid,
    split,
    write,
)


def test_new_name_replaces_that_of_perception() -> None:
    journal = new_journal()
    write(journal, rename(2, "  coffee   mug "))
    mug = seen(journal)[2]
    assert (mug.label, mug.perceived_label, mug.corrected) == ("coffee mug", "cup", True)
    assert (mug.confidence, OBJECTS[2].label) == (1.0, "cup")
    assert not seen(journal)[1].corrected


def test_attributes_are_set_and_taken_away() -> None:
    journal = new_journal()
    objects = {**OBJECTS, 7: replace(CHAIR, attributes={"color": "black", "shape": "long"})}
    write(
        journal,
        set_attribute(7, "Color", "dark brown"),
        set_attribute(7, "shape", ""),
        objects=objects,
    )
    chair = seen(journal, objects)[7]
    assert dict(chair.attributes) == {"color": "dark brown"}
    assert chair.attribute_sources["color"] == "user"
    write(journal, rename(7, "stool"), objects=objects)
    assert "shape" not in seen(journal, objects)[7].attributes  # it is not computed anew
    write(journal, merge(7, 1), objects=objects)
    assert "shape" not in seen(journal, objects)[7].attributes
    for number in (4, 3, 2):
        journal.undo(number)
    assert seen(journal, objects)[7].attributes["shape"] == "long"


@pytest.mark.parametrize("kinds", ["s", "r", "sr", "ssrr"])
def test_attributes_of_a_thing_with_many_corrections_can_be_read(kinds: str) -> None:
    journal = new_journal()
    said = {
        "s": [set_attribute(2, f"state {number % 3}", str(number)) for number in range(600)],
        "r": [rename(2, f"mug {number}") for number in range(600)],
    }
    edits = [said[kinds[number % len(kinds)]][number] for number in range(600)]
    journal.restore(Correction(number, edit, "", "", 5) for number, edit in enumerate(edits, 1))
    set_last = {edit.key: edit.value for edit in edits if edit.kind == "set_attribute"}
    attributes = dict(seen(journal)[2].attributes)
    assert {name: attributes[name] for name in set_last} == set_last
    assert attributes.get("size") == ("small" if "r" in kinds else None)


def test_a_deleted_object_goes() -> None:
    journal = new_journal()
    write(journal, delete(7))
    assert list(seen(journal)) == [1, 2, 4, 8]


def test_a_confirmed_object_is_sure() -> None:
    journal = new_journal()
    write(journal, Edit("confirm", (7,)))
    chair = seen(journal)[7]
    assert (chair.label, chair.confidence, chair.corrected) == ("chair", 1.0, True)


def test_merged_object_encloses_both() -> None:
    journal = new_journal()
    write(journal, merge(7, 1))
    assert list(seen(journal)) == [2, 4, 7, 8]
    whole = seen(journal)[7]
    assert (whole.label, whole.perceived_label) == ("chair", "chair")
    bounds = np.vstack((OBJECTS[1].box.bounds(), CHAIR.box.bounds()))
    assert np.array(whole.box.bounds()) == pytest.approx(
        np.array((bounds.min(axis=0), bounds.max(axis=0)))
    )
    assert len(whole.points) == len(OBJECTS[1].points) + len(CHAIR.points)
    assert whole.observation_count == 10
    assert whole.track_ids == (7, 1)
    assert whole.attributes["size"] == "large"
    assert journal.sources.shown_as == {1: 7}
    assert journal.sources.of == {7: (7, 1)}


def test_statements_about_parts_hold_for_the_whole() -> None:
    journal = new_journal()
    write(
        journal,
        rename(7, "stool"),
        set_attribute(1, "material", "wood"),
        set_attribute(7, "material", "steel"),
        set_attribute(1, "state", "new"),
        merge(7, 1),
    )
    whole = seen(journal)[7]
    assert whole.label == "stool"
    assert (whole.attributes["material"], whole.attributes["state"]) == ("steel", "new")
    assert whole.attribute_sources["state"] == "user"


def described(thing: MapObject, views: int, **attributes: str) -> MapObject:
    return replace(
        thing,
        observation_count=views,
        attributes={**thing.attributes, **attributes},
        attribute_sources=dict.fromkeys(attributes, "model"),
    )


def test_merged_object_has_the_description_of_the_part_seen_most_often() -> None:
    chair = described(CHAIR, 5, material="wood", state="new")
    table = described(OBJECTS[1], 50, material="steel", caption="a bench", color="blue")
    journal = new_journal()
    objects = {7: replace(chair, attributes={**chair.attributes, "color": "red"}), 1: table}
    write(journal, merge(7, 1), objects=objects)
    whole = seen(journal, objects)[7]
    said = {name: whole.attributes.get(name) for name in ("material", "state", "caption", "color")}
    # The colour of the first was measured.
    assert said == {"material": "steel", "state": None, "caption": "a bench", "color": "red"}
    assert whole.attribute_sources == {"material": "model", "caption": "model"}


def test_part_that_is_split_off_keeps_statements_but_no_description() -> None:
    monitors = described(OBJECTS[8], 5, caption="two monitors side by side")
    journal = new_journal()
    objects = {**OBJECTS, 8: monitors}
    write(journal, set_attribute(8, "state", "off"), split(8, LEFT, RIGHT), objects=objects)
    parts = seen(journal, objects)
    assert parts[8].attributes["caption"] == "two monitors side by side"
    assert "caption" not in parts[100].attributes
    assert {parts[i].attributes["state"] for i in (8, 100)} == {"off"}
    assert parts[100].attribute_sources == {"state": "user"}


def test_merging_twice_and_merging_wholes() -> None:
    journal = new_journal()
    write(journal, merge(7, 1), merge(4, 8), merge(4, 7))
    assert list(seen(journal)) == [2, 4]
    assert journal.sources.of.keys() == {4}
    assert set(journal.sources.of[4]) == {1, 4, 7, 8}
    assert journal.sources.shown_as == {1: 4, 8: 4, 7: 4}


def test_a_whole_keeps_its_id_while_only_another_part_is_there() -> None:
    journal = new_journal()
    write(journal, merge(7, 1))
    without = {i: o for i, o in OBJECTS.items() if i != 7}
    assert seen(journal, without)[7].label == "table"


def test_a_part_that_is_gone_belongs_to_the_whole() -> None:
    journal = new_journal()
    write(journal, merge(7, 1))
    there = {i: o for i, o in OBJECTS.items() if i != 1}
    both = journal.apply_to(there, {1: OBJECTS[1]})
    assert list(both.gone) == []
    assert len(both.objects[7].points) == len(CHAIR.points)
    gone = journal.apply_to({2: OBJECTS[2]}, {1: OBJECTS[1], 7: CHAIR})
    assert list(gone.objects) == [2]
    assert list(gone.gone) == [7]


def test_merged_object_is_present_although_its_first_part_is_gone() -> None:
    journal = new_journal()
    write(journal, merge(7, 1))
    there = {i: o for i, o in OBJECTS.items() if i != 7}
    both = journal.apply_to(there, {7: CHAIR})
    assert 7 in both.objects
    assert list(both.gone) == []


def test_corrections_hold_for_objects_that_are_gone() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"), delete(2))
    laid = journal.apply_to({1: OBJECTS[1]}, {2: OBJECTS[2], 7: CHAIR})
    assert {i: o.label for i, o in laid.gone.items()} == {7: "stool"}


def test_a_split_object_is_two_at_its_places() -> None:
    journal = new_journal()
    write(journal, split(8, LEFT, RIGHT), rename(100, "television"))
    left, right = seen(journal)[8], seen(journal)[100]
    assert (left.label, right.label) == ("monitor", "television")
    # The midplane between the places, x = 0, divides them.
    assert left.box.bounds()[1][0] <= 0.0 <= right.box.bounds()[0][0]
    assert left.points[:, 0].max() <= 0.0 <= right.points[:, 0].min()
    assert len(left.points) + len(right.points) == len(MONITORS.points)
    assert (left.attributes["size"], right.attributes["size"]) == ("medium", "medium")
    assert list(seen(journal)) == [1, 2, 4, 7, 8, 100]
    assert journal.sources.of == {100: (8,)}


def test_parts_are_split_and_merged_in_turn() -> None:
    journal = new_journal()
    write(journal, split(8, LEFT, RIGHT))
    write(journal, split(100, (0.2, 4.0, 1.0), (0.5, 4.0, 1.0)), merge(7, 101))
    assert list(seen(journal)) == [1, 2, 4, 7, 8, 100]
    assert set(journal.sources.of[7]) == {7, 8}


@given(st.integers(0, 1000), st.floats(-0.3, 0.3))
def test_split_stays_as_perception_sees_more(seed: int, shift_m: float) -> None:
    """Each point that perception adds goes to the nearer place, and none is lost."""
    journal = new_journal()
    write(journal, split(8, LEFT, RIGHT))
    later = {**OBJECTS, 8: solid(8, "monitor", (shift_m, 4, 1.0), (1.4, 0.1, 0.5), seed)}
    laid = seen(journal, later)
    together = np.concatenate([laid[i].points for i in (8, 100) if i in laid])
    assert sorted(map(tuple, together)) == sorted(map(tuple, later[8].points))
    assert (laid[8].points[:, 0] <= 0.0).all()
    assert (laid[100].points[:, 0] >= 0.0).all()


def test_split_waits_while_its_object_is_elsewhere() -> None:
    journal = new_journal()
    write(journal, split(8, LEFT, RIGHT))
    moved = solid(8, "monitor", (5, 4, 1.0), (1.2, 0.1, 0.4))
    stays = (Stay(MONITORS.box, 0, 1, 2),)
    laid = seen(journal, {**OBJECTS, 8: replace(moved, stays=stays)})
    assert 100 not in laid
    assert laid[8].box == moved.box


def test_unchanged_objects_stay_the_same_values() -> None:
    """Relations are computed again for every object that is another value."""
    journal = new_journal()
    write(journal, rename(2, "mug"), split(8, LEFT, RIGHT), merge(7, 1), rename(7, "bench"))
    before = seen(journal)
    changed = {**OBJECTS, 2: replace(OBJECTS[2], observation_count=6)}
    after = seen(journal, changed)
    assert [i for i in after if after[i] is not before[i]] == [2]
    write(journal, rename(4, "rack"), objects=changed)
    last = seen(journal, changed)
    assert [i for i in last if last[i] is not after[i]] == [4]
    assert {i: o.label for i, o in seen(journal).items()}[2] == "mug"


SIZES = ((0.5, 0.5, 0.9), (0.1, 0.1, 0.12), (1.8, 0.8, 0.8))


def surface(
    center: tuple[float, float, float], size: tuple[float, float, float], seed: int = 0
) -> NDArray[np.float32]:
    """(600, 3) points spread evenly over the faces of a box, with a camera's noise."""
    rng = np.random.default_rng(seed)
    unit = rng.uniform(-0.5, 0.5, (600, 3))
    area = np.prod(size) / np.array(size)
    face = rng.choice(3, 600, p=area / area.sum())
    unit[np.arange(600), face] = rng.choice((-0.5, 0.5), 600)
    return (unit * size + center + rng.normal(0, 0.003, (600, 3))).astype(np.float32)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("gap", [0.3, 1.0])
def test_two_things_part_in_their_gap(size: tuple[float, float, float], gap: float) -> None:
    """The gap is a third of their width, or their whole width."""
    away = size[0] * (1.0 + gap)
    points = np.concatenate((surface((0, 0, 0.5), size), surface((away, 0, 0.5), size, 1)))
    places = find_split_places(points, 2)
    assert places is not None
    low, high = sorted(places)
    assert low == pytest.approx((0.0, 0.0, 0.5), abs=0.1 * max(size))
    assert high == pytest.approx((away, 0.0, 0.5), abs=0.1 * max(size))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(5))
def test_one_thing_does_not_part(size: tuple[float, float, float], seed: int) -> None:
    assert find_split_places(surface((1, 2, 0.5), size, seed), 2) is None


def test_three_in_a_row() -> None:
    size = (0.5, 0.5, 0.9)
    rows = [surface((0.8 * i, 0, 0.45), size, i) for i in range(3)]
    places = find_split_places(np.concatenate(rows), 3)
    assert places is not None
    assert [round(x, 1) for x, _, _ in sorted(places)] == [0.0, 0.8, 1.6]


def test_two_things_do_not_split_into_three() -> None:
    size = (0.5, 0.5, 0.9)
    points = np.concatenate((surface((0, 0, 0.45), size), surface((0.9, 0, 0.45), size, 1)))
    assert find_split_places(points, 3) is None


@pytest.mark.parametrize("count", [0, 1, 100])
def test_few_points_give_no_split(count: int) -> None:
    assert find_split_places(np.zeros((count, 3), np.float32), 2) is None
