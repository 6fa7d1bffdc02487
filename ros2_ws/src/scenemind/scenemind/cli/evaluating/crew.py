"""Who answers the rows, as it was typed."""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.cli.errors import CommandError
from scenemind.cli.evaluating.recipe import Recipe
from scenemind.cli.output import progress_console
from scenemind.evaluation.model_share import most_workers
from scenemind.evaluation.workers import InProcess, Processes, RayCluster, Workers


@dataclass(frozen=True, slots=True)
class Crew:
    """
    Attributes:
        workers: processes; with `ray` actors.
        ray: address of a cluster, or "local"; empty: this machine without it.
        at_once: questions that each worker has in flight.
    """

    workers: int
    ray: str
    at_once: int

    def of(self, recipe: Recipe) -> Workers:
        """No more of them, and no more at once, than the limits of models can be divided among.

        Raises:
            CommandError: several would write one recording.
        """
        models, count, at_once = recipe.settings.models, self.workers, self.at_once
        if recipe.asks_models:
            count = min(count, most_workers(models))
            at_once = min(at_once, max(1, models.parallel_calls // count))
            self._tell(count, at_once)
        if models.record and (count > 1 or self.ray):
            raise CommandError("a recording is written by one process: leave --workers out")
        if self.ray:
            return RayCluster(recipe, self.ray, count, at_once)
        if count == 1:
            return InProcess(recipe, at_once)
        return Processes(recipe, count, at_once)

    def _tell(self, count: int, at_once: int) -> None:
        if (count, at_once) != (self.workers, self.at_once):
            progress_console().print(
                f"{count} workers with {at_once} questions at once: models.parallel_calls and"
                " models.requests_per_minute allow no more"
            )
