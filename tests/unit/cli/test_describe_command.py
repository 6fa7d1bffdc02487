"""`scenemind describe` against a server on the loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from tests.chat_server import ChatServer, fail, refuse, say
from tests.unit.describing.conftest import answer, walk_on


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Folder with `row`: three chairs."""
    with Memory.create(tmp_path / "row", SceneMindConfig()) as memory:
        walk_on(memory, 0, 41)
    return tmp_path


def run(root: Path, server: ChatServer, *arguments: str) -> tuple[int, str]:
    fixed = ["--endpoint", server.endpoint, "--model", "seer", "--per-minute", "60000"]
    line = ["describe", "--memory", "row", "--memory-root", str(root), *fixed, *arguments]
    result = CliRunner().invoke(app, line)
    return result.exit_code, result.output


def run_json(root: Path, server: ChatServer, *arguments: str) -> dict[str, Any]:
    status, output = run(root, server, "--json", *arguments)
    assert status == 0
    return json.loads(output.splitlines()[-1])


def test_a_stored_memory_is_described_once(root: Path) -> None:
    with ChatServer(say(answer("plywood"))) as server:
        first = run_json(root, server)
        second = run_json(root, server)
        third = run_json(root, server, "--again", "--limit", "2")
    assert first["descriptions"] == {"made": 3, "no_views": 0, "left": 0}
    assert [o["attributes"]["material"] for o in first["objects"]] == ["plywood"] * 3
    assert second["descriptions"]["made"] == 0
    assert second["objects"] == first["objects"]
    assert third["descriptions"]["made"] == 2


def test_table_shows_the_descriptions(root: Path) -> None:
    with ChatServer(say(answer("plywood", state="folded"))) as server:
        status, output = run(root, server)
    assert status == 0
    assert output.count("plywood") == 3
    assert "descriptions: 3 made, 0 no_views, 0 left" in output


def test_one_refusal_does_not_end_the_command(root: Path) -> None:
    with ChatServer(refuse("no"), say(answer())) as server:
        assert run_json(root, server)["descriptions"] == {
            "made": 1,
            "no_views": 0,
            "refused": 2,
            "left": 0,
        }


def test_server_that_refuses_all_requests_is_asked_once(root: Path) -> None:
    with ChatServer(fail(401)) as server:
        status, output = run(root, server, "--json")
        assert status == 1
        assert json.loads(output.splitlines()[-1])["descriptions"] == {
            "made": 0,
            "no_views": 0,
            "rejected": 1,
            "left": 2,
        }
        assert len(server.requests) == 1


def test_a_server_that_fails_on_and_on_is_left_alone(root: Path, tmp_path: Path) -> None:
    config = tmp_path / "robot.yaml"
    config.write_text("models: {retries: 0, rest_after: 2}\n")
    with ChatServer(fail(500)) as server:
        status, output = run(root, server, "--json", "--config", str(config))
    assert status == 1
    assert json.loads(output.splitlines()[-1])["descriptions"] == {
        "made": 0,
        "no_views": 0,
        "server_failed": 2,
        "resting": 1,
        "left": 0,
    }
    assert len(server.requests) == 2


@pytest.mark.parametrize("role", ["vision", "language"])
def test_the_models_of_the_configuration_are_asked(root: Path, tmp_path: Path, role: str) -> None:
    config = tmp_path / "robot.yaml"
    with ChatServer(say(answer())) as server:
        model = f"{role}: {{model: owl, endpoint: '{server.endpoint}'}}"
        config.write_text(f"models: {{{model}}}\ndescriptions: {{per_minute: 60000.0}}\n")
        line = ["describe", "--memory", "row", "--memory-root", str(root), "--config", str(config)]
        assert CliRunner().invoke(app, line).exit_code == 0
        assert CliRunner().invoke(app, [*line, "--model", "hawk", "--again"]).exit_code == 0
    assert [r.body["model"] for r in server.requests] == ["owl"] * 3 + ["hawk"] * 3
    assert all(request.pictures for request in server.requests)


def test_recording_is_replayed_without_a_server(root: Path, tmp_path: Path) -> None:
    recording = str(tmp_path / "exchanges.jsonl")
    with ChatServer(say(answer("plywood"))) as server:
        first = run_json(root, server, "--record", recording)
    line = [
        "describe",
        "--memory",
        "row",
        "--memory-root",
        str(root),
        "--replay",
        recording,
        "--again",
    ]
    result = CliRunner().invoke(app, [*line, "--json"])
    assert result.exit_code == 0
    assert json.loads(result.output.splitlines()[-1])["objects"] == first["objects"]
    assert first["objects"][0]["attributes"]["material"] == "plywood"


def test_name_of_a_model_is_required(root: Path) -> None:
    result = CliRunner().invoke(app, ["describe", "--memory", "row", "--memory-root", str(root)])
    assert result.exit_code == 1
    assert "say --model" in result.output
