"""What calls to models use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """
    Attributes:
        calls: replies that came.
        prompt_tokens: cached ones included; 0 where the server does not say, as all tokens.
        cached_tokens: those of the prompt that the provider had read before.
        cost: by the configured prices.
    """

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    reply_tokens: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.reply_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reply_tokens + other.reply_tokens,
            self.cost + other.cost,
        )


NOTHING_USED = Usage()
