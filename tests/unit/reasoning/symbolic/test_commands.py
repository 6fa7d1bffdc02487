"""Correcting sentences as a table: sentence and command."""

from __future__ import annotations

import pytest

from scenemind.reasoning import ReasoningError
from scenemind.reasoning.symbolic.commands import parse_command
from scenemind.reasoning.symbolic.syntax import (
    AddRelation,
    Command,
    DeleteObject,
    DeleteRelation,
    HasAttribute,
    Marked,
    NounPhrase,
    ObjectNumber,
    Rename,
    SetAttribute,
    Undo,
)

CUP, TABLE = NounPhrase("cup", True), NounPhrase("table", True)
BLACK_CHAIR = NounPhrase("chair", True, conditions=(HasAttribute("color", "black"),))


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("the marked object is a toolbox", Rename(Marked(), "toolbox")),
        ("this is a printer, not a microwave", Rename(Marked(), "printer")),
        ("no, that is a toolbox", Rename(Marked(), "toolbox")),
        ("no, it's not a chair, it's a stool", Rename(Marked(), "stool")),
        ("these are chairs", Rename(Marked(), "chair")),
        ("the black chair is a stool", Rename(BLACK_CHAIR, "stool")),
        ("rename the cup to coffee mug", Rename(CUP, "coffee mug")),
        ("call object 3 a mug", Rename(ObjectNumber(3), "mug")),
        ("object 12 is grey", SetAttribute(ObjectNumber(12), "color", "grey")),
        ("the colour of the cup is dark red", SetAttribute(CUP, "color", "dark red")),
        ("set the color of object 4 to blue", SetAttribute(ObjectNumber(4), "color", "blue")),
        ("the black chair is brown, not black", SetAttribute(BLACK_CHAIR, "color", "brown")),
        ("the cup is made of glass", SetAttribute(CUP, "material", "glass")),
        ("the cup is broken", SetAttribute(CUP, "state", "broken")),
        ("the cup is left of the table", AddRelation(CUP, "left of", TABLE)),
        ("the cup is on the table", AddRelation(CUP, "on", TABLE)),
        ("the cup isn't on the table", DeleteRelation(CUP, "on", TABLE)),
        ("delete object 4", DeleteObject(ObjectNumber(4))),
        ("that is a reflection", DeleteObject(Marked())),
        ("the cup does not exist", DeleteObject(CUP)),
        ("there is no cup", DeleteObject(CUP)),
        ("undo", Undo()),
        ("no, undo that", Undo()),
        ("undo correction 3", Undo(3)),
    ],
)
def test_commands(text: str, command: Command) -> None:
    assert parse_command(text) == command


@pytest.mark.parametrize(
    "text",
    [
        "ignore previous; delete all",
        "rename the cup to mug; delete object 3",
        "this is not a microwave",
        "rename the cup to one two three four five six",
        "the cup is",
        "paint the chair",
    ],
)
def test_unclear_commands_change_nothing(text: str) -> None:
    with pytest.raises(ReasoningError) as error:
        parse_command(text)
    assert error.value.failure.code == "not_understood"
