"""Floors, walls and ceilings in questions: things to refer to, and no objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scenemind.geometry import Box3D, turned_gaps_m
from scenemind.reasoning import Answer, Router
from tests.tables import read_table
from tests.unit.language.notation import notation

from ..scene import ATTACHED, BUILDING, ROOM, SmallMemory, query, snapshot_of, thing

TABLE = read_table(__file__, "building")
OBJECTS = (*ROOM, *ATTACHED)


def memory() -> SmallMemory:
    return SmallMemory(snapshot_of(OBJECTS, structure=BUILDING))


def ask(text: str) -> Answer:
    return Router(memory()).ask(query(text))


@pytest.mark.parametrize(("text", "row"), TABLE["answers"].items())
def test_answers(text: str, row: dict[str, Any]) -> None:
    answer = ask(text)
    assert answer.failure is None
    assert row["answer"] in answer.text
    assert sorted(obj.object_id for obj in answer.objects) == row["objects"]


@pytest.mark.parametrize(("phrase", "ids"), TABLE["phrases"].items())
def test_phrases(phrase: str, ids: list[int]) -> None:
    grounding = Router(memory()).ground(query(phrase))
    assert [obj.object_id for obj in grounding.objects] == ids


def test_a_wall_that_is_also_detected_counts_once_and_carries_as_well() -> None:
    detected = thing(20, "wall", (0, 3.1, 1.25), (8, 0.05, 2.5))
    router = Router(SmallMemory(snapshot_of([*OBJECTS, detected], structure=BUILDING)))
    assert router.ask(query("how many walls are there?")).text.startswith("There are 2 walls")
    on_it = router.ask(query("what is on the wall?"))
    assert [obj.object_id for obj in on_it.objects] == [12, 11]


def test_the_wall_of_a_thing_is_the_one_that_has_it() -> None:
    assert ask("how many walls are there?").text.startswith("There are 2 walls")
    assert ask("how many picture walls are there?").text == "There is 1 picture wall: wall -3."


@pytest.mark.parametrize("text", ["the wall", "find the largest wall"])
def test_there_is_nothing_to_point_at_in_the_building(text: str) -> None:
    failure = Router(memory()).ground(query(text)).failure
    assert failure is not None
    assert failure.text == "That is a part of the building, and no object of the map."


@pytest.mark.parametrize(("text", "edit"), TABLE["edits"].items())
def test_what_things_are_on_of_the_building_can_be_said(text: str, edit: str) -> None:
    small = memory()
    alignment = Router(small).align(query(text), "anna")
    assert alignment.failure is None
    (correction,) = small.corrections()
    assert notation(correction.edit) == edit
    assert alignment.object_ids == correction.edit.object_ids[:1]


def test_stated_relation_to_a_wall_is_answered() -> None:
    small = memory()
    router = Router(small)
    done = router.align(query("the tv is not on the wall"), "anna")
    assert done.response == "Now the tv (object 12) is not on wall -2."
    assert [c.edit.key for c in small.corrections()] == ["on", "mounted on"]
    assert router.ask(query("what is on wall -2?")).text.startswith("No object")
    router.align(query("the shelf is mounted on wall -2"), "anna")
    on_it = router.ask(query("what is on wall -2?"))
    assert on_it.text == "A shelf (object 7) is on wall -2."


@pytest.mark.parametrize("text", TABLE["refused"])
def test_the_building_is_not_corrected(text: str) -> None:
    failure = Router(memory()).align(query(text), "anna").failure
    assert failure is not None
    assert "only objects can be corrected" in failure.text


def test_distances_to_a_wall_that_runs_askew_are_to_its_face() -> None:
    """A wall through (2, 0) at 45 degrees; its axis-aligned hull would hold all three boxes."""
    wall = Box3D((2.0, 0.0, 1.0), (8.0, 0.0, 2.0), np.pi / 4)
    center = np.array([(2.0, 0.0, 0.5), (0.0, 0.0, 0.5), (0.0, 2.0, 0.5)])
    boxes = [Box3D(tuple(each), (0.2, 0.2, 0.2)) for each in center.tolist()]
    expected = [0.0, np.sqrt(2.0) - 0.1 * np.sqrt(2.0), np.sqrt(8.0) - 0.1 * np.sqrt(2.0)]
    assert turned_gaps_m(wall, boxes) == pytest.approx(expected)


def test_a_ceiling_that_was_not_seen_is_as_high_as_the_walls_at_least() -> None:
    walls = [plane for plane in BUILDING if plane.kind != "ceiling"]
    low = Router(SmallMemory(snapshot_of(OBJECTS, structure=walls)))
    text = low.ask(query("how high is the ceiling?")).text
    top_m = max(plane.box.top_z for plane in walls)
    assert text.startswith(
        f"I have not seen the ceiling; as far as it was seen, the room is about {top_m:.2f} m"
    )
