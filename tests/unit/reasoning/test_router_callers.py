"""Limits of questions: callers, cancelling, budgets, rests, recordings, caches."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenemind.config import ModelsConfig
from scenemind.memory import Memory
from scenemind.models import Allowance, Usage
from scenemind.reasoning import Answer, Asking, Query, Router
from tests.chat_server import Step, choose, fail, slowly, stay_silent
from tests.prompt_cache import TOKENS_PER_PICTURE
from tests.unit.reasoning.chair_row import HONEST, asked_of, form_of, make_memory, routed
from tests.waiting import wait_until

KNOWN = "where are the chairs?"
UNREADABLE = "why is the room so untidy?"
STUCK = "what is it that nobody knows?"
SECONDS = 20.0
COUNTED = "There are 4 chairs"


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with make_memory(tmp_path_factory.mktemp("memory") / "row") as memory:
        yield memory


class Caller:
    """Asks on a thread of its own."""

    def __init__(self, router: Router, text: str, allowance: Allowance) -> None:
        self._router = router
        self._text = text
        self._asking = Asking(allowance)
        self._answers: list[Answer] = []
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()

    @property
    def answer(self) -> Answer:
        """Waits for it."""
        self._thread.join(SECONDS)
        return self._answers[0]

    def cancel(self) -> None:
        self._asking.allowance.cancel()

    def _ask(self) -> None:
        self._answers.append(self._router.ask(Query(self._text), "memtree", self._asking))


def stuck_at(words: str) -> Step:
    return choose(lambda request: stay_silent if words in request.text else HONEST)


def code_of(answer: Answer) -> str:
    assert answer.failure is not None
    return answer.failure.code


def test_others_are_served_while_a_model_is_slow(memory: Memory, tmp_path: Path) -> None:
    patient = {"language": {"call_deadline_s": SECONDS}}
    with asked_of(memory, tmp_path, stuck_at(STUCK), **patient) as (router, models, server):
        first = Caller(router, STUCK, models.allowance(SECONDS))
        wait_until(lambda: server.requests)
        other = router.ask(Query(UNREADABLE), "memtree", Asking(models.allowance(SECONDS)))
        counted = router.ask(Query(KNOWN), "auto")
        assert (other.text, other.method) == ("A red chair.", "memtree")
        assert counted.text.startswith(COUNTED)
        first.cancel()
        assert code_of(first.answer) == "cancelled"


def test_cancelled_question_gets_no_answer_and_sends_no_request(
    memory: Memory, tmp_path: Path
) -> None:
    with asked_of(memory, tmp_path, stay_silent, language={"call_deadline_s": SECONDS}) as (
        router,
        models,
        server,
    ):
        caller = Caller(router, KNOWN, models.allowance(SECONDS))
        wait_until(lambda: server.requests)
        caller.cancel()
        answer = caller.answer
        assert (code_of(answer), answer.method, answer.fallback) == ("cancelled", "memtree", "")
        assert answer.seconds < SECONDS / 2
        assert len(server.requests) == 1
        wait_until(lambda: models.status()[0].in_flight == 0)


def test_many_callers_get_their_own_answers(memory: Memory, tmp_path: Path) -> None:
    """Twelve at once, of whom the server takes three at a time."""
    step = slowly(0.01, HONEST)
    with asked_of(memory, tmp_path, step, parallel_calls=3) as (router, models, server):
        texts = [f"what would child {i} sit on?" for i in range(12)]
        callers = [Caller(router, text, models.allowance(SECONDS)) for text in texts]
        answers = [caller.answer for caller in callers]
        assert server.most_at_once <= 3
    assert [answer.query.text for answer in answers] == texts
    assert {answer.text for answer in answers} == {"A red chair."}
    assert {answer.usage.calls for answer in answers} == {2}


def test_answer_has_its_usage(memory: Memory, tmp_path: Path) -> None:
    prices = {"prompt_price": 2.0, "cached_prompt_price": 0.5, "reply_price": 10.0}
    with asked_of(memory, tmp_path, HONEST, language=prices) as (router, models, _):
        asking = Asking(models.allowance(SECONDS))
        answer = router.ask(Query(UNREADABLE), "memtree", asking)
        used = models.status()[0].used_today
    usage = answer.usage
    assert usage.calls == 2
    assert usage.prompt_tokens > usage.reply_tokens > 0
    fresh = usage.prompt_tokens - usage.cached_tokens
    millionths = 2.0 * fresh + 0.5 * usage.cached_tokens + 10.0 * usage.reply_tokens
    assert usage.cost == pytest.approx(1e-6 * millionths)
    assert usage == asking.allowance.used == used
    assert 0.0 < answer.seconds < SECONDS
    assert answer.method == "memtree"


@pytest.mark.parametrize(
    "limit", [{"question_tokens": 50}, {"question_cost": 1e-6, "language": {"reply_price": 1.0}}]
)
def test_a_question_that_has_used_its_budget_gets_no_other_call(
    limit: dict[str, object], memory: Memory, tmp_path: Path
) -> None:
    with asked_of(memory, tmp_path, HONEST, **limit) as (router, models, server):
        known = router.ask(Query(KNOWN), "memtree", Asking(models.allowance(SECONDS)))
        assert len(server.requests) == 1
        unknown = router.ask(Query(UNREADABLE), "auto", Asking(models.allowance(SECONDS)))
    assert known.text.startswith(COUNTED)
    assert known.fallback.startswith("memtree failed: the question has ")
    assert known.usage.calls == 1
    assert code_of(unknown) == "budget_exceeded"


def test_the_day_s_budget_is_that_of_all_questions(memory: Memory, tmp_path: Path) -> None:
    """Also of those that another process asks of the same ledger."""
    for number in range(2):
        with asked_of(memory, tmp_path, HONEST, day_tokens=1000) as (router, models, server):
            answer = router.ask(Query(KNOWN), "memtree", Asking(models.allowance(SECONDS)))
            assert len(server.requests) == (2, 0)[number]
            unknown = router.ask(Query(UNREADABLE), "auto", Asking(models.allowance(SECONDS)))
            assert code_of(unknown) == "budget_exceeded"
    assert answer.text.startswith(COUNTED)
    assert answer.fallback
    assert answer.usage == Usage()


def test_a_server_that_fails_on_and_on_is_left_alone(memory: Memory, tmp_path: Path) -> None:
    with asked_of(memory, tmp_path, fail(500), rest_after=3, rest_s=60.0) as (
        router,
        models,
        server,
    ):
        answers = [
            router.ask(Query(KNOWN), "memtree", Asking(models.allowance(SECONDS))) for _ in range(4)
        ]
        assert len(server.requests) == 3
        assert not models.status()[0].is_ready
    assert all(answer.text.startswith(COUNTED) for answer in answers)
    assert all(answer.fallback.startswith("memtree failed: ") for answer in answers)


def test_a_question_can_be_asked_again_of_a_recording(memory: Memory, tmp_path: Path) -> None:
    recording = tmp_path / "said.jsonl"
    with asked_of(memory, tmp_path, HONEST, record=str(recording)) as (router, models, _):
        first = router.ask(Query(UNREADABLE), "memtree", Asking(models.allowance(SECONDS)))
    with routed(memory, ModelsConfig(replay=str(recording)), tmp_path) as (router, _):
        again = router.ask(Query(UNREADABLE), "memtree")
    assert first.text == "A red chair."
    assert [again.text, again.steps, again.usage] == [first.text, first.steps, first.usage]
    assert again.confidence == first.confidence
    frames = [[frame.frame_number for frame in a.key_frames] for a in (first, again)]
    assert frames[0] == frames[1]


def test_a_replay_that_is_asked_something_else_shows_the_difference(
    memory: Memory, tmp_path: Path
) -> None:
    recording = tmp_path / "said.jsonl"
    with asked_of(memory, tmp_path, HONEST, record=str(recording)) as (router, models, _):
        router.ask(Query(UNREADABLE), "memtree", Asking(models.allowance(SECONDS)))
    with routed(memory, ModelsConfig(replay=str(recording)), tmp_path) as (router, _):
        other = router.ask(Query(KNOWN), "memtree")
    assert (code_of(other), other.method, other.fallback) == ("model_failed", "memtree", "")
    assert f'- The question: "{UNREADABLE}"' in other.text
    assert f'+ The question: "{KNOWN}"' in other.text


def test_ten_questions_on_one_memory_find_the_text_of_their_prompts_cached(
    memory: Memory, tmp_path: Path
) -> None:
    with asked_of(memory, tmp_path, HONEST) as (router, models, server):
        usages = [
            router.ask(
                Query(f"what is the {i}th child doing?"), "memtree", Asking(models.allowance(9.0))
            ).usage
            for i in range(10)
        ]
        forms = [form_of(request) for request in server.requests]
    assert forms == ["LocationChoice", "FrameAnswer"] * 10
    assert usages[0].cached_tokens == 0
    later = sum(usages[1:], Usage())
    pictures = 9 * 3 * TOKENS_PER_PICTURE
    assert later.cached_tokens > 0.95 * (later.prompt_tokens - pictures)
