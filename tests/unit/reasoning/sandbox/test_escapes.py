"""Escapes from the sandbox: each attempt in `attempts.yaml` ends in an error without harm."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from scenemind.config.reasoning import SandboxConfig
from scenemind.reasoning.sandbox import ApiError, Outcome, Sandbox, SandboxApi
from tests.unit.reasoning.sandbox.children import children_named
from tests.waiting import wait_until

# Small limits, which attempts exhaust at once.
CONFIG = SandboxConfig(seconds=0.5, memory_mb=16, host_calls=50, printed_characters=1000)


def _teach(word: str) -> list[int]:
    raise ApiError(f"no relation {word}")


API = SandboxApi(
    prelude="class Thing:\n    def __init__(self, i):\n        self.id = i\nthings = [Thing(1)]\n",
    functions={"relate": _teach, "count": lambda: 3},
)

ATTEMPTS = {
    f"{kind}: {name}": program
    for kind, programs in yaml.safe_load(
        Path(__file__).with_name("attempts.yaml").read_text(encoding="utf-8")
    ).items()
    for name, program in programs.items()
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(CONFIG) as sandbox:
        yield sandbox


def run(sandbox: Sandbox, program: str) -> Outcome:
    return sandbox.run(program, API)


def test_there_are_more_than_forty() -> None:
    assert len(ATTEMPTS) >= 40


@pytest.mark.parametrize("name", ATTEMPTS)
def test_it_ends_in_an_error_and_the_next_program_runs(sandbox: Sandbox, name: str) -> None:
    outcome = run(sandbox, ATTEMPTS[name])
    assert outcome.error is not None, outcome.value
    assert len(outcome.error.text) < 5000
    assert len(outcome.printed) <= CONFIG.printed_characters
    assert not Path("/tmp/owned").exists()
    after = run(sandbox, "len(things) + count()")
    assert (after.value, after.error) == (4, None)


def test_a_worker_has_no_environment_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with Sandbox(SandboxConfig(workers=1)) as sandbox:
        sandbox.run("1", API)
        workers = children_named("monty")
        assert workers
        for pid in workers:
            assert b"sk-secret" not in Path(f"/proc/{pid}/environ").read_bytes()
            limits = Path(f"/proc/{pid}/limits").read_text(encoding="utf-8")
            assert "Max file size             0 " in limits
            assert "Max address space         1024000000" in limits


def test_closing_ends_the_workers() -> None:
    others = set(children_named("monty"))
    with Sandbox(SandboxConfig(workers=2)) as sandbox:
        sandbox.run("1", API)
        own = set(children_named("monty")) - others
        assert own
    assert not own & set(children_named("monty"))


def test_workers_end_with_a_killed_process() -> None:
    code = (
        "import subprocess, sys\n"
        "from scenemind.reasoning.sandbox import Sandbox, SandboxApi\n"
        "from scenemind.config.reasoning import SandboxConfig\n"
        "sandbox = Sandbox(SandboxConfig(seconds=1.0))\n"
        "sandbox.run('1', SandboxApi())\n"
        "print('ready', flush=True)\n"
        "sandbox.run('while True: pass', SandboxApi())\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        workers = children_named("monty", parent=process.pid)
        assert workers
        process.kill()
        # The pipe of a worker that lives on would keep this from coming to an end.
        process.stdout.read()
    wait_until(lambda: not any(map(_is_running, workers)))


def _is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rsplit(") ", 1)[1][0] != "Z"
