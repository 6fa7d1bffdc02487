"""The work of a run: the rows of one scene are a job, and are answered in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice

from scenemind.evaluation.datasets import Row
from scenemind.evaluation.method import Method, Predict
from scenemind.evaluation.predictions import Prediction


@dataclass(frozen=True, slots=True)
class SceneJob:
    """
    Attributes:
        rows: of this scene; at least one.
        losses: workers that were lost with it in a row, without an answer.
        was_given_up: rows of it were given up already, and none was answered since.
    """

    scene_id: str
    rows: tuple[Row, ...]
    losses: int = 0
    was_given_up: bool = False


def jobs_by_scene(rows: Iterable[Row]) -> list[SceneJob]:
    """Scenes and rows in the order in which they first come."""
    by_scene: dict[str, list[Row]] = {}
    for row in rows:
        by_scene.setdefault(row.scene_id, []).append(row)
    return [SceneJob(scene_id, tuple(of_scene)) for scene_id, of_scene in by_scene.items()]


def answered(method: Method, job: SceneJob, at_once: int) -> Iterator[Prediction]:
    """One a row, as they come.

    Args:
        at_once: so many rows are being answered at a time; the first of those that are not
            answered yet, always.
    """
    with method.at(job.scene_id) as predict:
        if at_once == 1:
            for row in job.rows:  # no `yield from`: Ray sends values in, which `map` does not take
                yield predict(row)
        else:
            yield from _on_threads(predict, job.rows, at_once)


def _on_threads(predict: Predict, rows: Iterable[Row], at_once: int) -> Iterator[Prediction]:
    left = iter(rows)
    pool = ThreadPoolExecutor(at_once, "row")
    running = {pool.submit(predict, row) for row in islice(left, at_once)}
    try:
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(predict, row) for row in islice(left, len(done))}
            for one in done:
                yield one.result()
    finally:
        # Who is interrupted does not wait for models: they are closed, and that ends the threads.
        pool.shutdown(wait=False, cancel_futures=True)
