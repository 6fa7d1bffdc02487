"""Premises of corrections: a number that does not fit, a name that is not so, more than was named.

Whatever the sentence, nothing is written for more objects than its words name without a yes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.language.english import is_plural, normal, number_word, plural
from scenemind.memory import Edit
from scenemind.reasoning import Alignment, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.reasoning.symbolic import SymbolicReasoner
from scenemind.simulation.room_generator import make_room
from tests.tables import read_table

from ..scene import ROOM, SmallMemory, query, room_memory, snapshot_of, thing

TABLE = read_table(__file__, "premises")
NAMES = ("stool", "candle", "toolbox")
VALUES = ("red", "blue", "wooden", "round", "empty")


def talk(memory: SmallMemory, *said: str, marked: tuple[int, ...] = ()) -> list[Alignment]:
    """One conversation, with marks for its first sentence."""
    router = Router(memory, dialogues=Dialogues(1, 6))
    about = (marked, *[()] * len(said))
    return [
        router.align(query(text, dialogue_id="a", marked_object_ids=ids), by="Ada")
        for text, ids in zip(said, about, strict=False)
    ]


@pytest.mark.parametrize(("text", "row"), TABLE["asked back"].items())
def test_a_false_premise_is_answered_and_written_after_a_yes(
    text: str, row: dict[str, object]
) -> None:
    memory = room_memory()
    marked = tuple(row.get("marked", ()))  # type: ignore[call-overload]
    asked, done = talk(memory, text, "Yes, exactly.", marked=marked)
    assert asked.correction_ids == ()
    assert asked.response == row["answer"]
    assert done.correction_ids != ()
    assert all(entry.reason == text for entry in memory.corrections())


@pytest.mark.parametrize("text", TABLE["asked back"])
def test_a_false_premise_is_not_written_after_a_no(text: str) -> None:
    memory = room_memory()
    marked = tuple(TABLE["asked back"][text].get("marked", ()))
    assert talk(memory, text, "no, leave it", marked=marked)[1].response == "Nothing was changed."
    assert memory.corrections() == []


def test_of_two_that_are_not_where_it_is_said_the_near_one_is_proposed() -> None:
    """Also where it is doubtful: who corrects it may know better."""
    near = thing(11, "fridge", (-3.3, 1.8, 0.9), (0.5, 0.7, 1.8), confidence=0.03)
    far = thing(12, "fridge", (3.5, -1, 0.9), (0.7, 0.7, 1.8))
    memory = SmallMemory(snapshot_of((*ROOM, near, far)))
    (asked,) = talk(memory, "the fridge behind the sofa is just a poster")
    assert asked.response.startswith("The fridge (object 11) is not behind the sofa. Rename")
    assert memory.corrections() == []


def test_of_several_the_one_that_is_far_more_as_a_size_says_is_proposed() -> None:
    sizes = ((0.3, 0.1, 0.2), (0.3, 0.25, 0.03), (0.3, 0.2, 0.12))
    books = [
        thing(20 + n, "book", (1.7 + n * 0.3, 2, 1.0 + size[2] / 2), size)
        for n, size in enumerate(sizes)
    ]
    memory = SmallMemory(snapshot_of((*ROOM, *books)))
    (asked,) = talk(memory, "that super thin book on the shelf? It's a leaflet")
    assert asked.response == "You seem to mean the book (object 21). Rename it to leaflet?"
    equal = SmallMemory(snapshot_of((*ROOM, books[0], replace(books[0], object_id=25))))
    (open_,) = talk(equal, "the thin book is a leaflet")
    assert open_.failure is not None
    assert open_.failure.code == "ambiguous"


@pytest.mark.parametrize(("text", "words"), TABLE["wrong numbers"].items())
def test_a_number_that_does_not_fit_is_asked_back(text: str, words: str) -> None:
    more = [thing(i, "chair", (0, y, 0.45), (0.5, 0.5, 0.9)) for i, y in ((11, 0.8), (12, -0.8))]
    memory = SmallMemory(snapshot_of((*ROOM, *more)))
    asked, late = talk(memory, text, "yes")
    assert asked.failure is not None
    assert asked.failure.code == "ambiguous"
    assert words in asked.response
    assert late.failure is not None
    assert memory.corrections() == []


@pytest.mark.parametrize(("text", "ids"), TABLE["right numbers"].items())
def test_a_number_that_fits_names_each(text: str, ids: list[int]) -> None:
    memory = room_memory()
    (done,) = talk(memory, text)
    assert sorted(done.object_ids) == ids
    assert memory.corrections() != []


@pytest.mark.parametrize("text", TABLE["true premises"])
def test_what_is_so_is_written_at_once(text: str) -> None:
    memory = room_memory()
    (done,) = talk(memory, text)
    assert done.failure is None
    assert len(memory.corrections()) == 1


def test_a_denial_without_a_claim_is_answered_with_the_question_what_it_is() -> None:
    memory = room_memory()
    asked, done = talk(memory, "the sofa is not an armchair", "a bench")
    known = "I do not have the sofa (object 8) as an armchair."
    assert asked.response == f"{known} What is it instead?"
    assert asked.correction_ids == ()
    assert done.response == "Now the sofa (object 8) is a bench."


def test_a_value_that_is_denied_is_forgotten_and_asked_for() -> None:
    memory = room_memory()
    asked, done = talk(memory, "the sofa is not dark grey", "brown")
    sofa = "the sofa (object 8)"
    assert asked.response == f"T{sofa[1:]} is not dark grey. What colour is {sofa}?"
    assert memory.corrections()[0].edit == Edit("set_attribute", (8,), "color")
    assert done.response == f"Now {sofa} is brown."
    (known,) = talk(memory, "the sofa is not red")
    assert known.response == f"That is what I have: {sofa} is brown."
    assert known.correction_ids == ()


def test_things_whose_names_are_exchanged_are_shown_first() -> None:
    (asked,) = talk(room_memory(), "you mixed up the sofa and the laptop")
    assert asked.correction_ids == ()
    assert "is a laptop and that the laptop" in asked.response


def test_a_number_alone_is_answered_with_what_is_known() -> None:
    (refused,) = talk(room_memory(), "there are six chairs, not two")
    assert refused.failure is not None
    assert refused.correction_ids == ()
    assert "a chair next to" in refused.failure.text


def test_two_words_for_one_value_do_not_deny_each_other() -> None:
    memory = room_memory()
    (asked,) = talk(memory, "the sofa is silver, not grey")
    assert asked.response.startswith("What is said and what is denied are both grey to me.")
    assert memory.corrections() == []


def test_a_colour_is_written_as_said_and_found_under_plainer_names() -> None:
    memory = room_memory()
    (done,) = talk(memory, "the sofa is more turquoise, I'd say")
    assert done.response == "Now the sofa (object 8) is turquoise."
    reply = SymbolicReasoner(memory, RelationConfig()).ground(
        query("the blue sofa"), memory.snapshot()
    )
    assert [thing.object_id for thing in reply.objects] == [8]


@pytest.mark.parametrize("text", TABLE["requests"])
def test_a_request_is_no_claim(text: str) -> None:
    memory = room_memory()
    asked, late = talk(memory, text, "yes")
    assert asked.failure is not None
    assert asked.failure.code == "not_understood"
    assert "is a request, and no correction" in asked.response
    assert late.correction_ids == ()
    assert memory.corrections() == []


@dataclass(frozen=True)
class Said:
    """A sentence, and how many objects its words name."""

    text: str
    named: int


def simulated(seed: int) -> SmallMemory:
    """The true objects of a simulated room."""
    objects = [
        replace(thing(o.instance_id, o.label, (0, 0, 0), (0, 0, 0), color=o.color), box=o.box)
        for o in make_room(seed).objects
    ]
    return SmallMemory(snapshot_of(objects))


ROOMS = tuple(map(simulated, range(1, 5)))


@st.composite
def corrections(draw: st.DrawFn, memory: SmallMemory) -> Said:
    """A correction of what a room may hold, true or not."""
    objects = memory.perceived.objects
    labels = sorted({o.label for o in objects.values()})
    label = draw(st.sampled_from([*labels, "microwave"]))
    number = draw(st.sampled_from(sorted(objects)))
    count = draw(st.integers(2, 4))
    many = plural(label)
    subject, named = draw(
        st.sampled_from(
            [
                (f"the {label}", 1),
                (f"the {draw(st.sampled_from(VALUES))} {label}", 1),
                (f"the {label} on the {draw(st.sampled_from(labels))}", 1),
                (f"{normal(label)} {number}", 1),
                (f"object {number}", 1),
                (f"objects {number} and {draw(st.sampled_from(sorted(objects)))}", 2),
                (f"the {many}", 0),
                (f"all {many}", 0),
                (f"the {number_word(count)} {many}", count),
                (f"the {many} on the {draw(st.sampled_from(labels))}", 0),
            ]
        )
    )
    is_many = named != 1 or is_plural(label)
    be = "are" if is_many else "is"
    name, value = draw(st.sampled_from(NAMES)), draw(st.sampled_from(VALUES))
    claim = plural(name) if is_many else f"a {name}"
    text = draw(
        st.sampled_from(
            [
                f"{subject} {be} {claim}",
                f"{subject} {be} {value}",
                f"{subject} {be} {value}, not {draw(st.sampled_from(VALUES))}",
                f"delete {subject}",
                f"{subject} {be} not {'' if is_many else 'a '}{label}, it's a {name}",
                f"rename {subject} to {name}",
                f"{subject} {be} really one {label}",
                f"{subject} {be} mine",
                f"{subject} {be} on the {draw(st.sampled_from(labels))}",
            ]
        )
    )
    return Said(text, named)


@given(st.data())
def test_nothing_more_than_was_named_is_changed_without_a_yes(data: st.DataObject) -> None:
    room = data.draw(st.sampled_from(ROOMS))
    said = data.draw(corrections(room))
    memory = SmallMemory(room.perceived)
    before = memory.snapshot()
    (done,) = talk(memory, said.text)
    changed = {i for entry in memory.corrections() for i in changed_by(entry.edit)}
    assert len(changed) <= max(1, said.named), said.text
    if done.correction_ids:
        assert talk(memory, "undo")[0].failure is None
    after = memory.snapshot()
    assert after.objects == before.objects
    assert set(after.relations) == set(before.relations)


def changed_by(edit: Edit) -> tuple[int, ...]:
    """Ids of the objects that an edit changes; a relation changes its subject."""
    return edit.object_ids[:1] if "relation" in edit.kind else edit.object_ids
