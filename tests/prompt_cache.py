"""The tokens of a request that a provider's prompt cache would hold, for tests."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_PICTURE = 256


def token_count(text: str) -> int:
    """An estimate, as tokenizers differ: 4 characters each."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


class PromptCache:
    """Remembers every prompt; a token is cached when it and all before it began an earlier one.

    The model and the schema stand before the turns, as in a provider's prompt.
    """

    def __init__(self) -> None:
        self._beginnings: set[int] = set()
        self._lock = threading.Lock()

    def read(self, body: dict[str, Any]) -> tuple[int, int]:
        """Tokens of the prompt, and how many of them were cached."""
        beginning = hash((body.get("model"), json.dumps(body.get("response_format"))))
        count = cached = 0
        with self._lock:
            is_known = True
            for token, size in _tokens(body["messages"]):
                beginning = hash((beginning, token))
                is_known = is_known and beginning in self._beginnings
                self._beginnings.add(beginning)
                count += size
                cached += size if is_known else 0
        return count, cached


def _tokens(messages: list[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    """Pieces of the prompt in order, and how many tokens each is."""
    for message in messages:
        content = message["content"] or ""
        parts = [{"text": content}] if isinstance(content, str) else content
        yield message["role"], 1
        for part in parts:
            if "image_url" in part:
                yield part["image_url"]["url"], TOKENS_PER_PICTURE
                continue
            text = part["text"]
            for start in range(0, len(text), CHARACTERS_PER_TOKEN):
                yield text[start : start + CHARACTERS_PER_TOKEN], 1
