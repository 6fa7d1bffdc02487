"""The models of a configuration, by role: language and vision."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from scenemind.config import ChatModelConfig, ModelsConfig
from scenemind.config.scenemind_config import default_root
from scenemind.models.chat import (
    Allowance,
    ChatMessage,
    ChatModel,
    ChatReply,
    ModelError,
    OnText,
    Tool,
)
from scenemind.models.endpoint import Endpoint, ModelStatus
from scenemind.models.ledger import UsageLedger
from scenemind.models.recordings import Recording, RecordingChat, ReplayedModel, open_replayed
from scenemind.models.resilient_chat import Backoff, ResilientChat

_log = logging.getLogger(__name__)

OPENAI = "OpenAI"
"""Name of the endpoint where none is configured."""
_LEDGER = "model_usage.sqlite"


def open_models(config: ModelsConfig, ledger: Path | None = None) -> Models:
    """The configured models with rate limits, retries, circuit breakers and budgets, or replayed.

    No server is called yet. A model without its key is there too, and its calls fail (no_key); see
    `Models.check_keys`.

    Args:
        ledger: SQLite file of daily usage; None: `ledger_path()`.

    Raises:
        ModelError: an endpoint is no address, or the recording cannot be used.
    """
    if config.record and config.replay:
        raise ModelError(
            "not_recorded", "a replay records nothing: set models.record or models.replay"
        )
    roles = {"language": config.language, "vision": config.vision}
    by_role = {role: model for role, model in roles.items() if model.model}
    with ExitStack() as opened:
        if config.replay:
            replayed = open_replayed(Path(config.replay), by_role)
            return Models(config, replayed, opened.pop_all())
        book = UsageLedger(ledger or ledger_path(), config.day_tokens, config.day_cost)
        live = open_live(config, by_role, book, opened)
        return Models(config, live, opened.pop_all())


def ledger_path() -> Path:
    """Default SQLite file of daily usage, beside the memories."""
    return default_root() / _LEDGER


class Models:
    """Language and vision models, open until `close`; see `open_models`. Thread-safe."""

    def __init__(
        self,
        config: ModelsConfig,
        by_role: Mapping[str, LiveModel | ReplayedModel],
        opened: ExitStack,
    ) -> None:
        """
        Args:
            by_role: models of the roles language and vision, as configured.
            opened: closes them.
        """
        self._config = config
        self._by_role = by_role
        self._opened = opened

    @property
    def language(self) -> ChatModel | None:
        """The language model; None: not configured."""
        model = self._by_role.get("language")
        return model.chat if model else None

    @property
    def vision(self) -> ChatModel | None:
        """The vision model, else the language model; None: neither is configured."""
        model = self._by_role.get("vision")
        return model.chat if model else self.language

    def allowance(self, seconds: float) -> Allowance:
        """The allowance of one question, with the configured limits."""
        return Allowance(seconds, self._config.question_tokens, self._config.question_cost)

    def status(self) -> tuple[ModelStatus, ...]:
        """Status of every model, language first."""
        is_one = "vision" not in self._by_role
        return tuple(
            model.status("language and vision" if is_one else role)
            for role, model in self._by_role.items()
        )

    def check_keys(self) -> None:
        """Check that no key is missing, for callers that cannot work without their models.

        Raises:
            ModelError: a key is missing (no_key).
        """
        for model in self._by_role.values():
            if model.missing:
                raise ModelError("no_key", model.missing)

    def close(self) -> None:
        """Cancel running calls and refuse waiting ones; the second call does nothing."""
        self._opened.close()

    def __enter__(self) -> Models:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class LiveModel:
    """A model on a server.

    Attributes:
        chat: the model with retries and limits.
        missing: message about its missing key; empty: none is missing.
    """

    chat: ChatModel
    missing: str
    _careful: ResilientChat
    _endpoint: Endpoint
    _ledger: UsageLedger
    _config: ChatModelConfig

    def status(self, role: str) -> ModelStatus:
        limiter = self._endpoint.limiter
        return ModelStatus(
            role=role,
            model=self._config.model,
            endpoint=self._config.endpoint or OPENAI,
            state=self.missing or self._endpoint.state,
            calls=self._careful.calls,
            failures=self._careful.failures,
            in_flight=limiter.in_flight,
            waiting=limiter.waiting,
            used_today=self._ledger.used_today(self._config.model),
            has_price=self._config.has_price,
            trouble=self._ledger.trouble,
        )


def open_live(
    config: ModelsConfig,
    by_role: Mapping[str, ChatModelConfig],
    ledger: UsageLedger,
    opened: ExitStack,
) -> dict[str, LiveModel]:
    """A model for each role; a model without its key is logged, and its calls fail.

    Args:
        opened: receives what must be closed.

    Raises:
        ModelError: see `open_models`.
    """
    opened.callback(ledger.flush)
    recording = opened.enter_context(Recording(Path(config.record))) if config.record else None
    backoff = Backoff(config.retry_pause_s)
    endpoints: dict[tuple[str, str], Endpoint] = {}
    models = {}
    for role, model in by_role.items():
        from scenemind.models.openai_chat import key_variable_of  # asyncio and ssl: only if needed

        transport, missing = _open_chat(model, opened)
        where = model.endpoint.rstrip("/") or OPENAI
        server = where, key_variable_of(model)
        if server not in endpoints:
            endpoints[server] = Endpoint.at(where, config)
            opened.callback(endpoints[server].limiter.close)
        endpoint = endpoints[server]
        careful = ResilientChat(
            transport, endpoint, ledger, backoff, config.retries, model.call_deadline_s
        )
        chat = careful if recording is None else RecordingChat(careful, recording)
        models[role] = LiveModel(chat, missing, careful, endpoint, ledger, model)
    return models


def _open_chat(config: ChatModelConfig, opened: ExitStack) -> tuple[ChatModel, str]:
    """The model without retries, and the message about its missing key (empty: none missing).

    Raises:
        ModelError: the endpoint is no address.
    """
    from scenemind.models.openai_chat import OpenAIChat

    try:
        return opened.enter_context(OpenAIChat(config)), ""
    except ModelError as error:
        if error.kind != "no_key":
            raise
        missing = str(error)
        _log.info("%s cannot be used: %s", config.model, missing)
        return KeylessChat(config.model, missing), missing


class KeylessChat:
    """A `ChatModel` without its key: every call fails, and whatever needs no model still works."""

    def __init__(self, name: str, missing: str) -> None:
        """
        Args:
            missing: which key is missing, and where to set it.
        """
        self._name = name
        self._missing = missing

    @property
    def name(self) -> str:
        return self._name

    def ask(
        self,
        messages: Sequence[ChatMessage],  # noqa: ARG002
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002
        on_text: OnText | None = None,  # noqa: ARG002
        tools: Sequence[Tool] = (),  # noqa: ARG002
    ) -> ChatReply:
        """See `ChatModel`.

        Raises:
            ModelError: always (no_key, or the allowance has ended).
        """
        allowance.check()
        raise ModelError("no_key", self._missing)
