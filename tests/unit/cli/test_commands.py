"""The commands on a simulated room: map it, ask about it, correct it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import scenemind as sm
from scenemind.cli.main import app

FRAMES = 12


def run(*arguments: object) -> tuple[int, str]:
    """Exit status, and both outputs together."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.output


def run_json(*arguments: object) -> Any:
    status, output = run(*arguments, "--json")
    assert status == 0, output
    return json.loads(output.splitlines()[-1])


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the memory `room` of the first frames of a simulated room."""
    folder = tmp_path_factory.mktemp("memories")
    mapped = run_json(
        "map", "sim:1", "--memory", "room", "--memory-root", folder, "--frames", FRAMES
    )
    assert mapped["frames"] == FRAMES
    assert mapped["dropped"] == {}
    assert mapped["detector"] == "simulated instance camera"
    assert {"chair", "dining table"} <= {obj["label"] for obj in mapped["objects"]}
    assert mapped["gone"] == []
    return folder


def in_room(root: Path, *arguments: object) -> tuple[object, ...]:
    return (*arguments, "--memory", "room", "--memory-root", root)


def test_an_answer_names_objects_and_frames(root: Path) -> None:
    answer = run_json(*in_room(root, "ask", "how many chairs are there?"))
    assert answer["error"] is None
    assert answer["answer"].startswith(f"There are {len(answer['objects'])} chairs")
    assert {obj["label"] for obj in answer["objects"]} == {"chair"}
    assert set(answer["key_frames"]) <= set(range(FRAMES))


def test_an_answer_is_readable(root: Path) -> None:
    status, output = run(*in_room(root, "ask", "is there a bathtub?"))
    assert (status, output.split("\n")[:2]) == (0, ["No, I know of no bathtub.", "confidence 50%"])


def test_unanswerable_question_gives_a_status(root: Path) -> None:
    status, output = run(*in_room(root, "ask", "where is the gnu?", "--json"))
    assert status == 1
    assert json.loads(output.splitlines()[-1])["error"]["code"] == "not_found"


def test_a_phrase_is_grounded_from_where_somebody_stands(root: Path) -> None:
    situation = "I stand at the dining table and face the wall"
    phrase = "the chair on my left"
    found = run_json(*in_room(root, "ground", phrase, "--situation", situation))
    with sm.open(root / "room", read_only=True) as scene:
        same = scene.ground(phrase, situation=situation)
    assert found["error"] is None
    assert [one["id"] for one in found["objects"]] == [one.id for one in same.objects]


def test_a_phrase_is_grounded_best_first(root: Path) -> None:
    found = run_json(*in_room(root, "ground", "the red chair"))
    assert found["objects"][0]["attributes"]["color"] == "red"
    scores = [obj["confidence"] for obj in found["objects"]]
    assert scores == sorted(scores, reverse=True)


def test_a_correction_holds_until_it_is_undone(root: Path) -> None:
    done = run_json(*in_room(root, "align", "the dining table is a workbench"))
    (table,) = done["object_ids"]
    found = run_json(*in_room(root, "ask", "where is the workbench?"))
    assert [obj["id"] for obj in found["objects"]][:1] == [table]

    undone = run_json(*in_room(root, "align", "--undo"))["corrections"]
    assert [(entry["value"], entry["undone"]) for entry in undone] == [("workbench", True)]
    listed = run_json(*in_room(root, "align", "--list"))["corrections"]
    assert listed == undone
    answer = run_json(*in_room(root, "ask", "is there a workbench?"))
    assert not answer["answer"].startswith("Yes")


def test_undo_takes_back_all_that_one_sentence_wrote(root: Path) -> None:
    done = run_json(*in_room(root, "align", "the dining table is a red workbench"))
    assert len(done["correction_ids"]) == 2
    undone = run_json(*in_room(root, "align", "--undo"))["corrections"]
    assert [entry["value"] for entry in undone] == ["workbench", "red"]


def test_the_journal_names_the_speaker(root: Path) -> None:
    done = run_json(*in_room(root, "align", "the dining table is Ada's", "--by", "Ada"))
    assert (done["method"], done["error"]) == ("symbolic", None)
    assert run_json(*in_room(root, "align", "--list"))["corrections"][-1]["by"] == "Ada"
    assert run_json(*in_room(root, "align", "--undo"))["corrections"][0]["by"] == "Ada"
    refused = run(*in_room(root, "align", "the dining table is red", "--by", "A" * 121))
    assert refused[0] == 1
    assert "speaker's name" in refused[1]


def test_what_was_taken_back_is_said(root: Path) -> None:
    status, output = run(*in_room(root, "align", "the dining table is red"))
    assert status == 0
    assert f"scenemind align --undo --memory room --memory-root {root}" in " ".join(output.split())
    status, output = run(*in_room(root, "align", "--undo"))
    assert status == 0
    assert re.search(r'I took back correction \d+ \("the dining table is red"\)\.', output)


def test_a_memory_is_extended_or_replaced_when_told_so(tmp_path: Path) -> None:
    named = ("--memory", "m", "--memory-root", tmp_path, "--frames", 4)
    command = ("map", "sim:1", *named)
    status, output = run(*command)
    assert status == 0
    assert f"--memory m --memory-root {tmp_path}" in output.splitlines()[-1]
    status, output = run(*command)
    assert status == 1
    assert "--replace" in output
    assert run("map", "sim:1:start=600", *named, "--extend")[0] == 0
    assert run("changes", *named[:4])[0] == 0
    assert run(*command, "--replace")[0] == 0


def test_too_few_frames_for_an_object_say_so(tmp_path: Path) -> None:
    status, output = run("map", "sim:1", "--memory-root", tmp_path, "--frames", 2)
    assert status == 0
    assert "no object is in the map: one is, once 3 frames show it whole" in output


def test_a_recording_whose_clock_began_anew_extends_nothing(tmp_path: Path) -> None:
    named = ("--memory", "m", "--memory-root", tmp_path)
    assert run("map", "sim:1", *named, "--frames", 4)[0] == 0
    status, output = run("map", "sim:1", *named, "--frames", 4, "--extend")
    assert status == 1
    assert "begin at 1.0 s, before the last frame of the memory (1.1 s)" in output
    assert "scenemind memory merge" in output
    assert run_json("memory", "info", *named)["frames"] == 4
    assert run("map", "sim:1", *named, "--frames", 4, "--extend", "--shift-clock")[0] == 0
    assert run_json("memory", "info", *named)["frames"] == 8
    assert "visit 2" in run("changes", *named)[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["map", "/no/such/folder"], "/no/such/folder"),
        (["map", "sim:x"], "sim:1"),
        (["map", "sim:1", "--detector", "/no.onnx"], "/no.onnx"),
        (["map", "sim:1", "--config", "/no.yaml"], "/no.yaml"),
        (["map", "sim:1", "--memory", ".up"], "no name for a memory"),
        (["ask", "where is it?", "--memory", "nowhere"], "scenemind map"),
        (["ground", "the cup", "--memory", "nowhere"], "scenemind map"),
        (["align"], "--undo"),
        (["align", "x is y", "--list"], "--undo"),
    ],
)
def test_a_mistake_gives_one_sentence(arguments: list[str], says: str, tmp_path: Path) -> None:
    root = [] if arguments == ["align"] else ["--memory-root", str(tmp_path)]
    status, output = run(*arguments, *root)
    assert status == 1
    assert "Traceback" not in output
    last = output.strip().splitlines()[-1]
    assert last.startswith("scenemind: ")
    assert says in last


@pytest.mark.parametrize(
    "command", ["map", "ask", "ground", "keyframes", "align", "up", "play", "demo"]
)
def test_help_shows_an_example(command: str) -> None:
    status, output = run(command, "--help")
    assert status == 0
    assert f"Example: scenemind {command}" in " ".join(output.split())
