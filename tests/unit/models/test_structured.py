"""Answers of a fixed form, from models that keep to the form and from others."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, ConfigDict, Field

from scenemind.config import ChatModelConfig
from scenemind.models import Allowance, BadFormError, ChatMessage, ModelError, ask_for
from scenemind.models.openai_chat import OpenAIChat
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, Step, fail, refuse, run_out_of_tokens, say


class Cup(BaseModel):
    model_config = ConfigDict(extra="forbid")

    color: str
    handles: int


class Shelf(BaseModel):
    """What programmers read."""

    cups: list[Handled]


class Handled(BaseModel):
    """This as well."""

    handles: int = Field(description="how many the cup has")


SYSTEM = ChatMessage("system", "You see cups.")
QUESTION = [SYSTEM, ChatMessage("user", "describe the cup")]
RED = '{"color": "red", "handles": 1}'
BLUE = '{"color": "blue", "handles": 9}'


def asked(*steps: Step, **more: object) -> tuple[Cup, list[Request]]:
    """The cup, and what the server was asked for it."""
    with ChatServer(*steps) as server, OpenAIChat(_config(server)) as chat:
        cup = ask_for(chat, QUESTION, Cup, Allowance(5.0), **more)
    return cup, server.requests


def _config(server: ChatServer) -> ChatModelConfig:
    return ChatModelConfig(model="seer", endpoint=server.endpoint)


def _at_most_two(cup: Cup) -> str | None:
    return f"no cup has {cup.handles} handles" if cup.handles > 2 else None


@pytest.mark.parametrize(
    "text",
    [
        RED,
        f"```json\n{RED}\n```",
        f"\n```\n{RED}```\n",
        f"```\n{RED}",
        f"Here it is: {RED} I hope it helps!",
        f"<think>Is it {BLUE}? No.</think>\n{RED}",
        f"It may be {BLUE}.</think>{RED}",
        f"{RED}<think>well, or {BLUE}</think>",
        f"<think>hm</think>{RED}<think>sure</think>",
        f"<think>hm</think><answer>{RED}</answer>",
        f"{{?}} <answer>\n```json\n{RED}\n```\n</answer>",
        f"<answer>{RED}",
        f"<answer>{BLUE}</answer> no, <answer>{RED}</answer>",
        f"A draft:\n```json\n{BLUE}\n```\nand in the end\n```json\n{RED}\n```",
    ],
)
def test_answer_is_parsed_wherever_it_stands_in_a_reply(text: str) -> None:
    cup, requests = asked(say(text))
    assert cup == Cup(color="red", handles=1)
    assert len(requests) == 1


def test_json_may_contain_tags_and_fences() -> None:
    color = "</think> <answer> ``` }"
    assert asked(say(Cup(color=color, handles=1).model_dump_json()))[0].color == color


def test_request_has_the_schema() -> None:
    schema = asked(say(RED))[1][0].body["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["color", "handles"]
    assert schema["additionalProperties"] is False


def test_schema_has_descriptions_of_fields_and_no_docstrings() -> None:
    with ChatServer(say('{"cups": []}')) as server, OpenAIChat(_config(server)) as chat:
        ask_for(chat, QUESTION, Shelf, Allowance(5.0))
    sent = json.dumps(server.requests[0].body["response_format"])
    assert "how many the cup has" in sent
    assert "programmers" not in sent
    assert "This as well" not in sent


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a red cup", "it is no JSON (expected value at line 1"),
        ('{"color": "red"', "it is no JSON ("),
        ('{"color": "red"}', "handles: Field required"),
        ('{"color": "red", "handles": "many"}', "handles: Input should be a valid integer"),
        ('{"color": "red", "handles": 1, "note": "x"}', "note: Extra inputs"),
        ("[]", "the whole: Input should be an object"),
        (BLUE, "no cup has 9 handles"),
    ],
)
def test_a_wrong_reply_is_repaired_by_asking_again(text: str, complaint: str) -> None:
    heard: list[str] = []
    cup, (first, second) = asked(say(text), say(RED), check=_at_most_two, on_repair=heard.append)
    assert cup == Cup(color="red", handles=1)
    assert complaint in heard[0]
    turns = second.body["messages"]
    assert turns[:2] == first.body["messages"]
    assert turns[2] == {"role": "assistant", "content": text}
    assert turns[3]["role"] == "user"
    assert heard[0] in turns[3]["content"]
    assert second.body["response_format"] == first.body["response_format"]


def test_thoughts_are_not_repeated_to_the_model() -> None:
    _, (_, second) = asked(say("<think>a long story</think>a red cup"), say(RED))
    assert second.body["messages"][2]["content"] == "a red cup"


def test_truncated_reply_is_left_out_of_the_next_request() -> None:
    cup, (first, second) = asked(run_out_of_tokens('{"color": "re'), say(RED))
    assert cup.color == "red"
    assert [turn["role"] for turn in second.body["messages"]] == ["system", "user"]
    assert second.text.startswith(first.text)
    assert "limit of tokens" in second.text


def test_a_second_wrong_reply_is_an_error_that_shows_it() -> None:
    with pytest.raises(BadFormError, match=r"handles: Field required.*it said '\{\}'") as raised:
        asked(say("a red cup"), say("{}"))
    assert raised.value.kind == "bad_reply"
    assert raised.value.form is None


def test_reply_cannot_break_the_line_of_an_error() -> None:
    strange = json.dumps({"\u202enote\n\x1b[31m" + "x" * 2000: 1})
    with pytest.raises(BadFormError, match="note") as raised:
        asked(say(strange))
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 1500


@pytest.mark.parametrize("last", [BLUE, "a blue cup", ""])
def test_the_last_reply_of_the_right_form_can_be_had_from_the_error(last: str) -> None:
    with pytest.raises(BadFormError) as raised:
        asked(say(BLUE), say(last), check=_at_most_two)
    assert raised.value.form == Cup(color="blue", handles=9)


@pytest.mark.parametrize(
    ("step", "kind"), [(refuse("no"), "refused"), (fail(500), "server_failed")]
)
def test_a_model_that_does_not_reply_is_not_asked_again(step: Step, kind: str) -> None:
    heard: list[str] = []
    with pytest.raises(ModelError) as raised:
        asked(step, say(RED), on_repair=heard.append)
    assert raised.value.kind == kind
    assert heard == []


def test_all_calls_count_towards_the_allowance() -> None:
    allowance = Allowance(5.0)
    with ChatServer(say("?"), say(RED)) as server, OpenAIChat(_config(server)) as chat:
        ask_for(chat, QUESTION, Cup, allowance)
    assert allowance.used.calls == 2
