"""The way in: picks a method, times it, adds evidence, and turns every failure into a value."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from scenemind.config import RelationConfig
from scenemind.memory import Correction, KeyFrame, MemoryAccess, MemorySnapshot, SceneMemoryError
from scenemind.reasoning.attempt import Attempt
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.ground_by_asking import ground_by
from scenemind.reasoning.method import Asking, AskMethod, GroundReply, MethodReply
from scenemind.reasoning.method_choice import MethodChoice
from scenemind.reasoning.sentence import check_sentence
from scenemind.reasoning.symbolic import SymbolicReasoner, taking_back
from scenemind.reasoning.symbolic.command_syntax import Redo, Undo
from scenemind.reasoning.trail import Trail
from scenemind.reasoning.types import Alignment, Answer, Grounding, Query, ReasoningFailure

_log = logging.getLogger(__name__)

Reply = TypeVar("Reply", MethodReply, GroundReply)

_EVIDENCE_FRAMES = 3
# Frames that show everything do not exist; the most relevant objects choose them.
_EVIDENCE_OBJECTS = 8


class Router:
    """Asks one memory, for several threads. What a person says never raises: see `failure` of what
    comes back."""

    def __init__(
        self,
        memory: MemoryAccess,
        relations: RelationConfig | None = None,
        methods: Mapping[str, AskMethod] | None = None,
        falls_back: bool = True,
    ) -> None:
        """
        Args:
            methods: those beside `symbolic`, by name; see `open_methods`.
            falls_back: `symbolic` answers where a model fails; see `MethodChoice`.
        """
        self._memory = memory
        self._symbolic = SymbolicReasoner(memory, relations or RelationConfig())
        self._choice = MethodChoice(methods or {}, falls_back, self._labels)

    def ask(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Answer:
        """The answer to a question, with its evidence.

        Args:
            method: one of `METHODS`; see `MethodChoice`.
            asking: what models may use, and who hears of progress; None: a minute without budgets,
                and nobody.
        """
        start, asking = time.perf_counter(), _begun(asking)
        tried = self._try(
            query,
            method,
            asking,
            lambda: self._symbolic.ask(query, self._snapshot()),
            lambda chosen: chosen.ask(query, self._memory, asking),
        )
        trail = asking.trail
        reply = tried.reply or MethodReply(
            _text_of(tried), 0.0, key_frames=trail.key_frames, steps=trail.steps
        )
        return Answer(
            query,
            reply.text,
            reply.confidence,
            reply.objects,
            self._evidence(reply),
            tried.method,
            _since(start),
            reply.steps,
            tried.failure,
            asking.allowance.used,
            tried.fallback,
            reply.brief,
        )

    def ground(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Grounding:
        """The objects that a phrase means, best first; a method that only answers questions is
        asked which they are.

        Args:
            method, asking: see `ask`.
        """
        start, asking = time.perf_counter(), _begun(asking)
        tried = self._try(
            query,
            method,
            asking,
            lambda: self._symbolic.ground(query, self._snapshot()),
            lambda chosen: ground_by(chosen, query, self._memory, asking),
        )
        trail = asking.trail
        reply = tried.reply or GroundReply((), (), (_text_of(tried),), trail.key_frames)
        return Grounding(
            query,
            reply.objects,
            reply.confidences,
            "; ".join(reply.steps),
            self._evidence(reply),
            tried.method,
            _since(start),
            tried.failure,
            asking.allowance.used,
            tried.fallback,
            reply.pictures or trail.pictures,
            reply.steps if tried.reply else trail.steps,
        )

    def align(self, query: Query, by: str) -> Alignment:
        """Change the memory as a sentence says; `by` is who said it."""
        start = time.perf_counter()
        try:
            check_sentence(query, "correction")
            wanted = self._symbolic.align(query, self._snapshot())
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

    def _try(
        self,
        query: Query,
        method: str,
        asking: Asking,
        by_symbols: Callable[[], Reply],
        by_model: Callable[[AskMethod], Reply],
    ) -> Attempt[Reply]:
        try:
            check_sentence(query, "question")
            return self._choice.answer(query, method, asking, by_symbols, by_model)
        except ReasoningError as error:
            return Attempt("symbolic" if method == "auto" else method, failure=error.failure)

    def _labels(self) -> set[str]:
        """Of the map's objects; none where the memory cannot say, which the methods tell."""
        try:
            return {thing.label for thing in self._memory.snapshot().objects.values()}
        except SceneMemoryError as error:
            _log.warning("the labels of the map are not known: %s", error)
            return set()

    def _snapshot(self) -> MemorySnapshot:
        """With objects, which the symbolic reasoner speaks of.

        Raises:
            ReasoningError: there are none.
        """
        snapshot = self._memory.snapshot()
        if not snapshot.objects:
            raise ReasoningError(
                "empty_memory",
                "The memory holds no objects yet: start mapping, or load a saved memory.",
            )
        return snapshot

    def _evidence(self, reply: MethodReply | GroundReply) -> tuple[KeyFrame, ...]:
        """The reply's own, or frames that show its objects; an answer stands without them, so a
        loss is logged."""
        if reply.key_frames is not None:
            return reply.key_frames
        ids = [obj.object_id for obj in reply.objects[:_EVIDENCE_OBJECTS]]
        if not ids:
            return ()
        try:
            return tuple(self._memory.key_frames_of(ids, _EVIDENCE_FRAMES))
        except SceneMemoryError as error:
            _log.warning("no key frames for objects %s: %s", ids, error)
            return ()


def _begun(asking: Asking | None) -> Asking:
    """What the caller allows, with a trail of this question alone."""
    return Asking() if asking is None else replace(asking, trail=Trail())


def _text_of(failed: Attempt[Reply]) -> str:
    return failed.failure.text if failed.failure else ""


def _objects_of(entries: Sequence[Correction]) -> tuple[int, ...]:
    """The objects that entries speak of, each once, without floors, walls and ceilings."""
    of_each = (i for entry in entries for i in (*entry.edit.object_ids, *entry.edit.new_ids))
    return tuple(dict.fromkeys(i for i in of_each if i >= 0))


def _since(start: float) -> float:
    return time.perf_counter() - start


def _unaligned(query: Query, failure: ReasoningFailure, start: float) -> Alignment:
    return Alignment(query, failure.text, (), (), _since(start), failure)
