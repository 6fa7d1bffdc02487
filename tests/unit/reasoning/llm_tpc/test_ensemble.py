"""Answers weighed against each other, by models on the loopback."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from scenemind.evaluation.sources import ObjectsMemory
from scenemind.models import Allowance, ModelError, Usage
from scenemind.reasoning import AskMethod, ReasoningError
from scenemind.reasoning.llm_tpc.ensemble import Ensemble
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.symbolic.reasoner import SymbolicMethod
from tests.chat_exchange import Request
from tests.chat_server import FAULTS, ChatServer, Step, refuse, say
from tests.unit.reasoning.memtree_qa.talk import chat_with
from tests.unit.reasoning.scene import ROOM, query, room_memory
from tests.unit.reasoning.scripted_method import ScriptedMethod

MEMORY = ObjectsMemory(room_memory().snapshot())
QUESTION = query("How many chairs are there?", situation="I face the door")
NOT_FOUND = ReasoningError("not_found", "There is no dog.")


def method(answer: str | Exception, confidence: float = 0.6, *rows: int) -> ScriptedMethod:
    if isinstance(answer, Exception):
        return ScriptedMethod(answer)
    objects = tuple(ROOM[row] for row in rows)
    return ScriptedMethod(MethodReply(answer, confidence, objects, None, ("a step",), answer))


def weighed(answer: str) -> Step:
    return say(json.dumps({"think": "they agree", "answer": answer}))


def asked(
    first: AskMethod, others: Sequence[AskMethod], *steps: Step
) -> tuple[MethodReply, list[Request]]:
    server = ChatServer(*steps or (refuse("nobody should ask"),))
    with chat_with(server) as chat:
        ensemble = Ensemble(chat, first, others)
        return ensemble.ask(QUESTION, MEMORY, Asking(Allowance(20.0))), server.requests


def test_a_model_weighs_answers_that_differ() -> None:
    others = [method("three", 0.3), method("two", 0.9, 3, 4)]
    reply, requests = asked(method("four", 0.75), others, weighed("Two"))
    assert (reply.text, reply.brief, reply.confidence) == ("Two", "Two", 0.9)
    assert [thing.object_id for thing in reply.objects] == [4, 5]
    told = requests[0].body["messages"][1]["content"]
    assert told.index('"four", 0.75') < told.index('"two", 0.90') < told.index('"three", 0.30')
    assert '"I face the door"' in told
    assert any("weighed them: they agree" in step for step in reply.steps)


def test_no_model_is_asked_where_all_agree() -> None:
    reply, requests = asked(method("two", 0.6), [method("Two", 0.9)])
    assert (reply.text, reply.confidence) == ("two", 0.9)
    assert requests == []


def test_an_answer_of_its_own_is_less_sure() -> None:
    reply, _ = asked(method("four", 0.75), [method("three", 0.9)], weighed("five"))
    assert reply.text == "five"
    assert reply.confidence < 0.5


def test_only_so_many_others_are_weighed() -> None:
    others = [method(word, n / 10) for n, word in enumerate("abcdefg")]
    _, requests = asked(method("two"), others, weighed("two"))
    told = requests[0].body["messages"][1]["content"]
    assert told.count("memtree: ") == 6
    assert '"a"' not in told


@pytest.mark.parametrize("failing_first", [True, False])
def test_where_one_has_no_answer_the_other_stands(failing_first: bool) -> None:
    good, bad = method("two", 0.8), method(NOT_FOUND)
    reply, requests = asked(bad if failing_first else good, [good if failing_first else bad])
    assert reply.text == "two"
    assert requests == []
    assert "memtree has no answer: There is no dog." in reply.steps


def test_where_none_has_an_answer_all_reasons_are_told() -> None:
    with pytest.raises(ReasoningError, match=r"There is no dog\.; .* broke"):
        asked(method(NOT_FOUND), [method(ModelError("unreachable", "the line broke"))])


@pytest.mark.parametrize("fault", ["empty", "no_json_in_it", "wrong_form"])
def test_where_the_weighing_is_of_no_use_the_first_stands(fault: str) -> None:
    reply, requests = asked(method("two", 0.7), [method("three", 0.9)], FAULTS[fault])
    assert (reply.text, reply.confidence) == ("two", 0.7)
    assert len(requests) == 2
    assert any("nobody weighed them" in step for step in reply.steps)


def test_once_it_is_cancelled_no_other_is_asked() -> None:
    allowance = Allowance(20.0)
    allowance.cancel()
    other = method("two")
    with chat_with(ChatServer(weighed("two"))) as chat, pytest.raises(ModelError) as error:
        Ensemble(chat, method("three"), [other]).ask(QUESTION, MEMORY, Asking(allowance))
    assert error.value.kind == "cancelled"
    assert other.asked == []


@pytest.mark.parametrize("others", [[method("two", 0.6)], [method("three", 0.9)]])
def test_an_answer_is_not_lost_where_the_time_or_the_money_is_spent(
    others: Sequence[AskMethod],
) -> None:
    """One of the two answers agrees; the other would have to be weighed."""
    with chat_with(ChatServer(weighed("three"))) as chat:
        ensemble = Ensemble(chat, method("two", 0.7), others)
        for allowance in (Allowance(-1.0), Allowance(20.0, tokens=1)):
            allowance.spend(Usage(prompt_tokens=5))
            reply = ensemble.ask(QUESTION, MEMORY, Asking(allowance))
            assert (reply.text, reply.confidence) == ("two", 0.7)


def test_answer_is_kept_when_weighing_fails() -> None:
    reply, _ = asked(method("two", 0.7), [method("three", 0.9)], refuse("no"))
    assert (reply.text, reply.confidence) == ("two", 0.7)
    assert any("nobody weighed them" in step for step in reply.steps)


def test_the_grammar_is_one_of_the_others() -> None:
    reply, _ = asked(method("two", 0.6), [SymbolicMethod()], weighed("two"))
    assert any(step.startswith("symbolic answers") for step in reply.steps)
