"""The models of a configuration, by what they are for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from scenemind.config import ChatModelConfig, ModelsConfig
from scenemind.config.home import default_root
from scenemind.models.allowance import Allowance
from scenemind.models.backoff import Backoff
from scenemind.models.careful_chat import CarefulChat
from scenemind.models.chat import ChatModel
from scenemind.models.endpoint import Endpoint
from scenemind.models.errors import FailureKind, ModelError
from scenemind.models.ledger import Ledger
from scenemind.models.openai_chat import OpenAIChat
from scenemind.models.usage import Usage

_LEDGER = "model_usage.sqlite"
OPENAI = "OpenAI"
"""Stands for the endpoint where none is configured."""


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """How one model is doing.

    Attributes:
        role: language, vision, or "language and vision".
        model: its name on the server.
        endpoint: its address, or `OPENAI`.
        state: "ready", or a sentence on why it is not asked now.
        calls: tries so far, those that failed included.
        failures: of these, by kind.
        in_flight, waiting: calls at its endpoint now.
        used_today: by all processes that share the ledger.
        has_price: whether the cost is known.
        trouble: with the ledger; empty: none.
    """

    role: str
    model: str
    endpoint: str
    state: str
    calls: int
    failures: Mapping[FailureKind, int]
    in_flight: int
    waiting: int
    used_today: Usage
    has_price: bool
    trouble: str

    @property
    def is_ready(self) -> bool:
        return self.state == "ready"


@dataclass(frozen=True, slots=True)
class _Opened:
    """The parts of one model."""

    role: str
    config: ChatModelConfig
    endpoint: Endpoint
    transport: OpenAIChat
    chat: CarefulChat


class Models:
    """Language and vision models, open until `close`; see `open_models`. Thread-safe."""

    def __init__(self, config: ModelsConfig, ledger: Ledger) -> None:
        """See `open_models`."""
        self._config = config
        self._ledger = ledger
        self._backoff = Backoff(config.retry_pause_s)
        self._endpoints: dict[tuple[str, str], Endpoint] = {}
        self._opened: dict[str, _Opened] = {}
        has_vision = bool(config.vision.model)
        try:
            if config.language.model:
                role = "language" if has_vision else "language and vision"
                self._open(role, config.language)
            if has_vision:
                self._open("vision", config.vision)
        except ModelError:
            self.close()
            raise

    @property
    def language(self) -> ChatModel | None:
        """Reads text; None: no model is configured."""
        return self._find("language")

    @property
    def vision(self) -> ChatModel | None:
        """Sees pictures: the language model where no other is named; None: neither is."""
        return self._find("vision")

    def allowance(self, seconds: float) -> Allowance:
        """For one question, with the configured limits."""
        return Allowance(seconds, self._config.question_tokens, self._config.question_cost)

    def status(self) -> tuple[ModelStatus, ...]:
        """Of every model, language first."""
        return tuple(map(self._status_of, self._opened.values()))

    def close(self) -> None:
        """Give up what is being asked, and send away who waits; the second call does nothing."""
        for endpoint in self._endpoints.values():
            endpoint.gate.close()
        for opened in self._opened.values():
            opened.transport.close()

    def __enter__(self) -> Models:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _find(self, role: str) -> ChatModel | None:
        return next((o.chat for o in self._opened.values() if role in o.role), None)

    def _open(self, role: str, config: ChatModelConfig) -> None:
        where = config.endpoint or OPENAI
        transport = OpenAIChat(config)
        endpoint = self._endpoints.setdefault(
            (where, config.key_variable), Endpoint.at(where, self._config)
        )
        chat = CarefulChat(
            transport,
            endpoint,
            self._ledger,
            self._backoff,
            self._config.retries,
            config.call_deadline_s,
        )
        self._opened[role] = _Opened(role, config, endpoint, transport, chat)

    def _status_of(self, opened: _Opened) -> ModelStatus:
        config, gate = opened.config, opened.endpoint.gate
        return ModelStatus(
            opened.role,
            config.model,
            config.endpoint or OPENAI,
            opened.endpoint.state,
            opened.chat.calls,
            opened.chat.failures,
            gate.in_flight,
            gate.waiting,
            self._ledger.used_today(config.model),
            bool(config.prompt_price or config.reply_price),
            self._ledger.trouble,
        )


def open_models(config: ModelsConfig, ledger: Path | None = None) -> Models:
    """The configured models, each with retries, turns, rests and budgets around it; no server is
    asked yet.

    Args:
        ledger: SQLite file with what each day used; None: `model_usage.sqlite` beside the memories.

    Raises:
        ModelError: there is no key for an endpoint that needs one, or it is none.
    """
    path = ledger or default_root() / _LEDGER
    return Models(config, Ledger(path, config.day_tokens, config.day_cost))
