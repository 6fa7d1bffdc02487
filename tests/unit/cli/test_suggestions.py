"""Suggestions at the command line: one key on a terminal, `--yes`, and nothing without either."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path

import pytest

from scenemind.cli import align, ask, ground
from scenemind.language.corrections.grammar import parse_commands
from scenemind.language.questions import read_text
from scenemind.language.trees import Ground

from .asking import run, run_json

UNREAD, MEANT = "what number chairs of is", "how many chairs are there?"


@pytest.mark.parametrize("command", ["ask", "ground"])
def test_yes_takes_it(command: str, rooms: Path) -> None:
    more = ("--yes", "--policy", "strict")
    status, output = run(command, UNREAD, rooms, *more)
    assert status == 0
    assert output.startswith("I do not understand")
    assert f'Did you mean "{MEANT}"' in output
    taken = run_json(command, UNREAD, rooms, *more)
    assert taken["error"] is None
    assert taken["question" if command == "ask" else "query"] == MEANT


def test_without_a_terminal_nobody_is_asked(rooms: Path) -> None:
    assert run("ask", UNREAD, rooms)[0] == 1
    failed = run_json("ask", UNREAD, rooms, status=1)
    assert failed["error"]["suggestion"] == MEANT


@pytest.mark.parametrize(("key", "status"), [(b"\n", 0), (b"n\n", 1)])
def test_one_key_takes_it(key: bytes, status: int, rooms: Path) -> None:
    line = ["-m", "scenemind.cli.main", "ask", UNREAD, "--memory", "room"]
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [sys.executable, *line, "--memory-root", str(rooms)])
    output = b""
    while b"[Y/n]" not in output:
        output += os.read(terminal, 4096)
    os.write(terminal, key)
    try:
        while more := os.read(terminal, 4096):
            output += more
    except OSError:  # the child has closed its end
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == status
    assert (b"There are" in output) == (status == 0)


def test_a_correction_is_suggested_too(rooms: Path) -> None:
    status, output = run("align", "the dining tabel iss bleu", rooms)
    assert status == 1
    assert 'Did you mean "the dining table is blue"?' in output


@pytest.mark.parametrize("example", ask.EXAMPLES)
def test_examples_of_questions_are_read(example: str) -> None:
    assert not isinstance(read_text(example).question, Ground)


@pytest.mark.parametrize("example", ground.EXAMPLES)
def test_examples_of_phrases_are_read(example: str) -> None:
    assert isinstance(read_text(example).question, Ground)


@pytest.mark.parametrize("example", align.EXAMPLES)
def test_examples_of_corrections_are_read(example: str) -> None:
    assert parse_commands(example)
