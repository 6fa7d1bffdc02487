"""`scenemind keyframes`, with a server on the loopback where a model chooses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chat_server import ChatServer, fail
from tests.unit.cli.asking import at, run, run_json, seer

QUESTION = ("keyframes", "what is the chair made of?")


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The ledger of models' use lies outside of the real home."""
    monkeypatch.setenv("SCENEMIND_HOME", str(tmp_path / "home"))


def test_frames_without_a_model_show_the_objects_of_the_question(rooms: Path) -> None:
    chosen = run_json(*QUESTION, rooms, "--selector", "objects", "--frames", 2)
    named = set(chosen["key_objects"])
    assert named
    assert 1 <= len(chosen["key_frames"]) <= 2
    scores = [frame["score"] for frame in chosen["key_frames"]]
    assert scores == sorted(scores, reverse=True)
    assert all(named & {int(i) for i in frame["boxes_px"]} for frame in chosen["key_frames"])
    assert (chosen["error"], chosen["usage"]["calls"]) == (None, 0)


def test_of_one_location_the_tree_gives_views_without_a_model(rooms: Path) -> None:
    with seer() as server:
        chosen = run_json(*QUESTION, rooms, *at(server), "--frames", 1)
        assert server.requests == []
    assert chosen["selector"] == "tree"
    assert chosen["reasoning"] == ""
    assert [frame["location"] for frame in chosen["key_frames"]] == [0]
    assert chosen["key_objects"]
    assert chosen["usage"]["calls"] == 0


def test_table_names_the_objects_in_the_frames(rooms: Path) -> None:
    with seer() as server:
        status, output = run(
            "keyframes", "is the chair at the table?", rooms, *at(server), "--frames", 1
        )
    assert status == 0
    (row,) = [line for line in output.splitlines() if "chair " in line]
    assert "dining table " in row


def test_method_without_a_ranking_shows_no_scores(rooms: Path) -> None:
    _, ranked = run(*QUESTION, rooms, "--selector", "objects")
    status, evenly = run(*QUESTION, rooms, "--selector", "uniform")
    assert status == 0
    assert "score" in ranked
    assert "score" not in evenly


def test_pictures_and_a_page_are_written(rooms: Path, tmp_path: Path) -> None:
    more = ("--selector", "uniform", "--frames", 2, "--pictures", tmp_path / "page")
    chosen = run_json(*QUESTION, rooms, *more)
    names = {path.name for path in (tmp_path / "page").iterdir()}
    frames = enumerate(chosen["key_frames"], start=1)
    assert names == {"index.html", *(f"{n}-frame-{f['frame']:06d}.jpg" for n, f in frames)}


def test_without_a_model_the_objects_of_the_question_choose(rooms: Path) -> None:
    chosen = run_json(*QUESTION, rooms)
    assert (chosen["selector"], chosen["error"]) == ("objects", None)
    assert chosen["key_frames"] == run_json(*QUESTION, rooms, "--selector", "objects")["key_frames"]


def test_without_a_model_the_tree_that_is_asked_for_cannot_be_read(rooms: Path) -> None:
    chosen = run_json(*QUESTION, rooms, "--selector", "tree", status=1)
    assert chosen["error"]["code"] == "method_unavailable"
    assert "models.language.model" in chosen["error"]["message"]
    assert "--selector objects" in chosen["error"]["message"]


def test_a_model_that_fails_leaves_no_frames(rooms: Path) -> None:
    with ChatServer(fail(401, "who are you?")) as server:
        more = (*at(server), "--selector", "detector")
        chosen = run_json(*QUESTION, rooms, *more, status=1)
    assert chosen["error"]["code"] == "model_failed"
    assert "who are you?" in chosen["error"]["message"]
    assert chosen["key_frames"] == []


def test_question_that_names_no_object_is_an_error(rooms: Path) -> None:
    status, output = run("keyframes", "where is the gnu?", rooms, "--selector", "objects")
    assert status == 1
    assert "gnu" in output


@pytest.mark.parametrize("question", [" ", "why? " * 200])
def test_invalid_question_reaches_no_model(question: str, rooms: Path) -> None:
    with seer() as server:
        chosen = run_json("keyframes", question, rooms, *at(server), status=1)
        assert server.requests == []
    assert chosen["error"]["code"] == "invalid_request"


def test_nodes_are_not_told_which_model_to_ask(rooms: Path) -> None:
    status, output = run(*QUESTION, rooms, "--live", "--endpoint", "http://localhost:1/v1")
    assert status == 1
    assert "--live takes no --endpoint" in output
