"""The way in: picks a method, times it, adds evidence, and turns every failure into a value."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from scenemind.config import RelationConfig
from scenemind.memory import KeyFrame, MemoryAccess, SceneMemoryError
from scenemind.reasoning.aligning import Aligner
from scenemind.reasoning.attempt import Attempt
from scenemind.reasoning.dialogue import Dialogue, Dialogues, Turn
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.ground_by_asking import ground_by
from scenemind.reasoning.method import (
    AlignMethod,
    Asking,
    AskMethod,
    GroundReply,
    MethodReply,
)
from scenemind.reasoning.method_choice import MethodChoice
from scenemind.reasoning.sentence import check_sentence
from scenemind.reasoning.snapshots import snapshot_with_objects
from scenemind.reasoning.symbolic import SymbolicReasoner
from scenemind.reasoning.trail import Trail
from scenemind.reasoning.types import Alignment, Answer, Grounding, Query

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
        dialogues: Dialogues | None = None,
    ) -> None:
        """
        Args:
            dialogues: those that go on, shared by routers of one memory; None: none does.
            methods: those beside `symbolic`, by name; see `open_methods`.
            falls_back: `symbolic` answers where a model fails; see `MethodChoice`.
        """
        self._memory = memory
        self._symbolic = SymbolicReasoner(memory, relations or RelationConfig())
        self._choice = MethodChoice(methods or {}, falls_back, self._labels)
        agent = (methods or {}).get("synergai")
        by_model = agent if isinstance(agent, AlignMethod) else None
        self._aligner = Aligner(memory, self._symbolic, by_model)
        self._dialogues = dialogues or Dialogues(1, 1)

    def ask(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Answer:
        """The answer to a question, with its evidence.

        Args:
            method: one of `METHODS`; see `MethodChoice`.
            asking: what models may use, and who hears of progress; None: a minute without budgets,
                and nobody.
        """
        start, asked = time.perf_counter(), query
        dialogue = self._dialogues.get(query.dialogue_id)
        query, asking = dialogue.resolved(query), _begun(asking, dialogue)
        tried = self._try(
            query,
            method,
            asking,
            lambda: self._symbolic.ask(query, snapshot_with_objects(self._memory)),
            lambda chosen: chosen.ask(query, self._memory, asking),
        )
        trail = asking.trail
        reply = tried.reply or MethodReply(
            _text_of(tried), 0.0, key_frames=trail.key_frames, steps=trail.steps
        )
        spoken_of = tuple(thing.object_id for thing in reply.objects)
        dialogue.add(Turn(query.text, reply.text, spoken_of, reply.correction_ids))
        return Answer(
            asked,
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
        start, asked = time.perf_counter(), query
        dialogue = self._dialogues.get(query.dialogue_id)
        query, asking = dialogue.resolved(query), _begun(asking, dialogue)
        tried = self._try(
            query,
            method,
            asking,
            lambda: self._symbolic.ground(query, snapshot_with_objects(self._memory)),
            lambda chosen: ground_by(chosen, query, self._memory, asking),
        )
        trail = asking.trail
        reply = tried.reply or GroundReply((), (), (_text_of(tried),), trail.key_frames)
        dialogue.add(Turn(query.text, "", tuple(o.object_id for o in reply.objects)))
        return Grounding(
            asked,
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

    def align(
        self, query: Query, by: str, asking: Asking | None = None, by_agent: bool = False
    ) -> Alignment:
        """Change the memory as a sentence says; `by` is who said it. What the grammar does not
        understand, the agent does, where there is a model for it.

        Args:
            by_agent: the agent, where there is one, does all that is not about proposals or the
                journal; so its reading is measured.
        """
        dialogue = self._dialogues.get(query.dialogue_id)
        begun = replace(_begun(asking, dialogue), by=by)
        return self._aligner.align(query, dialogue, begun, by_agent)

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


def _begun(asking: Asking | None, dialogue: Dialogue) -> Asking:
    """What the caller allows, with a trail of this question alone."""
    return replace(asking or Asking(), trail=Trail(), dialogue=dialogue)


def _text_of(failed: Attempt[Any]) -> str:
    return failed.failure.text if failed.failure else ""


def _since(start: float) -> float:
    return time.perf_counter() - start
