"""Questions and replies over HTTP with the `openai` package. Importing this takes half a second.

The SDK's own retries and timeouts are off: a timeout of its is one of each read, so that a server
which sends a byte now and then is waited for without end. Who asks keeps the deadline.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx2
import openai

from scenemind.config import ChatModelConfig
from scenemind.models.chat import OnText
from scenemind.models.errors import ModelError
from scenemind.models.openai_failure import SDK_ERRORS, FailureReader
from scenemind.models.openai_reply import Draft
from scenemind.models.openai_request import Dialect

_PATH = "/chat/completions"


class OpenAIExchange:
    """All exchanges with one server, on the thread of one event loop.

    Attributes:
        failures: puts what goes wrong into words.
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
                # Nobody else is shown what was meant for this server.
                http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
            )
        except httpx2.InvalidURL as error:
            raise ModelError(
                "rejected", f"the endpoint {config.endpoint!r} is no address: {error}"
            ) from error
        address = self._client.base_url.copy_with(username=None, password=None, query=None)
        self.failures = FailureReader(f"{config.model} at {address}", key)
        self._dialect = Dialect()

    async def reply_to(self, request: Mapping[str, Any], on_text: OnText | None) -> Draft:
        """
        Args:
            on_text: as in `ChatModel.ask`, where the request wants a stream.

        Raises:
            ModelError: no whole reply.
        """
        try:
            return await self._try(request, on_text)
        except SDK_ERRORS as error:
            raise self.failures.of(error) from self.failures.cause(error)

    async def close(self) -> None:
        await self._client.close()

    async def _try(self, request: Mapping[str, Any], on_text: OnText | None) -> Draft:
        while True:
            spoken = self._dialect.of(request)
            try:
                if on_text is None:
                    return self._whole(await self._client.post(_PATH, body=spoken, cast_to=object))
                return await self._stream(spoken, on_text)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if not self._dialect.learn(spoken, self.failures.shown(error.message)):
                    raise

    async def _stream(self, spoken: Mapping[str, Any], on_text: OnText) -> Draft:
        pieces = await self._client.post(
            _PATH,
            body=spoken,
            cast_to=object,
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )
        async with pieces:
            if pieces.response.headers.get("content-type", "").startswith("application/json"):
                draft = self._whole(json.loads(await pieces.response.aread()))
                on_text(draft.text)  # the server knows no streams
                return draft
            draft = Draft()
            async for piece in pieces:
                known = len(draft.text)
                if not draft.add(piece):
                    raise self._strange(piece)
                if len(draft.text) > known:
                    on_text(draft.text)
        if not draft.finish:
            raise ModelError(
                "unreachable",
                f"{self.failures.where} hung up: the reply was cut after {draft.text[-40:]!r}",
            )
        return draft

    def _whole(self, body: object) -> Draft:
        draft = Draft()
        if not (draft.add(body) and draft.finish):
            raise self._strange(body)
        return draft

    def _strange(self, body: object) -> ModelError:
        sent = self.failures.shown(body if isinstance(body, str) else json.dumps(body))
        return ModelError("bad_reply", f"{self.failures.where} sent no chat reply, but {sent}")
