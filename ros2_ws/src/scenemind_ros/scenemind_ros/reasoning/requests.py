"""Answers the requests of Ask, Ground and Align, whichever way they come in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from scenemind.memory import MemoryAccess, MemorySnapshot
from scenemind.reasoning import Query, Router
from scenemind_interfaces.msg import Error
from scenemind_ros.conversions import (
    answer_to_msg,
    correction_to_msg,
    evidence_to_msg,
    failure_to_msg,
    grounded_objects_to_msg,
    query_from_msg,
    timeout_from_msg,
)
from scenemind_ros.errors import RosError
from scenemind_ros.reasoning.answer_publisher import AnswerPublisher
from scenemind_ros.reasoning.bounded_work import BoundedWork
from scenemind_ros.reasoning.caller import ServiceCaller
from scenemind_ros.reasoning.parameters import ReasoningParameters
from scenemind_ros.reasoning.pinned_memory import PinnedMemory

_PERSON = "a person"  # Align does not say who speaks

Result = TypeVar("Result")


class ReasoningRequests:
    """Each method fills a response; what it raises is for the caller to turn into an error code.

    Safe to call from several threads. Words from people and labels from perception are data:
    nothing here is executed or formatted into anything that is.
    """

    def __init__(
        self, memory: MemoryAccess, parameters: ReasoningParameters, publisher: AnswerPublisher
    ) -> None:
        self._memory = memory
        self._parameters = parameters
        self._publisher = publisher
        self._work = BoundedWork(parameters.parallel_requests)

    def close(self) -> None:
        self._work.close()

    def ask(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """A question (Ask service or action)."""
        query, method, timeout_s = self._read(request)
        answer, snapshot = self._reason(
            query, lambda router: router.ask(query, method, timeout_s), timeout_s, caller
        )
        caller.report("answer", "\n".join(answer.steps), self._seen(answer.key_frames))
        response.answer = answer_to_msg(answer, snapshot.stamp_ns, self._parameters.map_frame)
        response.error = response.answer.error
        response.evidence = self._seen(answer.key_frames, with_images=True)
        response.success = answer.failure is None
        self._publisher.publish_answer(response.answer)
        self._publisher.publish_objects(answer.objects, snapshot.stamp_ns)

    def ground(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """A phrase that means objects (Ground service or action)."""
        query, method, timeout_s = self._read(request)
        grounding, snapshot = self._reason(
            query, lambda router: router.ground(query, method, timeout_s), timeout_s, caller
        )
        caller.report("answer", grounding.reasoning, self._seen(grounding.key_frames))
        response.error = failure_to_msg(grounding.failure)
        response.objects = grounded_objects_to_msg(grounding)
        response.reasoning = grounding.reasoning
        response.method = grounding.method
        response.seconds = float(grounding.seconds)
        response.evidence = self._seen(grounding.key_frames, with_images=True)
        response.success = grounding.failure is None
        self._publisher.publish_objects(grounding.objects, snapshot.stamp_ns)

    def align(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """A sentence that corrects the memory (Align service)."""
        query = query_from_msg(request)
        timeout_s = self._parameters.timeout_s
        alignment, _ = self._reason(
            query, lambda router: router.align(query, by=_PERSON), timeout_s, caller
        )
        response.error = failure_to_msg(alignment.failure)
        response.response = alignment.response
        response.success = alignment.failure is None
        response.revision = int(self._memory.snapshot().revision)
        made = set(alignment.correction_ids)
        if made:
            journal = self._memory.corrections()
            response.edits = [correction_to_msg(c) for c in journal if c.correction_id in made]

    def _read(self, request: Any) -> tuple[Query, str, float]:
        timeout_s = timeout_from_msg(request, self._parameters.timeout_s)
        return query_from_msg(request), request.method or "auto", timeout_s

    def _reason(
        self,
        query: Query,
        step: Callable[[Router], Result],
        timeout_s: float,
        caller: ServiceCaller,
    ) -> tuple[Result, MemorySnapshot]:
        """What the router says, and the snapshot on which it says it."""

        def work() -> tuple[Result, MemorySnapshot]:
            memory = PinnedMemory(self._memory)
            _check_marked(query, memory.snapshot())
            return step(Router(memory, self._parameters.relations)), memory.snapshot()

        caller.report("reason")
        return self._work.run(work, timeout_s, caller.is_cancelled)

    def _seen(self, key_frames: Any, *, with_images: bool = False) -> Any:
        return evidence_to_msg(key_frames, self._parameters.camera_frame, with_images=with_images)


def _check_marked(query: Query, snapshot: MemorySnapshot) -> None:
    unknown = [i for i in query.marked_object_ids if i not in snapshot.objects]
    if unknown:
        raise RosError(
            f"marked_object_ids names {', '.join(map(str, unknown))}, which the memory does not"
            f" have (it has {len(snapshot.objects)} objects): see QueryObjects and MarkObject",
            Error.MEMORY_REFUSED,
        )
