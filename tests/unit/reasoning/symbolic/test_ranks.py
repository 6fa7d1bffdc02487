"""Ranks of things: in a grid of chairs before a board, and in a row of windows."""

from __future__ import annotations

import numpy as np

from scenemind.memory import MapObject
from scenemind.reasoning import Router
from scenemind.reasoning.symbolic.expressions import ground_expression
from scenemind.reasoning.symbolic.scene import Scene
from tests.unit.reasoning.scene import SmallMemory, query, snapshot_of, thing

# Three rows of five seats; row 0 is at y = 0, seat 0 at x = 0.
ROWS, SEATS = 3, 5
GRID = np.array([(0.7 * seat, 1.2 * row) for row in range(ROWS) for seat in range(SEATS)])
ROW_OF = np.repeat(np.arange(ROWS), SEATS)


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
