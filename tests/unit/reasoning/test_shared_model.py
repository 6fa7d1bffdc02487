"""One model for all questions: made once, and waited for no longer than there is time."""

from __future__ import annotations

import threading

import pytest

from scenemind.models import Allowance, ModelError
from scenemind.reasoning.shared_model import SharedModel


def test_it_is_made_once_when_it_is_needed() -> None:
    made: list[str] = []
    shared = SharedModel(lambda: made.append("model") or "model", "model")  # type: ignore[func-returns-value]
    assert shared.find() is None
    with shared.turn() as first:
        pass
    assert shared.get() == first == shared.find() == "model"
    assert made == ["model"]


def test_what_cannot_be_made_is_tried_again() -> None:
    answers = iter((ValueError("no weights"), "model"))

    def build() -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    shared = SharedModel(build, "model")
    with pytest.raises(ValueError, match="no weights"):
        shared.get()
    assert shared.find() is None
    assert shared.get() == "model"


def test_who_has_no_time_left_waits_for_no_turn() -> None:
    shared = SharedModel(lambda: "model", "model")
    with (
        shared.turn(),
        pytest.raises(ModelError, match=r"the 0\.05 s"),
        shared.turn(Allowance(0.05)),
    ):
        pytest.fail("two had a turn")
    with shared.turn(Allowance(20.0)) as model:
        assert model == "model"


def test_who_gives_up_while_it_is_made_is_free_and_the_next_finds_it() -> None:
    may_end = threading.Event()

    def build() -> str:
        may_end.wait(20.0)
        return "model"

    shared = SharedModel(build, "model")
    allowance = Allowance(20.0)
    threading.Timer(0.05, allowance.cancel).start()
    with pytest.raises(ModelError, match="cancelled"):
        shared.get(allowance)
    may_end.set()
    assert shared.get(Allowance(20.0)) == "model"
