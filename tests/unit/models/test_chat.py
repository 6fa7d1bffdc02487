"""Messages, and the allowance of one question."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.models import Allowance, ChatMessage, ModelError, Usage


def test_every_character_is_allowed() -> None:
    assert ChatMessage("user", "很好, 😀\x00").text == "很好, 😀\x00"


def test_half_a_character_is_refused() -> None:
    with pytest.raises(ModelError, match=r"holds '\\udcff', which is no character") as raised:
        ChatMessage("user", b"caf\xff".decode(errors="surrogateescape"))
    assert raised.value.kind == "rejected"


LONG_S = 3600.0
SOON_S = 20.0


def kind_of(allowance: Allowance) -> str:
    with pytest.raises(ModelError) as raised:
        allowance.check()
    return raised.value.kind


usages = st.builds(
    Usage,
    st.integers(0, 5),
    st.integers(0, 500),
    st.integers(0, 500),
    st.integers(0, 500),
    st.integers(0, 8).map(float),
)


@given(st.lists(usages, max_size=8), st.integers(1, 2000), st.integers(1, 20).map(float))
def test_calls_end_when_tokens_or_money_are_spent(
    calls: list[Usage], tokens: int, cost: float
) -> None:
    allowance = Allowance(LONG_S, tokens, cost)
    for usage in calls:
        allowance.spend(usage)
    used = allowance.used
    assert used.tokens == sum(u.prompt_tokens + u.reply_tokens for u in calls)
    assert used.calls == sum(u.calls for u in calls)
    if used.tokens >= tokens or used.cost >= cost:
        assert kind_of(allowance) == "over_budget"
    else:
        allowance.check()


def test_allowance_without_limits() -> None:
    allowance = Allowance(LONG_S)
    allowance.spend(Usage(1, 10**9, 0, 10**9, 1e9))
    allowance.check()


def test_error_names_a_remedy() -> None:
    allowance = Allowance(LONG_S, tokens=10)
    allowance.spend(Usage(1, 8, 0, 2))
    with pytest.raises(ModelError, match=r"used 10 of its 10 tokens.*models\.question_tokens"):
        allowance.check()


def test_time_runs_from_the_beginning() -> None:
    allowance = Allowance(0.0)
    assert allowance.left_s <= 0.0
    assert kind_of(allowance) == "too_late"
    assert 0.0 < Allowance(LONG_S).left_s <= LONG_S


def test_cancelled_question_sends_no_request() -> None:
    allowance = Allowance(0.0, tokens=1)
    allowance.spend(Usage(1, 5))
    allowance.cancel()
    assert allowance.is_cancelled
    assert kind_of(allowance) == "cancelled"


def test_waiting_callers_are_woken_once() -> None:
    allowance, woken = Allowance(LONG_S), []
    with allowance.waking(lambda: woken.append("before")):
        pass
    with allowance.waking(lambda: woken.append("meanwhile")):
        allowance.cancel()
        allowance.cancel()
    with allowance.waking(lambda: woken.append("after")):
        pass
    assert woken == ["meanwhile", "after"]


def test_callers_on_many_threads_are_all_counted_and_all_woken() -> None:
    allowance, together = Allowance(LONG_S), threading.Barrier(9)

    def call() -> None:
        together.wait(SOON_S)
        for _ in range(200):
            allowance.spend(Usage(1, 2, 0, 1))
        woken = threading.Event()
        with allowance.waking(woken.set):
            assert woken.wait(SOON_S)

    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(call) for _ in range(8)]
        together.wait(SOON_S)
        allowance.cancel()
        for running in calls:
            running.result(SOON_S)
    assert allowance.used == Usage(1600, 3200, 0, 1600)


def test_a_part_ends_before_the_whole_and_spends_from_it() -> None:
    whole = Allowance(LONG_S, tokens=100)
    part, over = whole.part(LONG_S / 2), whole.part(0.0)
    assert LONG_S / 3 < part.left_s <= LONG_S / 2
    assert kind_of(over) == "too_late"
    part.check()
    whole.check()
    part.spend(Usage(1, 100, 0))
    assert whole.used == part.used == Usage(1, 100, 0)
    assert kind_of(part) == kind_of(whole) == "over_budget"


def test_a_part_is_never_longer_than_the_whole() -> None:
    assert Allowance(1.0).part(LONG_S).left_s <= 1.0
    assert kind_of(Allowance(0.0).part(LONG_S)) == "too_late"


@pytest.mark.parametrize("who", ["whole", "part"])
def test_a_part_and_the_whole_are_cancelled_together(who: str) -> None:
    whole = Allowance(LONG_S)
    part = whole.part(SOON_S)
    woken: list[str] = []
    with whole.waking(lambda: woken.append("whole")), part.waking(lambda: woken.append("part")):
        (whole if who == "whole" else part).cancel()
    assert sorted(woken) == ["part", "whole"]
    assert kind_of(part) == kind_of(whole) == "cancelled"


def test_work_without_a_model_goes_on_when_the_tokens_are_spent() -> None:
    allowance = Allowance(20.0, tokens=10)
    allowance.spend(Usage(1, prompt_tokens=10))
    allowance.check_time()
    with pytest.raises(ModelError, match="has used 10 of its 10 tokens"):
        allowance.check()
    allowance.cancel()
    with pytest.raises(ModelError, match="cancelled"):
        allowance.check_time()


def test_cancelled_question_is_not_committed() -> None:
    allowance = Allowance(LONG_S)
    assert allowance.cancel()
    done = []
    with pytest.raises(ModelError) as raised, allowance.part(1.0).committing():
        done.append("written")
    assert (raised.value.kind, done) == ("cancelled", [])


def test_cancelling_after_the_commit_is_too_late() -> None:
    allowance = Allowance(LONG_S)
    part = allowance.part(1.0)
    with part.committing():
        assert not allowance.cancel()
    assert not part.cancel()
    assert not allowance.is_cancelled
    allowance.check()


def test_failed_question_is_not_committed() -> None:
    allowance = Allowance(LONG_S)
    with pytest.raises(OSError, match="full"), allowance.committing():
        raise OSError("the disk is full")
    assert allowance.cancel()
    assert kind_of(allowance) == "cancelled"


def test_one_of_a_simultaneous_cancellation_and_commit_wins() -> None:
    for _ in range(50):
        allowance = Allowance(LONG_S)
        both = threading.Barrier(2)

        def commit(allowance: Allowance = allowance, both: threading.Barrier = both) -> bool:
            both.wait()
            try:
                with allowance.committing():
                    return True
            except ModelError:
                return False

        with ThreadPoolExecutor(1) as pool:
            committed = pool.submit(commit)
            both.wait()
            is_cancelled = allowance.cancel()
            assert committed.result() != is_cancelled
