"""The interface of a method of reasoning: its request, its replies, and one attempt to get a
reply.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, Protocol, TypeVar, runtime_checkable

from scenemind.errors import SandboxError
from scenemind.memory import (
    Correction,
    KeyFrame,
    MapObject,
    MemoryAccess,
    MemorySnapshot,
    SceneMemoryError,
)
from scenemind.models import Allowance, FailureKind, ModelError, OnText
from scenemind.perception import PerceptionError
from scenemind.reasoning.dialogue import Dialogue
from scenemind.reasoning.query import (
    CANCELLED,
    ErrorCode,
    Picture,
    Query,
    ReasoningError,
    ReasoningFailure,
)

_log = logging.getLogger(__name__)

Reply = TypeVar("Reply")
_CODES: dict[FailureKind, ErrorCode] = {"too_late": "timeout", "over_budget": "budget_exceeded"}
# Failures of models, which another wording of the question does not avoid.
_BY_MODEL: frozenset[ErrorCode] = frozenset(("timeout", "budget_exceeded", "model_failed"))
# Failures without a fallback: a replay shows where it differs from its recording.
_FINAL: frozenset[FailureKind] = frozenset(("not_recorded",))
# Anchors of the phrase ("next to the desk") must not be listed.
_WHICH = (
    "Which object is meant? As objects give it alone, or all that may be meant, likeliest first: {}"
)


class ProgressListener(Protocol):
    """A callback for what a method is doing, on the method's thread; should return soon."""

    def __call__(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        """
        Args:
            stage: such as select, look, answer, repair.
            text: reasoning so far.
            key_frames: evidence so far.
        """
        ...


class Progress:
    """The log of one question, written by the method that answers it, on one thread.

    What the listener hears is live only; steps, key frames and pictures stay, and are shown with
    the reply, or with the failure.

    Attributes:
        listener: None: nobody listens.
        steps: what was done so far, in words.
        key_frames: stored frames that were looked at, best or latest first.
        pictures: what was made of them, for reports.
    """

    def __init__(self, listener: ProgressListener | None = None) -> None:
        self.listener = listener
        self.steps: list[str] = []
        self.key_frames: list[KeyFrame] = []
        self.pictures: list[Picture] = []

    def note(self, *steps: str) -> None:
        """Add steps to the log."""
        self.steps.extend(steps)

    def report(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        """Tell the listener; see `ProgressListener`."""
        if self.listener is not None:
            self.listener(stage, text, key_frames)

    def note_repair(self, complaint: str) -> None:
        """Log that a model is asked again, since its reply was of no use."""
        self.note(f"asked again: {complaint}")
        self.report("repair", complaint)

    def hears_text(self, stage: str) -> OnText | None:
        """A listener for a growing reply; None without a progress listener: then no streaming is
        needed."""
        return None if self.listener is None else partial(self.report, stage)


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """The circumstances of one question.

    Attributes:
        progress: an empty log, which the method fills.
        dialogue: that the question is part of; None: it stands alone.
        by: the speaker's name, for the journal.
    """

    allowance: Allowance = field(default_factory=lambda: Allowance(60.0))
    progress: Progress = field(default_factory=Progress)
    dialogue: Dialogue | None = None
    by: str = "a person"

    def with_new_progress(self) -> Asking:
        """The same for another method, with an empty log of its own and the same listener."""
        return replace(self, progress=Progress(self.progress.listener))


@dataclass(frozen=True, slots=True, eq=False)
class MethodReply:
    """A method's answer; the router makes an `Answer` of it.

    Attributes:
        text: one sentence.
        confidence: in [0, 1].
        objects: objects of the answer, most relevant first.
        key_frames: its evidence, best first; None: the router looks for frames of the objects.
        steps: how it was reached.
        brief: the answer in a few words, for benchmarks ("yes", "two", "brown chair"); empty where
            the method gives none.
        correction_ids: entries of the journal that the method wrote.
    """

    text: str
    confidence: float
    objects: tuple[MapObject, ...] = ()
    key_frames: tuple[KeyFrame, ...] | None = None
    steps: tuple[str, ...] = ()
    brief: str = ""
    correction_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class GroundReply:
    """A method's grounding of a phrase; the router makes a `Grounding` of it.

    Attributes:
        objects: best first; at least one. One with id 0 (`MEASURED`) is no object of the map, but a
            box that was measured for this reply.
        confidences: of each object, in [0, 1].
        steps: how they were found.
        key_frames: as of `MethodReply`.
        pictures: images that were seen and measured, in order, for reports.
    """

    objects: tuple[MapObject, ...]
    confidences: tuple[float, ...]
    steps: tuple[str, ...] = ()
    key_frames: tuple[KeyFrame, ...] | None = None
    pictures: tuple[Picture, ...] = ()

    @property
    def confidence(self) -> float:
        """The confidence of the best object."""
        return self.confidences[0]


@dataclass(frozen=True, slots=True, eq=False)
class AlignReply:
    """A method's reply to a correction; the router makes an `Alignment` of it.

    Attributes:
        text: for the person.
        corrections: entries of the journal that were written, undone or redone.
        objects: further objects of the reply, most relevant first.
        steps: how it was reached.
        asks_back: the text is a question to the person, and nothing was changed yet.
        confidence: in [0, 1].
    """

    text: str
    corrections: Sequence[Correction] = ()
    objects: tuple[MapObject, ...] = ()
    steps: tuple[str, ...] = ()
    asks_back: bool = False
    confidence: float = 1.0

    @property
    def object_ids(self) -> tuple[int, ...]:
        """Ids of all objects of the reply, each once, without floors, walls and ceilings."""
        changed = (i for c in self.corrections for i in (*c.edit.object_ids, *c.edit.new_ids))
        ids = (*(thing.object_id for thing in self.objects), *changed)
        return tuple(dict.fromkeys(i for i in ids if i >= 0))


class AskMethod(Protocol):
    """Answers questions; may be asked from several threads at once."""

    @property
    def name(self) -> str:
        """One of `METHODS`."""
        ...

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """Answer a question on the current memory.

        Args:
            asking: with an empty progress log.

        Raises:
            ReasoningError: there is no answer; `not_found` for a strict query where nothing that
                was seen answers it.
            ModelError: a model failed, or the allowance is used up.
        """
        ...


@runtime_checkable
class GroundMethod(AskMethod, Protocol):
    """A method that also grounds phrases, better than by the question which object is meant."""

    def ground(self, query: Query, memory: MemoryAccess, asking: Asking) -> GroundReply:
        """Ground a phrase on the current memory.

        Raises: as `ask`.
        """
        ...


@runtime_checkable
class AlignMethod(AskMethod, Protocol):
    """A method that also corrects the memory."""

    def align(self, query: Query, memory: MemoryAccess, asking: Asking) -> AlignReply:
        """Answer a question, or correct the memory as a person says.

        Raises: as `ask`; nothing was written then.
        """
        ...


def snapshot_with_objects(memory: MemoryAccess) -> MemorySnapshot:
    """The current scene graph.

    Raises:
        ReasoningError: it has no objects.
    """
    snapshot = memory.snapshot()
    if not snapshot.objects:
        raise ReasoningError(
            "empty_memory",
            "The memory holds no objects yet: start mapping, or load a saved memory.",
        )
    return snapshot


@dataclass(frozen=True, slots=True, eq=False)
class Attempt(Generic[Reply]):
    """The result of one method: a reply or a failure.

    Attributes:
        method: its name.
        reply: None where it failed.
        is_broken: it failed for want of a resource, such as a model; another method may answer.
        fallback: why this method answered in place of another.
        cause: the model's own failure, without what was done about it; empty: another one.
    """

    method: str
    reply: Reply | None = None
    failure: ReasoningFailure | None = None
    is_broken: bool = False
    fallback: str = ""
    cause: str = ""


def attempt(method: str, answer: Callable[[], Reply]) -> Attempt[Reply]:
    """Try a method: its reply, or its failure as a value. Bugs are raised."""
    try:
        return Attempt(method, answer())
    except ReasoningError as error:
        # Without frames the map may still have an answer.
        is_broken = error.failure.code == "empty_memory"
        return Attempt(method, failure=error.failure, is_broken=is_broken)
    except ModelError as error:
        if error.kind == "cancelled":
            return Attempt(method, failure=CANCELLED)
        code = _CODES.get(error.kind, "model_failed")
        tried: Attempt[Reply] = _failed(method, code, error, is_broken=error.kind not in _FINAL)
        first = error.__cause__ if isinstance(error.__cause__, ModelError) else error
        return replace(tried, cause=str(first))
    except PerceptionError as error:
        return _failed(method, "model_failed", error)
    except SandboxError as error:
        return _failed(method, "method_unavailable", error)
    except SceneMemoryError as error:
        return _failed(method, "memory_refused", error)


def in_place_of(broken: Attempt[Reply], other: Attempt[Reply]) -> Attempt[Reply]:
    """The result of a fallback: the other method's reply with the reason for the fallback, or a
    failure with both reasons."""
    assert broken.failure is not None, "only what failed is replaced"
    reason = broken.failure.text
    if other.failure is None:
        _log.info("%s answers instead: %s", other.method, reason)
        return replace(other, fallback=reason)
    code = broken.failure.code
    if code in _BY_MODEL and other.failure.code == "not_understood":
        text = f"{reason.rstrip('.')}; and without a model this question cannot be answered."
        return replace(broken, failure=ReasoningFailure(code, text))
    if broken.cause and broken.cause in other.failure.text:  # both ask one server
        text = f"{reason.rstrip('.')}; {other.method} failed likewise"
        return replace(broken, failure=ReasoningFailure(code, text))
    text = f"{reason.rstrip('.')}. {other.method} has no answer either: {other.failure.text}"
    code = other.failure.code if code == "empty_memory" else code
    return replace(broken, failure=ReasoningFailure(code, text, other.failure.suggestion))


def _failed(
    method: str, code: ErrorCode, error: Exception, *, is_broken: bool = True
) -> Attempt[Reply]:
    failure = ReasoningFailure(code, f"{method} failed: {error}")
    return Attempt(method, failure=failure, is_broken=is_broken)


def ground_by(method: AskMethod, query: Query, memory: MemoryAccess, asking: Asking) -> GroundReply:
    """Ground a phrase with a method: by its `ground`, else by a question.

    Raises:
        ReasoningError, ModelError: as of the method.
    """
    if isinstance(method, GroundMethod):
        return method.ground(query, memory, asking)
    return ground_by_asking(method, query, memory, asking)


def ground_by_asking(
    method: AskMethod, query: Query, memory: MemoryAccess, asking: Asking
) -> GroundReply:
    """Ground a phrase by the question which object is meant: the objects of the answer, each with
    its confidence.

    Raises:
        ReasoningError: there is no answer, or it names no object of the map.
        ModelError: as of the method.
    """
    question = replace(query, text=_WHICH.format(query.text))
    reply = method.ask(question, memory, asking)
    if not reply.objects:
        asking.progress.steps = list(reply.steps)
        asking.progress.key_frames = list(reply.key_frames or ())
        raise ReasoningError("not_found", f"That is no object of the map. {reply.text}")
    confidences = (reply.confidence,) * len(reply.objects)
    return GroundReply(reply.objects, confidences, (reply.text, *reply.steps), reply.key_frames)
