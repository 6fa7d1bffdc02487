"""The package's errors for those of the SDK. Importing this takes half a second."""

from __future__ import annotations

import re
from json import JSONDecodeError

import httpx2
import openai

from scenemind.models.errors import FailureKind, ModelError
from scenemind.models.retry_after import retry_after_s

_SHOWN_CHARACTERS = 300
_LOOKED_AT = 10 * _SHOWN_CHARACTERS  # as some of it may be blanks
# What a server cannot do now it cannot do later; llama.cpp says so with a 500.
_NEVER = re.compile(r"response_format|not support|unsupported", re.IGNORECASE)
_NO_PICTURES = re.compile(r"image input is not support|not a multimodal", re.IGNORECASE)
_NO_TLS = "WRONG_VERSION_NUMBER"
_PATH = "/chat/completions"
_TRANSPORT_ERRORS = openai.APIConnectionError, httpx2.RequestError
_DECODING_ERRORS = JSONDecodeError, UnicodeDecodeError, RecursionError
# What the SDK raises, and what it lets through.
SDK_ERRORS = openai.OpenAIError, httpx2.RequestError, *_DECODING_ERRORS


class FailureReader:
    """Says what went wrong with one server, without the key that it may have repeated.

    Attributes:
        where: the model and its endpoint.
    """

    def __init__(self, where: str, key: str) -> None:
        self.where = where
        self._key = key

    def shown(self, text: str) -> str:
        """The beginning of what a server said, on one line that gives a terminal no orders."""
        hidden = text.replace(self._key, "***") if self._key else text
        plain = "".join(c if c.isprintable() else " " for c in hidden[:_LOOKED_AT])
        return " ".join(plain.split())[:_SHOWN_CHARACTERS]

    def cause(self, error: Exception) -> Exception | None:
        """What to raise an error from: nothing that repeats the key, which a traceback prints."""
        return None if self._key and self._key in str(error) else error

    def of(self, error: Exception) -> ModelError:
        """For one of `SDK_ERRORS`."""
        if isinstance(error, openai.APIStatusError):
            text = f"{self.where} answered {error.status_code}: {self.shown(_said_in(error))}"
            wait_s = retry_after_s(error.response.headers)
            return ModelError(_kind_of(error), text + _way_out(error), wait_s)
        if isinstance(error, _TRANSPORT_ERRORS):
            cause = self.shown(str(error.__cause__ or error))
            way_out = " (it speaks http, not https)" if _NO_TLS in cause else ""
            text = f"{self.where} cannot be reached or hung up: {cause}{way_out}"
            return ModelError("unreachable", text)
        if isinstance(error, openai.APIError):
            text = f"{self.where} failed in the middle of a reply: {self.shown(error.message)}"
            return ModelError("server_failed", text)
        return ModelError("bad_reply", f"{self.where} sent something that is no JSON")


def _said_in(error: openai.APIStatusError) -> str:
    """The server's sentence, where it sent one as the protocol has it."""
    said = error.body.get("message") if isinstance(error.body, dict) else None
    return said if isinstance(said, str) else error.message


def _kind_of(error: openai.APIStatusError) -> FailureKind:
    if error.code == "content_filter":
        return "refused"
    if error.status_code == 429 and error.code != "insufficient_quota":
        return "overloaded"
    is_passing = error.status_code == 408 or error.status_code >= 500
    return "server_failed" if is_passing and not _NEVER.search(error.message) else "rejected"


def _way_out(error: openai.APIStatusError) -> str:
    """More than the server says, where it is known."""
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
