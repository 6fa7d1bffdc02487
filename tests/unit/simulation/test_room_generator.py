"""Furnished rooms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.geometry import footprint_overlap_m2, gap_m, iou_3d
from scenemind.simulation import Room, SimObject, SimulationError, make_room
from scenemind.simulation.primitives import COLORS, box_around

ROOMS = st.builds(make_room, st.integers(0, 100_000), st.none() | st.integers(20, 60))
quick = settings(max_examples=8, deadline=None)


def chain_of_supports(room: Room, item: SimObject) -> set[int]:
    chain = set()
    while item.supported_by is not None:
        chain.add(item.supported_by)
        item = room.get_object(item.supported_by)
    return chain


@quick
@given(ROOMS)
def test_objects_do_not_collide(room: Room):
    for a in room.objects:
        for b in room.objects[a.instance_id :]:
            related = a.instance_id in chain_of_supports(room, b)
            assert related or iou_3d(a.box, b.box) == 0.0, (a.label, b.label)


@quick
@given(ROOMS)
def test_supported_objects_rest_on_a_top(room: Room):
    for item in room.objects:
        if item.supported_by is None:
            assert item.on_wall or item.box.bottom_z == pytest.approx(0.0, abs=1e-9)
            continue
        tops = [box_around([part]) for part in room.get_object(item.supported_by).parts]
        under = [t for t in tops if abs(t.top_z - item.box.bottom_z) < 1e-6]
        footprint = item.box.size[0] * item.box.size[1]
        shared = sum(footprint_overlap_m2(top, item.box) for top in under)
        assert shared > 0.9 * footprint, item.label


@quick
@given(ROOMS)
def test_everything_is_inside_and_the_way_is_free(room: Room):
    way = room.loop.at(np.linspace(0, 2 * np.pi, 100))
    half = np.asarray(room.size) / 2
    for item in room.objects:
        low, high = item.box.bounds()
        assert (np.abs(low[:2]) <= half[:2]).all()
        assert (np.abs(high[:2]) <= half[:2]).all()
        assert low[2] >= -1e-9
        assert high[2] <= room.size[2]
        if low[2] < 1.4:
            away = np.maximum(0.0, np.maximum(low[:2] - way, way - high[:2]))
            assert np.linalg.norm(away, axis=1).min() > 0.25, item.label


@quick
@given(ROOMS)
def test_boxes_enclose_the_parts_and_ids_count_from_one(room: Room):
    assert len(room.objects) >= 20
    assert [item.instance_id for item in room.objects] == list(range(1, len(room.objects) + 1))
    for item in room.objects:
        corners = np.vstack([part.corners() for part in item.parts])
        assert item.box.contains(corners, margin_m=1e-9).all()
        assert item.rgb == COLORS[item.color]


def test_the_same_seed_gives_the_same_room_and_another_another():
    assert make_room(7) == make_room(7)
    assert make_room(7).objects != make_room(8).objects


@pytest.mark.parametrize("count", [20, 33, 47, 60])
def test_a_room_has_as_many_objects_as_asked_for(count):
    for seed in range(4):
        assert len(make_room(seed, count).objects) == count
    assert make_room(1, count) == make_room(1, count)


@pytest.mark.parametrize("count", [0, 19, 61])
def test_other_numbers_are_an_error_that_names_the_range(count):
    with pytest.raises(SimulationError, match=f"20 to 60 objects, not {count}"):
        make_room(1, count)


def test_full_rooms_have_several_of_a_kind_close_together():
    pairs = 0
    for seed in range(4):
        things = [item for item in make_room(seed, 60).objects if not item.on_wall]
        for a, b in itertools.combinations(things, 2):
            pairs += a.label == b.label and 0.0 < gap_m(a.box, b.box) < 0.1
    assert pairs >= 12


def test_things_stand_on_all_boards_of_a_shelf():
    boards = set()
    for seed in range(10):
        room = make_room(seed, 60)
        for item in room.objects:
            if item.supported_by and room.get_object(item.supported_by).label == "shelf":
                boards.add(round(item.box.bottom_z, 3))
    assert boards == {0.3, 0.7, 1.1}


def test_chairs_have_different_colors_and_one_is_black():
    chairs = [item for item in make_room(1).objects if item.label == "chair"]
    assert [item.color for item in chairs].count("black") == 1
    assert len({item.color for item in chairs}) >= 4


def test_an_unknown_id_is_an_error_that_names_the_range():
    with pytest.raises(SimulationError, match=r"no object 999 .* go from 1 to"):
        make_room(1).get_object(999)
