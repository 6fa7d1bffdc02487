from __future__ import annotations

import threading

import pytest

from scenemind.viewer.sentences import Sentences
from tests.waiting import wait_until


def test_one_is_answered_after_the_other_whoever_types() -> None:
    running, most, answered = 0, 0, []

    def answer(text: str) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        answered.append(text)
        running -= 1

    sentences = Sentences(answer, pytest.fail)
    typists = [threading.Thread(target=sentences.put, args=(str(i),)) for i in range(8)]
    for typist in typists:
        typist.start()
    for typist in typists:
        typist.join()
    sentences.close()
    assert most == 1
    assert len(answered) <= 8


def test_too_many_are_refused_and_room_comes_again() -> None:
    go_on = threading.Event()
    sentences = Sentences(lambda _: go_on.wait(30.0), pytest.fail)
    assert [sentences.put("a") for _ in range(9)] == [*range(8), None]
    go_on.set()
    wait_until(lambda: sentences.put("b") is not None)
    sentences.close()


def test_a_failure_is_told_and_the_next_is_answered(caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []
    answered = threading.Event()

    def answer(text: str) -> None:
        if text == "bad":
            raise ZeroDivisionError("by zero")
        answered.set()

    sentences = Sentences(answer, told.append)
    sentences.put("bad")
    sentences.put("good")
    assert answered.wait(30.0)
    sentences.close()
    assert told == ["That failed: by zero"]
    assert "ZeroDivisionError" in caplog.text
