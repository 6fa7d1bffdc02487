"""`scenemind inventory` against a server on the loopback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from tests.chat_server import ChatServer, say
from tests.unit.cli.asking import at

NAMED = {
    "things": [{"name": "Unicorn", "box": [300.0, 200.0, 700.0, 600.0]}],
    "wrong": [{"number": 1, "name": "throne"}],
}


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The ledger of models' use lies outside of the real home."""
    monkeypatch.setenv("SCENEMIND_HOME", str(tmp_path / "home"))


def run(rooms: Path, server: ChatServer, *more: str) -> str:
    line = [
        "inventory",
        "--memory",
        "room",
        "--memory-root",
        str(rooms),
        "--dry-run",
        "--reviews",
        "0",
    ]
    result = CliRunner().invoke(app, [*line, "--calls", "1", *at(server), *more])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_dry_run_tells_what_would_be_added_and_what_it_cost(rooms: Path) -> None:
    with ChatServer(say(json.dumps(NAMED))) as server:
        told = json.loads(run(rooms, server, "--json").splitlines()[-1])
        text = run(rooms, server)
    assert told["written"] is False
    assert len(told["pictures"]) == told["usage"]["calls"] == 1
    assert list(told["renamed"].values()) == ["throne"]
    assert len(told["things"]) + sum(told["left_out"].values()) == 1
    assert "is called throne" in text
    assert "1 pictures, 1 calls" in text
