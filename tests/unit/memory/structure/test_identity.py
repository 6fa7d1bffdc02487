"""Planes that are measured again: which ids they get, and when they are new values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.geometry import Box3D
from scenemind.memory.structure.found_plane import FoundPlane
from scenemind.memory.structure.identity import CEILING_ID, FIRST_WALL_ID, FLOOR_ID, identified


def wall(x: float, y: float, length: float, yaw: float = 0.0, seen_m2: float = 5.0) -> FoundPlane:
    """Its middle is at (x, y), and it faces the left of its direction."""
    normal = (-float(np.sin(yaw)), float(np.cos(yaw)), 0.0)
    return FoundPlane("wall", Box3D((x, y, 1.2), (length, 0.02, 2.4), yaw), normal, seen_m2)


FLOOR = FoundPlane("floor", Box3D((0.0, 0.0, 0.0), (5.0, 4.0, 0.02)), (0.0, 0.0, 1.0), 15.0)
CEILING = FoundPlane("ceiling", Box3D((0.0, 0.0, 2.5), (5.0, 4.0, 0.02)), (0.0, 0.0, -1.0), 9.0)
SOUTH, NORTH = wall(0.0, -2.0, 5.0), wall(0.0, 2.0, 5.0, yaw=np.pi)


def ids(planes) -> list[int]:
    return [plane.plane_id for plane in planes]


def test_floor_and_ceiling_have_ids_of_their_own_and_walls_count_down():
    planes, next_id = identified([FLOOR, CEILING, SOUTH, NORTH], (), FIRST_WALL_ID)
    assert ids(planes) == [FLOOR_ID, CEILING_ID, FIRST_WALL_ID, FIRST_WALL_ID - 1]
    assert [p.kind for p in planes] == ["floor", "ceiling", "wall", "wall"]
    assert next_id == FIRST_WALL_ID - 2


def test_what_hardly_differs_is_the_very_value():
    before, next_id = identified([FLOOR, SOUTH], (), FIRST_WALL_ID)
    same = [replace(FLOOR, seen_m2=16.0), wall(0.01, -2.005, 5.02, seen_m2=5.5)]
    after, _ = identified(same, before, next_id)
    assert all(a is b for a, b in zip(after, before, strict=True))
    # A wall's line has no direction: half a turn of its box is no change.
    turned = replace(SOUTH, box=replace(SOUTH.box, yaw=np.pi))
    assert identified([FLOOR, turned], before, next_id)[0] == before


def test_a_wall_keeps_its_id_while_it_grows_and_moves():
    before, next_id = identified([SOUTH, NORTH], (), FIRST_WALL_ID)
    grown = [wall(0.0, 2.06, 5.0, yaw=np.pi), wall(0.6, -1.9, 6.5, yaw=0.05)]
    after, after_id = identified(grown, before, next_id)
    by_id = {p.plane_id: p for p in after}
    assert after_id == next_id
    assert by_id[FIRST_WALL_ID].box == grown[1].box
    assert by_id[FIRST_WALL_ID - 1].box == grown[0].box


def test_another_wall_is_new_and_ids_are_not_given_again():
    before, next_id = identified([SOUTH, NORTH], (), FIRST_WALL_ID)
    others = (
        wall(0.0, -1.6, 5.0),  # 0.4 m before the known one
        wall(6.0, -2.0, 5.0),  # beyond its end
        wall(0.0, -2.0, 5.0, yaw=np.pi),  # its other face
        wall(0.0, -2.0, 5.0, yaw=0.4),
    )
    for other in others:
        planes, _ = identified([other], before, next_id)
        assert ids(planes) == [next_id]
    gone, after_id = identified([SOUTH], before, next_id)
    again, _ = identified([SOUTH, NORTH], gone, after_id)
    assert ids(again) == [FIRST_WALL_ID, FIRST_WALL_ID - 2]


def test_of_two_halves_the_longer_keeps_the_id_and_of_two_that_join_the_longer_gives_it():
    whole, next_id = identified([SOUTH], (), FIRST_WALL_ID)
    halves, next_id = identified([wall(-2.0, -2.0, 1.0), wall(1.0, -2.0, 3.0)], whole, next_id)
    assert {p.plane_id: p.box.size[0] for p in halves} == {-3: 3.0, -4: 1.0}
    joined, _ = identified([SOUTH], halves, next_id)
    assert ids(joined) == [-3]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(-5.0, 5.0),
            st.floats(-5.0, 5.0),
            st.floats(0.8, 6.0),
            st.sampled_from((0.0, 0.3, np.pi / 2.0, np.pi)),
        ),
        max_size=8,
    ),
    st.lists(st.integers(0, 7), max_size=8),
)
def test_ids_are_always_different_and_the_order_of_what_is_found_does_not_matter(places, picks):
    walls = [wall(*place) for place in places]
    known, next_id = identified(walls, (), FIRST_WALL_ID)
    assert len(set(ids(known))) == len(walls)
    again = list(dict.fromkeys(walls[i] for i in picks if i < len(walls)))
    one, _ = identified(again, known, next_id)
    assert len(set(ids(one))) == len(again)
    if len(again) == len(set(walls)) == len(walls):
        assert ids(identified(walls, known, next_id)[0]) == ids(known)
