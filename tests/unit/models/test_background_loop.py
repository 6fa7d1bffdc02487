"""The background loop: results, cancelling, and closing at each moment of a question."""

from __future__ import annotations

import asyncio
import gc
import threading
import warnings
from collections.abc import Coroutine
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any

import anyio
import pytest

from scenemind.models import Allowance
from scenemind.models.openai_chat import BackgroundLoop

LONG_S = 3600.0
SOON_S = 20.0


async def nothing() -> None:
    pass


async def for_ever(started: threading.Event) -> None:
    started.set()
    await asyncio.Event().wait()


async def deaf(started: threading.Event, heard: threading.Event) -> None:
    """A coroutine that ignores being cancelled."""
    started.set()
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            heard.set()


def test_a_result_comes_back_from_the_other_thread() -> None:
    async def thread_id() -> int:
        return threading.get_ident()

    loop = BackgroundLoop("test")
    assert loop.run(thread_id(), SOON_S) != threading.get_ident()
    loop.close(nothing())


def test_late_coroutine_is_cancelled() -> None:
    loop, cancelled = BackgroundLoop("test"), threading.Event()

    async def late() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    with pytest.raises(TimeoutError, match=r"not done in 0\.05 s"):
        loop.run(late(), 0.05)
    assert cancelled.wait(SOON_S)
    loop.close(nothing())


def test_cancelling_wakes_the_caller_and_ends_the_coroutine() -> None:
    loop, started, ended = BackgroundLoop("test"), threading.Event(), threading.Event()
    allowance = Allowance(LONG_S)

    async def question() -> None:
        try:
            await for_ever(started)
        finally:
            ended.set()

    with ThreadPoolExecutor() as pool:
        asking = pool.submit(loop.run, question(), LONG_S, allowance)
        assert started.wait(SOON_S)
        allowance.cancel()
        with pytest.raises(CancelledError):
            asking.result(SOON_S)
    assert ended.wait(SOON_S)
    with pytest.raises(CancelledError):
        loop.run(for_ever(threading.Event()), LONG_S, allowance)
    loop.close(nothing())


def test_a_closed_loop_refuses() -> None:
    loop = BackgroundLoop("test")
    loop.close(nothing())
    loop.close(nothing())
    with pytest.raises(CancelledError, match="closed"):
        loop.run(nothing(), LONG_S)


def test_a_question_that_comes_while_the_loop_closes_is_refused() -> None:
    loop, is_closing, may_end = BackgroundLoop("test"), threading.Event(), threading.Event()

    async def slow_end() -> None:
        is_closing.set()
        await asyncio.get_running_loop().run_in_executor(None, may_end.wait, SOON_S)

    with ThreadPoolExecutor() as pool:
        closing = pool.submit(loop.close, slow_end(), SOON_S)
        assert is_closing.wait(SOON_S)
        asking = pool.submit(loop.run, for_ever(threading.Event()), LONG_S)
        try:
            with pytest.raises(CancelledError, match="closed"):
                asking.result(SOON_S)
        finally:
            may_end.set()
        closing.result(SOON_S)


@pytest.mark.parametrize("heeds", [True, False])
def test_closing_wakes_waiting_callers(heeds: bool) -> None:
    loop, started, heard = BackgroundLoop("test"), threading.Event(), threading.Event()
    question: Coroutine[Any, Any, None] = for_ever(started) if heeds else deaf(started, heard)
    with ThreadPoolExecutor() as pool:
        asking = pool.submit(loop.run, question, LONG_S)
        assert started.wait(SOON_S)
        loop.close(nothing())
        with pytest.raises(CancelledError):
            asking.result(SOON_S)
    assert heard.is_set() is not heeds


def test_loop_may_close_at_any_moment_of_questions_on_many_threads() -> None:
    for _ in range(20):
        loop = BackgroundLoop("test")
        together = threading.Barrier(5)

        def ask(loop: BackgroundLoop = loop, together: threading.Barrier = together) -> None:
            together.wait(SOON_S)
            with pytest.raises(CancelledError):
                loop.run(for_ever(threading.Event()), LONG_S)

        with ThreadPoolExecutor(4) as pool:
            asking = [pool.submit(ask) for _ in range(4)]
            together.wait(SOON_S)
            loop.close(nothing())
            for future in asking:
                future.result(SOON_S)


def test_closing_loses_no_part_of_a_question() -> None:
    """When the loop closes, a part of the question has been submitted and has not begun."""
    loop, started = BackgroundLoop("test"), threading.Event()

    async def in_parts() -> None:
        async with anyio.create_task_group() as parts:
            while True:
                parts.start_soon(nothing)
                started.set()
                await asyncio.sleep(0.0)

    with warnings.catch_warnings(record=True) as caught, ThreadPoolExecutor() as pool:
        warnings.simplefilter("always")
        asking = pool.submit(loop.run, in_parts(), LONG_S)
        assert started.wait(SOON_S)
        loop.close(nothing())
        with pytest.raises(CancelledError):
            asking.result(SOON_S)
        gc.collect()
    assert [str(warning.message) for warning in caught] == []
