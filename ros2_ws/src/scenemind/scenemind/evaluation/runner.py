"""A run: every row asked once, whoever asks and however often it was interrupted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Protocol

from scenemind.evaluation.budget import NO_BUDGET, Budget
from scenemind.evaluation.datasets import Row
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.run_folder import RunFolder
from scenemind.evaluation.workers import SceneJob, Workers, jobs_by_scene
from scenemind.evaluation.workers.workers import WORKER_LOST
from scenemind.models import Usage
from scenemind.models.usage import NOTHING_USED

# What the moment was to blame for, and not the row: when the run goes on, these are asked again.
_ASKED_AGAIN = frozenset({"model_failed", "budget_exceeded", "cancelled", WORKER_LOST})


class Watch(Protocol):
    """Is told how far a run is; should return soon."""

    def begin(self, rows: int, kept: Sequence[Prediction]) -> None:
        """
        Args:
            rows: of the whole run.
            kept: those of them that were answered before.
        """
        ...

    def answered(self, prediction: Prediction) -> None:
        """One more."""
        ...


class Nobody:
    """A `Watch` that does nothing."""

    def begin(self, rows: int, kept: Sequence[Prediction]) -> None:
        """See `Watch`."""

    def answered(self, prediction: Prediction) -> None:
        """See `Watch`."""


@dataclass(frozen=True, slots=True)
class Run:
    """
    Attributes:
        predictions: in the order of the rows.
        unasked: rows that the budget had nothing left for.
    """

    predictions: tuple[Prediction, ...]
    unasked: int = 0


def run(
    rows: Sequence[Row],
    workers: Workers,
    folder: RunFolder | None = None,
    budget: Budget = NO_BUDGET,
    watch: Watch | None = None,
) -> Run:
    """Ask all rows that the folder has no answer to.

    Args:
        rows: with an id each that no other has.
        folder: keeps each prediction before the next one is looked at; the run may be interrupted.
        budget: when it is spent no other scene is begun.

    Raises:
        EvaluationError: see `Workers` and `RunFolder`.
    """
    watch = watch or Nobody()
    found = folder.predictions(rows) if folder else {}
    left = [row for row in rows if _is_open(found.get(row.row_id))]
    open_ids = {row.row_id for row in left}
    watch.begin(len(rows), [one for one in found.values() if one.row.row_id not in open_ids])
    purse = _Purse(budget, found)
    with closing(workers.predictions(purse.handed_out(jobs_by_scene(left)))) as said:
        for new in said:
            purse.spend(new.usage)
            prediction = _with_earlier_usage(new, found.get(new.row.row_id))
            if folder:
                folder.keep(prediction)
            found[prediction.row.row_id] = prediction
            watch.answered(prediction)
    predictions = tuple(found[row.row_id] for row in rows if row.row_id in found)
    if folder:
        folder.put_in_order(predictions)
    return Run(predictions, len(rows) - len(predictions))


class _Purse:
    """What a run has used so far."""

    def __init__(self, budget: Budget, kept: Mapping[str, Prediction]) -> None:
        self._budget = budget
        self._used = sum((one.usage for one in kept.values()), NOTHING_USED)

    def spend(self, usage: Usage) -> None:
        self._used += usage

    def handed_out(self, jobs: Sequence[SceneJob]) -> Iterator[SceneJob]:
        """Job after job, as long as there is anything left."""
        for job in jobs:
            if self._budget.is_spent(self._used):
                return
            yield job


def _with_earlier_usage(prediction: Prediction, earlier: Prediction | None) -> Prediction:
    """What was used for a row that is asked again was used all the same."""
    if earlier is None:
        return prediction
    return replace(prediction, usage=earlier.usage + prediction.usage)


def _is_open(kept: Prediction | None) -> bool:
    return kept is None or kept.failure in _ASKED_AGAIN
