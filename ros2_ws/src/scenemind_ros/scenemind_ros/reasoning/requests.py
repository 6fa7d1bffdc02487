"""Answers the requests of Ask, Ground, Align and SelectKeyFrames, whichever way they come in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from scenemind.memory import Correction, KeyFrame, MemoryAccess, MemorySnapshot
from scenemind.models import Models, Usage
from scenemind.reasoning import Alignment, Query, Router
from scenemind.reasoning.attempt import Attempt, attempt
from scenemind.reasoning.dialogue import Dialogues
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.reasoning.method import Asking
from scenemind.reasoning.open_methods import close_methods
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.sentence import check_sentence
from scenemind_interfaces.msg import Error
from scenemind_interfaces.msg import KeyFrame as KeyFrameMsg
from scenemind_ros.conversions import (
    answer_to_msg,
    check_frame_count,
    correction_to_msg,
    evidence_to_msg,
    failure_to_msg,
    fill_selection,
    grounded_objects_to_msg,
    query_from_msg,
    timeout_from_msg,
    usage_to_msg,
)
from scenemind_ros.errors import RosError
from scenemind_ros.reasoning.answer_publisher import AnswerPublisher
from scenemind_ros.reasoning.bounded_work import BoundedWork
from scenemind_ros.reasoning.caller import ServiceCaller
from scenemind_ros.reasoning.parameters import ReasoningParameters
from scenemind_ros.reasoning.pinned_memory import PinnedMemory
from scenemind_ros.reasoning.selectors import Selectors

_PERSON = "a person"  # where Align does not say who speaks
# A model's call that runs out of time ends by itself, and something else may answer then.
_GRACE_S = 0.4
_MAYBE_WRITTEN = "its correction is written or about to be: see ListCorrections"

Result = TypeVar("Result")


class ReasoningRequests:
    """Each method fills a response; what it raises is for the caller to turn into an error code.

    Safe to call from several threads. Words from people and labels from perception are data:
    nothing here is executed or formatted into anything that is.
    """

    def __init__(
        self,
        memory: MemoryAccess,
        models: Models,
        parameters: ReasoningParameters,
        publisher: AnswerPublisher,
    ) -> None:
        self._memory = memory
        self._models = models
        self._parameters = parameters
        self._publisher = publisher
        # Without a model there is nobody to write programs.
        self._sandbox = None if models.vision is None else Sandbox(parameters.sandbox)
        self._selectors = Selectors(models, parameters)
        self._methods = self._selectors.methods(self._sandbox)
        self._dialogues = Dialogues(parameters.synergai.dialogues, parameters.synergai.turns)
        self._work = BoundedWork(parameters.parallel_requests)

    @property
    def running(self) -> int:
        """How many are being answered; those that were given up and have not ended included."""
        return self._work.running

    def close(self) -> None:
        self._work.close()
        close_methods(self._methods)
        if self._sandbox is not None:
            self._sandbox.close()

    def ask(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """A question (Ask service or action)."""
        query, method = query_from_msg(request), request.method or "auto"
        answer, snapshot = self._reason(
            query,
            lambda memory, asking: self._router(memory).ask(query, method, asking),
            self._timeout_s(request),
            caller,
        )
        caller.report("answer", "\n".join(answer.steps), answer.key_frames)
        response.answer = answer_to_msg(answer, snapshot.stamp_ns, self._parameters.map_frame)
        response.error = response.answer.error
        response.evidence = self._shown(answer.key_frames)
        response.success = answer.failure is None
        self._publisher.publish_answer(response.answer)
        self._publisher.publish_objects(answer.objects, snapshot.stamp_ns)

    def ground(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """A phrase that means objects (Ground service or action)."""
        query, method = query_from_msg(request), request.method or "auto"
        grounding, snapshot = self._reason(
            query,
            lambda memory, asking: self._router(memory).ground(query, method, asking),
            self._timeout_s(request),
            caller,
        )
        caller.report("answer", grounding.reasoning, grounding.key_frames)
        response.error = failure_to_msg(grounding.failure)
        response.objects = grounded_objects_to_msg(grounding)
        response.reasoning = grounding.reasoning
        response.method = grounding.method
        response.seconds = float(grounding.seconds)
        response.fallback = grounding.fallback
        response.usage = usage_to_msg(grounding.usage)
        response.evidence = self._shown(grounding.key_frames)
        response.success = grounding.failure is None
        self._publisher.publish_objects(grounding.objects, snapshot.stamp_ns)

    def align(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """A sentence that corrects the memory (Align service or action): written as a whole before
        it is cancelled, or not at all."""
        query, by = query_from_msg(request), request.speaker.strip() or _PERSON

        def align(memory: MemoryAccess, asking: Asking) -> tuple[Alignment, int, list[Correction]]:
            done = self._router(memory).align(query, by, asking)
            made = set(done.correction_ids)
            journal = self._memory.corrections() if made else []
            edits = [entry for entry in journal if entry.correction_id in made]
            return done, self._memory.snapshot().revision, edits

        # All of it in its place: a memory elsewhere answers as long as the node has threads left.
        (done, revision, edits), _ = self._reason(query, align, self._timeout_s(request), caller)
        caller.report("answer", "\n".join(done.steps))
        response.error = failure_to_msg(done.failure)
        response.response = done.response
        response.success = done.failure is None
        response.revision = int(revision)
        response.edits = [correction_to_msg(entry) for entry in edits]
        response.object_ids = list(done.object_ids)
        response.method = done.method
        response.steps = list(done.steps)
        response.usage = usage_to_msg(done.usage)

    def select_key_frames(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """Frames for a question (SelectKeyFrames service)."""
        check_frame_count(request.k)
        if not request.question.strip() or request.cue_object_ids or request.location_ids:
            raise RosError(
                "key frames are chosen for a question here; frames of given objects and locations"
                " are chosen by the mapping node's service of the same name"
            )
        query, name = query_from_msg(request), request.selector or self._parameters.memtree.selector
        start = time.monotonic()

        def select(memory: MemoryAccess, asking: Asking) -> tuple[Attempt[Selection], Usage]:
            def choose() -> Selection:
                check_sentence(query)
                return self._selectors.get(name).select(query, memory, int(request.k), asking)

            return attempt(name, choose), asking.allowance.used

        (tried, usage), _ = self._reason(query, select, self._timeout_s(request), caller)
        response.selector = name
        response.seconds = time.monotonic() - start
        response.usage = usage_to_msg(usage)
        response.error = failure_to_msg(tried.failure)
        response.success = tried.failure is None
        if tried.reply is not None:
            fill_selection(tried.reply, self._parameters.camera_frame, response)

    def _reason(
        self,
        query: Query,
        step: Callable[[MemoryAccess, Asking], Result],
        timeout_s: float,
        caller: ServiceCaller,
    ) -> tuple[Result, MemorySnapshot]:
        """What a step of reasoning gives, and the snapshot on which it does.

        Raises:
            RosError: see `BoundedWork.run`; CANCELLED only where nothing was or will be written.
        """
        allowance = self._models.allowance(timeout_s)

        def work() -> tuple[Result, MemorySnapshot]:
            memory = PinnedMemory(self._memory)
            _check_marked(query, memory.snapshot())
            return step(memory, Asking(allowance, caller.report)), memory.snapshot()

        def is_cancelled() -> bool:
            return caller.is_cancelled() and allowance.cancel()

        caller.report("reason")
        try:
            return self._work.run(work, timeout_s, is_cancelled, _GRACE_S)
        except RosError as error:
            if error.code == Error.TIMEOUT and not allowance.cancel():
                raise RosError(f"{error}; {_MAYBE_WRITTEN}", Error.TIMEOUT) from error
            raise
        finally:
            allowance.cancel()  # what was given up ends soon, and frees its place

    def _router(self, memory: MemoryAccess) -> Router:
        settings = self._parameters
        methods, dialogues = self._methods, self._dialogues
        return Router(memory, settings.relations, methods, settings.falls_back, dialogues)

    def _timeout_s(self, request: Any) -> float:
        return timeout_from_msg(request, self._parameters.timeout_s)

    def _shown(self, key_frames: Iterable[KeyFrame]) -> list[KeyFrameMsg]:
        return evidence_to_msg(key_frames, self._parameters.camera_frame, with_images=True)


def _check_marked(query: Query, snapshot: MemorySnapshot) -> None:
    unknown = [i for i in query.marked_object_ids if i not in snapshot.objects]
    if unknown:
        raise RosError(
            f"the request names objects {', '.join(map(str, unknown))}, which the memory does not"
            f" have (it has {len(snapshot.objects)} objects): see QueryObjects and MarkObject",
            Error.MEMORY_REFUSED,
        )
