"""Rows of things: a grid of chairs before a board, a row of windows, levels of cabinets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory import MapObject
from scenemind.reasoning import Router
from scenemind.reasoning.symbolic.expressions import find_match, ground_expression
from scenemind.reasoning.symbolic.ranks import Rows, level_scores
from scenemind.reasoning.symbolic.scene import Scene
from tests.unit.reasoning.scene import SmallMemory, query, snapshot_of, thing

# Three rows of five seats; row 0 is at y = 0, seat 0 at x = 0.
ROWS, SEATS = 3, 5
GRID = np.array([(0.7 * seat, 1.2 * row) for row in range(ROWS) for seat in range(SEATS)])
ROW_OF = np.repeat(np.arange(ROWS), SEATS)


def turned(points: np.ndarray, angle_rad: float) -> np.ndarray:
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    return points @ np.array(((c, s), (-s, c)))


@given(st.floats(-3.0, 3.0), st.randoms(use_true_random=False))
def test_rows_are_found_however_the_grid_is_turned(angle_rad: float, chance: object) -> None:
    noise = np.random.default_rng(chance.randint(0, 9)).normal(0.0, 0.02, GRID.shape)  # type: ignore[attr-defined]
    index = Rows(turned(GRID + noise, angle_rad)).index
    assert (index == ROW_OF).all() or (index == ROWS - 1 - ROW_OF).all()


def test_a_view_says_which_way_rows_follow_each_other() -> None:
    assert Rows(GRID, across=np.array((1.0, 0.1))).count == SEATS
    assert Rows(GRID, across=np.array((0.0, -1.0))).count == ROWS


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_wanted_row_scores_best(order: int) -> None:
    from_y_0 = Rows(GRID).ordered(-GRID[:, 1], order)
    assert set(np.flatnonzero(from_y_0 == 1.0)) == set(np.flatnonzero(order - 1 == ROW_OF))


def test_ends_and_middles_of_rows() -> None:
    rows = Rows(GRID)
    assert set(np.flatnonzero(rows.ends() == 1.0) % SEATS) == {0, SEATS - 1}
    assert set(np.flatnonzero(rows.middles() == 1.0) % SEATS) == {SEATS // 2}
    assert set(ROW_OF[rows.middle() == 1.0]) == {1}


def test_levels_count_from_the_top_or_the_bottom() -> None:
    heights = np.array((0.4, 0.41, 1.0, 1.8, 1.82))
    assert (level_scores(heights, 1, highest=True) == 1.0).tolist() == [0, 0, 0, 1, 1]
    assert (level_scores(heights, 2, highest=False) == 1.0).tolist() == [0, 0, 1, 0, 0]


def seat_of(text: str, *more: MapObject) -> tuple[int, int]:
    """Row and seat that a phrase means in a hall 8 m square; row 0 is next to the board, and for
    who faces the board seat 0 is on the left."""
    seats = [
        thing(100 + 10 * int(row) + number % SEATS, "chair", (x, y, 0.5), (0.5, 0.5, 0.9))
        for number, ((x, y), row) in enumerate(zip(GRID * (1, -1) - (1.4, 0), ROW_OF, strict=True))
    ]
    board = thing(1, "whiteboard", (0.0, 2.5, 1.5), (2.0, 0.1, 1.0))
    door = thing(2, "door", (1.4, -4.5, 1.0), (0.9, 0.1, 2.0))
    scene = Scene(snapshot_of([*seats, board, door, *more], camera=None))
    best = ground_expression(query(text), scene).objects[0].object_id
    return (best - 100) // 10, (best - 100) % 10


@pytest.mark.parametrize(
    ("text", "seat"),
    [
        ("facing the whiteboard, the second chair from the left in the front row", (0, 1)),
        ("facing the whiteboard, the fourth chair from the left in the second row", (1, 3)),
        ("facing the whiteboard, it is in the back row. it is the rightmost chair", (2, 4)),
        ("facing the whiteboard, the second chair from the right in the third row", (2, 3)),
        ("facing the whiteboard, the middle chair in the row closest to the door", (2, 2)),
        ("facing the whiteboard, the leftmost chair in the second row from the back", (1, 0)),
        ("facing the whiteboard, the front row of chairs, the one on the left", (0, 0)),
    ],
)
def test_a_seat_in_a_hall(text: str, seat: tuple[int, int]) -> None:
    assert seat_of(text) == seat


def test_what_people_face_is_at_the_front() -> None:
    assert {seat_of(f"the chair in the {row} row")[0] for row in ("front", "first")} == {0}
    assert seat_of("the chair in the back row")[0] == 2
    assert seat_of("the chair in the third row")[0] == 2


def test_by_itself_is_far_from_others_of_its_kind() -> None:
    single = thing(200, "chair", (-3.0, -3.5, 0.5), (0.5, 0.5, 0.9))
    assert seat_of("the chair by itself", single) == (10, 0)


def test_orders_count_from_a_thing_and_on_a_side() -> None:
    windows = [thing(10 + k, "window", (-2.0 + k, 3.0, 1.5), (0.6, 0.1, 1.0)) for k in range(5)]
    door = thing(2, "door", (-3.5, 2.0, 1.0), (0.1, 0.9, 2.0))
    table = thing(3, "table", (0.0, -3.0, 0.4), (1.0, 1.0, 0.8))
    scene = Scene(snapshot_of([*windows, door, table], camera=None))

    def found(text: str) -> int:
        return ground_expression(query(text), scene).objects[0].object_id

    assert found("the second window from the door") == 11
    assert found("it is the closest one to the door. it is a window") == 10
    assert found("facing the windows, the fourth window from the left") == 13
    assert found("facing the windows, the second window") == 11


@pytest.mark.parametrize(
    ("text", "chairs"),
    [
        ("the second chair from the right", {11, 23}),
        ("it is a chair. it is the fourth one from the left corner", {11, 23}),
        ("the middle chair", {12, 22}),
        ("the leftmost chair", {14, 20}),
    ],
)
def test_places_in_a_row_are_seen_from_where_there_is_more_room(
    text: str, chairs: set[int]
) -> None:
    """Five chairs along each of two walls, which people look at from the middle of the room."""
    east = [thing(10 + k, "chair", (2.5, 0.6 * k - 0.6, 0.5), (0.5, 0.5, 0.9)) for k in range(5)]
    west = [thing(20 + k, "chair", (-2.5, 0.6 * k - 1.2, 0.5), (0.5, 0.5, 0.9)) for k in range(5)]
    ends = [thing(k, "lamp", (0.0, y, 1.0), (0.2, 0.2, 1.8)) for k, y in ((1, 3.0), (2, -3.0))]
    scene = Scene(snapshot_of([*east, *west, *ends], camera=None))
    fits = find_match(query(text), scene).scores
    assert {scene.objects[row].object_id for row in np.argsort(-fits)[:2]} == chairs


def test_the_most_of_a_colour_is_the_plainest_shade_of_it() -> None:
    colours = {1: "dark red", 2: "red", 3: "blue", 4: "white and red"}
    cups = [thing(i, "cup", (0.5 * i, 0, 0), (0.1, 0.1, 0.1), color=c) for i, c in colours.items()]
    router = Router(SmallMemory(snapshot_of(cups)))

    def named(text: str) -> list[int]:
        return [found.object_id for found in router.ask(query(text)).objects]

    assert named("which cup is the reddest?") == [2]
    assert named("what colour is the bluest cup?") == [3]
    assert named("where is the whitest cup?") == [4]
    assert "Nothing in the memory fits" in str(router.ask(query("the greenest cup")))
