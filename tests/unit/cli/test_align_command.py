"""`scenemind align` with a model: an agent for sentences that the grammar does not read."""

from __future__ import annotations

import shutil
from pathlib import Path
from unittest.mock import Mock

import pytest

from scenemind.cli import align, suggestions
from tests.chat_server import ChatServer, call, choose, fail

from .asking import at, run, run_json

SAID = "You ought to know that for two years now object 1 has been an ottoman, it is an ottoman."


@pytest.fixture
def copied(rooms: Path, tmp_path: Path) -> Path:
    """The same memories, to be corrected."""
    return Path(shutil.copytree(rooms, tmp_path / "rooms"))


def renamer(name: str) -> ChatServer:
    """A model that renames object 1 after any sentence."""
    rename = call(("update_name", {"names": [name], "object_ids": [1]}), text="I rename it.")
    end = call(("final_answer", {"answer": "I have learned that."}), text="Done.")
    return ChatServer(choose(lambda request: end if "Noted;" in request.text else rename))


def test_agent_writes_the_correction(copied: Path) -> None:
    with renamer("ottoman") as server:
        done = run_json("align", SAID, copied, "--by", "Ada", *at(server))
    assert (done["method"], done["response"]) == (
        "synergai",
        'I have learned that. Written: The "picture" (id: 1) is called "ottoman".',
    )
    (entry,) = run_json("align", "", copied, "--list")["corrections"]
    assert (entry["by"], entry["reason"], entry["value"]) == ("Ada", SAID, "ottoman")


def test_edit_without_a_request_is_shown_and_not_written(copied: Path) -> None:
    with renamer("dragon") as server:
        status, output = run("align", SAID, copied, *at(server))
    assert status == 0
    assert "You have not said this yourself" in output
    assert "dragon" in output
    assert run_json("align", "", copied, "--list")["corrections"] == []


def test_yes_confirms_what_is_proposed(copied: Path) -> None:
    with renamer("dragon") as server:
        status, output = run("align", SAID, copied, "--yes", *at(server))
    assert status == 0
    assert "Shall I do that?" in output
    assert "Done." in output
    (entry,) = run_json("align", "", copied, "--list")["corrections"]
    assert (entry["reason"], entry["value"]) == (SAID, "dragon")


def test_a_proposal_is_answered_on_a_terminal_in_any_words(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (align, suggestions):
        monkeypatch.setattr(module, "can_take", Mock(return_value=True))
    monkeypatch.setattr("typer.prompt", Mock(return_value="That's the one, you got it."))
    with renamer("dragon") as server:
        assert run("align", SAID, copied, *at(server))[0] == 0
    (entry,) = run_json("align", "", copied, "--list")["corrections"]
    assert entry["value"] == "dragon"


def test_failing_model_is_an_error(copied: Path) -> None:
    with ChatServer(fail(400)) as server:
        status, output = run("align", SAID, copied, *at(server))
    assert status == 1
    assert "synergai failed" in output


def test_running_nodes_have_models_of_their_own(copied: Path) -> None:
    status, output = run("align", SAID, copied, "--live", "--model", "seer")
    assert status == 1
    assert "--model" in output
