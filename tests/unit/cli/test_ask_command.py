"""`scenemind ask` with models, against a server on the loopback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chat_server import ChatServer, fail, stay_silent
from tests.unit.cli.asking import ANSWER, at, run, run_json, seer, writer
from tests.waiting import wait_until

QUESTION = "what is the chair made of?"
ASK = ("ask", QUESTION)
MEMTREE = ("--method", "memtree")
ASK_HOW_MANY = ("ask", "how many chairs are there?")


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The ledger of models' use lies outside of the real home."""
    monkeypatch.setenv("SCENEMIND_HOME", str(tmp_path / "home"))


def test_answer_has_evidence_and_cost(rooms: Path) -> None:
    with seer() as server:
        answer = run_json(*ASK, rooms, *MEMTREE, *at(server))
    assert (answer["answer"], answer["method"]) == (ANSWER["answer"], "memtree")
    assert answer["confidence"] == 0.8
    assert (answer["error"], answer["fallback"], answer["policy"]) == (None, "", "balanced")
    assert {thing["label"] for thing in answer["objects"]} == {"chair"}
    frame, *_ = answer["evidence"]
    assert answer["key_frames"][0] == frame["frame"]
    assert frame["location"] == 0
    shown = {int(i) for i in frame["boxes_px"]}
    assert shown >= {thing["id"] for thing in answer["objects"]}
    assert answer["usage"]["calls"] == 1  # of one location there is nothing to choose
    assert answer["usage"]["prompt_tokens"] > answer["usage"]["reply_tokens"] > 0
    assert any(str(ANSWER["think"]) in step for step in answer["steps"])


def test_people_read_the_sentence_first_and_see_each_stage(rooms: Path) -> None:
    with seer() as server:
        status, output = run(*ASK, rooms, *MEMTREE, *at(server))
    assert status == 0
    lines = output.splitlines()
    assert lines.index(str(ANSWER["answer"])) < lines.index("confidence 80%")
    assert "memtree: " in output
    assert "1 call," in output
    for stage in ("select", "look", "answer"):
        assert any(line.startswith(stage) for line in lines)


def test_terminal_codes_in_replies_are_removed(rooms: Path) -> None:
    with seer(answer="red\x1b[2J\u202egreen") as server:
        _, output = run(*ASK, rooms, *MEMTREE, *at(server))
    assert "\x1b" not in output
    assert "\u202e" not in output


def test_a_strict_question_is_not_guessed_at(rooms: Path, tmp_path: Path) -> None:
    with seer(seen=False, answer="") as server:
        more = (*MEMTREE, *at(server), "--policy", "strict", "--pictures", tmp_path / "page")
        answer = run_json(*ASK, rooms, *more, status=1)
    assert answer["error"]["code"] == "not_found"
    assert answer["policy"] == "strict"
    # The examined frames are shown, for people to judge by.
    frames = answer["evidence"]
    assert any(frame["boxes_px"] for frame in frames)
    assert answer["steps"][0] == "tree chose the frames"
    assert any(step.startswith("seer looked at ") for step in answer["steps"])
    shown = sorted(path.suffix for path in (tmp_path / "page").iterdir())
    assert shown == [".html", *[".jpg"] * len(frames)]


def test_the_symbolic_answer_is_marked_where_the_model_fails(rooms: Path) -> None:
    with ChatServer(fail(401, "who are you?")) as server:
        answer = run_json("ask", "how many chairs are there?", rooms, *MEMTREE, *at(server))
        _, output = run("ask", "how many chairs are there?", rooms, *MEMTREE, *at(server))
    assert answer["method"] == "symbolic"
    assert "who are you?" in answer["fallback"]
    assert "symbolic replied instead: " in output
    assert output.count("who are you?") == 1
    assert "brief" in answer


def test_the_confidence_of_the_grammar_is_shown_too(rooms: Path) -> None:
    status, output = run("ask", "how many chairs are there?", rooms)
    assert status == 0
    assert any(line.startswith("confidence ") for line in output.splitlines())


def test_error_of_an_unknown_method_lists_the_methods(rooms: Path) -> None:
    status, output = run(*ASK, rooms, "--method", "memtre")
    assert status == 1
    assert "did you mean 'memtree'? There are auto, symbolic, memtree, vlm_grounder, " in output
    assert "synergai" in output


def test_question_that_needs_no_model_is_answered_without_a_key(
    rooms: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    how_many = ("ask", "how many chairs are there?", rooms, "--model", "seer")
    sure = run_json(*how_many)
    asked = run_json(*how_many, *MEMTREE)
    beyond = run_json(*ASK, rooms, "--model", "seer", status=1)
    assert (sure["method"], sure["fallback"]) == ("symbolic", "")
    assert (asked["method"], asked["answer"]) == ("symbolic", sure["answer"])
    assert "no key for OpenAI in the environment variable OPENAI_API_KEY" in asked["fallback"]
    assert beyond["error"]["code"] == "model_failed"
    assert "OPENAI_API_KEY: set it" in beyond["answer"]


def test_a_recorded_question_is_replayed_for_nothing(rooms: Path, tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    with seer() as server:
        recorded = run_json(*ASK, rooms, *MEMTREE, *at(server), "--record", tape)
        asked = len(server.requests)
        replayed = run_json(*ASK, rooms, *MEMTREE, "--replay", tape)
        assert len(server.requests) == asked == 1
    for same in ("answer", "confidence", "evidence", "steps", "usage"):
        assert replayed[same] == recorded[same]
    status, output = run("ask", "what is the table made of?", rooms, *MEMTREE, "--replay", tape)
    assert status == 1
    assert "chair made of" in output  # the recorded reply instead


def test_the_key_reaches_the_server_and_nothing_else(
    rooms: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEER_KEY", "sk-very-secret")
    config = tmp_path / "scenemind.yaml"
    config.write_text("models: {language: {key_variable: SEER_KEY}}", encoding="utf-8")
    tape = tmp_path / "tape.jsonl"
    with seer() as server:
        more = (*MEMTREE, *at(server), "--record", tape, "--pictures", tmp_path / "page")
        _, output = run(*ASK, rooms, *more, "--config", config, "--json")
        assert server.requests[0].headers["authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in output
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert tape in written
    assert not [path for path in written if b"sk-very-secret" in path.read_bytes()]


def test_pictures_show_the_evidence_of_the_answer(rooms: Path, tmp_path: Path) -> None:
    with seer() as server:
        more = (*MEMTREE, *at(server), "--pictures", tmp_path / "page")
        answer = run_json(*ASK, rooms, *more)
    html = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert QUESTION in html
    assert str(ANSWER["answer"]) in html
    (jpeg,) = (tmp_path / "page").glob("*.jpg")
    assert jpeg.name == f"1-frame-{answer['key_frames'][0]:06d}.jpg"


def test_settings_name_the_model_unless_the_command_does(rooms: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    with seer() as server:
        settings.write_text(
            f"models: {{language: {{model: reader, endpoint: '{server.endpoint}'}},"
            f" vision: {{model: viewer, endpoint: '{server.endpoint}'}}}}"
        )
        run_json(*ASK, rooms, *MEMTREE, "--config", settings)
        for more in ((), ("--model", "other")):
            run(*ASK, rooms, "--method", "llm_tpc", "--config", settings, *more)
        names = [request.body["model"] for request in server.requests]
    assert list(dict.fromkeys(names)) == ["viewer", "reader", "other"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--selector", "magic", "--model", "seer"), "memtree.selector"),
        (("--replay", "/no/tape"), "/no/tape"),
        (("--live", "--model", "seer"), "--live takes no --model"),
        (("--pictures", "/proc/nowhere"), "/proc/nowhere"),
    ],
)
def test_a_mistake_gives_one_sentence(more: tuple[str, ...], says: str, rooms: Path) -> None:
    status, output = run(*ASK, rooms, *more)
    assert status == 1
    assert "Traceback" not in output
    last = output.strip().splitlines()[-1]
    assert last.startswith("scenemind: ")
    assert says in last


def test_interrupt_cancels_the_question(rooms: Path) -> None:
    with ChatServer(stay_silent) as server:
        line = ["ask", QUESTION, "--memory", "room", "--memory-root", str(rooms), "--json"]
        asking = subprocess.Popen(
            [sys.executable, "-m", "scenemind.cli.main", *line, *MEMTREE, *at(server)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # The parent of the tests may ignore interrupts, and child processes inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        wait_until(lambda: server.requests)
        os.kill(asking.pid, signal.SIGINT)
        output, log = asking.communicate(timeout=20.0)
    assert asking.returncode == 130, log
    assert '"code": "cancelled"' in output
    assert "Traceback" not in log


def test_a_models_program_and_its_output_are_shown(rooms: Path) -> None:
    with writer() as server:
        answer = run_json(*ASK_HOW_MANY, rooms, "--method", "llm_tpc", *at(server))
        status, output = run(*ASK_HOW_MANY, rooms, "--method", "llm_tpc", *at(server))
        found = run_json("ground", "the chair", rooms, "--method", "llm_tpc", *at(server))
    assert (answer["answer"], answer["method"], answer["fallback"]) == ("two", "llm_tpc", "")
    assert any(step.startswith("program:\nchairs = ") for step in answer["steps"])
    assert any(step.startswith("observation: {<chair ") for step in answer["steps"])
    assert status == 0
    assert "two" in output.splitlines()
    assert "\x1b" not in output
    assert {thing["label"] for thing in found["objects"]} == {"chair"}
