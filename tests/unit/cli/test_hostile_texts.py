"""Labels, speakers and reasons of a memory that hold what a terminal would obey: no command prints
it, whatever it shows of the memory."""

from __future__ import annotations

import json
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory
from scenemind.memory.disk.folder import DATABASE
from scenemind.memory.disk.schema import tables
from scenemind.untrusted import PrintableFormatter
from tests.unit.memory import walk

# Clears the screen and sets the title, in 7 and in 8 bits; turns the text around; markup of rich.
HOSTILE = "\x1b[2J\x1b]0;mine\x07\x9b31m\u202e\u2066\rdone\n[red]seat[/red][/]"
OBEYED = frozenset("\x1b\x07\x9b\r\u202e\u2066\x00\x08\u200f")
WORDS = {
    "chair": "Chair",
    "stool": "Stool",
    "Ada": "Ada",
    "it has no back": "Because",
    "oak": "Oak",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with `row` and `again`, where every word is followed by the hostile text; rows have
    fitting checksums."""
    root = tmp_path_factory.mktemp("memories")
    for name in ("row", "again"):
        with Memory.create(root / name, SceneMindConfig()) as memory:
            walk.go(memory, range(40))
            memory.apply([Edit("rename", (1,), value="stool")], "Ada", "it has no back")
            memory.apply([Edit("set_attribute", (3,), "material", "oak")], "Ada", "it has no back")
            memory.apply([Edit("delete_object", (2,))], "Ada", "it has no back")
        with closing(sqlite3.connect(root / name / DATABASE)) as connection, connection:
            for table in tables().values():
                rows = connection.execute(f"SELECT * FROM {table.name}").fetchall()
                spoilt = [tuple(map(_spoilt, row[:-1])) for row in rows]
                connection.execute(f"DELETE FROM {table.name}")
                table.insert(connection, spoilt)
    return root


def _spoilt(value: object) -> object:
    if not isinstance(value, str):
        return value
    is_json = value[:1] in ("{", "[")
    for word, spelled in WORDS.items():
        if is_json:
            value = value.replace(f'"{word}"', json.dumps(spelled + HOSTILE))
        elif value == word:
            value = spelled + HOSTILE
    return value


COMMANDS = [
    ("memory", "list"), ("memory", "check"), ("graph",), ("graph", "--object", "3"),
    ("graph", "--format", "json"), ("graph", "--format", "graphml"), ("find", "chair"),
    ("ground", "the stool"), ("ask", "what is there?"), ("ask", "how many chairs are there?"),
    ("ask", "where is object 3?"), ("ask", HOSTILE), ("find", HOSTILE), ("ground", HOSTILE),
    ("align", HOSTILE), ("align", "object 3 is a bench"), ("corrections", "list"),
    ("corrections", "similar", "1"), ("corrections", "undo"), ("corrections", "redo"),
    ("corrections", "export"), ("changes", "--later", "again"),
    ("keyframes", "where is the chair?", "--selector", "objects"), ("graph", "--object", HOSTILE),
]  # fmt: skip


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: " ".join(map(repr, c))[:40])
def test_no_command_prints_what_a_terminal_obeys(
    root: Path, command: tuple[str, ...], as_json: bool
) -> None:
    named = [] if command == ("memory", "list") else ["--memory", "row"]
    form = ["--json"] if as_json and "export" not in command else []
    result = CliRunner().invoke(app, [*command, *named, "--memory-root", str(root), *form])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert OBEYED.isdisjoint(result.output)


def test_programs_read_the_words_as_they_are(root: Path) -> None:
    command = ["graph", "--memory", "again", "--memory-root", str(root), "--json"]
    printed = CliRunner().invoke(app, command).stdout
    labels = {node["label"] for node in json.loads(printed.splitlines()[-1])["tree"]}
    assert {"Chair" + HOSTILE, "Stool" + HOSTILE} <= labels


def test_a_file_name_makes_no_line_of_its_own(tmp_path: Path) -> None:
    named = tmp_path / f"run\nERROR all is lost{HOSTILE.replace('/', '_')}"
    named.mkdir()
    output = CliRunner().invoke(app, ["map", str(named)]).output
    assert "ERROR all is lost" in output
    assert not any(line.startswith("ERROR") for line in output.splitlines())
    record = logging.LogRecord("a", logging.WARNING, "", 1, "lost %s", (named.name,), None)
    first, *others = PrintableFormatter("%(levelname)s %(message)s").format(record).split("\n")
    assert first == "WARNING lost run"
    assert others[0].startswith("    ERROR all is lost")
    assert all(line.startswith("    ") for line in others)


def test_a_log_is_shown_and_not_obeyed() -> None:
    record = logging.LogRecord("a", logging.WARNING, "", 1, "lost %s", ("x\x1b[2J\u202e",), None)
    assert PrintableFormatter("%(message)s").format(record) == "lost x [2J "
