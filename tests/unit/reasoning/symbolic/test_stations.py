"""Sides seen by somebody who stands nobody knows where: in rooms 6 m square, without a camera."""

from __future__ import annotations

from scenemind.memory import MapObject
from scenemind.reasoning.method import GroundReply
from scenemind.reasoning.symbolic.expressions import ground_expression
from scenemind.reasoning.symbolic.scene import Scene
from tests.unit.reasoning.scene import Triple, query, snapshot_of, thing

CHAIR_M: Triple = (0.5, 0.5, 1.0)
WALLS = [
    thing(90 + k, "wall", center, size)
    for k, (center, size) in enumerate(
        [
            ((-3.0, 0.0, 1.0), (0.1, 6.0, 2.0)),
            ((3.0, 0.0, 1.0), (0.1, 6.0, 2.0)),
            ((0.0, -3.0, 1.0), (6.0, 0.1, 2.0)),
            ((0.0, 3.0, 1.0), (6.0, 0.1, 2.0)),
        ]
    )
]


def found(text: str, *things: MapObject) -> GroundReply:
    scene = Scene(snapshot_of([*things, *WALLS], camera=None))
    return ground_expression(query(text), scene)


def chair(object_id: int, x: float, y: float) -> MapObject:
    return thing(object_id, "chair", (x, y, 0.5), CHAIR_M)


def test_things_at_a_wall_are_seen_from_the_room() -> None:
    desk = thing(1, "desk", (0.0, 2.5, 0.4), (1.0, 0.8, 0.8))
    left, right = chair(2, -1.2, 2.5), chair(3, 1.2, 2.5)
    assert found("the chair to the left of the desk", desk, left, right).objects[0] == left
    assert found("the chair on the right", desk, left, right).objects[0] == right


def test_in_the_middle_of_the_room_no_side_is_the_left() -> None:
    table = thing(1, "table", (0.0, 0.0, 0.4), (0.8, 0.8, 0.8))
    around = [chair(2, -1.0, 0.0), chair(3, 1.0, 0.0), chair(4, 0.0, 1.0), chair(5, 0.0, -1.0)]
    reply = found("the chair to the left of the table", table, *around)
    assert max(reply.confidences) < 1.5 * min(reply.confidences)
    assert len(reply.objects) == len(around)


def test_all_sides_are_seen_from_one_place() -> None:
    """From wherever "left" is, "in front of" is."""
    desk = thing(1, "desk", (0.0, 2.0, 0.4), (1.0, 0.6, 0.8))
    front_left, behind_left = chair(2, -0.9, 1.1), chair(3, -0.9, 2.7)
    said = "the chair is to the left of the desk and in front of the desk"
    assert found(said, desk, front_left, behind_left).objects[0] == front_left
