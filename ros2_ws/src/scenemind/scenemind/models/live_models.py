"""Models on servers, with all care around them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from scenemind.config import ChatModelConfig, ModelsConfig
from scenemind.models.backoff import Backoff
from scenemind.models.careful_chat import CarefulChat
from scenemind.models.chat import ChatModel
from scenemind.models.endpoint import Endpoint
from scenemind.models.errors import ModelError
from scenemind.models.keyless_chat import KeylessChat
from scenemind.models.keys import key_variable_of
from scenemind.models.ledger import Ledger
from scenemind.models.openai_chat import OpenAIChat
from scenemind.models.recording import Recorder, Recording
from scenemind.models.status import ModelStatus

_log = logging.getLogger(__name__)

OPENAI = "OpenAI"
"""Stands for the endpoint where none is configured."""


@dataclass(frozen=True, slots=True)
class LiveModel:
    """
    Attributes:
        chat: to be asked.
        missing: the key that it needs, in a sentence; empty: none.
    """

    chat: ChatModel
    missing: str
    _careful: CarefulChat
    _endpoint: Endpoint
    _ledger: Ledger
    _config: ChatModelConfig

    def status(self, role: str) -> ModelStatus:
        gate = self._endpoint.gate
        return ModelStatus(
            role=role,
            model=self._config.model,
            endpoint=self._config.endpoint or OPENAI,
            state=self.missing or self._endpoint.state,
            calls=self._careful.calls,
            failures=self._careful.failures,
            in_flight=gate.in_flight,
            waiting=gate.waiting,
            used_today=self._ledger.used_today(self._config.model),
            has_price=self._config.has_price,
            trouble=self._ledger.trouble,
        )


def open_live(
    config: ModelsConfig,
    by_role: Mapping[str, ChatModelConfig],
    ledger: Ledger,
    opened: ExitStack,
) -> dict[str, LiveModel]:
    """A model for each role; one without its key fails what it is asked, and that is logged.

    Args:
        opened: gets what is to be closed.

    Raises:
        ModelError: see `open_models`.
    """
    opened.callback(ledger.flush)
    recording = opened.enter_context(Recording(Path(config.record))) if config.record else None
    backoff = Backoff(config.retry_pause_s)
    endpoints: dict[tuple[str, str], Endpoint] = {}
    models = {}
    for role, model in by_role.items():
        transport, missing = _open_chat(model, opened)
        where = model.endpoint.rstrip("/") or OPENAI
        server = where, key_variable_of(model)
        if server not in endpoints:
            endpoints[server] = Endpoint.at(where, config)
            opened.callback(endpoints[server].gate.close)
        endpoint = endpoints[server]
        careful = CarefulChat(
            transport, endpoint, ledger, backoff, config.retries, model.call_deadline_s
        )
        chat = careful if recording is None else Recorder(careful, recording)
        models[role] = LiveModel(chat, missing, careful, endpoint, ledger, model)
    return models


def _open_chat(config: ChatModelConfig, opened: ExitStack) -> tuple[ChatModel, str]:
    """What is asked, and which key it needs and has not; empty: none.

    Raises:
        ModelError: its endpoint is no address.
    """
    try:
        return opened.enter_context(OpenAIChat(config)), ""
    except ModelError as error:
        if error.kind != "no_key":
            raise
        missing = str(error)
        _log.info("%s cannot be asked: %s", config.model, missing)
        return KeylessChat(config.model, missing), missing
