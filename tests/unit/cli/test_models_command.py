"""`scenemind models` against servers on the loopback."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.config import ModelsConfig
from scenemind.models import Allowance, ChatMessage, open_models
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, fail, say

KEY = "sk-test-0123456789"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENEMIND_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "scenemind.yaml"


def run(*arguments: object) -> tuple[int, str]:
    """Exit status, and both outputs together."""
    result = CliRunner().invoke(app, ["models", *map(str, arguments)])
    return result.exit_code, result.output


def run_json(*arguments: object) -> tuple[int, dict[str, Any]]:
    status, output = run(*arguments, "--json")
    return status, json.loads(output.splitlines()[-1])


def write(config: Path, **models: Any) -> Path:
    config.write_text(yaml.safe_dump({"models": models}), encoding="utf-8")
    return config


def on(server: ChatServer, **more: Any) -> dict[str, Any]:
    return {"endpoint": server.endpoint, **more}


def colour_seen(request: Request) -> str:
    """The reply of a model with vision: the colour of a picture, or white."""
    if not request.pictures:
        return '{"colour": "white"}'
    jpeg = base64.b64decode(request.pictures[0].partition(",")[2])
    blue, green, red = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)[8, 8] > 100
    names = {(1, 0, 0): "Blue", (0, 1, 0): "Green", (0, 0, 1): "Red", (0, 1, 1): "Yellow"}
    return json.dumps({"colour": names[int(blue), int(green), int(red)]})


def test_output_without_models_says_how_to_configure_one() -> None:
    status, output = run()
    assert status == 0
    assert "no model is set up: set models.language" in output
    assert "a question may use 100000 tokens" in output


@pytest.mark.parametrize(
    ("option", "said"),
    [("--check", "no model is set up"), ("--endpoint=http://here/v1", "say --model NAME")],
)
def test_check_without_models_is_a_failure(option: str, said: str) -> None:
    status, output = run(option)
    assert status == 1
    assert said in output


def test_a_table_shows_roles_endpoints_and_whether_there_are_keys(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with ChatServer(say("hello")) as server:
        write(
            config,
            language=on(server, model="thinker", key_variable="MY_KEY"),
            vision={"model": "seer"},
        )
        status, output = run("--config", config)
    assert status == 0
    language, vision = (line for line in output.splitlines() if "thinker" in line or "seer" in line)
    assert server.endpoint in language
    assert "MY_KEY: set" in language
    assert "OpenAI" in vision
    assert "OPENAI_API_KEY: missing" in vision
    assert KEY not in output
    assert not server.requests


def test_invalid_key_and_unneeded_key_are_shown_differently(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "two words")
    with ChatServer(say("hello")) as server:
        write(config, language=on(server, model="thinker"), vision={"model": "seer"})
        status, output = run("--config", config)
        _, as_json = run_json("--config", config)
    assert status == 0
    assert re.search(r"thinker.*\bnone\b", output)
    assert "OPENAI_API_KEY: unusable" in output
    language, vision = (model["state"] for model in as_json["models"])
    assert language == "ready"
    assert "holds no key" in vision
    assert "two words" not in output


def test_usage_of_today_is_shown_beside_its_limit(config: Path) -> None:
    with ChatServer(say("good day")) as server:
        priced = on(server, model="thinker", prompt_price=1000.0)
        write(config, language=priced, day_tokens=500, day_cost=2.0)
        settings = ModelsConfig.from_nested({"language": priced})
        with open_models(settings) as models:
            assert models.language is not None
            reply = models.language.ask([ChatMessage("user", "hello you")], Allowance(20.0))
        status, output = run("--config", config)
        _, as_json = run_json("--config", config)
    assert status == 0
    assert "a day may use 500 tokens and 2 of money" in output
    assert f"today {reply.usage.tokens} tokens, cost {reply.usage.cost:.4g}" in output
    assert as_json["models"][0]["used_today"]["calls"] == 1
    assert as_json["used_today"]["cost"] == pytest.approx(reply.usage.cost)
    assert as_json["day"] == {"tokens": 500, "cost": 2.0}


def test_a_check_asks_each_role_and_times_it(config: Path) -> None:
    with ChatServer(say(colour_seen)) as server:
        write(config, language=on(server, model="thinker"))
        for _ in range(6):  # the colour is drawn at random
            status, result = run_json("--config", config, "--check")
            assert status == 0
        (model,) = result["models"]
    assert model["roles"] == ["language", "vision"]
    assert model["check"]["language"]["said"] == "white"
    assert model["check"]["vision"]["error"] == ""
    assert 0.0 < model["check"]["vision"]["seconds"] < 20.0
    assert result["used_today"]["calls"] == 12
    assert [len(request.pictures) for request in server.requests] == [0, 1] * 6


def test_check_reports_a_blind_model(config: Path) -> None:
    with ChatServer(say('{"colour": "plaid"}')) as server:
        write(config, language=on(server, model="thinker"))
        status, output = run("--config", config, "--check")
    assert status == 1
    assert "language: answers in" in output
    assert "vision: thinker does not see: it called a" in output


def test_check_reports_the_fault_of_each_model(config: Path) -> None:
    with ChatServer(fail(500)) as ill, ChatServer(say("plain words")) as formless:
        write(config, language=on(ill, model="thinker"), vision=on(formless, model="seer"))
        status, result = run_json("--config", config, "--check")
    assert status == 1
    language, vision = (model["check"] for model in result["models"])
    assert "answered 500" in language["language"]["error"]
    assert "no answer of use" in vision["vision"]["error"]
    assert len(ill.requests) == 1, "it is not tried again"


def test_a_check_without_the_key_says_where_it_belongs() -> None:
    status, output = run("--model", "thinker", "--check")
    assert status == 1
    assert "there is no key for OpenAI in the environment variable OPENAI_API_KEY" in output


def test_a_model_can_be_named_on_the_line() -> None:
    with ChatServer(say(colour_seen)) as server:
        status, output = run("--model", "thinker", "--endpoint", server.endpoint, "--check")
    assert status == 0
    assert server.requests[0].body["model"] == "thinker"
    assert "vision: answers in" in output


def test_a_replay_leaves_nothing_to_check(config: Path, tmp_path: Path) -> None:
    write(config, replay=str(tmp_path / "asked.jsonl"))
    status, output = run("--config", config)
    assert status == 0
    assert "no server is asked" in output
    status, output = run("--config", config, "--check")
    assert status == 1
    assert "take it out to --check" in output


def test_damaged_ledger_is_reported(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "model_usage.sqlite").write_bytes(b"no database" * 100)
    status, output = run()
    assert status == 0
    assert "today's use is not all known" in output
