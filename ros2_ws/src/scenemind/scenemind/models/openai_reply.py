"""A reply in OpenAI's protocol, whole or in pieces, and what it used."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError

from scenemind.config import ChatModelConfig
from scenemind.models.chat import ToolCall
from scenemind.models.usage import Usage

_MOST_TOKENS = 1_000_000_000
_MOST_CALLS = 32  # of one reply


class _Function(BaseModel):
    name: str | None = None
    arguments: str | None = None


class _Call(BaseModel):
    """A call of a tool, or a piece of one."""

    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Words(BaseModel):
    """What a model thinks aloud (`reasoning_content`) is no part of what it says."""

    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(BaseModel):
    index: int | None = None
    message: _Words | None = None  # of a whole reply
    delta: _Words | None = None  # of a piece
    finish_reason: str | None = None


class _PromptDetails(BaseModel):
    cached_tokens: int | None = None


class _Counts(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None


class _Piece(BaseModel):
    """A whole reply or the next piece of one. Servers add members and leave out others."""

    model: str | None = None
    choices: list[_Choice] | None = None
    usage: _Counts | None = None


@dataclass(slots=True)
class Draft:
    """A reply as far as it has come.

    Attributes:
        finish: why it ended; empty: it has not.
        model: which answers, as the server names it; empty: it does not say.
    """

    text: str = ""
    refusal: str = ""
    finish: str = ""
    model: str = ""
    _counts: _Counts = field(default_factory=_Counts)
    _calls: dict[int, list[str]] = field(default_factory=dict)  # id, name, arguments

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Of tools, in order."""
        named = (
            ToolCall(call_id or f"call_{number}", name, arguments)
            for number, (call_id, name, arguments) in sorted(self._calls.items())
        )
        return tuple(named)[:_MOST_CALLS]

    def add(self, body: object) -> bool:
        """Take in the JSON of a whole reply, or of a piece; False: it is neither."""
        try:
            piece = _Piece.model_validate(body)
        except ValidationError:
            return False
        self.model = piece.model or self.model
        self._counts = piece.usage or self._counts
        for choice in piece.choices or ():
            if choice.index:
                continue  # nobody asked for a second one
            words = choice.message or choice.delta or _Words()
            self.text += _mended(words.content or "")
            self.refusal += _mended(words.refusal or "")
            for place, call in enumerate(words.tool_calls or ()):
                self._add_call(place if call.index is None else call.index, call)
            is_whole = choice.message is not None
            self.finish = choice.finish_reason or self.finish or ("stop" if is_whole else "")
        return True

    def _add_call(self, number: int, call: _Call) -> None:
        """Pieces of a stream bear the number of their call; only arguments come in several."""
        known = self._calls.setdefault(number, ["", "", ""])
        function = call.function or _Function()
        known[0] = known[0] or _mended(call.id or "")
        known[1] = known[1] or _mended(function.name or "")
        known[2] += _mended(function.arguments or "")

    def usage(self, config: ChatModelConfig) -> Usage:
        """Without counts where the server sent none."""
        counts = self._counts
        prompt, reply = _believed(counts.prompt_tokens), _believed(counts.completion_tokens)
        details = counts.prompt_tokens_details or _PromptDetails()
        cached = min(prompt, _believed(details.cached_tokens))
        cached_price = config.cached_prompt_price
        if cached_price < 0.0:
            cached_price = config.prompt_price
        price = (prompt - cached) * config.prompt_price + cached * cached_price
        return Usage(1, prompt, cached, reply, (price + reply * config.reply_price) / 1e6)


def _believed(count: int | None) -> int:
    """No count refunds anything, or is more than a ledger can hold."""
    return min(max(count or 0, 0), _MOST_TOKENS)


def _mended(text: str) -> str:
    """Without halves of characters, which JSON can carry and no file or message can."""
    return text.encode(errors="replace").decode()
