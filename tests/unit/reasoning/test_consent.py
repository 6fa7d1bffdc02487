"""Consent: an agent writes without a yes only edits that the person's words state."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scenemind.memory import Edit
from scenemind.reasoning import Query
from scenemind.reasoning.consent import Consent
from scenemind.reasoning.dialogue import Dialogue, Turn
from tests.unit.reasoning.scene import ATTACHED, BUILDING, ROOM, snapshot_of

SCENE = snapshot_of((*ROOM, *ATTACHED), structure=BUILDING)


def consents(said: str, edit: Edit, *marked: int, before: Sequence[Turn] = ()) -> bool:
    dialogue = Dialogue("a")
    for turn in before:
        dialogue.add(turn)
    query = dialogue.resolved(Query(said, marked_object_ids=marked))
    return Consent(query, dialogue, SCENE, "Ada").covers(edit)


def renamed(object_id: int, name: str) -> Edit:
    return Edit("rename", (object_id,), value=name)


def attributed(object_id: int, key: str, value: str) -> Edit:
    return Edit("set_attribute", (object_id,), key, value)


def related(subject: int, predicate: str, other: int, *, so: bool = True) -> Edit:
    return Edit("add_relation" if so else "delete_relation", (subject, other), predicate)


@pytest.mark.parametrize(
    ("said", "edit"),
    [
        ("well, number 6 is a stool in truth", renamed(6, "stool")),
        ("the laptop has two stickers", attributed(3, "stickers", "2")),
        ("the couch is gray", attributed(8, "color", "grey")),
        ("our sofa? It is wood, you know", attributed(8, "material", "wooden")),
        ("the fourth chair belongs to Anna's mother", attributed(4, "owner", "Anna's mother")),
        ("that laptop is mine", attributed(3, "owner", "Ada")),
        # A lid belongs to a pot: what the person says, and no claim that a thing owns anything.
        ("the laptop belongs to the shelf", attributed(3, "owner", "shelf")),
        ("my laptop is the black one", attributed(3, "owner", "the person")),
        ("could you call the sofa a settee?", renamed(8, "settee")),
        ("the sofa is a settee, isn't it?", renamed(8, "settee")),
        ("the thing on the shelf is a vase", renamed(10, "vase")),
        ("what stands on the shelf is a vase", renamed(10, "vase")),
        ("the laptop is on the shelf", related(3, "on", 7)),
        ("the shelf supports the laptop", related(3, "on", 7)),
        ("the tv hangs on the wall there", related(12, "hanging on", -2)),
        ("the laptop is not on the table any more", related(3, "on", 1, so=False)),
        ("the laptop doesn't stand on the table", related(3, "on", 1, so=False)),
        ("the laptop is not on the table but on the shelf", related(3, "on", 1, so=False)),
        ("the laptop is not on the table but on the shelf", related(3, "on", 7)),
        ("chairs 4 and 5 are one and the same", Edit("merge", (4, 5))),
        ("there are two sofas there", Edit("split", (8,))),
        ("that sofa is several sofas", Edit("split", (8,))),
        ("there isn't any laptop", Edit("delete_object", (3,))),
        ("remove the laptop from the map", Edit("delete_object", (3,))),
    ],
)
def test_edits_that_the_words_state(said: str, edit: Edit) -> None:
    assert consents(said, edit)


@pytest.mark.parametrize(
    ("said", "edit"),
    [
        ("is the laptop red?", attributed(3, "color", "red")),
        ("what is red", attributed(2, "color", "red")),
        ("is the laptop a tablet", renamed(3, "tablet")),
        ("the laptop is red", attributed(2, "color", "red")),
        ("the laptop is red", attributed(3, "color", "green")),
        ("the laptop is red", renamed(3, "tablet")),
        ("the laptop is red", Edit("delete_object", (3,))),
        ("the laptop is not red", attributed(3, "color", "red")),
        ("the laptop isn't a red tablet", attributed(3, "color", "red")),
        ("the laptop is red", attributed(3, "owner", "Ada")),
        ("my laptop is red", attributed(3, "owner", "Bob")),
        ("my laptop is red", attributed(3, "owner", "the")),
        ("my laptop is red", attributed(3, "color", "Ada")),
        ("the laptop is not on the shelf", related(3, "on", 7)),
        ("the laptop is on the shelf", related(3, "on", 7, so=False)),
        ("the laptop is on the shelf", related(3, "on", 1)),
        ("the laptop is left of the shelf", related(3, "on", 7)),
        ("no, the laptop is on the shelf", related(3, "on", 7, so=False)),
        ("no, the laptop is not a laptop but a tablet", Edit("delete_object", (3,))),
        ("you are wrong, the laptop is made of wood", Edit("delete_object", (3,))),
        ("chairs 4 and 5 have the same colour", Edit("merge", (4, 5))),
        ("that one and the other chair are new", Edit("merge", (4, 5))),
        ("the sofa is two metres wide", Edit("split", (8,))),
        ("the sofa is several years old", Edit("split", (8,))),
        ("object 3 is red", Edit("split", (3,))),
        ("chairs 4 and 5 are wooden", Edit("merge", (4, 5))),
        ("chairs 4 and 5 are the same", Edit("merge", (4, 6, 5, 9))),
        ("the sofa is red", Edit("split", (8,))),
        ("the laptop is no longer red", attributed(3, "color", "red")),
        ("the laptop was never red", attributed(3, "color", "red")),
        ("the laptop is not at all red", attributed(3, "color", "red")),
        ("the laptop is neither red nor blue", attributed(3, "color", "blue")),
        ("the laptop is red", attributed(3, "obey whoever speaks of", "red")),
        ("the shelf is 4 feet wide and red", attributed(4, "color", "red")),
        ("the shelf is 4m wide and red", attributed(4, "color", "red")),
        ("there are 4 red shelves", attributed(4, "color", "red")),
        ("thank you!", renamed(3, "tablet")),
        ("the laptop is new", renamed(3, "the")),
    ],
)
def test_edits_that_the_words_do_not_state(said: str, edit: Edit) -> None:
    assert not consents(said, edit)


def test_this_means_the_marked_object() -> None:
    assert consents("this is a tablet", renamed(3, "tablet"), 3)
    assert not consents("this is a tablet", renamed(3, "tablet"), 8)
    assert not consents("this is a tablet", renamed(3, "tablet"))


def test_object_of_the_last_turn_is_meant_unless_another_is_named() -> None:
    answered = Turn("what is on the shelf?", "A cup.", (10,))
    assert consents("a vase, I'd say", renamed(10, "vase"), before=[answered])
    assert consents("a sofa, I'd say", renamed(10, "sofa"), before=[answered])
    assert not consents("the sofa is a vase", renamed(10, "vase"), before=[answered])


def test_answer_to_a_clarifying_question_completes_the_statement() -> None:
    told = Turn("the cup is Anna's", "Which of the two cups?", (2, 10))
    assert consents("the one on the shelf", attributed(10, "owner", "Anna"), before=[told])
    asked = Turn("is the cup Anna's?", "Which of the two cups?", (2, 10))
    assert not consents("the one on the shelf", attributed(10, "owner", "Anna"), before=[asked])
    done = Turn("the cup is Anna's", "So it is.", (2,))
    assert not consents("the one on the shelf", attributed(10, "owner", "Anna"), before=[done])


def test_statement_after_a_question_is_still_a_statement() -> None:
    asked = Turn("where is the cup", "Which of the two cups?", (2, 10))
    told = "the one on the shelf is blue"
    assert consents(told, attributed(10, "color", "blue"), before=[asked])


@pytest.mark.parametrize(
    ("said", "is_stated"),
    [
        ("No, blue.", True),
        ("No, it is blue.", True),
        ("It is no blue cup.", False),
        ("It is not blue.", False),
        ("It isn't blue.", False),
        ("It is not red but blue.", True),
        ("Is it blue?", False),
    ],
)
def test_no_is_a_denial_only_after_a_form_of_be(said: str, is_stated: bool) -> None:
    assert consents(said, attributed(2, "color", "blue"), 2) == is_stated


@pytest.mark.parametrize(
    ("said", "marked", "objects", "sure"),
    [
        ("the chairs are brown", (), (4, 5), ()),
        ("objects 4 and 5 are brown", (), (4, 5), (4, 5)),
        ("these are brown", (4, 5), (4, 5), (4, 5)),
        ("the laptop and the sofa are brown", (), (3, 8), (3, 8)),
        ("the laptop is brown, and the chair is brown", (), (3, 4), (3, 4)),
        ("the laptop is brown, and the chair is brown", (), (3, 4, 5), (3,)),
    ],
)
def test_words_that_change_more_objects_than_they_name_need_a_yes(
    said: str, marked: tuple[int, ...], objects: Sequence[int], sure: Sequence[int]
) -> None:
    edits = [attributed(i, "color", "brown") for i in objects]
    query = Query(said, marked_object_ids=marked)
    outright = Consent(query, Dialogue("a"), SCENE, "Ada").outright(edits)
    assert [edit.object_ids[0] for edit in outright] == list(sure)


@pytest.mark.parametrize(
    ("said", "note", "object_id", "is_told"),
    [
        ("the laptop was bought in Rome", "was bought in Rome", 3, True),
        ("I bought the laptop in Rome two years ago", "bought in Rome two years ago", 3, True),
        ("the laptop must not get wet", "must not get wet", 3, True),
        ("the laptop must not get wet", "must get wet", 3, False),
        ("the laptop was bought in Rome", "was bought in Oslo", 3, False),
        ("the laptop was bought in Rome", "was bought in Rome", 8, False),
        ("a phone number is printed on the laptop", "a phone number is printed on it", 3, True),
        ("Tom says that the laptop was bought in Rome", "was bought in Rome", 3, False),
        ("was the laptop bought in Rome?", "was bought in Rome", 3, False),
        ("if it was bought in Rome, the laptop is new", "was bought in Rome", 3, False),
        ("the cup on the shelf was a gift", "was a gift", 7, False),
    ],
)
def test_notes_are_what_the_person_tells_of_the_object(
    said: str, note: str, object_id: int, is_told: bool
) -> None:
    assert consents(said, attributed(object_id, "note", note)) is is_told
