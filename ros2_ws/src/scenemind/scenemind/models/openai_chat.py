"""Any server that speaks OpenAI's chat protocol: OpenAI, Azure, vLLM, Ollama, llama.cpp, ..."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from scenemind.config import ChatModelConfig
from scenemind.models.allowance import Allowance
from scenemind.models.background_loop import BackgroundLoop
from scenemind.models.chat import ChatMessage, ChatReply, OnText, Tool
from scenemind.models.errors import ModelError
from scenemind.models.keys import key_of
from scenemind.models.openai_reply import Draft
from scenemind.models.openai_request import request_of
from scenemind.models.tools_in_words import read_for_calls, told_of_tools
from scenemind.models.usage import Usage

_log = logging.getLogger(__name__)

# What a server without calls of tools complains of.
_ABOUT_TOOLS = re.compile(r"\btools?\b|tool_calls?|function.call", re.IGNORECASE)


class OpenAIChat:
    """A `ChatModel`: one question, one exchange. The key is read from the environment once, and is
    neither logged nor told."""

    def __init__(self, config: ChatModelConfig) -> None:
        """Without an endpoint it is OpenAI's, or $OPENAI_BASE_URL.

        Raises:
            ModelError: no model is named, the endpoint is no address, or the key is missing or none
                that a header can carry.
        """
        if not config.model:
            raise ModelError("rejected", "no model is named: say which the server is to run")
        _check_address(config.endpoint)
        key = key_of(config)
        # Half a second that only those wait who ask a model.
        from scenemind.models.openai_exchange import OpenAIExchange

        self._config = config
        self._exchange = OpenAIExchange(config, key)
        self._loop = BackgroundLoop(f"chat with {config.model}")
        self._counts = True  # as far as is known
        self._has_tools = config.tool_calls  # as far as is known

    @property
    def name(self) -> str:
        return self._config.model

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
        tools: Sequence[Tool] = (),
    ) -> ChatReply:
        """See `ChatModel`. With `on_text`, the reply is streamed."""
        if tools and self._has_tools:
            try:
                return self._exchanged(messages, allowance, schema, on_text, tools)
            except ModelError as error:
                if error.kind != "rejected" or not _ABOUT_TOOLS.search(str(error)):
                    raise
                self._has_tools = False
                _log.warning("%s is told of tools in words from now on: %s", self.name, error)
        if not tools:
            return self._exchanged(messages, allowance, schema, on_text)
        told = told_of_tools(messages, tools)
        return read_for_calls(self._exchanged(told, allowance, schema, on_text))

    def _exchanged(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None,
        on_text: OnText | None,
        tools: Sequence[Tool] = (),
    ) -> ChatReply:
        allowance.check()
        start = time.monotonic()
        deadline_s = min(self._config.call_deadline_s, allowance.left_s)
        request = request_of(self._config, messages, schema, on_text is not None, allowance, tools)
        listener = None if on_text is None else _Listener(on_text)
        try:
            draft = self._loop.run(
                self._exchange.reply_to(request, listener),
                start + deadline_s - time.monotonic(),
                allowance,
            )
        except TimeoutError as error:
            raise ModelError(
                "too_late",
                f"{self._exchange.failures.where} did not answer within {deadline_s:.3g} s",
            ) from error
        except CancelledError as error:
            if allowance.is_cancelled:
                raise ModelError("cancelled", "the question was cancelled") from error
            raise ModelError(
                "closed", f"{self.name} is closed: nothing more is asked of it"
            ) from error
        finally:
            if listener is not None:
                listener.is_listening = False
        usage = draft.usage(self._config)
        if not usage.tokens:
            self._say_once_that_nothing_is_counted()
        allowance.spend(usage)
        text = self._text_of(draft, usage)
        seconds = time.monotonic() - start
        return ChatReply(text, draft.model or self.name, usage, seconds, draft.calls)

    def close(self) -> None:
        """Give up what is being asked, and the connections; the second call does nothing."""
        self._loop.close(self._exchange.close())

    def __enter__(self) -> OpenAIChat:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _say_once_that_nothing_is_counted(self) -> None:
        if self._counts:
            self._counts = False
            _log.warning(
                "%s does not say how many tokens it uses: budgets do not hold it back",
                self._exchange.failures.where,
            )

    def _text_of(self, draft: Draft, usage: Usage) -> str:
        """
        Raises:
            ModelError: there is none, for whatever reason.
        """
        if draft.refusal or draft.finish == "content_filter":
            reason = draft.refusal or "a filter of its server stopped it"
            raise ModelError(
                "refused",
                f"{self.name} refused: {self._exchange.failures.shown(reason)}",
                usage=usage,
            )
        if draft.finish == "length":
            raise ModelError(
                "bad_reply",
                f"{self.name} ran into its limit of tokens: raise max_reply_tokens in its settings",
                usage=usage,
            )
        if not draft.text and not draft.calls:
            raise ModelError("bad_reply", f"{self.name} sent an empty reply", usage=usage)
        return draft.text


class _Listener:
    """Hears no more when nobody waits: the loop may still take in what had come by then."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self.is_listening = True

    def __call__(self, text: str) -> None:
        if self.is_listening:
            self._on_text(text)


def _check_address(endpoint: str) -> None:
    """
    Raises:
        ModelError: it is neither empty nor an address that can be asked, or it is more than that:
            what goes with an address may be a secret, and addresses are shown and logged.
    """
    if any(sign in endpoint for sign in "@?#"):
        raise ModelError(
            "rejected",
            "an endpoint is an address without a user, a password or a query: a key belongs into"
            " the environment variable that key_variable names",
        )
    try:
        parts = urlsplit(endpoint)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        is_address = is_address and endpoint.isprintable() and " " not in endpoint
    except ValueError:
        is_address = False
    if endpoint and not is_address:
        raise ModelError(
            "rejected",
            f"the endpoint {endpoint!r} is no address: write such as http://localhost:11434/v1",
        )
