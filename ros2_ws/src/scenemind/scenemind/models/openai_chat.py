"""Any server that speaks OpenAI's chat protocol: OpenAI, vLLM, Ollama, llama.cpp, ...

What is wrong with the SDK's own handling, and done here: its timeout is one of each read, so that a
server which sends a byte now and then is waited for without end; and it tries again by itself
within no deadline at all.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from json import JSONDecodeError
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from scenemind.config import ChatModelConfig
from scenemind.models.allowance import Allowance
from scenemind.models.background_loop import BackgroundLoop
from scenemind.models.chat import ChatMessage, ChatReply, OnText
from scenemind.models.errors import FailureKind, ModelError
from scenemind.models.usage import Usage

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

_SHOWN_CHARACTERS = 300


class OpenAIChat:
    """A `ChatModel`. The key is read from the environment once, and is neither logged nor told."""

    def __init__(self, config: ChatModelConfig) -> None:
        """Without a key, other endpoints than OpenAI's are asked all the same: servers of one's own
        want none. Without an endpoint, it is OpenAI's, or $OPENAI_BASE_URL.

        Raises:
            ModelError: no model is named, there is no key for OpenAI's endpoint, or the key is
                none that a header can carry.
        """
        import openai  # half a second that only those wait who ask a model

        if not config.model:
            raise ModelError("rejected", "no model is named: say which the server is to run")
        self._key = _key_in(config.key_variable)
        if not self._key and not config.endpoint:
            raise ModelError(
                "no_key",
                f"there is no key for OpenAI in the environment variable {config.key_variable}: set"
                " it, or name the endpoint of a server of your own",
            )
        self._sdk = openai
        self._config = config
        self._model = config.model
        self._client = openai.AsyncOpenAI(
            api_key=self._key or "none", base_url=config.endpoint or None, max_retries=0
        )
        self._loop = BackgroundLoop(f"chat with {config.model}")

    @property
    def name(self) -> str:
        return self._model

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
    ) -> ChatReply:
        """See `ChatModel`."""
        allowance.check()
        start = time.monotonic()
        deadline_s = min(self._config.call_deadline_s, allowance.left_s)
        request = self._request(messages, schema)
        try:
            completion = self._loop.run(
                self._client.chat.completions.create(**request, timeout=deadline_s),
                deadline_s,
                allowance,
            )
        except CancelledError as error:
            if allowance.is_cancelled:
                raise ModelError("cancelled", "who asked does not wait any more") from error
            raise ModelError(
                "closed", f"{self._model} is closed: nothing more is asked of it"
            ) from error
        except (TimeoutError, JSONDecodeError, self._sdk.OpenAIError) as error:
            self._fail(error, deadline_s)
        usage = self._usage_of(completion)
        allowance.spend(usage)
        text = self._text_of(completion)
        if on_text is not None:
            on_text(text)
        return ChatReply(text, completion.model or self._model, usage, time.monotonic() - start)

    def close(self) -> None:
        """Give up what is being asked, and the connections; the second call does nothing."""
        self._loop.close(self._client.close())

    def __enter__(self) -> OpenAIChat:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _request(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self._model, "messages": list(map(_turn, messages))}
        if schema is not None:
            form = {"name": schema.get("title", "Reply"), "schema": schema, "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": form}
        return request

    def _usage_of(self, completion: ChatCompletion) -> Usage:
        counted = getattr(completion, "usage", None)
        if counted is None:
            return Usage(calls=1)
        prompt, reply = counted.prompt_tokens, counted.completion_tokens
        price = prompt * self._config.prompt_price + reply * self._config.reply_price
        return Usage(1, prompt, 0, reply, price / 1e6)

    def _text_of(self, completion: ChatCompletion) -> str:
        """
        Raises:
            ModelError: there is none, for whatever reason.
        """
        choices = getattr(completion, "choices", None)  # another body than JSON comes as text
        if not choices or choices[0].message is None:
            raise ModelError("bad_reply", f"{self._where} sent something that is no chat reply")
        choice = choices[0]
        if choice.message.refusal or choice.finish_reason == "content_filter":
            reason = choice.message.refusal or "a filter of its server stopped it"
            raise ModelError("refused", f"{self._model} refused: {self._shown(reason)}")
        if choice.finish_reason == "length":
            raise ModelError("bad_reply", f"{self._model} ran into its limit of tokens")
        if not choice.message.content:
            raise ModelError("bad_reply", f"{self._model} sent an empty reply")
        return choice.message.content

    def _fail(self, error: Exception, deadline_s: float) -> NoReturn:
        """Raise the package's error for one of the SDK's."""
        sdk = self._sdk
        kind: FailureKind = "bad_reply"
        text = f"{self._where} sent something that is no JSON"
        if isinstance(error, TimeoutError | sdk.APITimeoutError):
            kind, text = "too_late", f"{self._where} did not answer within {deadline_s:.3g} s"
        elif isinstance(error, sdk.APIStatusError):
            kind = _kind_of(error.status_code)
            text = f"{self._where} answered {error.status_code}: {self._shown(error.message)}"
        elif isinstance(error, sdk.APIConnectionError):
            kind = "unreachable"
            text = f"{self._where} cannot be reached ({self._shown(str(error.__cause__ or error))})"
        raise ModelError(kind, text) from error

    @property
    def _where(self) -> str:
        return f"{self._model} at {self._client.base_url}"

    def _shown(self, text: str) -> str:
        """The beginning of what a server said, which may have repeated our key."""
        hidden = text.replace(self._key, "***") if self._key else text
        return " ".join(hidden.split())[:_SHOWN_CHARACTERS]


def _key_in(variable: str) -> str:
    """The key, without what a file or a paste left around it; empty: there is none.

    Raises:
        ModelError: it cannot go into a header. The client would repeat it in its own error.
    """
    key = os.environ.get(variable, "").strip()
    if not all("!" <= character <= "~" for character in key):
        raise ModelError(
            "no_key",
            f"the environment variable {variable} holds no key: a key is of printable ASCII"
            " characters without blanks",
        )
    return key


def _turn(message: ChatMessage) -> dict[str, Any]:
    if not message.jpegs:
        return {"role": message.role, "content": message.text}
    pictures = [
        {
            "type": "image_url",
            "image_url": {"url": f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"},
        }
        for jpeg in message.jpegs
    ]
    return {"role": message.role, "content": [{"type": "text", "text": message.text}, *pictures]}


def _kind_of(status: int) -> FailureKind:
    if status == 429:
        return "overloaded"
    return "rejected" if status < 500 else "server_failed"
