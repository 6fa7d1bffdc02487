"""Benchmarks run row by row: a method's predictions, each with its time and its failure."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from scenemind.evaluation.datasets import ReferringExpression, SituatedQuestion
from scenemind.evaluation.objects_memory import ObjectsMemory
from scenemind.evaluation.scenes import Scenes
from scenemind.reasoning import AskMethod, Query, Router

Row = TypeVar("Row", ReferringExpression, SituatedQuestion)

_SEED = 0


@dataclass(frozen=True, slots=True)
class GroundingPrediction:
    """
    Attributes:
        object_ids: best first; empty where there is none.
        tied: how many of them are as sure as the first one, it included.
        failure: an error code; empty where there is none.
    """

    row: ReferringExpression
    object_ids: tuple[int, ...]
    tied: int
    seconds: float
    failure: str = ""


@dataclass(frozen=True, slots=True)
class AnswerPrediction:
    """
    Attributes:
        answer: in a word or few where the method gives that, else a sentence; empty where there is
            none.
        failure: as of `GroundingPrediction`.
    """

    row: SituatedQuestion
    answer: str
    seconds: float
    failure: str = ""


class Routers:
    """One `Router` a scene, on its ground-truth objects."""

    def __init__(
        self, scenes: Scenes, method: str, methods: Mapping[str, AskMethod] | None = None
    ) -> None:
        """
        Args:
            method: one of `METHODS`.
            methods: those that a `Router` takes.
        """
        self._scenes = scenes
        self._method = method
        self._methods = methods
        self._of_scene: dict[str, Router] = {}

    def ground(self, row: ReferringExpression) -> GroundingPrediction:
        """What a description means."""
        router = self._router(row.scene_id)
        start = time.perf_counter()
        found = router.ground(Query(row.text, policy="always_answer"), self._method)
        seconds = time.perf_counter() - start
        ids = tuple(thing.object_id for thing in found.objects)
        tied = sum(sure == found.confidences[0] for sure in found.confidences)
        return GroundingPrediction(
            row, ids, tied, seconds, found.failure.code if found.failure else ""
        )

    def ask(self, row: SituatedQuestion, has_pose: bool = True) -> AnswerPrediction:
        """The answer to a question.

        Args:
            has_pose: tell where they stand as a pose too, not in words alone.
        """
        router = self._router(row.scene_id)
        viewpoint = self._scenes.get_viewpoint(row.scene_id, row.pose) if has_pose else None
        query = Query(row.question, row.situation, viewpoint, policy="always_answer")
        start = time.perf_counter()
        answer = router.ask(query, self._method)
        seconds = time.perf_counter() - start
        if answer.failure is not None:
            return AnswerPrediction(row, "", seconds, answer.failure.code)
        return AnswerPrediction(row, answer.brief or answer.text, seconds)

    def _router(self, scene_id: str) -> Router:
        if scene_id not in self._of_scene:
            memory = ObjectsMemory(self._scenes.get_snapshot(scene_id))
            self._of_scene[scene_id] = Router(memory, methods=self._methods)
        return self._of_scene[scene_id]


def chosen(rows: Iterable[Row], limit: int | None) -> Sequence[Row]:
    """All rows, or so many of them, drawn with a fixed seed; in the order of the file."""
    every = list(rows)
    if limit is None or limit >= len(every):
        return every
    return [every[k] for k in sorted(random.Random(_SEED).sample(range(len(every)), limit))]
