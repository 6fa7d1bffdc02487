"""Clients and commands with --live put questions to running nodes as they do to a stored memory."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest
import typer
from typer.testing import CliRunner

from scenemind.cli import ask_command, ground_command, keyframes_command
from scenemind.cli.main import app
from scenemind.models import Allowance
from scenemind_interfaces.action import Ask
from scenemind_interfaces.msg import Error
from scenemind_ros.client import SceneMindClient
from scenemind_ros.commands.live_request.asking import ASKING
from scenemind_ros.errors import RosError
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.reasoning.shared_memory import SharedMemory
from scenemind_ros.reasoning_node import ReasoningNode
from tests.chat_server import ChatServer

from .graph import SIMULATED, TIMEOUT_S, RosGraph, wait_for
from .scripted_model import ANSWER, CHOICE, MADE_OF, asking, hang_on, look

NEVER = "Why does it never end?"


class Running(NamedTuple):
    client: SceneMindClient
    server: ChatServer
    memories: Path


@pytest.fixture(scope="module")
def running(stored_room: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Both nodes on a memory with the name room, and a copy of it to compare with."""
    root, copies = tmp_path_factory.mktemp("live"), tmp_path_factory.mktemp("copies")
    for folder in (root, copies):
        shutil.copytree(stored_room, folder / "room")
    graph = RosGraph(hears_processes=True)
    memory = {"memory.root": str(root), "memory.name": "room"}
    with ChatServer(hang_on(NEVER, look())) as server:
        mapping = graph.add(MappingNode, SIMULATED | memory)
        graph.add(ReasoningNode, asking(server.endpoint), memory=SharedMemory(mapping))
        with SceneMindClient() as client:
            client.wait_ready(TIMEOUT_S)
            yield Running(client, server, copies)
        graph.close()


@pytest.fixture
def in_process(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the child process of a command would do, done here: each takes seconds to start."""

    def run_live(task: str, text: str, **options: object) -> NoReturn:
        request = json.loads(json.dumps({"task": task, "text": text, **options}))
        raise typer.Exit(ASKING[task](running.client, request))

    for module in (ask_command, ground_command, keyframes_command):
        monkeypatch.setattr(module, "run_live", run_live)


def run(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == status, result.output
    return result.stdout


def run_json(*arguments: object, status: int = 0) -> Any:
    return json.loads(run(*arguments, "--json", status=status).splitlines()[-1])


def stored(running: Running) -> list[object]:
    """Options that ask the stored memory with the same models."""
    of_memory = ["--memory", "room", "--memory-root", running.memories]
    return [*of_memory, "--model", "scripted", "--endpoint", running.server.endpoint]


def comparable(said: dict[str, Any]) -> dict[str, Any]:
    """Without times, and without what is cut by how it travels."""
    for frame in said.get("evidence", said["key_frames"]):
        if isinstance(frame, dict):
            frame["boxes_px"] = {i: [round(x) for x in box] for i, box in frame["boxes_px"].items()}
            frame["score"] = round(frame["score"], 2)
    if "confidence" in said:
        said["confidence"] = round(said["confidence"], 3)
    said["usage"].pop("cached_prompt_tokens")
    said.pop("seconds")
    return said


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    "command",
    [
        ["keyframes", MADE_OF, "--frames", 1],
        ["keyframes", MADE_OF, "--frames", 2, "--selector", "objects"],
        ["ask", "How many chairs are there?"],
    ],
)
def test_live_and_stored_say_the_same(running: Running, command: list[object]) -> None:
    live = comparable(run_json(*command, "--live"))
    assert live == comparable(run_json(*command, *stored(running)))


@pytest.mark.usefixtures("in_process")
def test_a_live_answer_has_its_evidence_and_a_page(tmp_path: Path) -> None:
    said = run_json(
        "ask", MADE_OF, "--method", "memtree", "--live", "--pictures", tmp_path / "page"
    )
    assert (said["answer"], said["method"], said["fallback"]) == (ANSWER["answer"], "memtree", "")
    assert said["usage"]["calls"] == 2
    assert said["steps"]
    assert {thing["label"] for thing in said["objects"]} == {"chair"}
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert ANSWER["answer"] in page


@pytest.mark.usefixtures("in_process")
def test_a_phrase_is_found_live() -> None:
    said = run_json("ground", "the refrigerator", "--live")
    assert [thing["label"] for thing in said["objects"]] == ["refrigerator"]
    missed = run_json("ground", "the elephant", "--method", "symbolic", "--live", status=1)
    assert missed["error"]["code"] == "not_found"


@pytest.mark.usefixtures("in_process")
def test_a_failure_has_its_code_and_status() -> None:
    said = run_json("ask", NEVER, "--method", "memtree", "--live", "--timeout", 0.2, status=1)
    assert said["error"]["code"] == "timeout"


def test_a_question_can_be_followed_and_taken_back(running: Running) -> None:
    stages: list[str] = []
    heard = threading.Event()

    def hear(feedback: Ask.Feedback) -> None:
        stages.append(feedback.stage)
        if feedback.stage == "select":
            heard.set()

    done = running.client.start_asking(MADE_OF, method="memtree", on_feedback=hear)
    result = done.result(TIMEOUT_S)
    assert result.answer.text == ANSWER["answer"]
    assert {"select", "look"} <= set(stages)
    heard.clear()
    goal = running.client.start_asking(NEVER, method="memtree", on_feedback=hear)
    assert heard.wait(TIMEOUT_S)
    with pytest.raises(RosError, match=r"no result within 0\.01 s") as caught:
        goal.result(0.01)
    assert caught.value.code == Error.TIMEOUT
    goal.cancel()
    goal.cancel()  # harmless
    assert goal.result(TIMEOUT_S).error.code == Error.CANCELLED


def test_an_interrupt_takes_a_live_question_back(
    running: Running, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `with_progress` does where somebody types Ctrl-C."""
    before = len(running.server.requests)
    allowances: list[Allowance] = []

    def remember(seconds: float) -> Allowance:
        allowances.append(Allowance(seconds))
        return allowances[-1]

    monkeypatch.setattr("scenemind_ros.commands.live_request.asking.Allowance", remember)

    def interrupt() -> None:
        wait_for(lambda: len(running.server.requests) > before, "the call of the model")
        allowances[0].cancel()

    thread = threading.Thread(target=interrupt)
    thread.start()
    request = {"text": NEVER, "situation": "", "policy": "balanced", "method": "memtree"}
    status = ASKING["ask"](
        running.client, {**request, "timeout_s": TIMEOUT_S, "pictures": None, "as_json": True}
    )
    thread.join()
    assert status == 130
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "cancelled"


def test_a_planner_gets_frames_with_reasons(running: Running) -> None:
    response = running.client.choose_key_frames(MADE_OF, count=1)
    assert response.success, response.error
    assert (response.selector, response.reasoning) == ("tree", CHOICE["think"])
    assert [frame.location_id for frame in response.key_frames] == [0]
