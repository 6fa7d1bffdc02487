"""The command line as a whole: help, version, completion, and what is imported for each."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import typer
from typer.main import get_group
from typer.testing import CliRunner

from scenemind.cli import main
from scenemind.cli.main import app

GROUPS = ["Map", "Ask", "Correct", "Robot", "Models", "Measure"]
# Packages that take a tenth of a second or more to import, or belong to models.
HEAVY = {
    "scipy.spatial",
    "scipy.optimize",
    "scipy.ndimage",
    "openai",
    "httpx2",
    "asyncio",
    "pydantic_monty",
    "rosbags",
    "jinja2",
    "networkx",
    "onnxruntime",
    "torch",
    "scenemind.reasoning.vlm_grounder",
    "scenemind.reasoning.vadar",
    "scenemind.reasoning.llm_tpc",
    "scenemind.reasoning.memtree_qa",
    "scenemind.reasoning.synergai",
    "scenemind.reasoning.sandbox",
    "scenemind.describing",
    "scenemind.mapping",
    "scenemind.simulation",
    "scenemind.viewer",
    "scenemind.report.page",
}


def modules_after(script: str, *arguments: str, home: Path | None = None) -> set[str]:
    """Names of the modules that a new process has imported at its end."""
    code = (
        f"import sys, json, atexit\nsys.argv = ['scenemind', *{list(arguments)!r}]\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        f"{script}\n"
    )
    environment = dict(os.environ) | ({"SCENEMIND_HOME": str(home)} if home else {})
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_help_groups_all_commands() -> None:
    output = CliRunner().invoke(app, ["--help"]).output
    found = [group for group in GROUPS if f"─ {group} ─" in output]
    assert found == GROUPS
    assert all(f"│ {name} " in output for name in main._COMMANDS)


@pytest.mark.parametrize("name", main._COMMANDS)
def test_each_command_has_help(name: str) -> None:
    context = typer.Context(get_group(app))
    resolved, command, rest = get_group(app).resolve_command(context, [name, "more"])
    assert (resolved, command.name, rest) == (name, name, ["more"])
    assert command.callback is not None or hasattr(command, "commands")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_listing_commands_imports_none_of_them(option: str) -> None:
    imported = modules_after("from scenemind.cli.main import main; main()", option)
    assert "numpy" not in imported
    assert "pydantic" not in imported
    assert {name for name in imported if name.startswith("scenemind.")} == {
        "scenemind.cli",
        "scenemind.cli.main",
        "scenemind.errors",
        "scenemind.garbage",
    }


def test_a_question_without_a_model_imports_little(rooms: Path) -> None:
    question = ("ask", "how many chairs are there?", "--memory", "room")
    imported = modules_after("from scenemind.cli.main import main; main()", *question, home=rooms)
    unused = {
        "scenemind.language.corrections.grammar",
        "scenemind.exchange",
        "scenemind.evaluation",
    }
    assert "scenemind.reasoning.symbolic.reasoner" in imported
    assert not imported & (HEAVY | unused)


def test_play_says_at_once_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It then becomes the player, which is imported for seconds on a busy machine."""
    monkeypatch.setattr(os, "execve", lambda *_: None)
    monkeypatch.setattr("scenemind.cli.nodes.ros_environment", dict)
    result = CliRunner().invoke(app, ["play", "sim:3"])
    assert result.stderr.startswith("sim:3 is played once nodes read its topics.")
    assert "`scenemind up --sim`" in result.stderr
    assert "numpy" not in modules_after("import scenemind.cli.nodes")


def test_a_worker_of_eval_imports_little() -> None:
    assert not modules_after("import scenemind.cli.eval_recipe") & HEAVY


def test_modules_of_a_command_are_exempt_from_garbage_collection() -> None:
    gc.unfreeze()
    main._imported.__wrapped__("ask")
    assert not any(one is sys.modules["scenemind.cli.ask"] for one in gc.get_objects())


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"scenemind {version('scenemind')}\n")


@pytest.mark.parametrize(
    ("line", "suggested"),
    [
        (["aks", "where?"], "Did you mean 'ask'"),
        (["memory", "lst"], "Did you mean 'list'"),
        (["ask", "where?", "--memry", "room"], "--memory"),
        (["ask", "where?", "--memory", "rom"], "did you mean room?"),
        (["view", "room"], "Memories are named by --memory"),
        (["ask", "where", "is", "it?"], "stands in quotes"),
    ],
)
def test_error_of_a_misspelled_command_suggests_another(
    rooms: Path, monkeypatch: pytest.MonkeyPatch, line: list[str], suggested: str
) -> None:
    monkeypatch.setenv("SCENEMIND_HOME", str(rooms))
    result = CliRunner().invoke(app, line)
    assert result.exit_code != 0
    assert suggested in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("scenemind al", ["align"]),
        ("scenemind memory s", ["save-as"]),
        ("scenemind ask --mem", ["--memory", "--memory-root"]),
        ("scenemind graph --memory r", ["room"]),
        ("scenemind changes --later r", ["room"]),
    ],
)
def test_a_shell_completes(rooms: Path, words: str, expected: list[str]) -> None:
    environment = {
        "_SCENEMIND_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
        "SCENEMIND_HOME": str(rooms),
    }
    done = CliRunner().invoke(app, env=environment, prog_name="scenemind")
    assert done.stdout.split() == expected


@pytest.mark.parametrize(
    "line",
    [
        ["ask", "where is the chair?"],
        ["ground", "the chair"],
        ["find", "chair"],
    ],
)
def test_no_table_loses_its_ids_at_40_columns(
    rooms: Path, monkeypatch: pytest.MonkeyPatch, line: list[str]
) -> None:
    where = ["--memory", "room", "--memory-root", str(rooms)]
    objects = json.loads(CliRunner().invoke(app, [*line, *where, "--json"]).output.splitlines()[-1])
    ids = [str(thing["id"]) for thing in objects["objects"]]
    monkeypatch.setattr("scenemind.report.terminal._FILE_WIDTH", 40)
    output = CliRunner().invoke(app, [*line, *where]).output
    rows = [row.split()[0] for row in output.splitlines() if row[:6].strip().isdigit()]
    assert rows == ids
    assert max(len(row) for row in output.split("──")[-1].splitlines()[1:-1]) <= 40
