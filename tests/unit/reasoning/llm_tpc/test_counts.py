"""Counts of programs against pictures. On the map are chairs 4 and 5."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest

from scenemind.models import Allowance
from scenemind.reasoning.llm_tpc import LlmTpc
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.prompts import find_count
from scenemind.reasoning.sandbox import Sandbox
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, fail, say
from tests.unit.reasoning.llm_tpc.talk import final, program
from tests.unit.reasoning.memtree_qa.talk import chat_with
from tests.unit.reasoning.scene import ROOM, query, snapshot_of
from tests.unit.reasoning.stored_room import Detected, StoredRoom, index_of

COUNT = program("print(len(filter(scene(), 'chair')))")
BOTH: list[Detected] = [("chair", 4, (0, 0, 90, 90)), ("chair", 5, (400, 0, 490, 90))]
THREE: list[Detected] = [*BOTH, ("chair", 0, (200, 0, 290, 90))]


def sees(answer: str, complete: bool = True) -> str:
    return json.dumps({"think": "I see", "answer": answer, "complete": complete})


def asked(
    sandbox: Sandbox, frames: list[list[Detected]], answer: str, *looks: object, turn: str = COUNT
) -> tuple[MethodReply, list[Request]]:
    """The reply of a model that counts and answers; the requests to the vision model, if any."""
    memory = StoredRoom(snapshot_of(ROOM), index=index_of(frames))
    eyes = ChatServer(*(say(s) if isinstance(s, str) else s for s in looks))  # type: ignore[arg-type]
    with ExitStack() as stack:
        chat = stack.enter_context(chat_with(ChatServer(say(turn), say(final(answer)))))
        vision = stack.enter_context(chat_with(eyes)) if looks else None
        method = LlmTpc(chat, sandbox, vision=vision)
        return method.ask(query("How many chairs?"), memory, Asking(Allowance(20.0))), eyes.requests


def test_a_count_that_pictures_contradict_is_doubted(sandbox: Sandbox) -> None:
    reply, _ = asked(sandbox, [THREE], "two")
    assert reply.brief == "two"
    assert reply.text == (
        'two; there may be more: the map has 2 "chair", one picture up to 3; 1 detections are of no'
        " mapped object"
    )
    assert reply.confidence < 0.4


def test_a_count_that_one_picture_shows_is_not_doubted(sandbox: Sandbox) -> None:
    reply, looks = asked(sandbox, [BOTH], "two", sees("7"))
    assert (reply.text, reply.confidence, looks) == ("two", 0.6, [])


def test_a_look_settles_it(sandbox: Sandbox) -> None:
    reply, (request,) = asked(sandbox, [THREE], "two", sees("3"))
    assert (reply.brief, reply.confidence) == ("3", 0.5)
    assert reply.text == "3; pictures show 3, the map has 2"
    assert '"chair" 4 [0,0,141,188]' in str(request.body)
    assert [frame.frame_number for frame in reply.key_frames or ()] == [0]


@pytest.mark.parametrize(
    ("look", "confidence"), [(sees("two"), 0.75), (sees("2", complete=False), 0.5)]
)
def test_a_look_that_agrees_makes_it_sure(sandbox: Sandbox, look: str, confidence: float) -> None:
    """Each chair was seen alone."""
    reply, _ = asked(sandbox, [BOTH[:1], BOTH[1:]], "two", look)
    assert (reply.text, reply.confidence) == ("two", confidence)


def test_a_look_at_a_part_does_not_lower_a_count(sandbox: Sandbox) -> None:
    reply, _ = asked(sandbox, [THREE], "two", sees("1", complete=False))
    assert reply.brief == "two"
    assert reply.confidence < 0.4


def test_a_look_of_the_program_is_not_repeated(sandbox: Sandbox) -> None:
    turn = program("print(look('How many chairs?', about=filter(scene(), 'chair')))")
    reply, looks = asked(sandbox, [THREE], "3", sees("3"), turn=turn)
    assert (reply.text, reply.confidence, len(looks)) == ("3", 0.75, 1)


def test_nobody_who_can_look_is_no_failure_of_the_program(sandbox: Sandbox) -> None:
    turn = program("print(look('How many chairs?', about='chair'))")
    reply, _ = asked(sandbox, [BOTH], "two", fail(400), turn=turn)
    assert reply.text == "two"
    assert any("nobody can look now: go on with what is known" in step for step in reply.steps)


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        ("13", 13),
        ("Three.", 3),
        ("two chairs", 2),
        ("two, on the table", 2),
        ("2 m", None),
        ("3 o'clock", None),
        ("yes", None),
    ],
)
def test_which_answers_are_counts(answer: str, count: int | None) -> None:
    assert find_count(answer, ["chair"]) == count
