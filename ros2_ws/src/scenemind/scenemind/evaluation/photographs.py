"""Questions about single photographs, each about its own: Omni3D-Bench."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from scenemind.evaluation.datasets import Question, Row
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.method import Predict
from scenemind.evaluation.predictions import AnswerPrediction
from scenemind.perception.protocols import DepthEstimator
from scenemind.reasoning import Asking, Query, ReasoningError
from scenemind.reasoning.detecting import SharedDetector
from scenemind.reasoning.vadar import Vadar
from scenemind.reasoning.vadar.asked_view import ask_about_view
from scenemind.reasoning.vadar.photograph import view_of_photograph
from scenemind.reasoning.vadar.view import View


class PhotographMethod:
    """A `Method`: VADAR's programs on a picture, with no map and no memory."""

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
            estimator: tells metres; None: nobody does.
            asking: what each question may use.
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
        view = cache(self._view)  # whose depth is looked for once
        yield lambda row: self._predict(row, view)

    def _predict(self, row: Row, view_of: Callable[[str], View]) -> AnswerPrediction:
        if not isinstance(row, Question) or not row.image:
            raise EvaluationError(f"row {row.row_id} is about no photograph")
        asked = ask_about_view(self._vadar, Query(row.question), view_of(row.image), self._asking())
        answer, failure = asked.answer, asked.answer.failure
        return AnswerPrediction(
            row,
            "" if failure else answer.brief or answer.text,
            answer.seconds,
            "" if failure else answer.text,
            confidence=answer.confidence,
            failure=failure.code if failure else "",
            steps="; ".join((answer.text, *answer.steps)),
            usage=answer.usage,
        )

    def _view(self, image: str) -> View:
        try:
            return view_of_photograph(
                photograph(self._images, image), self._detector, self._estimator
            )
        except ReasoningError as error:
            raise EvaluationError(error.failure.text.rstrip(".")) from error


def photograph(images: Path, name: str) -> Path:
    """The file of a row.

    Raises:
        EvaluationError: there is none in the folder.
    """
    path = images / name
    # Names come from files of others: none may lead out of the folder.
    if not path.resolve().is_relative_to(images.resolve()):
        raise EvaluationError(f"{name!r} is no name of a picture: it leads out of {images}")
    if not path.is_file():
        raise EvaluationError(
            f"there is no picture {name} in {images}: say with --images where the benchmark's are"
        )
    return path
