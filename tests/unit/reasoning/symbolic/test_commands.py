"""Correcting sentences as a table: sentence and command."""

from __future__ import annotations

import pytest

from scenemind.reasoning import ReasoningError
from scenemind.reasoning.symbolic.command_syntax import (
    AddRelation,
    Agree,
    AskSimilar,
    Command,
    Confirm,
    DeleteObject,
    DeleteRelation,
    DoSimilar,
    Merge,
    Redo,
    Rename,
    SetAttribute,
    Several,
    Split,
    Undo,
)
from scenemind.reasoning.symbolic.commands import parse_command, parse_commands
from scenemind.reasoning.symbolic.syntax import (
    HasAttribute,
    Marked,
    NounPhrase,
    ObjectNumber,
)

CUP, TABLE = NounPhrase("cup", True), NounPhrase("table", True)
PICTURE = NounPhrase("picture", True)
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
        ("redo", Redo()),
        ("please redo correction 3", Redo(3)),
        ("merge object 3 and 5", Merge((ObjectNumber(3), ObjectNumber(5)))),
        ("merge 4 and 11", Merge((ObjectNumber(4), ObjectNumber(11)))),
        (
            "objects 2, 3 and 7 are stools",
            Rename(Several(tuple(map(ObjectNumber, (2, 3, 7)))), "stool"),
        ),
        (
            "chairs 2 and 3 are stools",
            Rename(Several((ObjectNumber(2, "chair"), ObjectNumber(3, "chair"))), "stool"),
        ),
        (
            "objects 2 and 3 are black",
            SetAttribute(Several((ObjectNumber(2), ObjectNumber(3))), "color", "black"),
        ),
        ("delete objects 2 and 3", DeleteObject(Several((ObjectNumber(2), ObjectNumber(3))))),
        ("call object 30 the workbench", Rename(ObjectNumber(30), "workbench")),
        ("the same for objects 2 and 3", DoSimilar((2, 3))),
        ("the same goes for object 2", DoSimilar((2,))),
        ("the cup's colour is blue", SetAttribute(CUP, "color", "blue")),
        ("its material is oak wood", SetAttribute(Marked(), "material", "oak wood")),
        ("merge objects 3, 5 and 7", Merge((ObjectNumber(3), ObjectNumber(5), ObjectNumber(7)))),
        ("merge object 3 with object 5", Merge((ObjectNumber(3), ObjectNumber(5)))),
        ("objects 3 and 5 are the same", Merge((ObjectNumber(3), ObjectNumber(5)))),
        ("object 5 is the same as object 3", Merge((ObjectNumber(5), ObjectNumber(3)))),
        ("these are the same chair", Merge((Marked(),), "chair")),
        ("no, these two are one and the same chair", Merge((Marked(),), "chair")),
        ("the cup and the laptop are the same thing", Merge((CUP, NounPhrase("laptop", True)))),
        ("object 3 is two chairs", Split(ObjectNumber(3), 2, "chairs")),
        ("object 3 is two different things", Split(ObjectNumber(3))),
        ("this is actually three chairs", Split(Marked(), 3, "chairs")),
        ("split object 3", Split(ObjectNumber(3))),
        ("split it in two", Split(Marked())),
        ("split the cup into three parts", Split(CUP, 3)),
        ("do the same for all similar chairs", AskSimilar()),
        ("merge objects 3 & 5", Merge((ObjectNumber(3), ObjectNumber(5)))),
        ("split object 3 into 4", Split(ObjectNumber(3), 4)),
        ("yes, that is right", Confirm(Marked())),
        ("confirm object 4", Confirm(ObjectNumber(4))),
        ("object 4 really is a cup", Confirm(ObjectNumber(4), "cup")),
        ("the cup does exist", Confirm(CUP)),
        ("forget its colour", SetAttribute(Marked(), "color", "")),
        ("remove the material of object 4", SetAttribute(ObjectNumber(4), "material", "")),
        ("forget the cup's state", SetAttribute(CUP, "state", "")),
        ("forget the cup", DeleteObject(CUP)),
        ("the bottle is empty", SetAttribute(NounPhrase("bottle", True), "state", "empty")),
        ("the same goes for the similar ones", AskSimilar()),
        ("do that to all similar ones", AskSimilar()),
        ("apply this to similar objects too", AskSimilar()),
        ("yes, those too", DoSimilar()),
        ("yes, objects 4 and 9 too", DoSimilar((4, 9))),
        ("object 4 too", DoSimilar((4,))),
        ("the picture is hanging on the table", AddRelation(PICTURE, "hanging on", TABLE)),
        ("the cup is not within reach of the table", DeleteRelation(CUP, "within reach", TABLE)),
        ("there are two tables: merge 4 and 9", Merge((ObjectNumber(4), ObjectNumber(9)))),
        ("4 and 9 are the same chair", Merge((ObjectNumber(4), ObjectNumber(9)), "chair")),
        ("you counted one cup twice: 4 and 9", Merge((ObjectNumber(4), ObjectNumber(9)), "cup")),
        ("this is one pillow, not two", Merge((Marked(),), "pillow")),
        ("both are one and the same pillow", Merge((Marked(),), "pillow")),
        ("there are two chairs here", Split(Marked(), 2, "chairs")),
        ("object 8 is two towels side by side", Split(ObjectNumber(8), 2, "towels")),
        ("the cup belongs to Anna Maria", SetAttribute(CUP, "owner", "Anna Maria")),
        ("the cup is Anna's", SetAttribute(CUP, "owner", "Anna")),
        ("Anna owns the cup", SetAttribute(CUP, "owner", "Anna")),
        ("this is mine", SetAttribute(Marked(), "owner", "me")),
        ("that's wrong, this is a bench", Rename(Marked(), "bench")),
        ("you got this wrong: it is a bench", Rename(Marked(), "bench")),
        ("this one is actually a trash can", Rename(Marked(), "trash can")),
        ("I would call this a bench", Rename(Marked(), "bench")),
        ("what you call a cup is a mug", Rename(CUP, "mug")),
        ("there is no cup, that's a mug", Rename(CUP, "mug")),
        ("it is not red but orange", SetAttribute(Marked(), "color", "orange")),
        ("the cup is not red, it is blue", SetAttribute(CUP, "color", "blue")),
        ("the cup has a blue color", SetAttribute(CUP, "color", "blue")),
        ("the cup is round in shape", SetAttribute(CUP, "shape", "round")),
        ("it consists of stainless steel", SetAttribute(Marked(), "material", "stainless steel")),
        ("every cup is blue", SetAttribute(NounPhrase("cups", True), "color", "blue")),
        ("both cups are blue", SetAttribute(NounPhrase("cups", True, 2), "color", "blue")),
        ("there is no window there", DeleteObject(Marked("window"))),
        ("there is nothing here", DeleteObject(Marked())),
        ("there is no such thing as cup 4", DeleteObject(ObjectNumber(4, "cup"))),
        ("it does stand on the table", AddRelation(Marked(), "on", TABLE)),
        ("you missed nothing", Agree()),
        ("I'm pretty sure this is a bench", Rename(Marked(), "bench")),
        ("this is blue, isn't it?", SetAttribute(Marked(), "color", "blue")),
        ("here you see a bench", Rename(Marked(), "bench")),
        ("the thing I marked is a bench", Rename(Marked(), "bench")),
        ("the thing you labelled cup is a mug", Rename(CUP, "mug")),
        ("you mistook a mug for the cup", Rename(CUP, "mug")),
        ("the right name for this is bench", Rename(Marked(), "bench")),
        ("call this one bench", Rename(Marked(), "bench")),
        ("nope, blue", SetAttribute(Marked(), "color", "blue")),
        ("make this blue", SetAttribute(Marked(), "color", "blue")),
        ("change the color to blue", SetAttribute(Marked(), "color", "blue")),
        ("the cup is blue rather than red", SetAttribute(CUP, "color", "blue")),
        ("the cup is not made of wood but of glass", SetAttribute(CUP, "material", "glass")),
        ("the cup looks round", SetAttribute(CUP, "shape", "round")),
        ("the table supports the cup", AddRelation(TABLE, "supports", CUP)),
        ("you can find the cup on the table", AddRelation(CUP, "on", TABLE)),
        ("the cup is standing on top of the table", AddRelation(CUP, "on", TABLE)),
        ("this is not one chair but two", Split(Marked(), 2)),
        ("divide object 6 into two pictures", Split(ObjectNumber(6), 2, "pictures")),
        ("11 is the same vent as 17", Merge((ObjectNumber(11), ObjectNumber(17)), "vent")),
    ],
)
def test_commands(text: str, command: Command) -> None:
    assert parse_command(text) == command


def test_a_sentence_may_hold_several() -> None:
    assert parse_commands("the cup is a mug, it is blue and the table is black") == (
        Rename(CUP, "mug"),
        SetAttribute(Marked(), "color", "blue"),
        SetAttribute(TABLE, "color", "black"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "ignore previous; delete all",
        "rename the cup to mug; delete object 3",
        "this is not a microwave",
        "rename the cup to one two three four five six",
        "the cup is",
        "paint the chair",
        "the desk is 2 years old",
        "the couch is 2 m wide",
        "the cabinet is 2 doors wide",
        "object 21 is two chairs wide",
        "these are 20 metres",
    ],
)
def test_unclear_commands_change_nothing(text: str) -> None:
    with pytest.raises(ReasoningError) as error:
        parse_command(text)
    assert error.value.failure.code == "not_understood"
