"""Exchanges with models, recorded to a file, and replayed from it without a network."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter

from scenemind.config import ChatModelConfig
from scenemind.models.chat import (
    NOTHING_USED,
    Allowance,
    ChatMessage,
    ChatModel,
    ChatReply,
    FailureKind,
    ModelError,
    OnText,
    Tool,
    ToolCall,
    Usage,
)
from scenemind.models.endpoint import READY, ModelStatus

_log = logging.getLogger(__name__)

HEADER = '{"scenemind_recording":1}'
"""The first line of a recording."""
_STRICT = ConfigDict(extra="forbid")
# Failures that are the model's reply to a request. All others are transient and not recorded.
_MODEL_FAILURES = frozenset[FailureKind](("refused", "bad_reply", "rejected"))
_SHOWN_PLACES = 3
_SHOWN_CHARACTERS = 160
# Characters shown before the first difference.
_BEFORE = 40
# Characters per piece of a replayed reply that is streamed.
_PIECE = 40


class RecordingChat:
    """A `ChatModel` that records the exchanges of another."""

    def __init__(self, model: ChatModel, recording: Recording) -> None:
        self._model = model
        self._recording = recording

    @property
    def name(self) -> str:
        return self._model.name

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
        tools: Sequence[Tool] = (),
    ) -> ChatReply:
        """See `ChatModel`."""
        request = RecordedRequest.of(self.name, messages, schema, tools)
        try:
            reply = self._model.ask(messages, allowance, schema, on_text, tools)
        except ModelError as error:
            if error.kind in _MODEL_FAILURES:
                self._recording.add(Exchange(request, RecordedError.of(error)))
            raise
        self._recording.add(Exchange(request, reply))
        return reply


class Recording:
    """A file to which exchanges are appended, by several threads and models.

    Each exchange is in the file when `add` returns. Keys are never in it. A disk error ends the
    recording, not the questions; it is logged once.
    """

    def __init__(self, path: Path) -> None:
        """Continue the file, or create it.

        Raises:
            ModelError: the file is no recording, is damaged, or cannot be written.
        """
        self.path = path
        self._lock = threading.Lock()  # of the file
        try:
            _check_continuable(path)
            self._file = path.open("ab", buffering=0)
            if not self._file.tell():
                self._file.write(f"{HEADER}\n".encode())
        except OSError as error:
            raise ModelError(
                "not_recorded", f"cannot record to {path}: {error.strerror}; set models.record"
            ) from error

    def add(self, exchange: Exchange) -> None:
        """Append an exchange in one line."""
        line = f"{exchange.to_json()}\n".encode()
        with self._lock:
            if self._file.closed:
                return
            try:
                if self._file.write(line) != len(line):
                    raise OSError("the disk took half a line")
            except OSError as error:
                _log.error("recording to %s has ended, perhaps within a line: %s", self.path, error)
                self._file.close()

    def close(self) -> None:
        """Close the file; later exchanges are dropped. The second call does nothing."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _check_continuable(path: Path) -> None:
    """Check that exchanges can be appended to a file.

    Raises:
        ModelError: the file is no recording, or ends within a line.
        OSError: the file cannot be read.
    """
    if not path.exists() or not path.stat().st_size:
        return
    with path.open("rb") as file:
        if file.readline() != f"{HEADER}\n".encode():
            raise ModelError(
                "not_recorded",
                f"{path} is no recording, and is left as it is: name another file in models.record",
            )
        file.seek(-1, os.SEEK_END)
        if file.read() != b"\n":
            raise ModelError(
                "not_recorded", f"{path} ends within a line: take its last line out, to go on"
            )


def open_replayed(path: Path, by_role: Mapping[str, ChatModelConfig]) -> dict[str, ReplayedModel]:
    """A model for each role. Where none is configured, the first recorded model is the language
    model, and the last one the vision model.

    Raises:
        ModelError: see `open_models`.
    """
    replay = Replay(path)
    names = {role: model.model for role, model in by_role.items()}
    if not names and replay.models:
        names = {"language": replay.models[0], "vision": replay.models[-1]}
    return {role: ReplayedModel(ReplayedChat(replay, name), path) for role, name in names.items()}


@dataclass(frozen=True, slots=True)
class ReplayedModel:
    """A recorded model.

    Attributes:
        chat: replays its recorded replies.
        missing: always empty: no key is needed.
    """

    chat: ChatModel
    _path: Path
    missing: ClassVar[str] = ""

    def status(self, role: str) -> ModelStatus:
        """Status with all counts zero: replays cost nothing."""
        return ModelStatus(
            role=role,
            model=self.chat.name,
            endpoint=f"replayed from {self._path}",
            state=READY,
            calls=0,
            failures={},
            in_flight=0,
            waiting=0,
            used_today=NOTHING_USED,
            has_price=False,
            trouble="",
        )


class ReplayedChat:
    """A `ChatModel` with the recorded replies of another."""

    def __init__(self, replay: Replay, name: str) -> None:
        """
        Args:
            name: of the recorded model.
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
        """See `ChatModel`. Immediate; the recorded usage is subtracted from the allowance."""
        allowance.check()
        outcome = self._replay.take(RecordedRequest.of(self._name, messages, schema, tools))
        allowance.spend(outcome.usage)
        if isinstance(outcome, RecordedError):
            raise ModelError(outcome.kind, outcome.message, usage=outcome.usage)
        if on_text is not None:
            for end in range(_PIECE, len(outcome.text) + _PIECE, _PIECE):
                on_text(outcome.text[:end])
        return outcome


class Replay:
    """The exchanges of one file: the n-th repetition of a request gets its n-th recorded outcome.

    Thread-safe.

    Attributes:
        models: names of the recorded models, in the order of their first replies.
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
        """The next recorded outcome of a request.

        Raises:
            ModelError: the request was not recorded, or not that often.
        """
        key = request.key
        same = self._recorded.get(key, [])
        with self._lock:
            number = self._asked[key]
            self._asked[key] += 1
        if number < len(same):
            return same[number].outcome
        raise ModelError("not_recorded", self._explanation(request, len(same)))

    def _explanation(self, request: RecordedRequest, times: int) -> str:
        if times:
            return (
                f"{self._path} holds {times} replies to this request, and no other: record it as"
                " often as it is asked"
            )
        if not self._recorded:
            return f"{self._path} holds no exchange: record some with models.record"
        asked = request.lines()
        recorded = (same[0].request.lines() for same in self._recorded.values())
        nearest = max(recorded, key=lambda lines: text_similarity(lines, asked))
        return (
            f"{self._path} holds no reply to this request: record it. The nearest that was recorded"
            f" (-) differs from it (+):\n{text_difference(nearest, asked)}"
        )


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


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its reply or error."""

    __pydantic_config__ = _STRICT

    request: RecordedRequest
    outcome: ChatReply | RecordedError

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Exchange:
        """The exchange of a line.

        Raises:
            ValueError: the line is no exchange.
        """
        return _EXCHANGE.validate_json(line)


_EXCHANGE = TypeAdapter(Exchange)


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """Everything that a reply depends on.

    Attributes:
        model: `ChatModel.name`.
    """

    __pydantic_config__ = _STRICT

    model: str
    messages: tuple[RecordedMessage, ...]
    schema: Mapping[str, Any] | None
    tools: tuple[Tool, ...]

    @classmethod
    def of(
        cls,
        model: str,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any] | None,
        tools: Sequence[Tool],
    ) -> RecordedRequest:
        return cls(model, tuple(map(RecordedMessage.of, messages)), schema, tuple(tools))

    @property
    def key(self) -> str:
        """Hash of the content."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def lines(self) -> list[str]:
        """The content in lines, for people to read and compare."""
        lines = [f"model {self.model}"]
        if self.schema is not None:
            lines += ["schema", *json.dumps(self.schema, sort_keys=True, indent=1).splitlines()]
        lines += [f"tool {json.dumps(asdict(tool), sort_keys=True)}" for tool in self.tools]
        for message in self.messages:
            lines += [f"{message.role}:", *message.text.splitlines()]
            lines += [f"picture {digest}" for digest in message.pictures]
            lines += [f"calls {call.name} {call.arguments}" for call in message.calls]
        return lines


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """A message with hashes in place of its pictures.

    Attributes:
        pictures: SHA-256 of each JPEG, in hexadecimal digits.
    """

    __pydantic_config__ = _STRICT

    role: str
    text: str
    pictures: tuple[str, ...]
    calls: tuple[ToolCall, ...]
    call_id: str

    @classmethod
    def of(cls, message: ChatMessage) -> RecordedMessage:
        pictures = (hashlib.sha256(jpeg).hexdigest() for jpeg in message.jpegs)
        return cls(message.role, message.text, tuple(pictures), message.calls, message.call_id)


@dataclass(frozen=True, slots=True)
class RecordedError:
    """A `ModelError` caused by the model: the same request would fail again."""

    __pydantic_config__ = _STRICT

    kind: FailureKind
    message: str
    usage: Usage

    @classmethod
    def of(cls, error: ModelError) -> RecordedError:
        return cls(error.kind, str(error), error.usage)


def text_similarity(a: Sequence[str], b: Sequence[str]) -> tuple[float, float]:
    """Similarity of two texts in lines, as a sort key: share of common lines, then of the rest."""
    lines_a, lines_b = Counter(a), Counter(b)
    common = (lines_a & lines_b).total()
    rest_a = "\n".join((lines_a - lines_b).elements())
    rest_b = "\n".join((lines_b - lines_a).elements())
    matcher = SequenceMatcher(None, rest_a, rest_b, autojunk=False)
    return 2.0 * common / max(len(a) + len(b), 1), matcher.quick_ratio()


def text_difference(before: Sequence[str], after: Sequence[str]) -> str:
    """The first places where two texts in lines differ: `- before` and `+ after`."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    changes = [
        (" ".join(before[a0:a1]), " ".join(after[b0:b1]))
        for kind, a0, a1, b0, b1 in matcher.get_opcodes()
        if kind != "equal"
    ]
    lines = [line for change in changes[:_SHOWN_PLACES] for line in _shown(*change)]
    if len(changes) > _SHOWN_PLACES:
        lines.append(f"and at {len(changes) - _SHOWN_PLACES} places more")
    return "\n".join(lines)


def _shown(before: str, after: str) -> Iterator[str]:
    pairs = enumerate(zip(before, after, strict=False))
    first = next((i for i, (a, b) in pairs if a != b), min(len(before), len(after)))
    start = max(0, first - _BEFORE)
    for mark, text in (("-", before), ("+", after)):
        head = "..." if start and text else ""
        cut = text[start : start + _SHOWN_CHARACTERS]
        tail = "..." if len(text) > start + _SHOWN_CHARACTERS else ""
        yield f"{mark} {head}{cut}{tail}"
