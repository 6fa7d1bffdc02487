"""Commands with --live: the same output from a running mapping node as from its stored memory."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scenemind.cli import changes as changes_source
from scenemind.cli import corrections as live_journal
from scenemind.cli import graph as graph_source
from scenemind.cli.main import app
from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Edit, Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Sensors, simulate
from scenemind_ros.client import SceneMindClient
from scenemind_ros.commands.live_request import FETCHING, JOURNAL
from scenemind_ros.mapping_node import MappingNode

from .graph import SIMULATED, TIMEOUT_S, RosGraph

CONFIG = SceneMindConfig()
FRAMES = 80
HOUR_NS = 3600 * 10**9


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with `room`: an hour after the first visit some things stood elsewhere."""
    folder = tmp_path_factory.mktemp("stored")
    sequence = simulate(1, FRAMES, Sensors(240, 180), loops=2, changes=6)
    with Memory.create(folder / "room", CONFIG) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, CONFIG)
        for frame in read_sequence(sequence):
            is_later = frame.number >= FRAMES // 2
            mapper.process(replace(frame, stamp_ns=frame.stamp_ns + is_later * HOUR_NS))
        chairs = [i for i, o in memory.snapshot().objects.items() if o.label == "chair"]
        memory.apply([Edit("rename", (chairs[0],), value="throne")], "ada", "it is gilded")
    return folder


@pytest.fixture(scope="module")
def client(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SceneMindClient]:
    """A client of a mapping node alone, which has a copy of the memory open."""
    root = tmp_path_factory.mktemp("live")
    shutil.copytree(stored / "room", root / "room")
    graph = RosGraph(hears_processes=True)
    graph.add(MappingNode, SIMULATED | {"memory.root": str(root), "memory.name": "room"})
    with SceneMindClient() as client:
        client.wait_ready(TIMEOUT_S, reasoning=False)
        yield client
    graph.close()


@pytest.fixture
def in_process(client: SceneMindClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the code of a command's child process here, since processes take seconds to start."""

    def fetch(task: str, **options: object) -> Any:
        reply = {**FETCHING, **JOURNAL}[task](client, {"task": task, **options})
        return json.loads(json.dumps(reply))

    for module in (graph_source, changes_source, live_journal):
        monkeypatch.setattr(module, "fetch_live", fetch)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def run_json(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").splitlines()[-1])


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["graph"], ["--memory", "room"]),
        (["graph", "--object", "1"], ["--memory", "room"]),
        (["find", "wooden furniture"], ["--memory", "room"]),
        (["find", "the red chair"], ["--memory", "room"]),
        (["changes"], ["--memory", "room"]),
        (["changes", "--since", "+1.5"], ["--memory", "room"]),
        (["changes", "--between", "1", "2"], ["--memory", "room"]),
        (["corrections", "list"], ["--memory", "room"]),
        (["corrections", "similar", "1"], ["--memory", "room"]),
    ],
)
def test_live_and_stored_are_the_same(stored: Path, command: list[str], name: list[str]) -> None:
    live = run_json(*command, "--live")
    kept = run_json(command[0], *command[1:], *name, "--memory-root", str(stored))
    for said in (live, kept):
        said.pop("memory", None)
        said.pop("revision", None)
    assert live == kept


@pytest.mark.usefixtures("in_process")
def test_corrections_are_redone_undone_and_replayed(tmp_path: Path) -> None:
    chair = run_json("corrections", "similar", "1", "--live")["similar"][0]["id"]
    (written,) = run_json("corrections", "similar", "1", "--apply", str(chair), "--live")[
        "corrections"
    ]
    assert (written["value"], written["object_ids"]) == ("throne", [chair])
    thrones = run_json("find", "throne", "--live")["objects"]
    assert chair in [thing["id"] for thing in thrones]
    assert len(thrones) == 2

    file = tmp_path / "journal.json"
    run("corrections", "export", "--out", str(file), "--live")
    undone = run_json("corrections", "undo", "--live")["corrections"]
    assert [(entry["id"], entry["undone"]) for entry in undone] == [(written["id"], True)]
    shown = run("corrections", "import", str(file), "--preview", "--live")
    assert "would be applied: 1; left out: 1" in shown
    assert "correction 1: correction 1 is the same already" in shown
    assert not run_json("corrections", "redo", "--live")["corrections"][0]["undone"]
    again = run_json("corrections", "import", str(file), "--live")
    assert again["applied"] == []
    assert [left["id"] for left in again["left_out"]] == [1, written["id"]]
    assert run_json("align", "--undo", "--live")["corrections"][0]["id"] == written["id"]


@pytest.mark.usefixtures("client")
def test_a_child_process_asks_the_nodes(tmp_path: Path) -> None:
    picture, out = tmp_path / "graph.svg", tmp_path / "objects.csv"
    run("graph", "--live", "--picture", str(picture), "--out", str(out))
    assert "throne" in picture.read_text(encoding="utf-8")
    assert "throne" in out.read_text(encoding="utf-8")


@pytest.mark.usefixtures("client")
def test_refusal_of_the_nodes_is_one_sentence(capfd: pytest.CaptureFixture[str]) -> None:
    result = CliRunner().invoke(app, ["corrections", "undo", "99", "--live"])
    assert result.exit_code == 1
    said = capfd.readouterr().err.strip()
    assert said.startswith("scenemind: ")
    assert "99" in said
    assert "Traceback" not in said
