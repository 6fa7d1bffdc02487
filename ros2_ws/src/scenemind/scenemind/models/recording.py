"""Keeping what was asked of models and what they said, so that it can be replayed."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from scenemind.models.allowance import Allowance
from scenemind.models.chat import ChatMessage, ChatModel, ChatReply, OnText, Tool
from scenemind.models.errors import FailureKind, ModelError
from scenemind.models.recorded import HEADER, Exchange, RecordedError, RecordedRequest

_log = logging.getLogger(__name__)

# What a model said to a request. Other failures are of the moment, and what is asked in spite of
# them is asked again.
_SAID_BY_THE_MODEL = frozenset[FailureKind](("refused", "bad_reply", "rejected"))


class Recording:
    """A file to which exchanges are added, by several threads and models; each is in the file when
    `add` returns. Keys are never in it: they are no part of a request.

    A disk that fails stops the recording, not the questions: that is logged once.
    """

    def __init__(self, path: Path) -> None:
        """Go on with the file, or begin it.

        Raises:
            ModelError: the file is something else, is damaged, or cannot be written.
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
        """At the end, in one line."""
        line = f"{exchange.to_json()}\n".encode()
        with self._lock:
            if self._file.closed:
                return
            try:
                if self._file.write(line) != len(line):
                    raise OSError("the disk took half a line")
            except OSError as error:
                _log.error("Recording to %s ends, maybe within a line: %s", self.path, error)
                self._file.close()

    def close(self) -> None:
        """What is added afterwards is dropped; the second call does nothing."""
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


class Recorder:
    """A `ChatModel` around one whose exchanges are recorded."""

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
            if error.kind in _SAID_BY_THE_MODEL:
                self._recording.add(Exchange(request, RecordedError.of(error)))
            raise
        self._recording.add(Exchange(request, reply))
        return reply


def _check_continuable(path: Path) -> None:
    """
    Raises:
        ModelError: it is not ours, or ends within a line.
        OSError: it cannot be read.
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
