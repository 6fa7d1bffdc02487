"""Faults of servers and models: each gives the right answer, a marked answer of the grammar, or a
clear error, in time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenemind.memory import Memory
from scenemind.models import Models
from scenemind.reasoning import Answer, Asking, Progress, ProgressListener, Query, Router
from tests.chat_exchange import Request
from tests.chat_server import FAULTS, ChatServer, Step, choose, say
from tests.unit.reasoning.chair_row import (
    HONEST,
    answer_form,
    asked_of,
    form_of,
    honest,
    make_memory,
    routed,
    settings,
)
from tests.unit.reasoning.memtree_qa.talk import Heard

GRACE_S = 10.0  # far less than a server takes that is slow
KNOWN = "where are the chairs?"
UNREADABLE = "why is the room so untidy?"
# What a model that does so once is asked again for, and answers then.
PASSING = frozenset(FAULTS) - {"busy_for_long", "no_such_model", "refusal"}
# What takes all the time there is; there is enough for all others.
TIMEOUTS = dict.fromkeys(("slow", "silent", "trickle"), 0.5)
ENOUGH_S = 10.0


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with make_memory(tmp_path_factory.mktemp("memory") / "row") as memory:
        yield memory


def ask_in_time(
    router: Router,
    models: Models,
    query: Query,
    method: str,
    deadline_s: float = ENOUGH_S,
    listener: ProgressListener | None = None,
) -> Answer:
    """Somebody who hears a report gets the replies as streams."""
    answer = router.ask(query, method, Asking(models.allowance(deadline_s), Progress(listener)))
    assert answer.seconds < deadline_s + GRACE_S
    assert answer.text
    return answer


def at(form: str, fault: Step) -> Step:
    """A server on which only one of the two calls of a question goes wrong."""
    return choose(lambda request: fault if form_of(request) == form else HONEST)


@pytest.fixture(params=["LocationChoice", "FrameAnswer"])
def form(request: pytest.FixtureRequest) -> str:
    """The one of the two calls that goes wrong."""
    return str(request.param)


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_the_grammar_answers_questions_that_it_can_parse(
    fault: str, form: str, memory: Memory, tmp_path: Path
) -> None:
    deadline_s = TIMEOUTS.get(fault, ENOUGH_S)
    with asked_of(memory, tmp_path, at(form, FAULTS[fault])) as (router, models, server):
        answer = ask_in_time(router, models, Query(KNOWN), "memtree", deadline_s, Heard())
        assert server.requests
    assert answer.text.startswith("There are 4 chairs")
    assert answer.method == "symbolic"
    # Where little time is left after the first call, the second one gets no turn.
    server_name = "" if fault in TIMEOUTS else "scripted"
    assert answer.fallback.startswith(f"memtree failed: {server_name}")
    assert answer.failure is None
    assert answer.key_frames


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_failure_has_its_reason_where_the_grammar_has_no_answer(
    fault: str, form: str, memory: Memory, tmp_path: Path
) -> None:
    deadline_s = TIMEOUTS.get(fault, ENOUGH_S)
    with asked_of(memory, tmp_path, at(form, FAULTS[fault])) as (router, models, _):
        answer = ask_in_time(router, models, Query(UNREADABLE), "auto", deadline_s)
    assert answer.failure is not None
    assert answer.failure.code == ("timeout" if fault in TIMEOUTS else "model_failed")
    assert answer.text.startswith("memtree failed: scripted")
    assert answer.text.endswith("; and without a model this question cannot be answered.")
    assert (answer.method, answer.objects) == ("memtree", ())
    # It shows how far it came.
    has_looked = form == "FrameAnswer"
    assert (bool(answer.key_frames), bool(answer.steps)) == (has_looked, has_looked)


@pytest.mark.parametrize("fault", sorted(PASSING))
def test_a_fault_that_passes_is_gone_in_the_answer(
    fault: str, form: str, memory: Memory, tmp_path: Path
) -> None:
    faults = iter([FAULTS[fault]])
    step = choose(lambda r: next(faults, HONEST) if form_of(r) == form else HONEST)
    with asked_of(memory, tmp_path, step) as (router, models, server):
        answer = ask_in_time(router, models, Query(UNREADABLE), "auto", listener=Heard())
        assert len(server.requests) == 3
    assert (answer.text, answer.method, answer.fallback) == ("A red chair.", "memtree", "")
    assert [thing.object_id for thing in answer.objects] == [1]
    assert answer.usage.tokens > 0


def say_places(*ids: int, objects: tuple[int, ...] = (1,)) -> Step:
    places = [{"location": i, "key_objects": list(objects), "cue_objects": []} for i in ids]
    wrong = json.dumps({"think": "somewhere", "locations": places})
    return at("LocationChoice", say(wrong))


@pytest.mark.parametrize(
    "step",
    [
        say_places(0, 1, 77),
        say_places(0, 0, 0),
        say_places(0),
        say_places(0, 1, 2, 3),
        say_places(0, 1, 2, objects=(1, 4000)),
        say_places(-1, -2, -3, objects=(4000,)),
    ],
    ids=["location", "twice", "too few", "too many", "object", "nothing that is"],
)
def test_ids_that_do_not_exist_are_left_out(step: Step, memory: Memory, tmp_path: Path) -> None:
    with asked_of(memory, tmp_path, step) as (router, models, _):
        answer = ask_in_time(router, models, Query(UNREADABLE), "memtree")
    assert (answer.text, answer.method) == ("A red chair.", "memtree")
    assert any(told.startswith("asked again: ") for told in answer.steps)
    assert answer.key_frames


def test_objects_that_do_not_exist_are_no_evidence(memory: Memory, tmp_path: Path) -> None:
    invented = say(json.dumps(answer_form(objects=[4000, "unicorn"], pictures=[9])))
    with asked_of(memory, tmp_path, at("FrameAnswer", invented)) as (router, models, _):
        answer = ask_in_time(router, models, Query(UNREADABLE), "memtree")
    assert (answer.text, answer.objects) == ("A red chair.", ())
    assert len(answer.key_frames) == 3


def test_a_server_that_is_not_there(memory: Memory, tmp_path: Path) -> None:
    with ChatServer(HONEST) as server:
        config = settings(server.endpoint)
    with routed(memory, config, tmp_path) as (router, models):
        answer = ask_in_time(router, models, Query(KNOWN), "memtree")
        unknown = ask_in_time(router, models, Query(UNREADABLE), "memtree")
    assert answer.text.startswith("There are 4 chairs")
    assert "cannot be reached" in answer.fallback
    assert unknown.failure is not None
    assert unknown.failure.code == "model_failed"


def test_a_strict_question_is_not_answered_by_a_guess(memory: Memory, tmp_path: Path) -> None:
    def guess(request: Request) -> str:
        if form_of(request) == "LocationChoice":
            return honest(request)
        return json.dumps(answer_form(seen=False, answer="A toy, I guess.", think="No toy."))

    with asked_of(memory, tmp_path, say(guess)) as (router, models, _):
        strict = ask_in_time(router, models, Query(UNREADABLE, policy="strict"), "auto")
        guessed = ask_in_time(router, models, Query(UNREADABLE, policy="always_answer"), "auto")
    assert strict.failure is not None
    assert strict.failure.code == "not_found"
    assert "No toy." in strict.text
    assert (guessed.text, guessed.failure) == ("Not for sure: a toy, I guess.", None)
    assert guessed.confidence < 0.5
