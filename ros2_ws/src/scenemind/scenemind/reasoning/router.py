"""The way in: picks a method, times it, adds evidence, and turns every failure into a value."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from scenemind.config import RelationConfig
from scenemind.memory import (
    Correction,
    KeyFrame,
    MapObject,
    MemoryAccess,
    MemorySnapshot,
    SceneMemoryError,
)
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import SymbolicReasoner, taking_back
from scenemind.reasoning.symbolic.command_syntax import Redo, Undo
from scenemind.reasoning.types import (
    METHODS,
    Alignment,
    Answer,
    Grounding,
    Query,
    ReasoningFailure,
)

_log = logging.getLogger(__name__)

_MAX_CHARACTERS = 500
_EVIDENCE_FRAMES = 3
# Frames that show everything do not exist; the most relevant objects choose them.
_EVIDENCE_OBJECTS = 8


class Router:
    """Asks one memory. What a person says never raises: see `failure` of what comes back."""

    def __init__(self, memory: MemoryAccess, relations: RelationConfig | None = None) -> None:
        self._memory = memory
        self._symbolic = SymbolicReasoner(memory, relations or RelationConfig())

    def ask(self, query: Query, method: str = "auto", timeout_s: float | None = None) -> Answer:
        """The answer to a question, with its evidence.

        Args:
            timeout_s: for methods that talk to a model; the symbolic one takes milliseconds.
        """
        del timeout_s
        start = time.perf_counter()
        name = _resolved(method)
        try:
            snapshot = self._checked(query, method)
            reply, steps = self._symbolic.ask(query, snapshot)
        except ReasoningError as error:
            return Answer(
                query, error.failure.text, 0.0, (), (), name, _since(start), failure=error.failure
            )
        return Answer(
            query,
            reply.text,
            reply.confidence,
            reply.objects,
            self._evidence(reply.objects),
            name,
            _since(start),
            steps,
        )

    def ground(
        self, query: Query, method: str = "auto", timeout_s: float | None = None
    ) -> Grounding:
        """The objects that a phrase means, best first.

        Args:
            timeout_s: for methods that talk to a model; the symbolic one takes milliseconds.
        """
        del timeout_s
        start = time.perf_counter()
        name = _resolved(method)
        try:
            found = self._symbolic.ground(query, self._checked(query, method))
        except ReasoningError as error:
            text = error.failure.text
            return Grounding(query, (), (), text, (), name, _since(start), error.failure)
        return Grounding(
            query,
            found.objects,
            found.confidences,
            "; ".join(found.steps),
            self._evidence(found.objects),
            name,
            _since(start),
        )

    def align(self, query: Query, by: str) -> Alignment:
        """Change the memory as a sentence says; `by` is who said it."""
        start = time.perf_counter()
        try:
            wanted = self._symbolic.align(query, self._checked(query, "symbolic", "correction"))
            if wanted.of_journal is not None:
                return self._of_journal(query, wanted.of_journal, start)
            if not wanted.edits:
                ids = tuple(thing.object_id for thing in wanted.objects)
                return Alignment(query, wanted.response, (), ids, _since(start))
            written = self._memory.apply(wanted.edits, by, query.text)
        except ReasoningError as error:
            return _unaligned(query, error.failure, start)
        except SceneMemoryError as error:
            return _unaligned(query, ReasoningFailure("memory_refused", str(error)), start)
        numbers = tuple(correction.correction_id for correction in written)
        return Alignment(query, wanted.response, numbers, _objects_of(written), _since(start))

    def _of_journal(self, query: Query, wanted: Undo | Redo, start: float) -> Alignment:
        if isinstance(wanted, Undo):
            response, entries = taking_back.take_back(self._memory, wanted)
        else:
            response, entries = taking_back.let_stand(self._memory, wanted)
        numbers = tuple(entry.correction_id for entry in entries)
        return Alignment(query, response, numbers, _objects_of(entries), _since(start))

    def _checked(self, query: Query, method: str, what: str = "question") -> MemorySnapshot:
        """The snapshot to reason on.

        Args:
            what: the sentence, in the error's words.

        Raises:
            ReasoningError: the method, the sentence or the memory allows no reasoning.
        """
        _check_method(method)
        if not query.text.strip():
            raise ReasoningError("invalid_request", f"The {what} is empty.")
        if len(query.text) > _MAX_CHARACTERS:
            raise ReasoningError(
                "invalid_request",
                f"The {what} has {len(query.text)} characters, the limit is {_MAX_CHARACTERS}.",
            )
        snapshot = self._memory.snapshot()
        if not snapshot.objects:
            raise ReasoningError(
                "empty_memory",
                "The memory holds no objects yet: start mapping, or load a saved memory.",
            )
        return snapshot

    def _evidence(self, objects: Sequence[MapObject]) -> tuple[KeyFrame, ...]:
        """Frames that show the objects; an answer stands without them, so a loss is logged."""
        if not objects:
            return ()
        ids = [obj.object_id for obj in objects[:_EVIDENCE_OBJECTS]]
        try:
            return tuple(self._memory.key_frames_of(ids, _EVIDENCE_FRAMES))
        except SceneMemoryError as error:
            _log.warning("no key frames for objects %s: %s", ids, error)
            return ()


def _objects_of(entries: Sequence[Correction]) -> tuple[int, ...]:
    """The objects that entries speak of, each once, without floors, walls and ceilings."""
    of_each = (i for entry in entries for i in (*entry.edit.object_ids, *entry.edit.new_ids))
    return tuple(dict.fromkeys(i for i in of_each if i >= 0))


def _check_method(method: str) -> None:
    if method not in METHODS:
        raise ReasoningError(
            "invalid_request", f'There is no method "{method}"; there are: {", ".join(METHODS)}.'
        )
    if method not in ("auto", "symbolic"):
        raise ReasoningError(
            "method_unavailable",
            f'The method "{method}" needs a language or vision model, which this version cannot'
            ' use yet; "symbolic" answers common questions without one.',
        )


def _resolved(method: str) -> str:
    return "symbolic" if method == "auto" else method


def _since(start: float) -> float:
    return time.perf_counter() - start


def _unaligned(query: Query, failure: ReasoningFailure, start: float) -> Alignment:
    return Alignment(query, failure.text, (), (), _since(start), failure)
