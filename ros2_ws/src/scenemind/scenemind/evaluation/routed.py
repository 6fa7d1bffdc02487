"""The methods of reasoning, asked as a benchmark asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from scenemind.evaluation.datasets import Question, ReferringExpression
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.objects_memory import ObjectsMemory
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction
from scenemind.evaluation.scenes import Scenes
from scenemind.reasoning import Asking, AskMethod, Policy, Query, ReasoningFailure, Router
from scenemind.reasoning.method_choice import BUILT_METHODS


class RoutedMethod:
    """One method, behind one `Router` a scene on the scene's ground-truth objects.

    Benchmarks give no credit for honest doubt, so that it is asked to answer always, unless another
    policy is measured. Nobody answers in its place, but for `auto`.
    """

    def __init__(
        self,
        scenes: Scenes,
        method: str,
        methods: Mapping[str, AskMethod] | None = None,
        asking: Callable[[], Asking] = Asking,
        has_pose: bool = True,
        policy: Policy = "always_answer",
    ) -> None:
        """
        Args:
            method: one of `BUILT_METHODS`.
            methods: those that a `Router` takes.
            asking: what each question may use.
            has_pose: say where who asks stands as a pose too, not in words alone.

        Raises:
            EvaluationError: there is no such method.
        """
        if method not in BUILT_METHODS:
            known = ", ".join(BUILT_METHODS)
            raise EvaluationError(f"there is no method {method!r}; there are {known}")
        self.name = method
        self.has_pose = has_pose
        self._scenes = scenes
        self._methods = methods
        self._asking = asking
        self._policy = policy
        self._routers: dict[str, Router] = {}

    def ground(self, row: ReferringExpression) -> GroundingPrediction:
        """What a description means.

        Raises:
            EvaluationError: the method needs a model and has none.
        """
        router = self._router(row.scene_id)
        start = time.perf_counter()
        found = router.ground(Query(row.text, policy=self._policy), self.name, self._asking())
        return GroundingPrediction(
            row,
            tuple(thing.object_id for thing in found.objects),
            tuple(thing.yaw_box for thing in found.objects),
            sum(sure == found.confidences[0] for sure in found.confidences),
            time.perf_counter() - start,
            found.confidences[0] if found.confidences else 0.0,
            tuple(frame.frame_number for frame in found.key_frames),
            _code(found.failure),
            found.reasoning,
            found.usage,
        )

    def ask(self, row: Question) -> AnswerPrediction:
        """The answer to a question; raises as `ground`."""
        router = self._router(row.scene_id)
        viewpoint = None
        if self.has_pose and row.pose is not None:
            viewpoint = self._scenes.get_viewpoint(row.scene_id, row.pose)
        query = Query(row.question, row.situation, viewpoint, policy=self._policy)
        start = time.perf_counter()
        answer = router.ask(query, self.name, self._asking())
        return AnswerPrediction(
            row,
            "" if answer.failure else answer.brief or answer.text,
            time.perf_counter() - start,
            "" if answer.failure else answer.text,
            tuple(thing.object_id for thing in answer.objects),
            answer.confidence,
            tuple(frame.frame_number for frame in answer.key_frames),
            _code(answer.failure),
            "; ".join((answer.text, *answer.steps)),
            answer.usage,
        )

    def _router(self, scene_id: str) -> Router:
        if scene_id not in self._routers:
            memory = ObjectsMemory(self._scenes.get_snapshot(scene_id))
            self._routers[scene_id] = Router(
                memory, self._scenes.config, self._methods, falls_back=self.name == "auto"
            )
        return self._routers[scene_id]


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
