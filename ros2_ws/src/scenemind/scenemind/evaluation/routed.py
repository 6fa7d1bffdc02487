"""The methods of reasoning, asked as a benchmark asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from scenemind.config import RelationConfig
from scenemind.evaluation.datasets import Question, ReferringExpression, Row
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.method import Predict
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction
from scenemind.evaluation.scene_source import SceneSource
from scenemind.geometry import Pose
from scenemind.memory import MapObject, MemoryAccess
from scenemind.reasoning import (
    Answer,
    Asking,
    AskMethod,
    Grounding,
    Policy,
    Query,
    ReasoningFailure,
    Router,
)
from scenemind.reasoning.method_choice import BUILT_METHODS
from scenemind.reasoning.types import SAME_AS

ViewpointOf = Callable[[Question], Pose | None]
"""Where who asks stands, x forward and z up; None: only the words say it."""


class Answering(Protocol):
    """What a `Router` does, for one scene."""

    def ground(
        self, query: Query, method: str = "auto", asking: Asking | None = None
    ) -> Grounding: ...

    def ask(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Answer: ...


OpenRouter = Callable[[MemoryAccess], Answering]
"""Who answers from a scene's memory."""


def no_viewpoint(row: Question) -> None:
    """A `ViewpointOf` that knows of none."""
    del row


class RoutedMethod:
    """One method, behind one `Router` a scene.

    Benchmarks give no credit for honest doubt, so that it is asked to answer always, unless another
    policy is measured. Nobody answers in its place, but for `auto`.
    """

    def __init__(
        self,
        source: SceneSource,
        method: str,
        methods: Mapping[str, AskMethod] | None = None,
        asking: Callable[[], Asking] = Asking,
        viewpoint_of: ViewpointOf = no_viewpoint,
        policy: Policy = "always_answer",
        relations: RelationConfig | None = None,
        open_router: OpenRouter | None = None,
    ) -> None:
        """
        Args:
            method: one of `BUILT_METHODS`.
            methods: those that a `Router` takes.
            asking: what each question may use.
            open_router: None: a `Router` in this process.

        Raises:
            EvaluationError: there is no such method.
        """
        if method not in BUILT_METHODS:
            known = ", ".join(BUILT_METHODS)
            raise EvaluationError(f"there is no method {method!r}; there are {known}")
        self.name = method
        self._source = source
        self._methods = methods
        self._asking = asking
        self._viewpoint_of = viewpoint_of
        self._policy = policy
        self._relations = relations
        self._open_router = open_router or self._router_of

    @contextmanager
    def at(self, scene_id: str) -> Iterator[Predict]:
        """See `Method`."""
        with self._source.opened(scene_id) as memory:
            router = self._open_router(memory)

            def predict(row: Row) -> GroundingPrediction | AnswerPrediction:
                if isinstance(row, ReferringExpression):
                    return self._ground(router, row)
                return self._ask(router, row)

            yield predict

    def _router_of(self, memory: MemoryAccess) -> Router:
        return Router(memory, self._relations, self._methods, falls_back=self.name == "auto")

    def _ground(self, router: Answering, row: ReferringExpression) -> GroundingPrediction:
        """What a description means."""
        start = time.perf_counter()
        found = router.ground(Query(row.text, policy=self._policy), self.name, self._asking())
        return GroundingPrediction(
            row,
            tuple(_id_of(thing) for thing in found.objects),
            tuple(thing.yaw_box for thing in found.objects),
            sum(sure == found.confidences[0] for sure in found.confidences),
            time.perf_counter() - start,
            found.confidences[0] if found.confidences else 0.0,
            tuple(frame.frame_number for frame in found.key_frames),
            _code(found.failure),
            found.reasoning,
            found.usage,
        )

    def _ask(self, router: Answering, row: Question) -> AnswerPrediction:
        """The answer to a question."""
        query = Query(row.question, row.situation, self._viewpoint_of(row), policy=self._policy)
        start = time.perf_counter()
        answer = router.ask(query, self.name, self._asking())
        return AnswerPrediction(
            row,
            "" if answer.failure else answer.brief or answer.text,
            time.perf_counter() - start,
            "" if answer.failure else answer.text,
            tuple(_id_of(thing) for thing in answer.objects),
            answer.confidence,
            tuple(frame.frame_number for frame in answer.key_frames),
            _code(answer.failure),
            "; ".join((answer.text, *answer.steps)),
            answer.usage,
            tuple(thing.yaw_box for thing in answer.objects),
        )


def _id_of(thing: MapObject) -> int:
    """Of what a box is about: one that was measured may be of an object of the memory."""
    return int(thing.attributes.get(SAME_AS, thing.object_id))


def _code(failure: ReasoningFailure | None) -> str:
    """
    Raises:
        EvaluationError: the method needs a model and has none, whichever the row.
    """
    if failure is None:
        return ""
    if failure.code == "method_unavailable":
        raise EvaluationError(failure.text)
    return failure.code
