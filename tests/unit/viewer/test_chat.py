"""The chat: replies to sentences, and their queue."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from scenemind.reasoning import Asking, Query, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.viewer.chat import Reply, SentenceQueue, reply_to
from scenemind.viewer.chat import Talk as Page
from scenemind.viewer.colors import ClassColors
from tests.unit.viewer.room import map_room
from tests.waiting import wait_until


class Talk:
    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._router = Router(memory, dialogues=Dialogues(2, 6))

    def say(self, text: str, *marked: int) -> Reply:
        query = Query(text, marked_object_ids=marked, dialogue_id="talk")
        return reply_to(query, self._router, self.memory, "Ada", Asking())

    def label(self, object_id: int) -> str:
        return self.memory.snapshot().objects[object_id].label


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that is closed."""
    folder = tmp_path_factory.mktemp("places") / "room"
    with Memory.create(folder, SceneMindConfig()) as memory:
        map_room(memory)
    return folder


@pytest.fixture
def talk(room: Path, tmp_path: Path) -> Iterator[Talk]:
    shutil.copytree(room, tmp_path / "room")
    with Memory.open(tmp_path / "room", SceneMindConfig()) as memory:
        yield Talk(memory)


def test_a_question_is_answered_with_evidence(talk: Talk) -> None:
    said = talk.say("where is the dining table?")
    assert said.objects[0].label == "dining table"
    assert said.key_frames
    assert said.how.startswith("symbolic")
    assert talk.memory.corrections() == []


def test_this_means_the_marked_object(talk: Talk) -> None:
    (table,) = talk.say("where is the dining table?").objects
    said = talk.say("this is a workbench", table.object_id)
    assert [thing.label for thing in said.objects] == ["workbench"]
    (entry,) = talk.memory.corrections()
    assert (entry.by, entry.reason) == ("Ada", "this is a workbench")


def test_that_means_the_object_of_the_last_sentence(talk: Talk) -> None:
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


def test_sentence_in_the_form_of_a_question_may_be_a_correction(talk: Talk) -> None:
    (table,) = talk.say("where is the dining table?").objects
    talk.say("What you call dining table is a desk.")
    assert talk.label(table.object_id) == "desk"


def test_request_that_corrects_nothing_is_answered_as_a_question(talk: Talk) -> None:
    said = talk.say("the red chair")
    assert said.text
    assert talk.memory.corrections() == []


def test_nearest_sentence_is_offered(talk: Talk) -> None:
    said = talk.say("what number chairs of is")
    assert said.offers[0] == "how many chairs are there?"
    assert talk.say(said.offers[0]).offers == ()
    (table,) = talk.say("where is the dining table?").objects
    assert talk.say(f"objct {table.object_id} iss greey").offers[0].endswith("is grey")


@pytest.mark.parametrize(
    "text", ["colourless green ideas sleep furiously", "?", "why is the chair so sad", "tell me"]
)
def test_each_refusal_offers_sentences_that_are_answered(talk: Talk, text: str) -> None:
    said = talk.say(text)
    assert said.offers
    for offer in said.offers:
        assert talk.say(offer).offers == ()


@pytest.mark.parametrize("them", ["the chair", "that chair"])
def test_of_several_that_fit_each_is_shown_and_offered_by_its_number(talk: Talk, them: str) -> None:
    chairs = {i for i, thing in talk.memory.snapshot().objects.items() if thing.label == "chair"}
    assert len(chairs) > 1
    said = talk.say(f"{them} is mine")
    assert {thing.object_id for thing in said.objects} == chairs
    numbers = [thing.object_id for thing in said.objects]
    assert said.offers[:2] == tuple(f"object {number} is mine" for number in numbers[:2])
    assert talk.say(said.offers[0]).objects[0].object_id == numbers[0]
    (correction,) = talk.memory.corrections()
    assert correction.edit.object_ids == (numbers[0],)


def test_a_question_back_offers_its_replies(talk: Talk) -> None:
    assert talk.say("all chairs are red").offers == ("yes", "no")
    assert talk.say("no").offers == ()
    assert talk.memory.corrections() == []


def test_the_talk_shows_words_pictures_and_what_to_say_next(talk: Talk) -> None:
    shown: list[dict[str, Any]] = []
    page = Page(ClassColors(), shown.append)
    page.add_sentence("where is\u202e the <b>dining table</b>?")
    assert shown[-1]["stage"]
    said = talk.say("where is the dining table?")
    page.add_reply(said)
    asked, answered = shown[-1]["turns"]
    assert asked["text"] == "where is the b dining table /b ?"
    (table,) = said.objects
    assert [thing["id"] for thing in answered["objects"]] == [table.object_id]
    for picture, frame in zip(answered["pictures"], said.key_frames, strict=False):
        assert picture["frame"] == frame.frame_number
        assert picture["src"].endswith(f"&object={table.object_id}")
    assert not shown[-1]["stage"]


def test_do_it_means_yes(talk: Talk) -> None:
    chairs = [i for i, t in talk.memory.snapshot().objects.items() if t.label == "chair"]
    assert talk.say("all chairs are red").text.endswith("Shall I do that?")
    assert talk.say("Do it!").text.startswith("Done.")
    assert len(talk.memory.corrections()) == len(chairs)


def test_a_sentence_without_end_is_refused(talk: Talk) -> None:
    said = talk.say("where is " + "the " * 200_000 + "table")
    assert said.text == "The question has 800014 characters, the limit is 500."


def test_sentences_of_several_people_are_answered_one_after_the_other() -> None:
    running, most, answered = 0, 0, []

    def answer(text: str) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        answered.append(text)
        running -= 1

    sentences = SentenceQueue(answer, pytest.fail)
    typists = [threading.Thread(target=sentences.put, args=(str(i),)) for i in range(8)]
    for typist in typists:
        typist.start()
    for typist in typists:
        typist.join()
    sentences.close()
    assert most == 1
    assert len(answered) <= 8


def test_full_queue_refuses_sentences_until_one_is_answered() -> None:
    go_on = threading.Event()
    sentences = SentenceQueue(lambda _: go_on.wait(30.0), pytest.fail)
    assert [sentences.put("a") for _ in range(9)] == [*range(8), None]
    go_on.set()
    wait_until(lambda: sentences.put("b") is not None)
    sentences.close()


def test_failure_is_shown_and_the_next_sentence_answered(caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []
    answered = threading.Event()

    def answer(text: str) -> None:
        if text == "bad":
            raise ZeroDivisionError("by zero")
        answered.set()

    sentences = SentenceQueue(answer, told.append)
    sentences.put("bad")
    sentences.put("good")
    assert answered.wait(30.0)
    sentences.close()
    assert told == ["That failed: by zero"]
    assert "ZeroDivisionError" in caplog.text
