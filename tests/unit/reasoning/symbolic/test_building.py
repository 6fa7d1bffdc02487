"""Floors, walls and ceilings in questions: things to refer to, and no objects."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.geometry import Box3D
from scenemind.memory import Edit
from scenemind.reasoning import Answer, Router
from scenemind.reasoning.symbolic.building import gaps_to_turned_m

from ..scene import ATTACHED, BUILDING, ROOM, SmallMemory, query, snapshot_of, thing

OBJECTS = (*ROOM, *ATTACHED)


def memory() -> SmallMemory:
    return SmallMemory(snapshot_of(OBJECTS, structure=BUILDING))


def ask(text: str) -> Answer:
    return Router(memory()).ask(query(text))


@pytest.mark.parametrize(
    ("text", "ids", "said"),
    [
        ("what is hanging on the wall?", [11], "A picture (object 11) is hanging on the wall."),
        ("what is mounted on the wall?", [12], "A tv (object 12) is mounted on the wall."),
        ("what is on the wall?", [11, 12], "are on the wall."),
        ("what is affixed on the wall?", [11], "but a picture (object 11) is hanging on the wall."),
        ("what is on the floor?", [1, 4, 5, 6, 7, 8], "are on the floor."),
        ("what is under the ceiling?", [13], "A ceiling light (object 13) is below the ceiling."),
        ("what hangs on the wall next to the sofa?", [11], "hanging on the wall next to the sofa."),
        ("is the picture hanging on the wall?", [11], "Yes, the picture (object 11) is hanging on"),
        ("is the tv hanging on the wall?", [12], "No, the tv (object 12) is not hanging on the"),
        ("where is the picture?", [11], "is hanging on wall -3, at x -3.1, y 0.5, 1.6 m above"),
        ("how far is the table from the wall?", [1], "is 2.38 m from wall -3."),
        ("how far is the table from the ceiling?", [1], "is 1.75 m from the ceiling."),
        ("how high is the ceiling?", [], "The ceiling is 2.51 m above the floor."),
        ("how big is the ceiling?", [], "is 8.00 m by 8.00 m, 2.51 m above the floor."),
        ("which wall is the tv on?", [12], "The tv (object 12) is on wall -2."),
        ("what is the sofa standing on?", [8], "The sofa (object 8) is on the floor."),
        ("what is on the left wall?", [11], "A picture (object 11) is on the leftmost wall."),
        ("how many walls are there?", [], "There are 2 walls: wall -3 and wall -2."),
        ("how far is the sofa from wall -2?", [8], "is 0.68 m from wall -2."),
        ("what is on wall -3?", [11], "A picture (object 11) is on wall -3."),
        ("is there a ceiling?", [], "Yes, there is a ceiling."),
        ("how many objects are there?", list(range(1, 14)), "There are 13 objects."),
        ("what is near the wall?", [7, 8], "A sofa (object 8) and a shelf (object 7) are near the"),
        ("which object is closest to the floor?", [1], "is a dining table (object 1)"),
    ],
)
def test_answers(text: str, ids: list[int], said: str) -> None:
    answer = ask(text)
    assert answer.failure is None
    assert said in answer.text
    assert sorted(obj.object_id for obj in answer.objects) == ids


@pytest.mark.parametrize(
    ("phrase", "ids"),
    [
        ("the picture on the wall", [11]),
        # Whoever speaks of the tv hanging on the wall knows that there is one.
        ("the tv hanging on the wall", [12]),
        ("the light on the ceiling", [13]),
        ("the sofa near the wall", [8]),
    ],
)
def test_phrases(phrase: str, ids: list[int]) -> None:
    grounding = Router(memory()).ground(query(phrase))
    assert [obj.object_id for obj in grounding.objects] == ids


def test_a_wall_that_is_also_detected_counts_once_and_carries_as_well() -> None:
    detected = thing(20, "wall", (0, 3.1, 1.25), (8, 0.05, 2.5))
    router = Router(SmallMemory(snapshot_of([*OBJECTS, detected], structure=BUILDING)))
    assert router.ask(query("how many walls are there?")).text.startswith("There are 2 walls")
    on_it = router.ask(query("what is on the wall?"))
    assert [obj.object_id for obj in on_it.objects] == [12, 11]


@pytest.mark.parametrize("text", ["the wall", "find the largest wall"])
def test_there_is_nothing_to_point_at_in_the_building(text: str) -> None:
    failure = Router(memory()).ground(query(text)).failure
    assert failure is not None
    assert failure.text == "That is a part of the building, and no object of the map."


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("picture 11 is on the wall", Edit("add_relation", (11, -3), "on")),
        ("picture 11 hangs on the wall", Edit("add_relation", (11, -3), "hanging on")),
        ("the picture hangs on the wall", Edit("add_relation", (11, -3), "hanging on")),
        ("the laptop is on the floor", Edit("add_relation", (3, -1), "on")),
        ("the shelf is mounted on the wall", Edit("add_relation", (7, -2), "mounted on")),
        ("the sofa stands on the floor", Edit("add_relation", (8, -1), "on")),
        ("the tv is not mounted on the wall", Edit("delete_relation", (12, -2), "mounted on")),
        ("the tv is on wall -3", Edit("add_relation", (12, -3), "on")),
    ],
)
def test_what_things_are_on_of_the_building_can_be_said(text: str, edit: Edit) -> None:
    small = memory()
    alignment = Router(small).align(query(text), "anna")
    assert alignment.failure is None
    assert [correction.edit for correction in small.corrections()] == [edit]
    assert alignment.object_ids == (edit.object_ids[0],)


def test_what_is_said_of_a_wall_is_answered() -> None:
    small = memory()
    router = Router(small)
    done = router.align(query("the tv is not on the wall"), "anna")
    assert done.response == "Now the tv (object 12) is not on wall -2."
    assert [c.edit.key for c in small.corrections()] == ["on", "mounted on"]
    assert router.ask(query("what is on wall -2?")).text.startswith("No object")
    router.align(query("the shelf is mounted on wall -2"), "anna")
    on_it = router.ask(query("what is on wall -2?"))
    assert on_it.text == "A shelf (object 7) is on wall -2."


@pytest.mark.parametrize(
    "text",
    ["the wall is red", "delete the floor", "wall -3 is a door", "the wall is on the picture"],
)
def test_the_building_is_not_corrected(text: str) -> None:
    failure = Router(memory()).align(query(text), "anna").failure
    assert failure is not None
    assert "only objects can be corrected" in failure.text


def test_distances_to_a_wall_that_runs_askew_are_to_its_face() -> None:
    """A wall through (2, 0) at 45 degrees; its axis-aligned hull would hold all three boxes."""
    wall = Box3D((2.0, 0.0, 1.0), (8.0, 0.0, 2.0), np.pi / 4)
    center = np.array([(2.0, 0.0, 0.5), (0.0, 0.0, 0.5), (0.0, 2.0, 0.5)])
    bounds = np.hstack((center - 0.1, center + 0.1))
    expected = [0.0, np.sqrt(2.0) - 0.1 * np.sqrt(2.0), np.sqrt(8.0) - 0.1 * np.sqrt(2.0)]
    assert gaps_to_turned_m(bounds, wall) == pytest.approx(expected)
