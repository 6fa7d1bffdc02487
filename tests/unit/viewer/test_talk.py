from __future__ import annotations

from collections.abc import Iterator

import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from scenemind.reasoning import Asking, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.viewer.talk import Said, say
from tests.unit.viewer.room import map_room


class Talk:
    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._router = Router(memory, dialogues=Dialogues(2, 6))

    def say(self, text: str, *marked: int) -> Said:
        return say(self._router, self.memory, text, marked, "Ada", Asking(), "talk")

    def label(self, object_id: int) -> str:
        return self.memory.snapshot().objects[object_id].label


@pytest.fixture
def talk() -> Iterator[Talk]:
    with Memory.create(None, SceneMindConfig()) as memory:
        map_room(memory)
        yield Talk(memory)


def test_a_question_is_answered_with_evidence(talk: Talk) -> None:
    said = talk.say("where is the dining table?")
    assert said.objects[0].label == "dining table"
    assert said.key_frames
    assert said.how.startswith("symbolic")
    assert talk.memory.corrections() == []


def test_this_is_what_is_marked(talk: Talk) -> None:
    (table,) = talk.say("where is the dining table?").objects
    said = talk.say("this is a workbench", table.object_id)
    assert [thing.label for thing in said.objects] == ["workbench"]
    (entry,) = talk.memory.corrections()
    assert (entry.by, entry.reason) == ("Ada", "this is a workbench")


def test_what_was_spoken_of_is_that(talk: Talk) -> None:
    (table,) = talk.say("where is the dining table?").objects
    talk.say("no, that is a workbench")
    assert talk.label(table.object_id) == "workbench"
    talk.say("undo that")
    assert talk.label(table.object_id) == "dining table"


@pytest.mark.parametrize(
    "ask", ["can you call object {} a desk?", "Please rename object {} to desk"]
)
def test_a_request_is_no_question(talk: Talk, ask: str) -> None:
    (table,) = talk.say("where is the dining table?").objects
    talk.say(ask.format(table.object_id))
    assert talk.label(table.object_id) == "desk"


def test_what_begins_as_a_question_may_tell_something(talk: Talk) -> None:
    (table,) = talk.say("where is the dining table?").objects
    talk.say("What you call dining table is a desk.")
    assert talk.label(table.object_id) == "desk"


def test_what_corrects_nothing_is_a_question_after_all(talk: Talk) -> None:
    said = talk.say("the red chair")
    assert said.text
    assert talk.memory.corrections() == []


def test_do_it_is_a_yes(talk: Talk) -> None:
    chairs = [i for i, t in talk.memory.snapshot().objects.items() if t.label == "chair"]
    assert talk.say("all chairs are red").text.endswith("Shall I do that?")
    assert talk.say("Do it!").text.startswith("Done.")
    assert len(talk.memory.corrections()) == len(chairs)


def test_a_sentence_without_end_is_refused(talk: Talk) -> None:
    said = talk.say("where is " + "the " * 200_000 + "table")
    assert said.text == "The question has 800014 characters, the limit is 500."
