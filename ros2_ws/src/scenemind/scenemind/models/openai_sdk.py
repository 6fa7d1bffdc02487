"""HTTP exchanges by the `openai` package, and its errors as `ModelError`; a slow import (0.5 s)."""

from __future__ import annotations

import json
import math
import re
import ssl
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from json import JSONDecodeError
from typing import Any

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
_DECODING_ERRORS = JSONDecodeError, UnicodeDecodeError, RecursionError
# Errors that the SDK raises or passes on.
SDK_ERRORS = openai.OpenAIError, httpx2.RequestError, *_DECODING_ERRORS


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
    sends a byte now and then would never reach it. The caller keeps the deadline.

    Attributes:
        failures: translates the SDK's errors.
    """

    def __init__(self, config: ChatModelConfig, key: str) -> None:
        """
        Raises:
            ModelError: the endpoint is no address.
        """
        try:
            self._client = openai.AsyncOpenAI(
                api_key=key or "none",
                base_url=config.endpoint or None,
                max_retries=0,
                timeout=None,
                # The request is meant for this server only.
                http_client=openai.DefaultAsyncHttpxClient(
                    follow_redirects=False, verify=_certificates()
                ),
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

    async def _try(self, request: Mapping[str, Any], on_text: OnText | None) -> PartialReply:
        while True:
            sent = self._dialect.of(request)
            try:
                if on_text is None:
                    return self._whole(await self._client.post(_PATH, body=sent, cast_to=object))
                return await self._stream(sent, on_text)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if not self._dialect.learn(sent, self.failures.shown(error.message)):
                    raise

    async def _stream(self, sent: Mapping[str, Any], on_text: OnText) -> PartialReply:
        pieces = await self._client.post(
            _PATH,
            body=sent,
            cast_to=object,
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )
        async with pieces:
            if pieces.response.headers.get("content-type", "").startswith("application/json"):
                draft = self._whole(json.loads(await pieces.response.aread()))
                on_text(draft.text)  # the server does not stream
                return draft
            draft = PartialReply()
            async for piece in pieces:
                known = len(draft.text)
                if not draft.add(piece):
                    raise self._unexpected_reply(piece)
                if len(draft.text) > known:
                    on_text(draft.text)
        if not draft.finish:
            raise ModelError(
                "unreachable",
                f"{self.failures.where} hung up: the reply was cut after {draft.text[-40:]!r}",
            )
        return draft

    def _whole(self, body: object) -> PartialReply:
        draft = PartialReply()
        if not (draft.add(body) and draft.finish):
            raise self._unexpected_reply(body)
        return draft

    def _unexpected_reply(self, body: object) -> ModelError:
        sent = self.failures.shown(body if isinstance(body, str) else json.dumps(body))
        return ModelError("bad_reply", f"{self.failures.where} sent no chat reply, but {sent}")


class ErrorTranslator:
    """Translates the SDK's errors to `ModelError`, with the key removed from server texts.

    Attributes:
        where: the model and its endpoint, for messages.
    """

    def __init__(self, where: str, key: str) -> None:
        self.where = where
        self._key = key

    def shown(self, text: str) -> str:
        """The beginning of a server's text, in one line without control characters or the key."""
        hidden = text.replace(self._key, "***") if self._key else text
        plain = "".join(c if c.isprintable() else " " for c in hidden[:_READ_CHARACTERS])
        return " ".join(plain.split())[:_SHOWN_CHARACTERS]

    def cause(self, error: Exception) -> Exception | None:
        """The error to raise from; None where it repeats the key, which a traceback would print."""
        return None if self._key and self._key in str(error) else error

    def of(self, error: Exception) -> ModelError:
        """The `ModelError` for one of `SDK_ERRORS`."""
        if isinstance(error, openai.APIStatusError):
            text = (
                f"{self.where} answered {error.status_code}: {self.shown(_server_message(error))}"
            )
            wait_s = retry_after_s(error.response.headers)
            return ModelError(_failure_kind(error), text + _remedy(error), wait_s)
        if isinstance(error, _TRANSPORT_ERRORS):
            cause = self.shown(str(error.__cause__ or error))
            remedy = " (it speaks http, not https)" if _NO_TLS in cause else ""
            text = f"{self.where} cannot be reached or hung up: {cause}{remedy}"
            return ModelError("unreachable", text)
        if isinstance(error, openai.APIError):
            text = f"{self.where} failed in the middle of a reply: {self.shown(error.message)}"
            return ModelError("server_failed", text)
        return ModelError("bad_reply", f"{self.where} sent something that is no JSON")


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


def _remedy(error: openai.APIStatusError) -> str:
    """A remedy in parentheses, for known errors."""
    if "response_format" in error.message:
        return " (set json_schema to false in the model's settings: the prompt asks for it then)"
    if _NO_PICTURES.search(error.message):
        return " (name a model that sees pictures in the settings of vision)"
    path = error.request.url.path
    if error.status_code == 404 and path == _PATH:
        return " (the address of most endpoints ends in /v1)"
    if error.status_code == 404 and path.endswith(f"{_PATH}{_PATH}"):
        return f" (leave {_PATH} out of the endpoint)"
    if location := error.response.headers.get("location"):
        return f" (it points to {location!r:.{_SHOWN_CHARACTERS}}: name the endpoint that is there)"
    return ""
