"""Methods under test: methods of reasoning on a memory, a blind language model, photographs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scenemind.errors import EvaluationError
from scenemind.evaluation.datasets import Question, ReferringExpression, Row
from scenemind.evaluation.method import Predict
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction
from scenemind.evaluation.scenes import SceneSource
from scenemind.geometry import Pose
from scenemind.memory import MapObject, MemoryAccess
from scenemind.models import ChatMessage, ChatModel
from scenemind.perception.protocols import DepthEstimator
from scenemind.reasoning import (
    Answer,
    Asking,
    Grounding,
    Policy,
    Query,
    ReasoningError,
    ReasoningFailure,
    Router,
    make_ready,
)
from scenemind.reasoning.method import attempt
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.query import METHODS, SAME_AS, check_sentence
from scenemind.reasoning.shared_models import SharedDetector

if TYPE_CHECKING:
    from scenemind.reasoning.vadar import Vadar
    from scenemind.reasoning.vadar.views import View

ViewpointOf = Callable[[Question], Pose | None]
"""Pose of the asker, x forward and z up; None: it is given in words only."""


class Answerer(Protocol):
    """Answers for one scene, such as a `Router`."""

    def ground(
        self, query: Query, method: str = "auto", asking: Asking | None = None
    ) -> Grounding: ...

    def ask(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Answer: ...


OpenRouter = Callable[[MemoryAccess], Answerer]
"""Makes the answerer for a scene's memory."""


def no_viewpoint(row: Question) -> None:
    """A `ViewpointOf` without poses."""
    del row


def _symbolic_router(memory: MemoryAccess) -> Router:
    return Router(memory, falls_back=False)


def checked_method(name: str) -> str:
    """The name, if it is one of `METHODS`; raises EvaluationError otherwise."""
    if name not in METHODS:
        raise EvaluationError(f"there is no method {name!r}; there are {', '.join(METHODS)}")
    return name


class RoutedMethod:
    """A `Method` of reasoning, behind one `Router` a scene, without fallback except for `auto`.

    By default it always answers, as benchmarks give no credit for a doubt.
    """

    def __init__(
        self,
        source: SceneSource,
        method: str,
        open_router: OpenRouter | None = None,
        asking: Callable[[], Asking] = Asking,
        viewpoint_of: ViewpointOf = no_viewpoint,
        policy: Policy = "always_answer",
    ) -> None:
        """
        Args:
            method: one of `METHODS`.
            open_router: None: a `Router` without models.
            asking: makes the allowance of each question.

        Raises:
            EvaluationError: there is no such method.
        """
        self.name = checked_method(method)
        self._source = source
        self._asking = asking
        self._viewpoint_of = viewpoint_of
        self._policy = policy
        self._open_router = open_router or _symbolic_router
        make_ready()

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

    def _ground(self, router: Answerer, row: ReferringExpression) -> GroundingPrediction:
        """The objects of a description."""
        start = time.perf_counter()
        found = router.ground(Query(row.text, policy=self._policy), self.name, self._asking())
        return GroundingPrediction(
            row,
            tuple(_id_of(thing) for thing in found.objects),
            tuple(thing.yaw_box for thing in found.objects),
            sum(sure == found.confidences[0] for sure in found.confidences),
            time.perf_counter() - start,
            found.confidences[0] if found.confidences else None,
            tuple(frame.frame_number for frame in found.key_frames),
            _code(found.failure),
            found.reasoning,
            found.usage,
        )

    def _ask(self, router: Answerer, row: Question) -> AnswerPrediction:
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
            None if answer.failure else answer.confidence,
            tuple(frame.frame_number for frame in answer.key_frames),
            _code(answer.failure),
            "; ".join((answer.text, *answer.steps)),
            answer.usage,
            tuple(thing.yaw_box for thing in answer.objects),
        )


def _id_of(thing: MapObject) -> int:
    """Id of the object of a box; a measured box may belong to an object of the memory."""
    return int(thing.attributes.get(SAME_AS, thing.object_id))


def _code(failure: ReasoningFailure | None) -> str:
    """The error code of a failure.

    Raises:
        EvaluationError: the method needs a model and has none.
    """
    if failure is None:
        return ""
    if failure.code == "method_unavailable":
        raise EvaluationError(failure.text)
    return failure.code


class BlindMethod:
    """A `Method` that gets the question only, as the blind baselines of OpenEQA and SQA3D."""

    name = "blind"

    def __init__(self, model: ChatModel, asking: Callable[[], Asking] = Asking) -> None:
        """
        Args:
            asking: makes the allowance of each question.
        """
        self._model = model
        self._asking = asking

    @contextmanager
    def at(self, scene_id: str) -> Iterator[Predict]:
        """See `Method`."""
        del scene_id
        yield self._predict

    def _predict(self, row: Row) -> AnswerPrediction:
        if not isinstance(row, Question):
            raise EvaluationError(
                "objects cannot be found without a scene: --blind is for questions"
            )
        asking, start = self._asking(), time.perf_counter()
        tried = attempt(self.name, lambda: self._answer(row, asking))
        return AnswerPrediction(
            row,
            tried.reply or "",
            time.perf_counter() - start,
            tried.reply or "",
            failure=tried.failure.code if tried.failure else "",
            steps=tried.failure.text if tried.failure else "",
            usage=asking.allowance.used,
        )

    def _answer(self, row: Question, asking: Asking) -> str:
        check_sentence(Query(row.question), "question")
        question = f"{row.situation} {row.question}".strip()
        messages = (
            ChatMessage("system", read_prompt("scenemind.evaluation", "blind")),
            ChatMessage("user", question),
        )
        answer = self._model.ask(messages, asking.allowance).text.strip()
        if not answer:
            raise ReasoningError("model_failed", "the model's reply is empty")
        return answer


class PhotographMethod:
    """A `Method`: VADAR's programs on single pictures, without a memory."""

    name = "vadar"

    def __init__(
        self,
        images: Path,
        vadar: Vadar,
        detector: SharedDetector,
        estimator: DepthEstimator | None,
        asking: Callable[[], Asking] = Asking,
    ) -> None:
        """
        Args:
            images: folder of the benchmark's pictures.
            estimator: of metric depth; None: there is none.
            asking: makes the allowance of each question.
        """
        self._images = images
        self._vadar = vadar
        self._detector = detector
        self._estimator = estimator
        self._asking = asking

    @contextmanager
    def at(self, scene_id: str) -> Iterator[Predict]:
        """See `Method`."""
        del scene_id
        view = cache(self._view)  # a picture's depth is estimated once
        yield lambda row: self._predict(row, view)

    def _predict(self, row: Row, view_of: Callable[[str], View]) -> AnswerPrediction:
        if not isinstance(row, Question) or not row.image:
            raise EvaluationError(f"row {row.row_id} is about no photograph")
        from scenemind.reasoning.vadar.vadar import ask_about_view

        asked = ask_about_view(self._vadar, Query(row.question), view_of(row.image), self._asking())
        answer, failure = asked.answer, asked.answer.failure
        return AnswerPrediction(
            row,
            "" if failure else answer.brief or answer.text,
            answer.seconds,
            "" if failure else answer.text,
            confidence=None if failure else answer.confidence,
            failure=failure.code if failure else "",
            steps="; ".join((answer.text, *answer.steps)),
            usage=answer.usage,
        )

    def _view(self, image: str) -> View:
        from scenemind.reasoning.vadar.views import view_of_photograph

        try:
            return view_of_photograph(
                photograph(self._images, image), self._detector, self._estimator
            )
        except ReasoningError as error:
            raise EvaluationError(error.failure.text.rstrip(".")) from error


def photograph(images: Path, name: str) -> Path:
    """The picture of a row.

    Raises:
        EvaluationError: it is not in the folder.
    """
    path = images / name
    # Names come from downloaded files, and must not lead out of the folder.
    if not path.resolve().is_relative_to(images.resolve()):
        raise EvaluationError(f"{name!r} is no valid name of a picture: it leads out of {images}")
    if not path.is_file():
        raise EvaluationError(
            f"there is no picture {name} in {images}: say with --images where the benchmark's are"
        )
    return path
