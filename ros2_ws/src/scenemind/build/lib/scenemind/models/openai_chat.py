"""Models on any server of OpenAI's chat protocol: OpenAI, Azure, vLLM, Ollama, llama.cpp, ..."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import os
import re
import threading
import time
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import nullcontext
from inspect import CORO_CREATED, getcoroutinestate, iscoroutine
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import urlsplit

from scenemind.config import ChatModelConfig
from scenemind.models.chat import Allowance, ChatMessage, ChatReply, ModelError, OnText, Tool, Usage
from scenemind.models.openai_protocol import (
    PartialReply,
    chat_request,
    parse_tool_calls,
    with_tools_in_text,
)

_log = logging.getLogger(__name__)

_OPENAI_VARIABLE = "OPENAI_API_KEY"
_OPENAI_HOST = "api.openai.com"
Result = TypeVar("Result")
# Time for cancelled tasks to end; slower ones are abandoned.
_CANCEL_S = 0.5
# Errors of servers without tool calls.
_TOOLS_ERROR = re.compile(r"\btools?\b|tool_calls?|function.call", re.IGNORECASE)


class OpenAIChat:
    """A `ChatModel` on any server of OpenAI's protocol; one exchange per call.

    The key is read from the environment once, and appears in no log or message.
    """

    def __init__(self, config: ChatModelConfig) -> None:
        """Open the client; the default endpoint is $OPENAI_BASE_URL, else OpenAI's.

        Raises:
            ModelError: no model is named, the endpoint is no address, or the key is missing or
                cannot go into a header.
        """
        if not config.model:
            raise ModelError("rejected", "no model is named: say which the server is to run")
        _check_address(config.endpoint)
        key = key_of(config)
        # This import takes half a second.
        from scenemind.models.openai_sdk import OpenAIExchange

        self._config = config
        self._exchange = OpenAIExchange(config, key)
        self._loop = BackgroundLoop(f"chat with {config.model}")
        self._counts = True  # until a reply comes without counts
        self._has_tools = config.tool_calls  # until the server rejects tools

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
                if error.kind != "rejected" or not _TOOLS_ERROR.search(str(error)):
                    raise
                self._has_tools = False
                _log.warning(
                    "%s rejects tools; they are described in the prompt from now on: %s",
                    self.name,
                    error,
                )
        if not tools:
            return self._exchanged(messages, allowance, schema, on_text)
        described = with_tools_in_text(messages, tools)
        return parse_tool_calls(self._exchanged(described, allowance, schema, on_text))

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
        request = chat_request(
            self._config, messages, schema, on_text is not None, allowance, tools
        )
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
            self._warn_about_missing_counts()
        allowance.spend(usage)
        text = self._text_of(draft, usage)
        seconds = time.monotonic() - start
        return ChatReply(text, draft.model or self.name, usage, seconds, draft.calls)

    def close(self) -> None:
        """Cancel running calls and close the connections; the second call does nothing."""
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

    def _warn_about_missing_counts(self) -> None:
        if self._counts:
            self._counts = False
            _log.warning(
                "%s reports no token usage: token budgets do not limit it",
                self._exchange.failures.where,
            )

    def _text_of(self, draft: PartialReply, usage: Usage) -> str:
        """The reply's text.

        Raises:
            ModelError: refused, cut off by the token limit, or empty.
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
    """Forwards text until the caller stops listening: the loop may still receive pieces later."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self.is_listening = True

    def __call__(self, text: str) -> None:
        if self.is_listening:
            self._on_text(text)


def _check_address(endpoint: str) -> None:
    """Check that an endpoint is empty or a plain HTTP address.

    Raises:
        ModelError: no address, or an address with a user, a query or a fragment, which may be
            secret, while addresses are shown and logged.
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


def key_variable_of(config: ChatModelConfig) -> str:
    """The environment variable that holds the key; empty: the server needs none.

    Only OpenAI's own server has a default variable: no other server is sent its key.
    """
    if config.key_variable:
        return config.key_variable
    try:
        is_openai = not config.endpoint or urlsplit(config.endpoint).hostname == _OPENAI_HOST
    except ValueError:  # no address: reported when it is opened
        return ""
    return _OPENAI_VARIABLE if is_openai else ""


def key_of(config: ChatModelConfig) -> str:
    """The key, stripped of white space; empty: the server needs none.

    Raises:
        ModelError: the key is missing, or cannot go into a header (checked here because the
            client's own error would repeat it).
    """
    variable = key_variable_of(config)
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        where = config.endpoint or "OpenAI"
        raise ModelError(
            "no_key",
            f"there is no key for {where} in the environment variable {variable}: set it, or name"
            " the endpoint of a server that wants none",
        )
    if not all("!" <= character <= "~" for character in key):
        raise ModelError(
            "no_key",
            f"the environment variable {variable} holds no key: a key is of printable ASCII"
            " characters without blanks",
        )
    return key


class BackgroundLoop:
    """An asyncio loop on its own thread, which runs coroutines for other threads concurrently."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()  # guards the next two
        self._is_closing = False
        self._awaited: set[concurrent.futures.Future[Any]] = set()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def run(
        self,
        coroutine: Coroutine[Any, Any, Result],
        deadline_s: float,
        allowance: Allowance | None = None,
    ) -> Result:
        """The coroutine's result. A late coroutine is cancelled without waiting for its end.

        Args:
            allowance: its cancellation wakes this caller at once.

        Raises:
            TimeoutError: not done in time.
            CancelledError: the loop was closed or the allowance cancelled, before or meanwhile.
        """
        with self._lock:
            if self._is_closing:
                coroutine.close()
                raise concurrent.futures.CancelledError("the loop is closed")
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
            self._awaited.add(future)
        try:
            with nullcontext() if allowance is None else allowance.waking(future.cancel):
                return _result_of(future, deadline_s)
        finally:
            with self._lock:
                self._awaited.discard(future)

    def close(self, last: Coroutine[Any, Any, None], grace_s: float = 1.0) -> None:
        """Cancel running coroutines, run a last one, end the thread; a second call does nothing.

        `run` refuses from the beginning of this call.

        Args:
            grace_s: time limit of `last`, once the others have ended.
        """
        with self._lock:
            was_closing, self._is_closing = self._is_closing, True
        if was_closing:
            last.close()
            return
        ending = asyncio.run_coroutine_threadsafe(_after_all_others(last), self._loop)
        try:
            _result_of(ending, _CANCEL_S + grace_s)
        except TimeoutError:
            pass  # a server that keeps a connection open; the process does not wait for it
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._let_go()
            self._loop.close()

    def _serve(self) -> None:
        """The thread's work: run until stopped, then until the remaining tasks have ended."""
        self._loop.run_forever()
        self._loop.run_until_complete(_cancel_all_others())

    def _let_go(self) -> None:
        """Wake callers whose task ignores its cancellation."""
        with self._lock:
            awaited = list(self._awaited)
        for future in awaited:
            future.cancel()


def _result_of(future: concurrent.futures.Future[Result], deadline_s: float) -> Result:
    try:
        return future.result(deadline_s)
    except concurrent.futures.TimeoutError as error:
        future.cancel()
        raise TimeoutError(f"not done in {deadline_s} s") from error


async def _after_all_others(last: Coroutine[Any, Any, None]) -> None:
    await _cancel_all_others()
    await last


async def _cancel_all_others() -> None:
    others = {task for task in asyncio.all_tasks() if _has_begun(task)} - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=_CANCEL_S)


def _has_begun(task: asyncio.Task[Any]) -> bool:
    """Whether a task has begun. A task that has not is a subtask, which its parent ends: cancelled
    here, its coroutine would never be awaited."""
    coroutine = task.get_coro()
    return not (iscoroutine(coroutine) and getcoroutinestate(coroutine) == CORO_CREATED)
