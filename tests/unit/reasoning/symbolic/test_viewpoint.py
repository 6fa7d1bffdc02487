"""The viewpoint that the words of a situation give."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic import SymbolicReasoner
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.viewpoint import find_viewpoint
from tests.unit.reasoning.scene import ROOM, SmallMemory, query, snapshot_of, thing

SCENE = Scene(snapshot_of(ROOM, camera=None))


def stand(situation: str) -> Viewpoint | None:
    return find_viewpoint(situation, SCENE)


def bearing_deg(viewpoint: Viewpoint, object_id: int) -> float:
    """Clockwise from where one looks."""
    x, y = SCENE.center[SCENE.row_of_id[object_id], :2] - viewpoint.position[:2]
    heading = math.atan2(viewpoint.ahead[1], viewpoint.ahead[0])
    return math.degrees(math.remainder(heading - math.atan2(y, x), 2.0 * math.pi))


@pytest.mark.parametrize(
    ("situation", "object_id", "expected_deg"),
    [
        ("I am facing the sofa.", 8, 0.0),
        ("I am opening the door.", 9, 0.0),
        ("I am standing with the sofa on my left and the shelf in front of me.", 8, -90.0),
        ("I am facing the shelf, while the door is behind me.", 9, 180.0),
        ("On my right is the sofa, and I look at the dining table.", 8, 90.0),
    ],
)
def test_things_lie_in_the_described_directions(
    situation: str, object_id: int, expected_deg: float
) -> None:
    viewpoint = stand(situation)
    assert viewpoint is not None
    off = math.remainder(bearing_deg(viewpoint, object_id) - expected_deg, 360.0)
    assert abs(off) < 50.0


def test_sitting_on_a_thing_gives_its_place() -> None:
    viewpoint = stand("I am sitting on the sofa and facing the dining table.")
    assert viewpoint is not None
    row = SCENE.row_of_id[8]
    assert (viewpoint.position[:2] >= SCENE.low[row, :2] - 1e-9).all()
    assert (viewpoint.position[:2] <= SCENE.high[row, :2] + 1e-9).all()
    assert abs(bearing_deg(viewpoint, 1)) < 30.0


def test_sitting_without_a_direction_faces_the_room() -> None:
    viewpoint = stand("I am sitting on the sofa.")
    assert viewpoint is not None
    middle = (SCENE.low[:, :2].min(axis=0) + SCENE.high[:, :2].max(axis=0)) / 2.0
    inward = middle - viewpoint.position[:2]
    assert inward @ viewpoint.ahead > 0.9 * np.linalg.norm(inward)


@pytest.mark.parametrize("situation", ["", "I am tired.", "I am facing the submarine."])
def test_words_that_name_nothing_here_tell_no_place(situation: str) -> None:
    assert stand(situation) is None


def test_the_heading_is_level_and_unit() -> None:
    viewpoint = stand("I face the door")
    assert viewpoint is not None
    assert np.linalg.norm(viewpoint.ahead) == pytest.approx(1.0)


def test_among_thousands_of_things_those_that_are_near_count() -> None:
    """One desk stands among many chairs: a person who faces it sits on a chair beside it."""
    chairs = [
        thing(10 + n, "chair", (1.5 * (n % 45), 1.5 * (n // 45), 0.45), (0.5, 0.5, 0.9))
        for n in range(2000)
    ]
    desk = thing(1, "desk", (30.75, 33.75, 0.4), (0.6, 0.6, 0.8))
    hall = Scene(snapshot_of([desk, *chairs], camera=None))
    text = "I am sitting on a chair and facing the desk."
    viewpoint = find_viewpoint(text, hall)
    assert viewpoint is not None
    offset = np.array(desk.box.center[:2]) - viewpoint.position[:2]
    assert np.linalg.norm(offset) < 2.0
    assert offset @ viewpoint.ahead > 0.9 * np.linalg.norm(offset)


@pytest.mark.parametrize("policy", ["strict", "balanced", "always_answer"])
@pytest.mark.parametrize(
    ("where", "side", "object_id"),
    [
        ("when facing the window", "left", 1),
        ("if I face the window", "left", 1),
        ("when standing at the door looking into the room", "left", 1),
        ("when you are looking at the window", "right", 2),
        ("with my back to the window", "left", 2),
        ("when you enter the room", "left", 1),
        ("when I come in through the door", "right", 2),
    ],
)
def test_all_wordings_see_from_where_the_asker_is(
    where: str, side: str, object_id: int, policy: str
) -> None:
    """A window in the east, a door in the west; chairs in the north (1) and in the south (2)."""
    memory = SmallMemory(
        snapshot_of(
            [
                thing(1, "chair", (1, 2, 0.5), (0.5, 0.5, 1.0)),
                thing(2, "chair", (1, -2, 0.5), (0.5, 0.5, 1.0)),
                thing(3, "window", (4, 0, 1.5), (0.1, 1.0, 1.0)),
                thing(4, "door", (-4, 0, 1.0), (0.1, 1.0, 2.0)),
            ],
            camera=None,
        )
    )
    reasoner = SymbolicReasoner(memory, RelationConfig())
    for text in (
        f"{where}, which chair is on the {side}?",
        f"which chair is on the {side} {where}?",
    ):
        reply = reasoner.ask(query(text, policy=policy), memory.snapshot())
        assert [thing.object_id for thing in reply.objects] == [object_id], text
    if policy != "strict":
        phrase = query(f"{where}, the chair on the {side}", policy=policy)
        found = reasoner.ground(phrase, memory.snapshot())
        assert found.objects[0].object_id == object_id
