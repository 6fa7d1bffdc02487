"""Which frames of a film are shown."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory import FrameIndex
from scenemind.reasoning.vlm_grounder.candidates import all_candidates
from scenemind.reasoning.vlm_grounder.preselection import frames_to_show

from .film import Seen, Shot, index_of

CHAIR = Seen("chair", 1)


def shown(index: FrameIndex, most: int = 100, *, with_all: bool = False) -> list[int]:
    return frames_to_show(index, all_candidates(index, 0.2), most, with_all=with_all).tolist()


def test_frames_that_show_nothing_of_it_are_left_out_unless_all_may() -> None:
    index = index_of([Shot(0.0), Shot(1.0, (CHAIR,)), Shot(2.0), Shot(3.0, (CHAIR,))])
    assert shown(index) == [1, 3]
    assert shown(index, with_all=True) == [0, 1, 2, 3]


def test_of_neighbours_that_look_the_same_the_best_stays() -> None:
    near = [Shot(0.03 * n, (CHAIR._replace(score=0.5 + 0.1 * n),)) for n in range(3)]
    turned = Shot(0.06, (CHAIR,), turn_rad=0.5)
    assert shown(index_of([*near, turned, Shot(5.0, (CHAIR,))])) == [2, 3, 4]


def test_a_camera_that_creeps_on_is_followed() -> None:
    index = index_of([Shot(0.01 * n, (CHAIR,)) for n in range(101)])  # 1 m
    assert 9 <= len(shown(index)) <= 12


def test_what_comes_before_a_camera_that_stands_still_is_shown() -> None:
    standing = [Shot(0.0, (CHAIR,)), Shot(0.0, (CHAIR, Seen("cup", 2))), Shot(0.0, (CHAIR,))]
    assert shown(index_of(standing)) == [0, 1, 2]


def test_slivers_at_the_edge_are_shown_only_of_what_is_seen_nowhere_else() -> None:
    whole, sliver = Seen("chair", 1), Seen("chair", 1, x_px=-14.0)  # 6 of 160 pixels are left
    index = index_of([Shot(0.0, (sliver,)), Shot(1.0, (whole,)), Shot(2.0, (sliver,))])
    assert shown(index) == [1]
    assert shown(index, with_all=True) == [0, 1, 2]
    cut = whole._replace(x_px=5.0)  # half of it
    other, unknown = sliver._replace(object_id=2), sliver._replace(object_id=0)
    shots = [Shot(1.0 * n, (seen,)) for n, seen in enumerate((whole, cut, other, unknown))]
    assert shown(index_of(shots)) == [0, 1, 2, 3]
    assert shown(index_of([Shot(0.0, (sliver, Seen("chair", 3))), Shot(1.0, (whole,))])) == [0, 1]


def test_too_many_frames_are_spread_over_locations_and_objects() -> None:
    # Four locations of ten frames; the last frame of each shows the chair best, and one chair is
    # in a single frame, where it is small.
    shots = [
        Shot(1.0 * (10 * place + n), (CHAIR._replace(object_id=place, side_px=10.0 + n),), place)
        for place in range(1, 5)
        for n in range(10)
    ]
    shots[13] = shots[13]._replace(seen=(*shots[13].seen, Seen("chair", 9, 0.3, 5.0)))
    index = index_of(shots)
    assert shown(index, 5) == [9, 13, 19, 29, 39]
    assert len(shown(index, 17)) == 17


def test_equal_frames_without_anything_are_spread_over_locations() -> None:
    index = index_of([Shot(1.0 * n, (), n // 10) for n in range(40)])
    rows = shown(index, 8, with_all=True)
    assert sorted(index.location_ids[rows].tolist()) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_nothing_to_show() -> None:
    assert shown(index_of([Shot(0.0)])) == []


@given(
    st.lists(
        st.tuples(
            st.floats(0.0, 3.0),
            st.lists(st.tuples(st.integers(0, 3), st.floats(0.0, 1.0)), max_size=3),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 12),
    st.booleans(),
)
def test_what_is_shown_is_in_order_bounded_and_has_candidates(
    film: list, most: int, with_all: bool
) -> None:
    film.sort(key=lambda shot: shot[2])  # locations follow each other
    index = index_of(
        [Shot(x, tuple(Seen("c", i, score) for i, score in seen), place) for x, seen, place in film]
    )
    rows = shown(index, most, with_all=with_all)
    assert rows == sorted(set(rows))
    assert len(rows) <= most
    if not with_all:
        assert set(rows) <= set(index.detection_frames[index.detection_scores > 0.2].tolist())
    if with_all or np.any(index.detection_scores > 0.2):
        assert rows
