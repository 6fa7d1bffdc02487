"""Exchanges that are recorded and replayed, against a server on the loopback."""

from __future__ import annotations

import json
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from scenemind.config import ChatModelConfig
from scenemind.models import (
    Allowance,
    ChatMessage,
    ChatModel,
    ChatReply,
    ModelError,
    OpenAIChat,
    Tool,
)
from scenemind.models.recording import Recorder, Recording
from scenemind.models.replaying import Replay, Replayer
from tests.chat_server import ChatServer, Request, Step, call, fail, refuse, say

KEY = "sk-not-for-any-file"
CUP = [ChatMessage("system", "You see cups."), ChatMessage("user", "Which color?\nSay one word.")]
SCHEMA = {"title": "Cup", "type": "object", "properties": {"color": {"type": "string"}}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "exchanges.jsonl"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)


@contextmanager
def recorder(path: Path, *steps: Step) -> Iterator[tuple[ChatModel, ChatServer]]:
    with (
        ChatServer(*steps) as server,
        Recording(path) as recording,
        OpenAIChat(
            ChatModelConfig(model="seer", endpoint=server.endpoint, key_variable="MY_KEY")
        ) as chat,
    ):
        yield Recorder(chat, recording), server


def record(path: Path, *steps: Step, messages: list[ChatMessage] = CUP) -> list[ChatReply]:
    """Ask once a step."""
    with recorder(path, *steps) as (model, _):
        return [model.ask(messages, Allowance(5.0), SCHEMA) for _ in steps]


def replayer(path: Path) -> Replayer:
    return Replayer(Replay(path), "seer")


def ask(model: ChatModel, *messages: ChatMessage, **more: Any) -> ChatReply:
    return model.ask(messages or CUP, Allowance(5.0), SCHEMA, **more)


def why_not(model: ChatModel, *messages: ChatMessage) -> str:
    with pytest.raises(ModelError) as raised:
        ask(model, *messages)
    assert raised.value.kind == "not_recorded"
    return str(raised.value)


def test_a_replay_says_the_same_and_spends_the_same(path: Path) -> None:
    (said,) = record(path, say("red"))
    allowance = Allowance(5.0)
    assert replayer(path).ask(CUP, allowance, SCHEMA) == said
    assert allowance.used == said.usage
    assert said.usage.tokens > 0


def test_asked_the_same_again_the_replies_come_in_their_order(path: Path) -> None:
    record(path, say("red"), say("blue"))
    record(path, say("green"))  # the file goes on
    model = replayer(path)
    assert [ask(model).text for _ in range(3)] == ["red", "blue", "green"]
    assert "holds 3 replies to this request" in why_not(model)


def test_a_replay_needs_no_server_and_no_key(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(path, say("red"))
    monkeypatch.delenv("MY_KEY")
    assert ask(replayer(path)).text == "red"


@pytest.mark.parametrize(
    ("step", "kind"),
    [(refuse("I do not look at cups"), "refused"), (say(""), "bad_reply"), (fail(400), "rejected")],
)
def test_what_a_model_did_not_answer_is_raised_again(path: Path, step: Step, kind: str) -> None:
    with pytest.raises(ModelError) as recorded:
        record(path, step)
    with pytest.raises(ModelError) as replayed:
        ask(replayer(path))
    assert recorded.value.kind == replayed.value.kind == kind
    assert str(recorded.value) == str(replayed.value)
    assert recorded.value.usage == replayed.value.usage


@pytest.mark.parametrize("step", [fail(500), fail(429)])
def test_a_fault_of_the_moment_is_not_recorded(path: Path, step: Step) -> None:
    with pytest.raises(ModelError):
        record(path, step)
    record(path, say("red"))
    assert ask(replayer(path)).text == "red"


def test_a_reply_is_heard_while_it_comes(path: Path) -> None:
    text = "a long story of a cup " * 10
    record(path, say(text))
    heard: list[str] = []
    ask(replayer(path), on_text=heard.append)
    assert heard[-1] == text
    assert len(heard) > 2
    assert all(after.startswith(before) for before, after in pairwise(heard))


def test_nobody_is_answered_who_does_not_wait(path: Path) -> None:
    record(path, say("red"))
    allowance = Allowance(5.0)
    allowance.cancel()
    model = replayer(path)
    with pytest.raises(ModelError, match="question was cancelled"):
        model.ask(CUP, allowance, SCHEMA)
    assert ask(model).text == "red"


def test_keys_and_pictures_are_not_in_the_file(path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8)
    question = ChatMessage("user", "what is it?", (cv2.imencode(".jpg", noise)[1].tobytes(),))
    with (
        recorder(path, fail(400, f"bad key {KEY}")) as (model, server),
        pytest.raises(ModelError, match=r"bad key \*\*\*"),
    ):
        model.ask([question], Allowance(5.0))
    assert KEY in str([r.headers for r in server.requests])
    assert KEY not in path.read_text()
    assert len(path.read_bytes()) < 1000


@pytest.mark.parametrize(
    ("messages", "difference"),
    [
        (
            [CUP[0], ChatMessage("user", "Which colour?\nSay one word.")],
            "- Which color?\n+ Which colour?",
        ),
        ([CUP[0], ChatMessage("user", CUP[1].text, (b"jpeg",))], "- \n+ picture "),
        ([CUP[1]], "- system: You see cups.\n+ "),
    ],
)
def test_another_request_is_an_error_that_shows_the_difference(
    path: Path, messages: list[ChatMessage], difference: str
) -> None:
    record(path, say("red"))
    record(path, say("42"), messages=[ChatMessage("user", "How many cups?")])
    assert difference in why_not(replayer(path), *messages)


def test_a_difference_in_a_long_text_is_shown_where_it_is(path: Path) -> None:
    lines = [f'{{"id":{i},"sees":{{"chair":[{i}]}}}}' for i in range(300)]
    before = ChatMessage("user", "\n".join(lines) + "\n" + "word " * 200 + "red")
    lines[150] = '{"id":150}'
    after = ChatMessage("user", "\n".join(lines) + "\n" + "word " * 200 + "blue")
    record(path, say("yes"), messages=[before])
    message = why_not(replayer(path), after)
    assert '- {"id":150,"sees":{"chair":[150]}}\n+ {"id":150}' in message
    assert "word red\n" in message
    assert message.endswith("word blue")
    assert len(message) < 1000


def test_other_model_and_other_schema_are_other_requests(path: Path) -> None:
    record(path, say("red"))
    assert "- model seer\n+ model owl" in why_not(Replayer(Replay(path), "owl"))
    with pytest.raises(ModelError, match=r'"color"'):
        replayer(path).ask(CUP, Allowance(5.0), {**SCHEMA, "properties": {}})
    assert Replay(path).models == ("seer",)


def test_order_of_keys_in_the_schema_does_not_matter(path: Path) -> None:
    record(path, say("red"))
    other_way_round = dict(reversed(SCHEMA.items()))
    assert replayer(path).ask(CUP, Allowance(5.0), other_way_round).text == "red"


def test_several_threads_record_whole_lines(path: Path) -> None:
    def echo(request: Request) -> str:
        return request.text.splitlines()[-1] * 500

    with recorder(path, say(echo)) as (model, _):

        def ask_ten(name: int) -> None:
            for i in range(10):
                model.ask([ChatMessage("user", f"{name}-{i} ")], Allowance(20.0))

        threads = [threading.Thread(target=ask_ten, args=(name,)) for name in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    model = replayer(path)
    for name in range(6):
        for i in range(10):
            text = f"{name}-{i} "
            assert model.ask([ChatMessage("user", text)], Allowance(5.0)).text == text * 500


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text[:-20], "ends within line 3"),
        (lambda text: text.replace("seconds", "hours"), "line 2 of .* is no exchange"),
        (lambda text: text + "noise\n", "line 4 of .* is no exchange"),
        (lambda text: "map_frame: map\n" + text, "is no recording"),
        (lambda _text: "", "is no recording"),
    ],
)
def test_a_damaged_file_is_an_error_with_the_line(path: Path, damage: Any, words: str) -> None:
    record(path, say("red"), say("blue"))
    path.write_text(damage(path.read_text()))
    with pytest.raises(ModelError, match=words):
        Replay(path)


def test_an_empty_recording_and_a_missing_one(path: Path) -> None:
    Recording(path).close()
    assert "holds no exchange" in why_not(replayer(path))
    with pytest.raises(ModelError, match=r"nowhere: No such file or directory$"):
        Replay(path.with_name("nowhere"))


def test_a_foreign_or_cut_file_is_not_recorded_to(path: Path) -> None:
    path.write_text("map_frame: map\n")
    with pytest.raises(ModelError, match="left as it is"):
        Recording(path)
    assert path.read_text() == "map_frame: map\n"
    path.unlink()
    record(path, say("red"))
    path.write_text(path.read_text()[:-5])
    with pytest.raises(ModelError, match="ends within a line"):
        Recording(path)
    with pytest.raises(ModelError, match=r"cannot record to .*Is a directory"):
        Recording(path.parent)


@contextmanager
def full_disk_after(size: int) -> Iterator[None]:
    """No file of this process can grow beyond that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_stops_the_recording_and_not_the_questions(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with recorder(path, say("red")) as (model, _):
        ask(model)
        with full_disk_after(path.stat().st_size + 5):
            assert ask(model).text == "red"
        assert ask(model).text == "red"
    (logged,) = caplog.messages
    assert "ends, maybe within a line: " in logged
    with pytest.raises(ModelError, match="ends within line 3: take it out"):
        Replay(path)


def test_the_file_is_readable(path: Path) -> None:
    record(path, say("röd"))
    header, line = path.read_text().splitlines()
    assert json.loads(header) == {"scenemind_recording": 1}
    assert json.loads(line)["outcome"]["text"] == "röd"
    assert json.loads(line)["request"]["messages"][0] == {
        "role": "system",
        "text": "You see cups.",
        "pictures": [],
        "calls": [],
        "call_id": "",
    }


def test_calls_of_tools_are_replayed_and_part_of_what_was_asked(path: Path) -> None:
    find = Tool("find", "Find a thing.", {"type": "object", "properties": {}})
    with recorder(path, call(("find", {"name": "cup"}))) as (model, _):
        said = model.ask(CUP, Allowance(5.0), tools=[find])
    assert said.calls[0].name == "find"
    with pytest.raises(ModelError, match=r"-.*tool .*Find a thing"):
        replayer(path).ask(CUP, Allowance(5.0))
    assert replayer(path).ask(CUP, Allowance(5.0), tools=[find]) == said
