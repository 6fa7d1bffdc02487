"""A run: every row asked once, within a budget, however often it was interrupted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Protocol

from scenemind.evaluation.datasets import Row
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.run_folder import RunFolder
from scenemind.evaluation.workers import SceneJob, Workers, jobs_by_scene
from scenemind.evaluation.workers.assignments import WORKER_LOST
from scenemind.models import Usage
from scenemind.models.chat import NOTHING_USED

# Failures that do not depend on the row: these rows are asked again when the run is continued.
_ASKED_AGAIN = frozenset({"model_failed", "budget_exceeded", "cancelled", WORKER_LOST})


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a whole run, including its earlier parts where it was interrupted.

    Attributes:
        cost: by the configured prices; 0: no limit.
        tokens: 0: no limit.
    """

    cost: float = 0.0
    tokens: int = 0

    def is_spent(self, used: Usage) -> bool:
        return bool(
            (self.cost and used.cost >= self.cost) or (self.tokens and used.tokens >= self.tokens)
        )


NO_BUDGET = Budget()


class RunObserver(Protocol):
    """Observes the progress of a run; its methods should return soon."""

    def begin(self, rows: int, kept: Sequence[Prediction]) -> None:
        """The run begins.

        Args:
            rows: number of rows of the whole run.
            kept: predictions of an earlier part of the run.
        """
        ...

    def answered(self, prediction: Prediction) -> None:
        """A row was answered."""
        ...


class NoObserver:
    """A `RunObserver` that does nothing."""

    def begin(self, rows: int, kept: Sequence[Prediction]) -> None:
        """See `RunObserver`."""

    def answered(self, prediction: Prediction) -> None:
        """See `RunObserver`."""


@dataclass(frozen=True, slots=True)
class Run:
    """The predictions of a run.

    Attributes:
        predictions: in the order of the rows.
        unasked: number of rows that were not asked because the budget was spent.
    """

    predictions: tuple[Prediction, ...]
    unasked: int = 0


def run(
    rows: Sequence[Row],
    workers: Workers,
    folder: RunFolder | None = None,
    budget: Budget = NO_BUDGET,
    watch: RunObserver | None = None,
) -> Run:
    """Ask all rows without a prediction in the folder.

    Args:
        rows: with unique ids.
        folder: stores each prediction at once; an interrupted run can be continued.
        budget: when it is spent, no further scene is begun.

    Raises:
        EvaluationError: see `Workers` and `RunFolder`.
    """
    watch = watch or NoObserver()
    found = folder.predictions(rows) if folder else {}
    left = [row for row in rows if _is_open(found.get(row.row_id))]
    open_ids = {row.row_id for row in left}
    watch.begin(len(rows), [one for one in found.values() if one.row.row_id not in open_ids])
    purse = _Spending(budget, found)
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


class _Spending:
    """The usage of a run so far, held against its budget."""

    def __init__(self, budget: Budget, kept: Mapping[str, Prediction]) -> None:
        self._budget = budget
        self._used = sum((one.usage for one in kept.values()), NOTHING_USED)

    def spend(self, usage: Usage) -> None:
        self._used += usage

    def handed_out(self, jobs: Sequence[SceneJob]) -> Iterator[SceneJob]:
        """The jobs, until the budget is spent."""
        for job in jobs:
            if self._budget.is_spent(self._used):
                return
            yield job


def _with_earlier_usage(prediction: Prediction, earlier: Prediction | None) -> Prediction:
    """A prediction with the usage of earlier attempts at its row added."""
    if earlier is None:
        return prediction
    return replace(prediction, usage=earlier.usage + prediction.usage)


def _is_open(kept: Prediction | None) -> bool:
    return kept is None or kept.failure in _ASKED_AGAIN
