"""The end of endless programs, and of programs whose worker ends."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from scenemind.config.reasoning import SandboxConfig
from scenemind.errors import SandboxError
from scenemind.models import Allowance
from scenemind.reasoning.sandbox import Outcome, Sandbox, SandboxApi
from tests.unit.reasoning.sandbox.children import children_named
from tests.waiting import wait_until

ENDLESS = "begin()\nwhile True:\n    pass"
LONG = 60.0  # s; no test comes near


@contextmanager
def running(sandbox: Sandbox, program: str, **options: object) -> Iterator[list[object]]:
    """The outcome of an endless program, which has begun; it is awaited at the end."""
    begun = threading.Event()
    ended: list[object] = []

    def run() -> None:
        api = SandboxApi(functions={"begin": begun.set})
        try:
            ended.append(sandbox.run(program, api, **options))  # type: ignore[arg-type]
        except SandboxError as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert begun.wait(LONG)
    yield ended
    thread.join(LONG)


def own_workers(others: set[int]) -> list[int]:
    return [pid for pid in children_named("monty") if pid not in others]


def error_kind(outcome: object) -> str:
    assert isinstance(outcome, Outcome)
    assert outcome.error is not None
    return outcome.error.kind


def test_waiting_for_a_worker_ends_at_the_deadline() -> None:
    allowance = Allowance(LONG)
    with Sandbox(SandboxConfig(workers=1, seconds=LONG)) as sandbox:
        with running(sandbox, ENDLESS, waking=allowance.waking):
            late = sandbox.run("1", SandboxApi(), seconds=0.05)
            allowance.cancel()
        assert error_kind(late) == "time"
        assert late.error is not None
        assert "1 workers became free" in late.error.text
        assert sandbox.run("1", SandboxApi(), seconds=LONG).value == 1


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_without_any_time_left_a_program_does_not_run_on(seconds: float) -> None:
    with Sandbox(SandboxConfig(workers=1, seconds=LONG)) as sandbox:
        assert error_kind(sandbox.run("while True: pass", SandboxApi(), seconds)) == "time"
        assert sandbox.run("1", SandboxApi()).value == 1


def test_cancelled_caller_stops_waiting_for_a_worker() -> None:
    first, second = Allowance(LONG), Allowance(LONG)
    second.cancel()
    with Sandbox(SandboxConfig(workers=1, seconds=LONG)) as sandbox:
        with running(sandbox, ENDLESS, waking=first.waking) as ended:
            late = sandbox.run("1", SandboxApi(), LONG, second.waking)
            assert not ended  # the first still has the worker
            first.cancel()
        assert error_kind(late) == error_kind(ended[0]) == "time"
        assert sandbox.run("1", SandboxApi(), seconds=LONG).value == 1


def test_host_functions_count_towards_the_time_of_the_program() -> None:
    calls: list[float] = []

    def slow() -> None:
        calls.append(time.monotonic())
        time.sleep(0.1)

    program = "while True:\n    try:\n        slow()\n    except BaseException:\n        pass"
    with Sandbox(SandboxConfig(seconds=LONG, host_seconds=LONG, host_calls=10_000)) as sandbox:
        outcome = sandbox.run(program, SandboxApi(functions={"slow": slow}), seconds=0.3)
        assert error_kind(outcome) == "time"
        assert calls[-1] - calls[0] < 5.0
        assert sandbox.run("1", SandboxApi()).value == 1


def test_program_ends_when_the_question_is_cancelled() -> None:
    allowance = Allowance(LONG)
    with Sandbox(SandboxConfig(seconds=LONG, workers=1)) as sandbox:
        with running(sandbox, ENDLESS, waking=allowance.waking) as ended:
            allowance.cancel()
        assert error_kind(ended[0]) == "time"
        assert error_kind(sandbox.run("1", SandboxApi(), waking=allowance.waking)) == "time"
        assert sandbox.run("1", SandboxApi()).value == 1


def test_closing_ends_the_programs_that_run() -> None:
    with Sandbox(SandboxConfig(seconds=LONG, workers=1)) as sandbox:
        with running(sandbox, ENDLESS) as ended:
            waiting = ThreadPoolExecutor(1).submit(sandbox.run, "1", SandboxApi())
            sandbox.close()
        assert isinstance(ended[0], SandboxError)
        with pytest.raises(SandboxError, match="closed"):
            waiting.result(LONG)


def test_a_worker_that_somebody_kills_is_replaced() -> None:
    others = set(children_named("monty"))
    with Sandbox(SandboxConfig(seconds=LONG, workers=1)) as sandbox:
        with running(sandbox, ENDLESS) as ended:
            kill(own_workers(others))
        assert error_kind(ended[0]) == "worker"
        assert sandbox.run("1", SandboxApi()).value == 1
        kill(own_workers(others))  # an idle one
        assert sandbox.run("1", SandboxApi()).value == 1


def test_tidying_of_tmp_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    others = set(children_named("monty"))
    with Sandbox(SandboxConfig(workers=1)) as sandbox:
        sandbox.run("1", SandboxApi())
        (script,) = tmp_path.glob("*/worker")
        script.unlink()
        script.parent.rmdir()
        kill(own_workers(others))
        assert sandbox.run("1", SandboxApi()).value == 1
    assert not list(tmp_path.iterdir())


def kill(pids: list[int]) -> None:
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("prelude", ["while True:\n    pass", "slow()"])
def test_a_prelude_for_which_there_is_no_time_is_no_bug(prelude: str) -> None:
    slow: Callable[[], None] = lambda: time.sleep(0.4)  # noqa: E731
    api = SandboxApi(prelude, functions={"slow": slow})
    with Sandbox() as sandbox:
        assert error_kind(sandbox.run("while True:\n    pass", api, seconds=0.05)) == "time"


def test_an_operation_that_looks_at_no_clock_ends_as_one_that_takes_too_long() -> None:
    with Sandbox(SandboxConfig(seconds=0.2)) as sandbox:
        outcome = sandbox.run("x = 10 ** 100_000\nwhile True:\n    x = x * x", SandboxApi())
    assert outcome.error is not None
    assert (outcome.error.kind, "time limit" in outcome.error.text) == ("time", True)


def test_workers_are_no_more_after_programs_that_end_badly() -> None:
    others = set(children_named("monty"))
    with Sandbox(SandboxConfig(seconds=0.05, workers=2)) as sandbox, ThreadPoolExecutor(4) as pool:
        programs = ["while True:\n    pass", "1 / 0", "[0] * 10**9", "1"] * 4
        list(pool.map(lambda program: sandbox.run(program, SandboxApi()), programs))
        wait_until(lambda: len(own_workers(others)) <= 2)
    wait_until(lambda: not own_workers(others))
