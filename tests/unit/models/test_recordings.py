"""Exchanges recorded and replayed."""

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
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import ChatModelConfig
from scenemind.models import (
    Allowance,
    ChatMessage,
    ChatModel,
    ChatReply,
    ModelError,
    Tool,
)
from scenemind.models.openai_chat import OpenAIChat
from scenemind.models.recordings import (
    Recording,
    RecordingChat,
    Replay,
    ReplayedChat,
    text_difference,
    text_similarity,
)
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, Step, call, fail, refuse, say

texts = st.lists(st.text("abc ", max_size=12), max_size=12)


def test_each_difference_is_shown_with_the_earlier_text() -> None:
    before = ["one", "two", "three", "four"]
    assert text_difference(before, ["one", "2", "three", "four"]) == "- two\n+ 2"
    assert text_difference(before, ["one", "three", "four", "five"]) == "- two\n+ \n- \n+ five"
    assert text_difference(before, before) == ""


def test_only_the_first_differences_are_shown() -> None:
    before = [str(i) for i in range(20)]
    after = [f"{i}!" if i % 2 else str(i) for i in range(20)]
    assert text_difference(before, after).splitlines()[-1] == "and at 7 places more"


def test_a_long_line_is_shown_from_shortly_before_the_difference() -> None:
    same = "x" * 500
    shown = text_difference([f"{same}red{same}"], [f"{same}blue{same}"])
    old, new = shown.splitlines()
    assert old.startswith("- ..." + "x" * 40 + "red")
    assert new.startswith("+ ..." + "x" * 40 + "blue")
    assert old.endswith("...")
    assert len(shown) < 400


def test_similarity_counts_common_lines_first_and_similar_lines_next() -> None:
    asked = ["rules", "where is the cup?"]
    other, near, nearer = ["cup"], ["rules", "how many?"], ["rules", "where is the cap?"]
    assert max([other, near, nearer], key=lambda text: text_similarity(text, asked)) is nearer
    assert max([other, near], key=lambda text: text_similarity(text, asked)) is near


@given(texts, texts)
def test_difference_is_shown_and_bounded(before: list[str], after: list[str]) -> None:
    shown = text_difference(before, after)
    assert bool(shown) == (before != after)
    assert len(shown.splitlines()) <= 7
    assert text_similarity(before, after) <= text_similarity(after, after)


def test_addition_to_a_long_line_is_shown() -> None:
    assert text_difference(["x" * 500], ["x" * 500 + " in red"]).endswith("x in red")


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
        yield RecordingChat(chat, recording), server


def record(path: Path, *steps: Step, messages: list[ChatMessage] = CUP) -> list[ChatReply]:
    """Ask one question for each step."""
    with recorder(path, *steps) as (model, _):
        return [model.ask(messages, Allowance(5.0), SCHEMA) for _ in steps]


def replayer(path: Path) -> ReplayedChat:
    return ReplayedChat(Replay(path), "seer")


def ask(model: ChatModel, *messages: ChatMessage, **more: Any) -> ChatReply:
    return model.ask(messages or CUP, Allowance(5.0), SCHEMA, **more)


def why_not(model: ChatModel, *messages: ChatMessage) -> str:
    with pytest.raises(ModelError) as raised:
        ask(model, *messages)
    assert raised.value.kind == "not_recorded"
    return str(raised.value)


def test_replay_gives_the_same_replies_and_usage(path: Path) -> None:
    (said,) = record(path, say("red"))
    allowance = Allowance(5.0)
    assert replayer(path).ask(CUP, allowance, SCHEMA) == said
    assert allowance.used == said.usage
    assert said.usage.tokens > 0


def test_replies_to_equal_requests_come_in_their_order(path: Path) -> None:
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
def test_recorded_error_is_raised_again(path: Path, step: Step, kind: str) -> None:
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


def test_replayed_reply_is_streamed(path: Path) -> None:
    text = "a long story of a cup " * 10
    record(path, say(text))
    heard: list[str] = []
    ask(replayer(path), on_text=heard.append)
    assert heard[-1] == text
    assert len(heard) > 2
    assert all(after.startswith(before) for before, after in pairwise(heard))


def test_cancelled_question_gets_no_reply(path: Path) -> None:
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
    assert "- model seer\n+ model owl" in why_not(ReplayedChat(Replay(path), "owl"))
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
    assert "has ended, perhaps within a line: " in logged
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


def test_tool_calls_are_replayed_and_part_of_the_recorded_request(path: Path) -> None:
    find = Tool("find", "Find a thing.", {"type": "object", "properties": {}})
    with recorder(path, call(("find", {"name": "cup"}))) as (model, _):
        said = model.ask(CUP, Allowance(5.0), tools=[find])
    assert said.calls[0].name == "find"
    with pytest.raises(ModelError, match=r"-.*tool .*Find a thing"):
        replayer(path).ask(CUP, Allowance(5.0))
    assert replayer(path).ask(CUP, Allowance(5.0), tools=[find]) == said
