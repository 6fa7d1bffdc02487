"""Answers of a fixed form, from models that keep to it and from those that do not."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict

from scenemind.models import ChatMessage, ModelError, OpenAIChat, ask_for
from tests.chat_server import ChatServer, say


class Cup(BaseModel):
    model_config = ConfigDict(extra="forbid")

    color: str
    handles: int


QUESTION = [ChatMessage("user", "describe the cup")]
RED = '{"color": "red", "handles": 1}'


@pytest.mark.parametrize("text", [RED, f"```json\n{RED}\n```", f"\n```\n{RED}```\n"])
def test_the_answer_is_a_checked_value(text: str) -> None:
    with ChatServer(say(text)) as server, OpenAIChat("seer", server.endpoint) as chat:
        assert ask_for(chat, QUESTION, Cup, 5.0) == Cup(color="red", handles=1)
    schema = server.requests[0].body["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["color", "handles"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a red cup", "Invalid JSON"),
        ('{"color": "red"', "Invalid JSON"),
        ('{"color": "red"}', "handles: Field required"),
        ('{"color": "red", "handles": "many"}', "handles: Input should be a valid integer"),
        ('{"color": "red", "handles": 1, "note": "x"}', "note: Extra inputs"),
        ("[]", "the whole: Input should be an object"),
    ],
)
def test_another_form_is_an_error_that_shows_it(text: str, words: str) -> None:
    with (
        ChatServer(say(text)) as server,
        OpenAIChat("seer", server.endpoint) as chat,
        pytest.raises(ModelError, match=words) as raised,
    ):
        ask_for(chat, QUESTION, Cup, 5.0)
    assert raised.value.kind == "bad_reply"
    assert repr(text) in str(raised.value)
