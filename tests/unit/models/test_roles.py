"""Models that a configuration opens, and the limits that they share."""

from __future__ import annotations

import logging
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scenemind.config import ModelsConfig
from scenemind.models import Allowance, ChatMessage, ChatModel, ModelError, Models, open_models
from scenemind.models.roles import ledger_path
from tests.chat_server import ChatServer, fail, say, stay_silent
from tests.waiting import wait_until

HELLO = [ChatMessage("user", "hello")]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "usage.sqlite"


def settings(language: ChatServer | None, vision: ChatServer | None, **more: Any) -> ModelsConfig:
    """Settings with models `thinker` and `seer` for the servers that are given."""
    servers = {"language": ("thinker", language), "vision": ("seer", vision)}
    roles = {
        role: {"model": name, "endpoint": server.endpoint, "prompt_price": 1.0}
        for role, (name, server) in servers.items()
        if server is not None
    }
    return ModelsConfig.from_nested({"retry_pause_s": 0.001, **roles, **more})


def said_by(model: ChatModel | None, seconds: float = 20.0) -> str:
    assert model is not None
    return model.ask(HELLO, Allowance(seconds)).text


def failure(model: ChatModel | None, seconds: float = 20.0) -> ModelError:
    with pytest.raises(ModelError) as raised:
        said_by(model, seconds)
    return raised.value


def test_empty_configuration_has_no_models(ledger: Path) -> None:
    with open_models(ModelsConfig(), ledger) as models:
        assert models.language is None
        assert models.vision is None
        assert models.status() == ()
    assert not ledger.exists()


def test_each_role_has_its_model(ledger: Path) -> None:
    with (
        ChatServer(say("words")) as one,
        ChatServer(say("sights")) as other,
        open_models(settings(one, other), ledger) as models,
    ):
        assert said_by(models.language) == "words"
        assert said_by(models.vision) == "sights"
        assert [(s.role, s.model, s.endpoint) for s in models.status()] == [
            ("language", "thinker", one.endpoint),
            ("vision", "seer", other.endpoint),
        ]


def test_language_model_is_the_default_vision_model(ledger: Path) -> None:
    with ChatServer(say("words")) as server, open_models(settings(server, None), ledger) as models:
        assert models.vision is models.language
        (status,) = models.status()
    assert (status.role, status.model) == ("language and vision", "thinker")


def test_a_vision_model_alone_reads_no_text(ledger: Path) -> None:
    with ChatServer(say("sights")) as server, open_models(settings(None, server), ledger) as models:
        assert models.language is None
        assert said_by(models.vision) == "sights"
        assert [status.role for status in models.status()] == ["vision"]


def test_models_on_one_server_share_its_limits(ledger: Path) -> None:
    with ChatServer(fail(500)) as server:
        config = settings(server, server, retries=0, rest_after=2)
        with open_models(config, ledger) as models:
            assert failure(models.language).kind == "server_failed"
            assert failure(models.vision).kind == "server_failed"
            assert failure(models.language).kind == "resting"
            states = {status.state for status in models.status()}
    assert len(server.requests) == 2
    assert not any(status.is_ready for status in models.status())
    assert all("failed 2 times in a row" in state for state in states)


def test_models_on_two_servers_share_no_limits(ledger: Path) -> None:
    with ChatServer(fail(500)) as ill, ChatServer(say("sights")) as well:
        config = settings(ill, well, retries=0, rest_after=1)
        with open_models(config, ledger) as models:
            assert failure(models.language).kind == "server_failed"
            assert said_by(models.vision) == "sights"
            assert [status.is_ready for status in models.status()] == [False, True]


def test_status_counts_calls_failures_and_usage(ledger: Path) -> None:
    with (
        ChatServer(fail(500), say("words")) as server,
        open_models(settings(server, None), ledger) as models,
    ):
        said_by(models.language)
        (status,) = models.status()
    assert status.is_ready
    assert (status.calls, status.failures) == (2, {"server_failed": 1})
    assert status.used_today.calls == 1
    assert status.used_today.cost > 0.0
    assert status.has_price
    assert status.trouble == ""


def test_status_shows_running_and_waiting_calls(ledger: Path) -> None:
    with ChatServer(stay_silent) as server:
        models = open_models(settings(server, None, parallel_calls=2), ledger)
        threads = [threading.Thread(target=failure, args=(models.language, 600.0)) for _ in "123"]
        for thread in threads:
            thread.start()
        wait_until(lambda: counts(models) == (2, 1))
        models.close()
        for thread in threads:
            thread.join(20.0)
        assert counts(models) == (0, 0)


def counts(models: Models) -> tuple[int, int]:
    (status,) = models.status()
    return status.in_flight, status.waiting


def test_closing_ends_running_and_later_calls(ledger: Path) -> None:
    kinds: list[str] = []
    with ChatServer(stay_silent) as server:
        models = open_models(settings(server, None, parallel_calls=1), ledger)
        threads = [
            threading.Thread(target=lambda: kinds.append(failure(models.language, 600.0).kind))
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        wait_until(lambda: counts(models) == (1, 2))
        models.close()
        for thread in threads:
            thread.join(20.0)
        models.close()
        assert failure(models.language).kind == "closed"
    assert kinds == ["closed"] * 3


def test_closing_ends_the_wait_for_a_retry_time(ledger: Path) -> None:
    kinds: list[str] = []
    with ChatServer(fail(429, Retry_After="300")) as server:
        models = open_models(settings(server, None), ledger)
        thread = threading.Thread(target=lambda: kinds.append(failure(models.language, 600.0).kind))
        thread.start()
        wait_until(lambda: "left alone" in models.status()[0].state)
        models.close()
        thread.join(20.0)
    assert kinds == ["closed"]


def test_a_question_has_the_configured_limits(ledger: Path) -> None:
    with ChatServer(say("words")) as server:
        config = settings(server, None, question_tokens=4)
        with open_models(config, ledger) as models:
            assert models.language is not None
            allowance = models.allowance(7.0)
            assert allowance.seconds == 7.0
            models.language.ask(HELLO, allowance)
            with pytest.raises(ModelError, match=r"of its 4 tokens.*models\.question_tokens"):
                models.language.ask(HELLO, allowance)


def test_usage_of_the_day_survives_restarts(ledger: Path) -> None:
    with ChatServer(say("words")) as server:
        config = settings(server, None, day_tokens=4)
        with open_models(config, ledger) as models:
            said_by(models.language)
        with open_models(config, ledger) as models:
            assert failure(models.language).kind == "over_budget"


def test_fault_of_the_ledger_stops_no_question_and_is_in_the_status(ledger: Path) -> None:
    ledger.write_bytes(b"no database" * 100)
    with ChatServer(say("words")) as server, open_models(settings(server, None), ledger) as models:
        assert said_by(models.language) == "words"
        (status,) = models.status()
    assert str(ledger) in status.trouble
    assert status.used_today.calls == 1


def test_entries_during_a_lock_are_written_when_closing(ledger: Path) -> None:
    with ChatServer(say("words")) as server, open_models(settings(server, None), ledger) as models:
        said_by(models.language)
        with closing(sqlite3.connect(ledger, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            said_by(models.language)
            other.execute("ROLLBACK")
    with closing(sqlite3.connect(ledger)) as read:
        assert read.execute("SELECT model, calls FROM model_usage").fetchall() == [("thinker", 2)]


def test_default_ledger_lies_beside_the_memories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCENEMIND_HOME", str(tmp_path / "mine"))
    with ChatServer(say("words")) as server, open_models(settings(server, None)) as models:
        said_by(models.language)
    assert ledger_path() == tmp_path / "mine" / "model_usage.sqlite"
    assert ledger_path().is_file()


def test_model_without_its_key_fails_and_the_other_works(
    ledger: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "scenemind")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ChatServer(say("words")) as server:
        config = settings(server, None)
        vision = config.vision.model_copy(update={"model": "seer"})
        with open_models(config.model_copy(update={"vision": vision}), ledger) as models:
            assert said_by(models.language) == "words"
            first, second = failure(models.vision), failure(models.vision)
            language, status = models.status()
            with pytest.raises(ModelError, match="OPENAI_API_KEY") as raised:
                models.check_keys()
    assert {error.kind for error in (first, second, raised.value)} == {"no_key"}
    assert "there is no key for OpenAI in the environment variable OPENAI_API_KEY" in str(first)
    assert language.is_ready
    assert status.state == str(first) == str(second)
    assert (status.calls, status.failures) == (2, {"no_key": 2})
    (record,) = caplog.records
    assert "seer cannot be used: there is no key" in record.message


def test_cancelled_question_reports_no_missing_key(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    allowance = Allowance(20.0)
    allowance.cancel()
    config = ModelsConfig.from_nested({"language": {"model": "thinker"}})
    with open_models(config, ledger) as models:
        assert models.language is not None
        with pytest.raises(ModelError) as raised:
            models.language.ask(HELLO, allowance)
    assert raised.value.kind == "cancelled"


def test_models_with_their_keys_and_replays_lack_none(ledger: Path, tmp_path: Path) -> None:
    record = tmp_path / "asked.jsonl"
    with (
        ChatServer(say("words")) as server,
        open_models(settings(server, None, record=str(record)), ledger) as models,
    ):
        models.check_keys()
        said_by(models.language)
    with open_models(ModelsConfig(replay=str(record)), ledger) as models:
        models.check_keys()


def test_invalid_address_is_an_error_and_leaves_no_model_open(ledger: Path) -> None:
    before = threading.active_count()
    with ChatServer(say("words")) as server:
        config = settings(server, None)
        vision = config.vision.model_copy(update={"model": "seer", "endpoint": "somewhere"})
        with pytest.raises(ModelError, match="'somewhere' is no address"):
            open_models(config.model_copy(update={"vision": vision}), ledger)
    wait_until(lambda: threading.active_count() <= before)


def test_recording_is_replayed_without_server_or_ledger(tmp_path: Path, ledger: Path) -> None:
    record = tmp_path / "asked.jsonl"
    with (
        ChatServer(say("words")) as one,
        ChatServer(say("sights")) as other,
        open_models(settings(one, other, record=str(record)), ledger) as models,
    ):
        live = said_by(models.language), said_by(models.vision)
    unused = tmp_path / "unused.sqlite"
    for config in (
        ModelsConfig(replay=str(record)),
        ModelsConfig.from_nested(
            {
                "language": {"model": "thinker"},
                "vision": {"model": "seer"},
                "replay": str(record),
            }
        ),
    ):
        with open_models(config, unused) as models:
            assert (said_by(models.language), said_by(models.vision)) == live
            assert failure(models.language).kind == "not_recorded"
            status = models.status()
        assert [(s.role, s.model) for s in status] == [("language", "thinker"), ("vision", "seer")]
        assert all(str(record) in s.endpoint and s.is_ready for s in status)
    assert not unused.exists()


def test_replay_cannot_be_recorded(ledger: Path) -> None:
    with pytest.raises(ModelError, match=r"models\.record or models\.replay"):
        open_models(ModelsConfig(record="a", replay="b"), ledger)
