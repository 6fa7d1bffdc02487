"""Corrections as people say them: the same meaning in many forms, and what means none."""

from __future__ import annotations

import pytest

from scenemind.reasoning import Query, ReasoningError, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.reasoning.symbolic.command_syntax import (
    AddRelation,
    Command,
    DeleteObject,
    IsA,
    IsAt,
    Merge,
    Rename,
    SetAttribute,
    Split,
    Undo,
)
from scenemind.reasoning.symbolic.commands import parse_command, parse_commands
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase, ObjectNumber, Related

from ..scene import SmallMemory, query, room_memory

IT = Marked()
CUP, TABLE = NounPhrase("cup", True), NounPhrase("table", True)
ON_TABLE = Related("on", (TABLE,))
NUMBERED = (ObjectNumber(4), ObjectNumber(9))

SAME_MEANING: dict[str, tuple[Command, tuple[str, ...]]] = {
    "what is pointed at has a name": (
        Rename(IT, "toolbox"),
        (
            "nope, toolbox",
            "Toolbox, not microwave.",
            "Not a microwave - a toolbox.",
            "this should be a toolbox",
            "this is our toolbox",
            "what you're seeing there is a toolbox",
            "a toolbox is what this is",
            "it's a toolbox that stands there",
            "it's really a toolbox you're looking at",
            "this thing here? it's a toolbox",
            "that isn't a microwave at all, it's a toolbox",
            "there's a toolbox here, not a microwave",
            "can you relabel that as a toolbox?",
            "please mark this one as a toolbox",
            "the correct label is toolbox",
            "fix the label here: toolbox",
            "I can see why you'd think so, but it's a toolbox",
            "that would be a toolbox",
            "that's one of our toolboxes",
            "I believe you mean toolbox",
        ),
    ),
    "what the robot calls otherwise": (
        Rename(CUP, "mug"),
        (
            "the cup should be labelled mug",
            "the cup you detected is a mug",
            "the object labelled as cup is a mug",
            "what you think is a cup is really a mug",
            "the cup isn't a cup, it's a mug",
            "the cup? that's a mug",
            "I don't own a cup, that's a mug",
            "there isn't a cup, there is a mug",
            "you mislabelled the mug as a cup",
            "you got the cup wrong: it's a mug",
            "replace cup with mug",
            "the cup's a mug",
        ),
    ),
    "what stands somewhere": (
        Rename(NounPhrase("cup", True, conditions=(ON_TABLE,)), "mug"),
        (
            "there's a mug on the table, not a cup",
            "on the table you'll find a mug, not a cup",
            "the table has a mug on it, not a cup",
            "that cup on the table? it's a mug",
            "the cup that stands on the table is a mug",
        ),
    ),
    "a colour": (
        SetAttribute(CUP, "color", "grey"),
        (
            "the cup isn't red. It's grey",
            "the cup is more grey than red",
            "the cup's grey",
            "the right colour for the cup is grey",
            "set the cup's colour to grey",
            "the cup is grey in colour",
            "your colour for the cup is wrong. It's grey",
            "I painted the cup grey",
        ),
    ),
    "a colour of what is pointed at": (
        SetAttribute(IT, "color", "grey"),
        (
            "grey, not red",
            "should be grey",
            "the correct color is grey",
            "that's more of a grey",
            "it's a grey one",
            "wrong colour - it's grey",
            "you've got the colour wrong; it's grey",
            "its colour's off. It should be grey",
        ),
    ),
    "a material": (
        SetAttribute(IT, "material", "wood"),
        (
            "it's made of wood, not of glass",
            "wood, not metal",
            "it's made entirely out of wood",
            "the material's wood",
            "it isn't plastic, it's wood",
        ),
    ),
    "a shape": (
        SetAttribute(IT, "shape", "round"),
        ("it's round-shaped", "it's more of a round shape", "I'd describe it as round"),
    ),
    "one thing": (
        Merge((IT,), "chair"),
        (
            "that's one chair, not two",
            "you counted that chair twice",
            "they're both part of the same chair",
            "there's only one chair here, you've counted it twice",
            "that's just one chair you've split into two",
            "both of those are the same chair",
        ),
    ),
    "one thing by numbers": (
        Merge(NUMBERED),
        (
            "4 and 9 are duplicates",
            "object 4 is a duplicate of object 9",
            "object 4 is just object 9 again",
            "please combine 4 and 9 into one",
            "there's only one chair. Merge 4 and 9",
        ),
    ),
    "several things": (
        Split(IT, 2, "chairs"),
        (
            "that's two chairs, not one",
            "this is a pair of chairs",
            "you merged two chairs into one",
            "there are actually two chairs here, not one",
            "split that up, it's two chairs",
            "separate these two chairs",
            "these are two chairs, you lumped them together",
        ),
    ),
    "nothing": (
        DeleteObject(IT),
        (
            "nothing there",
            "you made this up",
            "that's a false detection",
            "that's not a chair, there's nothing there",
            "please remove that one, it doesn't exist",
            "this isn't actually there",
        ),
    ),
    "nothing, by its number": (
        DeleteObject(ObjectNumber(12, "chair")),
        (
            "chair 12 isn't real, please delete it",
            "there is no chair with number 12",
            "I only have two chairs, chair 12 doesn't exist",
            "you imagined chair 12",
        ),
    ),
    "a place": (
        AddRelation(CUP, "on", TABLE),
        (
            "the cup's on the table",
            "the cup is sitting right on top of the table",
            "the cup isn't floating in the air, it's on the table",
            "the cup is supported by the table",
            "the table has the cup on it",
            "I put the cup on the table",
        ),
    ),
    "not so": (
        Undo(),
        (
            "no, that's not right, undo it",
            "scratch that",
            "change it back",
            "please reverse the last change",
            "undo what you just did",
            "oops, revert that please",
        ),
    ),
}
CORES = (
    "this is a stool",
    "the cup is red",
    "the cup is on the table",
    "these are the same chair",
    "chair 4 does not exist",
    "object 4 is two chairs",
)


@pytest.mark.parametrize("meaning", SAME_MEANING)
def test_the_same_is_said_in_many_forms(meaning: str) -> None:
    command, texts = SAME_MEANING[meaning]
    assert {text: parse_command(text) for text in texts} == dict.fromkeys(texts, command)


@pytest.mark.parametrize(
    "around",
    [
        "no, {}",
        "nope - {}",
        "actually, {}",
        "I'm pretty sure that {}",
        "could you please note that {}?",
        "for the record, {}",
        "just so you know: {}",
        "you got that wrong: {}",
        "that's not right. {}",
        "sorry, but {}, thanks",
        "hey robot, I think {}",
        "{}, please remember that",
        "{}, as far as I know",
        "{}, isn't it?",
    ],
)
def test_what_is_said_around_changes_nothing(around: str) -> None:
    for core in CORES:
        assert parse_commands(around.format(core)) == parse_commands(core)


@pytest.mark.parametrize(
    "around",
    [
        "I don't think {}",
        "I doubt that {}",
        "I'm not sure that {}",
        "I wonder whether {}",
        "if {}, I am a robot",
        "it is not true that {}",
        "you said that {}",
        "my friend says {}",
        "imagine {}",
        "I wish {}",
        "do you know whether {}?",
        "maybe {}",
        "{}?",
        "who says that {}?",
        "yeah right, {}",
    ],
)
def test_what_turns_the_sense_is_not_understood(around: str) -> None:
    for core in CORES:
        with pytest.raises(ReasoningError) as error:
            parse_commands(around.format(core))
        assert error.value.failure.code == "not_understood"


@pytest.mark.parametrize(
    "text",
    [
        # questions
        "is this a toolbox?",
        "isn't this a toolbox?",
        "this is a toolbox?",
        "could this be a toolbox?",
        "are these the same chair?",
        "should I delete object 4?",
        "did you delete object 4?",
        "what colour is the sofa?",
        "do you know the sofa is red?",
        # remarks
        "that's a good idea",
        "this is a joke",
        "that's a mistake",
        "this is a bit strange",
        "it's a pity",
        "this is our kitchen",
        "this room is red",
        "I like the red cup",
        "we have a dog",
        "there is a problem",
        "I have two cats",
        "one more chair",
        "two more chairs please",
        "the sofa was red",
        "the sofa will be red",
        "there was a sofa here",
        "the cup should be on the table",
        "this looks like a toolbox",
        "you call this a toolbox",
        "nobody calls this a toolbox",
        "some chairs are red",
        "most chairs are red",
        "one chair is red",
        "the cup is sometimes red",
        "there is no hurry",
        "it's all one to me",
        # small talk
        "hello there",
        "good morning robot",
        "thanks a lot",
        "no, thanks",
        "okay, cool",
        "forget it",
        "yeah right, a toolbox",
        "oh great, a toolbox?",
        # orders of another kind
        "no, go back",
        "bring me the cup",
        "clear the table",
        "take the cup away",
        "put the cup back",
        "turn off the laptop",
        "bring it back",
        "ignore it",
        "merge everything",
        "delete everything",
        "join us",
        "call me Anna",
        # denials
        "this isn't a toolbox",
        "not a toolbox",
        "no chair is red",
        "nothing is red",
        "none of these are chairs",
        "nobody owns the sofa",
        "this is not only a toolbox",
        "this is not just red",
        "don't rename the sofa to bench",
        "never delete object 4",
        "please don't merge 4 and 5",
        "4 and 5 are not the same chair",
        "this is a toolbox or a chest",
        "this can't be a toolbox",
        "this is about as red as I am",
        "it's a chair, it's a table",
        "same chair, two chairs",
        "the laptop is no cup, and the cup is no laptop",
    ],
)
def test_what_corrects_nothing_writes_nothing(text: str, untouched: SmallMemory) -> None:
    router = Router(untouched, dialogues=Dialogues(1, 6))
    for marked in ((), (8,)):
        router.align(Query(text, marked_object_ids=marked, dialogue_id="a"), by="Ada")
        assert untouched.corrections() == []


@pytest.fixture(scope="module")
def untouched() -> SmallMemory:
    """One for all who write nothing."""
    return room_memory()


@pytest.mark.parametrize(
    ("text", "marked", "name", "attributes"),
    [
        ("it's a brown sofa", 8, "sofa", {"color": "brown"}),
        ("this is a wooden sofa", 8, "sofa", {"material": "wooden"}),
        ("this is a round bench", 8, "bench", {"shape": "round"}),
        ("this is a metal cabinet", 7, "metal cabinet", {}),
        ("this is a paper towel", 10, "paper towel", {}),
    ],
)
def test_a_name_and_what_is_no_part_of_it(
    text: str, marked: int, name: str, attributes: dict[str, str]
) -> None:
    memory = room_memory()
    done = Router(memory).align(query(text, marked_object_ids=(marked,)), "Ada")
    assert done.failure is None
    thing = memory.snapshot().objects[marked]
    assert thing.label == name
    before = room_memory().snapshot().objects[marked].attributes
    assert thing.attributes == {**before, **attributes}


def test_words_before_a_noun_may_be_a_part_of_the_name() -> None:
    assert parse_command("this is a red cup") == IsA(IT, "red cup", "cup", (("color", "red"),))


def test_what_stands_somewhere_may_be_news() -> None:
    place = NounPhrase("", True, conditions=(ON_TABLE,))
    assert parse_command("there is a lamp on the table") == IsAt(place, "lamp")


def test_another_thing_than_the_one_that_was_named_is_not_deleted() -> None:
    memory = room_memory()
    done = Router(memory).align(query("there is no cup there", marked_object_ids=(8,)), "Ada")
    assert done.failure is not None
    assert 'is not called "cup"' in done.response
    assert memory.corrections() == []
