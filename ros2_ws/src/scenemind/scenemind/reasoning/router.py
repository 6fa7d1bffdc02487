"""The way in: picks a method, times it, adds evidence, and turns every failure into a value."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from scenemind.config import RelationConfig
from scenemind.memory import KeyFrame, MemoryAccess, SceneMemoryError
from scenemind.reasoning.dialogue import Dialogue, Dialogues, Turn
from scenemind.reasoning.method import (
    AlignMethod,
    Asking,
    AskMethod,
    Attempt,
    GroundReply,
    MethodReply,
    ground_by,
    snapshot_with_objects,
)
from scenemind.reasoning.method_cases import Action
from scenemind.reasoning.method_choice import MethodChoice
from scenemind.reasoning.query import (
    Alignment,
    Answer,
    Grounding,
    Query,
    ReasoningError,
    check_sentence,
    check_speaker,
)
from scenemind.reasoning.symbolic import LastScene, SymbolicReasoner

if TYPE_CHECKING:
    from scenemind.reasoning.aligner import Aligner
    from scenemind.reasoning.symbolic.model_reader import ModelReader

_log = logging.getLogger(__name__)

Reply = TypeVar("Reply", MethodReply, GroundReply)

_EVIDENCE_FRAMES = 3
# Confidence below which an answer begins with the words for it, unless they stand in it.
_DOUBTFUL, _DOUBT = 0.5, "not for sure"
_DOUBTS = ("Perhaps", "I cannot")
_EVIDENCE_OBJECTS = 8  # the most relevant ones, by which frames are chosen


class Router:
    """Answers on one memory by any method, from several threads. Nothing that a person says raises
    an error: see `failure` of the result."""

    def __init__(
        self,
        memory: MemoryAccess,
        relations: RelationConfig | None = None,
        methods: Mapping[str, AskMethod] | None = None,
        falls_back: bool = True,
        dialogues: Dialogues | None = None,
        reader: ModelReader | None = None,
        scenes: LastScene | None = None,
    ) -> None:
        """
        Args:
            methods: further methods than `symbolic`, by name; see `composition.Reasoner`.
            falls_back: `symbolic` answers where a model fails; see `MethodChoice`.
            dialogues: shared by routers of one memory; None: each question stands alone.
            reader: reads sentences for `symbolic` that its grammar does not read.
            scenes: shared like `dialogues`, of the same `relations`; None: its own.
        """
        self._memory = memory
        self._symbolic = SymbolicReasoner(memory, relations or RelationConfig(), reader, scenes)
        self._choice = MethodChoice(methods or {}, falls_back, memory)
        agent = (methods or {}).get("synergai")
        self._agent = agent if isinstance(agent, AlignMethod) else None
        self._dialogues = dialogues or Dialogues(1, 1)

    def ask(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Answer:
        """The answer to a question, with its evidence.

        Args:
            method: one of `METHODS`; see `MethodChoice`.
            asking: limits of models, and a listener; None: one minute, without a listener.
        """
        start, asked = time.perf_counter(), query
        dialogue = self._dialogues.get(query.dialogue_id)
        query = dialogue.resolved(query)
        asking = _begun(asking, dialogue, query)
        tried = self._try(
            query,
            method,
            "ask",
            asking,
            lambda: self._symbolic.ask(query, snapshot_with_objects(self._memory), asking),
            lambda chosen: chosen.ask(query, self._memory, asking),
        )
        progress = asking.progress
        reply = tried.reply or MethodReply(
            _text_of(tried),
            0.0,
            key_frames=tuple(progress.key_frames),
            steps=tuple(progress.steps),
        )
        spoken_of = tuple(thing.object_id for thing in reply.objects)
        text = reply.text if tried.reply is None else _with_doubt(reply)
        dialogue.add(Turn(query.text, text, spoken_of, reply.correction_ids))
        return Answer(
            asked,
            text,
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
        query = dialogue.resolved(query)
        asking = _begun(asking, dialogue, query)
        tried = self._try(
            query,
            method,
            "ground",
            asking,
            lambda: self._symbolic.ground(query, snapshot_with_objects(self._memory), asking),
            lambda chosen: ground_by(chosen, query, self._memory, asking),
        )
        progress = asking.progress
        looked_at = tuple(progress.key_frames)
        reply = tried.reply or GroundReply((), (), (_text_of(tried),), looked_at)
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
            reply.pictures or tuple(progress.pictures),
            reply.steps if tried.reply else tuple(progress.steps),
        )

    def align(
        self, query: Query, by: str, asking: Asking | None = None, by_agent: bool = False
    ) -> Alignment:
        """Correct the memory as a sentence says, by the grammar, else by the agent, if a model is
        configured.

        Args:
            by: the speaker's name; empty: not known, and asked for where it matters.
            by_agent: the agent does all but proposals and the journal, to measure it.
        """
        dialogue = self._dialogues.get(query.dialogue_id)
        query = dialogue.resolved(replace(query, by=by))
        begun = _begun(asking, dialogue, query)
        return self._aligner.align(query, dialogue, begun, by_agent)

    @cached_property
    def _aligner(self) -> Aligner:
        """Made for the first correction: a question does not need its grammar."""
        from scenemind.reasoning.aligner import Aligner

        return Aligner(self._memory, self._symbolic, self._agent)

    def _try(
        self,
        query: Query,
        method: str,
        action: Action,
        asking: Asking,
        by_symbols: Callable[[], Reply],
        by_model: Callable[[AskMethod], Reply],
    ) -> Attempt[Reply]:
        try:
            check_sentence(query, "question")
            check_speaker(query.by)
            return self._choice.answer(query, method, action, asking, by_symbols, by_model)
        except ReasoningError as error:
            return Attempt("symbolic" if method == "auto" else method, failure=error.failure)

    def _evidence(self, reply: MethodReply | GroundReply) -> tuple[KeyFrame, ...]:
        """The reply's key frames, or frames of its objects. An answer is valid without them: an
        error is logged."""
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


def _begun(asking: Asking | None, dialogue: Dialogue, query: Query) -> Asking:
    """The caller's limits, with an empty log of this question, and its speaker for the journal."""
    begun = (asking or Asking()).with_new_progress()
    return replace(begun, dialogue=dialogue, by=query.by or begun.by)


def _text_of(failed: Attempt[Any]) -> str:
    return failed.failure.text if failed.failure else ""


def _with_doubt(reply: MethodReply) -> str:
    """The text of a reply, which says so where it is likelier wrong than right."""
    text = reply.text
    is_said = _DOUBT in text.lower() or text.startswith(_DOUBTS) or text.endswith("?")
    if reply.confidence >= _DOUBTFUL or is_said:
        return text
    first = text.split(" ")[0]
    is_plain = (first != "I" and first[1:].islower()) or first == "A"
    return f"{_DOUBT.capitalize()}: {text[:1].lower() + text[1:] if is_plain else text}"


def _since(start: float) -> float:
    return time.perf_counter() - start
