"""Recorded exchanges in place of models: the same answers, for nothing and without a network."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scenemind.models.allowance import Allowance
from scenemind.models.chat import ChatMessage, ChatReply, OnText, Tool
from scenemind.models.differences import difference, likeness
from scenemind.models.errors import ModelError
from scenemind.models.recorded import HEADER, Exchange, RecordedError, RecordedRequest

# A replayed reply is heard in pieces of so many characters.
_PIECE = 40


class Replay:
    """The exchanges of one file. What is asked for the n-th time gets the n-th recorded outcome of
    that content. Thread-safe.

    Attributes:
        models: names of those that were recorded, in the order of their first replies.
    """

    def __init__(self, path: Path) -> None:
        """
        Raises:
            ModelError: the file cannot be read, is no recording, or a line of it is damaged.
        """
        self._path = path
        self._recorded: defaultdict[str, list[Exchange]] = defaultdict(list)
        self._lock = threading.Lock()
        self._asked: Counter[str] = Counter()
        for exchange in _exchanges(path):
            self._recorded[exchange.request.key].append(exchange)
        firsts = (same[0].request.model for same in self._recorded.values())
        self.models = tuple(dict.fromkeys(firsts))

    def take(self, request: RecordedRequest) -> ChatReply | RecordedError:
        """What came of it the next time that it was asked.

        Raises:
            ModelError: it was not recorded, or not so often.
        """
        key = request.key
        same = self._recorded.get(key, [])
        with self._lock:
            number = self._asked[key]
            self._asked[key] += 1
        if number < len(same):
            return same[number].outcome
        raise ModelError("not_recorded", self._why_not(request, len(same)))

    def _why_not(self, request: RecordedRequest, times: int) -> str:
        if times:
            return (
                f"{self._path} holds {times} replies to this request, and no other: record it as"
                " often as it is asked"
            )
        if not self._recorded:
            return f"{self._path} holds no exchange: record some with models.record"
        asked = request.lines()
        recorded = (same[0].request.lines() for same in self._recorded.values())
        nearest = max(recorded, key=lambda lines: likeness(lines, asked))
        return (
            f"{self._path} holds no reply to this request: record it. The nearest that was recorded"
            f" (-) differs from it (+):\n{difference(nearest, asked)}"
        )


class Replayer:
    """A `ChatModel` that says what one has said."""

    def __init__(self, replay: Replay, name: str) -> None:
        """
        Args:
            name: of the model that was recorded.
        """
        self._replay = replay
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
        tools: Sequence[Tool] = (),
    ) -> ChatReply:
        """See `ChatModel`. At once, but as if the tokens were used."""
        allowance.check()
        outcome = self._replay.take(RecordedRequest.of(self._name, messages, schema, tools))
        allowance.spend(outcome.usage)
        if isinstance(outcome, RecordedError):
            raise ModelError(outcome.kind, outcome.message, usage=outcome.usage)
        if on_text is not None:
            for end in range(_PIECE, len(outcome.text) + _PIECE, _PIECE):
                on_text(outcome.text[:end])
        return outcome


def _exchanges(path: Path) -> Iterator[Exchange]:
    """
    Raises:
        ModelError: see `Replay`.
    """
    try:
        first, *lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise ModelError("not_recorded", f"cannot replay {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ModelError("not_recorded", f"cannot replay {path}: {error}") from error
    if first != HEADER:
        raise ModelError(
            "not_recorded", f"{path} is no recording: models.record (--record) writes one"
        )
    for number, line in enumerate(lines[:-1], start=2):
        yield _exchange(path, number, line)
    if lines[-1:] != [""]:
        raise ModelError(
            "not_recorded", f"{path} ends within line {len(lines) + 1}: take it out, or record anew"
        )


def _exchange(path: Path, number: int, line: str) -> Exchange:
    try:
        return Exchange.from_json(line)
    except ValueError as error:
        raise ModelError(
            "not_recorded",
            f"line {number} of {path} is no exchange: take it out, or record anew",
        ) from error
