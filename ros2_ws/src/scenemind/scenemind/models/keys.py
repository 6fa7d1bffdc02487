"""Which key goes to which server: one that nobody named a key for gets none but OpenAI's own."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from scenemind.config import ChatModelConfig
from scenemind.models.errors import ModelError

_OPENAI_VARIABLE = "OPENAI_API_KEY"
_OPENAI_HOST = "api.openai.com"


def key_variable_of(config: ChatModelConfig) -> str:
    """The environment variable that must hold the key; empty: the server wants none."""
    if config.key_variable:
        return config.key_variable
    try:
        is_openai = not config.endpoint or urlsplit(config.endpoint).hostname == _OPENAI_HOST
    except ValueError:  # no address: who asks it says so
        return ""
    return _OPENAI_VARIABLE if is_openai else ""


def key_of(config: ChatModelConfig) -> str:
    """The key, without what a file or a paste left around it; empty: the server wants none.

    Raises:
        ModelError: there is none, or it cannot go into a header. The client would repeat it in its
            own error.
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
