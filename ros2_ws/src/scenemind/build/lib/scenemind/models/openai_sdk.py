"""HTTP exchanges by the `openai` package, and its errors as `ModelError`; a slow import (0.5 s)."""

from __future__ import annotations

import logging
import math
import re
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any
from urllib.parse import quote

import httpx2
import openai

from scenemind.config import ChatModelConfig
from scenemind.models.chat import FailureKind, ModelError, OnText
from scenemind.models.openai_protocol import Dialect, PartialReply

_SHOWN_CHARACTERS = 300
_READ_CHARACTERS = 10 * _SHOWN_CHARACTERS  # as some of it may be blanks
# Errors that no retry mends; llama.cpp reports them with status 500.
_PERMANENT = re.compile(r"response_format|not support|unsupported", re.IGNORECASE)
_NO_PICTURES = re.compile(r"image input is not support|not a multimodal", re.IGNORECASE)
_NO_TLS = "WRONG_VERSION_NUMBER"
_PATH = "/chat/completions"
_TRANSPORT_ERRORS = openai.APIConnectionError, httpx2.RequestError
# Errors that the SDK raises or passes on.
SDK_ERRORS = openai.OpenAIError, httpx2.RequestError
# Shorter keys are no secrets, and may occur in any text.
_SECRET_CHARACTERS = 8
_LOGGERS = "openai", "httpx2", "httpcore2"


class UnfitReplyError(httpx2.RequestError):
    """A reply that is not read to its end."""


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Pause from `retry-after-ms` or `Retry-After` (RFC 9110, 10.2.3: seconds or a date), >= 0.

    None where neither header is there or readable. A date is relative to the server's own `Date`:
    a robot's clock may be wrong.

    Args:
        headers: by lower-case name.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1e3
    said = headers.get("retry-after", "")
    seconds = _number(said)
    if seconds is not None:
        return seconds
    until_s = _unix_s(said)
    if until_s is None:
        return None
    now_s = _unix_s(headers.get("date", ""))
    return max(0.0, until_s - (time.time() if now_s is None else now_s))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _unix_s(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None


@cache
def _certificates() -> ssl.SSLContext:
    """The trusted certificates, read once for all clients: that takes 25 ms."""
    return httpx2.create_ssl_context()


class OpenAIExchange:
    """HTTP exchanges with one server, on the thread of one event loop.

    The SDK's own retries and timeouts are off: its timeout applies to each read, and a server that
    sends a byte now and then would never reach it. The caller keeps the deadline. Replies are read
    here, as the SDK's reader of streams takes a time that grows with the square of an event's size.

    Attributes:
        failures: translates the SDK's errors.
    """

    def __init__(self, config: ChatModelConfig, key: str) -> None:
        """
        Raises:
            ModelError: the endpoint is no address.
        """
        for name in _LOGGERS:  # they log what servers send, which may repeat the key
            logging.getLogger(name).setLevel(logging.WARNING)
        self._most_bytes = round(config.max_reply_mb * 1e6)
        try:
            self._client = openai.AsyncOpenAI(
                api_key=key or "none",
                base_url=config.endpoint or None,
                max_retries=0,
                timeout=None,
                # The request is meant for this server only.
                http_client=openai.DefaultAsyncHttpxClient(
                    follow_redirects=False,
                    verify=_certificates(),
                    event_hooks={"response": [self._bound]},
                ),
                default_headers={"Accept-Encoding": "identity"},
            )
        except httpx2.InvalidURL as error:
            raise ModelError(
                "rejected", f"the endpoint {config.endpoint!r} is no address: {error}"
            ) from error
        address = self._client.base_url.copy_with(username=None, password=None, query=None)
        self.failures = ErrorTranslator(f"{config.model} at {address}", key)
        self._dialect = Dialect()

    async def reply_to(self, request: Mapping[str, Any], on_text: OnText | None) -> PartialReply:
        """The reply to a request.

        Args:
            on_text: as in `ChatModel.ask`, for a streamed request; None: not streamed.

        Raises:
            ModelError: no complete reply.
        """
        try:
            return await self._try(request, on_text)
        except SDK_ERRORS as error:
            raise self.failures.of(error) from self.failures.cause(error)

    async def close(self) -> None:
        await self._client.close()

    async def _bound(self, response: httpx2.Response) -> None:
        """Limit what can be read of a reply, errors included.

        Raises:
            UnfitReplyError: it is compressed, so that its size cannot be known.
        """
        packed = response.headers.get("content-encoding", "identity")
        if packed != "identity":
            raise UnfitReplyError(
                f"sent a reply that is compressed ({self.failures.shown(packed)}), which was not"
                " asked for"
            )
        assert isinstance(response.stream, httpx2.AsyncByteStream), "of an asynchronous client"
        response.stream = _BoundedStream(response.stream, self._most_bytes)

    async def _try(self, request: Mapping[str, Any], on_text: OnText | None) -> PartialReply:
        while True:
            sent = self._dialect.of(request)
            try:
                async with self._client.chat.completions.with_streaming_response.create(
                    **sent
                ) as reply:
                    if reply.headers.get("content-type", "").startswith("text/event-stream"):
                        draft = await self._stream(reply.iter_bytes(), on_text)
                    else:
                        body = bytearray()
                        async for part in reply.iter_bytes():
                            body += part
                        draft = self._whole(bytes(body))
                        if on_text is not None:  # the server does not stream
                            on_text(self.failures.hidden(draft.text))
                    draft.rewrite(self.failures.hidden)
                    return draft
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if not self._dialect.learn(sent, self.failures.shown(error.message)):
                    raise

    async def _stream(self, parts: AsyncIterator[bytes], on_text: OnText | None) -> PartialReply:
        draft = PartialReply()
        async for event in _events(parts):
            if event.startswith(b"[DONE]"):
                break
            known = len(draft.text)
            self._add(draft, event)
            if draft.error:
                raise ModelError(
                    "server_failed",
                    f"{self.failures.where} failed in the middle of a reply:"
                    f" {self.failures.shown(draft.error)}",
                )
            if on_text is not None and len(draft.text) > known:
                on_text(self.failures.hidden(draft.text))
        if not draft.finish:
            raise ModelError(
                "unreachable",
                f"{self.failures.where} hung up: the reply was cut after"
                f" {self.failures.hidden(draft.text)[-40:]!r}",
            )
        return draft

    def _whole(self, body: bytes) -> PartialReply:
        draft = PartialReply()
        self._add(draft, body)
        if not draft.finish:
            raise self._unexpected_reply(body)
        return draft

    def _add(self, draft: PartialReply, body: bytes) -> None:
        try:
            is_reply = draft.add(body)
        except ValueError as error:
            raise ModelError(
                "bad_reply", f"{self.failures.where} sent no JSON of a reply: {error}"
            ) from None
        if not is_reply:
            raise self._unexpected_reply(body)

    def _unexpected_reply(self, body: bytes) -> ModelError:
        sent = self.failures.shown(body.decode(errors="replace"))
        return ModelError("bad_reply", f"{self.failures.where} sent no chat reply, but {sent}")


class _BoundedStream(httpx2.AsyncByteStream):
    """The body of a reply up to a size."""

    def __init__(self, stream: httpx2.AsyncByteStream, most_bytes: int) -> None:
        self._stream = stream
        self._most_bytes = most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """
        Raises:
            UnfitReplyError: the body is larger.
        """
        count = 0
        async for part in self._stream:
            count += len(part)
            if count > self._most_bytes:
                raise UnfitReplyError(
                    f"sent more than {self._most_bytes / 1e6:g} MB (max_reply_mb in its settings)"
                )
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _events(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The data of server-sent events; also of a last one that no empty line ends."""
    data: list[bytes] = []
    async for line in _lines(parts):
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []
    if data:
        yield b"\n".join(data)


async def _lines(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    begun = bytearray()
    async for part in parts:
        *ended, rest = part.split(b"\n")
        for end in ended:
            yield bytes(begun + end).removesuffix(b"\r")
            begun.clear()
        begun += rest
    yield bytes(begun)


class ErrorTranslator:
    """Translates the SDK's errors to `ModelError`, and removes the key from what servers send.

    Attributes:
        where: the model and its endpoint, for messages.
    """

    def __init__(self, where: str, key: str) -> None:
        self.where = where
        spelled = dict.fromkeys((key, quote(key, safe=""))) if key else ()
        self._spelled = tuple(spelled)
        self._is_secret = len(key) >= _SECRET_CHARACTERS

    def hidden(self, text: str) -> str:
        """A model's text without the key, as it is shown, logged and kept."""
        return self._without_key(text) if self._is_secret else text

    def _without_key(self, text: str) -> str:
        for spelled in self._spelled:
            text = text.replace(spelled, "***")
        return text

    def shown(self, text: str) -> str:
        """The beginning of a server's text, in one line without control characters or the key."""
        hidden = self._without_key(text)
        plain = "".join(c if c.isprintable() else " " for c in hidden[:_READ_CHARACTERS])
        return " ".join(plain.split())[:_SHOWN_CHARACTERS]

    def cause(self, error: Exception) -> Exception | None:
        """The error to raise from; None where it repeats the key, which a traceback would print."""
        said: BaseException | None = error
        while said is not None:
            if self._without_key(str(said)) != str(said):
                return None
            said = said.__cause__ or said.__context__
        return error

    def of(self, error: Exception) -> ModelError:
        """The `ModelError` for one of `SDK_ERRORS`."""
        if isinstance(error, openai.APIStatusError):
            text = (
                f"{self.where} answered {error.status_code}: {self.shown(_server_message(error))}"
            )
            wait_s = retry_after_s(error.response.headers)
            return ModelError(_failure_kind(error), text + self._remedy(error), wait_s)
        unfit = error if isinstance(error, UnfitReplyError) else error.__cause__
        if isinstance(unfit, UnfitReplyError):
            return ModelError("bad_reply", f"{self.where} {unfit}")
        if isinstance(error, _TRANSPORT_ERRORS):
            cause = self.shown(str(error.__cause__ or error))
            remedy = " (it speaks http, not https)" if _NO_TLS in cause else ""
            text = f"{self.where} cannot be reached or hung up: {cause}{remedy}"
            return ModelError("unreachable", text)
        return ModelError("server_failed", f"{self.where} failed: {self.shown(str(error))}")

    def _remedy(self, error: openai.APIStatusError) -> str:
        """A remedy in parentheses, for known errors."""
        if "response_format" in error.message:
            return (
                " (set json_schema to false in the model's settings: the prompt asks for it then)"
            )
        if _NO_PICTURES.search(error.message):
            return " (name a model that sees pictures in the settings of vision)"
        path = error.request.url.path
        if error.status_code == 404 and path == _PATH:
            return " (the address of most endpoints ends in /v1)"
        if error.status_code == 404 and path.endswith(f"{_PATH}{_PATH}"):
            return f" (leave {_PATH} out of the endpoint)"
        if location := error.response.headers.get("location"):
            return f" (it points to {self.shown(location)!r}: name the endpoint that is there)"
        return ""


def _server_message(error: openai.APIStatusError) -> str:
    """The server's message in the protocol's field, else the SDK's."""
    said = error.body.get("message") if isinstance(error.body, dict) else None
    return said if isinstance(said, str) else error.message


def _failure_kind(error: openai.APIStatusError) -> FailureKind:
    if error.code == "content_filter":
        return "refused"
    if error.status_code == 429 and error.code != "insufficient_quota":
        return "overloaded"
    is_passing = error.status_code == 408 or error.status_code >= 500
    return "server_failed" if is_passing and not _PERMANENT.search(error.message) else "rejected"
