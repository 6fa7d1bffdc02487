"""What is nearly so, where nothing is so to the letter: rooms of a few chairs and tables."""

from __future__ import annotations

import pytest

from scenemind.language.trees import HasAttribute, NounPhrase
from scenemind.reasoning import ReasoningError, Router
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scene
from tests.unit.reasoning.scene import SmallMemory, query, snapshot_of, thing


def chairs(*colours: str) -> Scene:
    things = [
        thing(k, "chair", (3.0 * k, 0, 0.5), (0.5, 0.5, 1.0), color=colour)
        for k, colour in enumerate(colours)
    ]
    return Scene(snapshot_of(things))


RED = NounPhrase("chair", definite=True, conditions=(HasAttribute("color", "red"),))


@pytest.mark.parametrize(
    ("colours", "rows"),
    [
        (("blue", "orange"), [1]),
        (("red", "orange"), [0]),
        (("blue", "green"), []),
    ],
)
def test_a_colour_that_cameras_take_for_another_is_near_it(
    colours: tuple[str, ...], rows: list[int]
) -> None:
    at = Resolver(chairs(*colours), query(""))
    assert at.rows(RED).rows.tolist() == rows
    assert at.took_near_matches == (rows == [1])
    assert (at.rows(RED).scores <= (0.7 if rows == [1] else 1.0)).all()


def test_near_matches_are_for_what_is_said_to_be_there() -> None:
    orange = chairs("orange")
    any_red = NounPhrase("chair", conditions=RED.conditions)
    assert not len(Resolver(orange, query("")).rows(any_red))
    assert not len(Resolver(orange, query("", policy="strict")).rows(RED))
    for other in (HasAttribute("material", "wooden"), HasAttribute("state", "open")):
        said = NounPhrase("chair", definite=True, conditions=(other,))
        assert not len(Resolver(orange, query("")).rows(said))
    assert not len(Resolver(chairs(""), query("")).rows(RED))  # its colour is not known
    no_lamp = NounPhrase("lamp", definite=True, conditions=RED.conditions)
    with pytest.raises(ReasoningError, match="no lamp"):
        Resolver(orange, query("")).existing(no_lamp)


@pytest.mark.parametrize(("size", "row"), [("small", 0), ("large", 1)])
def test_of_two_the_smaller_is_the_small_one(size: str, row: int) -> None:
    tables = [
        thing(k, "table", (4.0 * k, 0, 0.4), (length, 0.5, 0.5), size="medium")
        for k, length in enumerate((1.0, 2.0))
    ]
    at = Resolver(Scene(snapshot_of(tables)), query(""))
    said = HasAttribute("size", size)
    assert at.single(NounPhrase("table", definite=True, conditions=(said,))) == row


def test_a_picture_is_over_what_stands_before_its_wall() -> None:
    """0.1 m behind it, and not 0.8 m beside it."""
    room = [
        thing(1, "tv", (0, 0, 1.0), (0.8, 0.1, 0.5)),
        thing(2, "picture", (0, 0.2, 1.8), (0.6, 0.04, 0.5)),
        thing(3, "picture", (1.5, 0.2, 1.8), (0.6, 0.04, 0.5)),
    ]
    found = Router(SmallMemory(snapshot_of(room))).ground(query("the picture over the tv"))
    assert [one.object_id for one in found.objects] == [2]


@pytest.mark.parametrize("text", ["delete the cup in the table", "delete the jar above the table"])
def test_what_only_nearly_holds_is_no_ground_to_delete_a_thing(text: str) -> None:
    """Nearly inside, 0.15 m beside it; and nearly above, 0.65 m beside it."""
    room = [
        thing(1, "table", (0, 0, 0.4), (1.2, 0.8, 0.8)),
        thing(2, "cup", (0.8, 0, 0.85), (0.1, 0.1, 0.1)),
        thing(3, "jar", (0, 1.1, 1.6), (0.1, 0.1, 0.1)),
    ]
    answer = Router(SmallMemory(snapshot_of(room))).align(query(text), by="Ann")
    assert not answer.correction_ids
    assert "table. Delete it?" in answer.response
