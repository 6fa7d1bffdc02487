"""Questions with --live: a child process asks running nodes, whose models are a scripted server."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.reasoning_node import ReasoningNode
from tests.chat_server import ChatServer

from .graph import SIMULATED, RosGraph, wait_for
from .scripted_model import ANSWER, CHOICE, MADE_OF, asking, hang_on, look


@pytest.fixture(scope="module")
def server(stored_room: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatServer]:
    """The scripted server of two nodes that communicate by services alone."""
    root = tmp_path_factory.mktemp("live")
    shutil.copytree(stored_room, root / "room")
    graph = RosGraph(hears_processes=True)
    with ChatServer(hang_on("stove", look())) as server:
        graph.add(MappingNode, SIMULATED | {"memory.root": str(root), "memory.name": "room"})
        graph.add(ReasoningNode, asking(server.endpoint))
        yield server
        graph.close()


Run = Callable[..., tuple[Any, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command here, which starts the child; returns the JSON that it printed and its log."""

    def run(*words: str, status: int = 0) -> tuple[Any, str]:
        done = CliRunner().invoke(app, [*words, "--live", "--json"])
        said = capfd.readouterr()
        assert done.exit_code == status, said.out + said.err
        return json.loads(said.out.splitlines()[-1]), said.err

    return run


@pytest.mark.usefixtures("server")
def test_an_answer_comes_with_progress_evidence_and_pictures(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page"
    answer, log = run("ask", MADE_OF, "--method", "memtree", "--pictures", str(page))
    assert (answer["answer"], answer["method"]) == (ANSWER["answer"], "memtree")
    assert answer["usage"]["calls"] == 2
    (frame,) = answer["evidence"]
    assert {thing["label"] for thing in answer["objects"]} == {"chair"}
    assert {str(thing["id"]) for thing in answer["objects"]} & frame["boxes_px"].keys()
    stages = [line.split(" (")[0].split(",")[0] for line in log.splitlines()]
    assert [s for s in stages if s in ("select", "look", "answer")] == ["select", "look", "answer"]
    assert str(ANSWER["answer"]) in (page / "index.html").read_text(encoding="utf-8")
    assert len(list(page.glob("*.jpg"))) == 1


@pytest.mark.usefixtures("server")
def test_a_phrase_is_grounded_with_progress_and_pictures(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page"
    words = ("ground", "the wooden chair", "--method", "memtree", "--pictures", str(page))
    found, log = run(*words)
    assert found["method"] == "memtree"
    assert {thing["label"] for thing in found["objects"]} == {"chair"}
    stages = [line.split(" (")[0].split(",")[0] for line in log.splitlines()]
    assert [s for s in stages if s in ("select", "look", "answer")] == ["select", "look", "answer"]
    assert len(list(page.glob("*.jpg"))) == 1


@pytest.mark.usefixtures("server")
def test_suggestion_of_the_nodes_is_taken(run: Run) -> None:
    said = ("ask", "what number chairs of is", "--method", "symbolic")
    failed, _ = run(*said, status=1)
    assert failed["error"]["suggestion"] == "how many chairs are there?"
    answer, _ = run(*said, "--yes")
    assert (answer["question"], answer["error"]) == ("how many chairs are there?", None)


@pytest.mark.usefixtures("server")
def test_frames_are_chosen_with_reasons(run: Run) -> None:
    chosen, _ = run("keyframes", MADE_OF, "--frames", "1")
    assert (chosen["selector"], chosen["reasoning"]) == ("tree", CHOICE["think"])
    assert [frame["location"] for frame in chosen["key_frames"]] == [0]
    assert chosen["key_objects"]


@pytest.mark.parametrize("words", [("ask", "is the stove on?"), ("ground", "the stove that is on")])
def test_interrupt_of_the_command_alone_cancels_the_question(
    server: ChatServer, words: tuple[str, str]
) -> None:
    line = ["-m", "scenemind.cli.main", *words, "--method", "memtree", "--live", "--json"]
    command = subprocess.Popen(
        [sys.executable, *line],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_for(lambda: any(words[1] in request.text for request in server.requests), "the call")
    os.kill(command.pid, signal.SIGINT)
    output, log = command.communicate(timeout=60.0)
    assert command.returncode == 130, output + log
    assert json.loads(output.splitlines()[-1])["error"]["code"] == "cancelled"
    assert "Traceback" not in log
