"""Corrections in words, written to a real journal and asked again."""

from __future__ import annotations

import pytest

from scenemind.reasoning import Query, Router
from scenemind.reasoning.dialogue import Dialogues
from tests.tables import read_table
from tests.unit.language.notation import notation
from tests.unit.reasoning.scene import ROOM, SmallMemory, query, room_memory, snapshot_of, thing

TABLE = read_table(__file__, "corrections")


@pytest.mark.parametrize(("text", "edit"), TABLE["edits of the shelf"].items())
def test_sentences_become_edits(text: str, edit: str) -> None:
    memory = room_memory()
    alignment = Router(memory).align(query(text, marked_object_ids=(7,)), by="anna")
    assert alignment.failure is None
    (correction,) = memory.corrections()
    written = (notation(correction.edit), correction.by, correction.reason)
    assert written == (edit, "anna", text)
    assert alignment.correction_ids == (correction.correction_id,)
    assert alignment.object_ids == correction.edit.object_ids


def test_a_correction_changes_the_next_answer_and_undo_brings_it_back() -> None:
    memory = room_memory()
    router = Router(memory)
    assert router.align(query("the cup on the shelf is a vase"), "anna").failure is None
    assert router.ask(query("where is the vase?")).objects[0].object_id == 10
    undone = router.align(query("no, undo that"), "anna")
    assert "I took back correction 1" in undone.response
    assert router.ask(query("where is the vase?")).failure is not None
    nothing_left = router.align(query("undo"), "anna")
    assert nothing_left.failure is not None
    assert nothing_left.failure.code == "memory_refused"


def test_a_deleted_relation_is_not_computed_again() -> None:
    memory = room_memory()
    router = Router(memory)
    assert router.ask(query("is chair 4 next to the table?")).text.startswith("Yes")
    router.align(query("chair 4 is not next to the table"), "anna")
    router.align(query("the table is not next to chair 4"), "anna")
    assert router.ask(query("is chair 4 next to the table?")).text.startswith("No")


def test_of_two_tables_the_one_that_carries_a_thing_is_denied() -> None:
    side = thing(20, "side table", (4, 4, 0.25), (0.5, 0.5, 0.5))
    for text, edits in (
        ("the laptop is not on the table", [("delete_relation", (3, 1))]),
        ("the laptop is on the table", []),  # asked back
    ):
        memory = SmallMemory(snapshot_of([*ROOM, side]))
        Router(memory).align(query(text), "anna")
        done = [(c.edit.kind, c.edit.object_ids) for c in memory.corrections()]
        assert done == edits


def test_all_marked_objects_are_renamed() -> None:
    memory = room_memory()
    alignment = Router(memory).align(query("these are stools", marked_object_ids=(4, 5)), "anna")
    assert alignment.object_ids == (4, 5)
    assert alignment.response == "Now the chair (object 4) and the chair (object 5) are stools."
    assert [c.edit.value for c in memory.corrections()] == ["stool", "stool"]


@pytest.mark.parametrize(("text", "code"), TABLE["refused"].items())
def test_unclear_correction_is_not_written(text: str, code: str) -> None:
    memory = room_memory()
    alignment = Router(memory).align(query(text), "anna")
    assert alignment.failure is not None
    assert alignment.failure.code == code
    assert memory.corrections() == []


def test_no_model_is_said_to_read_corrections() -> None:
    alignment = Router(room_memory()).align(query("the gronk zibbles vastly"), "anna")
    assert "I do not understand" in alignment.response
    assert "language model" not in alignment.response


def test_an_ambiguous_correction_lists_the_candidates() -> None:
    alignment = Router(room_memory()).align(query("the chair is a stool"), "anna")
    assert "object 4, a chair at x -1.2, y 0.0" in alignment.response
    assert "object 6, an office chair" in alignment.response


@pytest.fixture(scope="module")
def untouched() -> SmallMemory:
    """One memory for all sentences that write nothing."""
    return room_memory()


@pytest.mark.parametrize("text", [text for of in TABLE["no corrections"].values() for text in of])
def test_other_sentences_write_nothing(text: str, untouched: SmallMemory) -> None:
    router = Router(untouched, dialogues=Dialogues(1, 6))
    for marked in ((), (8,)):
        router.align(Query(text, marked_object_ids=marked, dialogue_id="a"), by="Ada")
        assert untouched.corrections() == []


@pytest.mark.parametrize(
    ("text", "marked", "name", "attributes"),
    [
        ("it's a brown sofa", 8, "sofa", {"color": "brown"}),
        ("this is a wooden sofa", 8, "sofa", {"material": "wooden"}),
        ("this is a round bench", 8, "bench", {"shape": "round"}),
        ("this is a metal cabinet", 7, "metal cabinet", {}),
        ("this is a paper towel", 10, "paper towel", {}),
        # Who calls a thing small tells it from others; sizes are measured.
        ("this is just a tiny grey bench", 8, "bench", {"color": "grey"}),
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


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("it's a salad bowl, the red one", 2),
        ("it's an espresso cup, the white one, not just any old cup", 10),
        ("it's a folding chair, the brown one", 5),
        ("the chair, the brown one, is an armchair", 5),
    ],
)
def test_which_one_is_meant_may_be_told_after(text: str, meant: int) -> None:
    memory = room_memory()
    assert Router(memory).align(query(text), "Ada").object_ids == (meant,)
    assert [entry.edit.kind for entry in memory.corrections()] == ["rename"]


def test_another_thing_than_the_one_that_was_named_is_not_deleted() -> None:
    memory = room_memory()
    done = Router(memory).align(query("there is no cup there", marked_object_ids=(8,)), "Ada")
    assert done.failure is not None
    assert done.response.startswith("Object 8 is a sofa, not a cup. Delete it?")
    assert memory.corrections() == []


@pytest.mark.parametrize(
    "text",
    [
        "the sofa was cleaned, so stop telling people it's dirty",
        "I wiped it, so don't say that the sofa is dirty any more",
        "you can stop telling people it's dirty, the sofa was cleaned",
    ],
)
def test_what_shall_not_be_said_any_more_is_denied(text: str) -> None:
    sofa = thing(8, "sofa", (-2, 2, 0.4), (2.0, 0.9, 0.8), state="dirty")
    memory = SmallMemory(snapshot_of([*(one for one in ROOM if one.object_id != 8), sofa]))
    aligned = Router(memory).align(query(text), "anna")
    said = f"{aligned.response} {aligned.failure}"
    assert "is dirty" not in said
    assert "sofa (object 8)" in said
    assert all(entry.value != "dirty" for each in memory.corrections() for entry in each.edits)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("the sofa has no cover any more because the kids pulled it off", "no cover any more"),
        ("Those cups can stay, only the pans were sold.", ""),
        ("The cup has got no spoon in it, only foam.", ""),
    ],
)
def test_what_is_offered_is_said(text: str, asked: str) -> None:
    failure = Router(room_memory()).align(query(text), "anna").failure
    assert failure is not None
    assert asked in failure.text
    assert "is off" not in failure.text
    assert "gone" not in failure.text


def test_what_is_said_twice_in_a_sentence_is_written_once() -> None:
    memory = room_memory()
    said = query("That sofa is actually a sofa bed. Just call it the sofa bed from now on.")
    answer = Router(memory).align(said, "Ada")
    assert answer.response == "Now the sofa (object 8) is a sofa bed."
    assert len(memory.corrections()) == 1


def test_a_thing_described_by_what_it_is_with_is_asked_for() -> None:
    """Being with something is weighed in descriptions; it holds to the letter of nothing."""
    memory = room_memory()
    text = (
        "the one in the middle of the table that you have down as a cup, about a foot from the"
        " laptop, that's a milk carton"
    )
    asked = Router(memory).align(query(text), "anna")
    assert asked.correction_ids == ()
    assert memory.corrections() == []
