"""Which rows of a benchmark are asked, and whether all that they need is there."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from scenemind.evaluation.datasets import Question, ReferringExpression, Row
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.scenes import Scenes

_NAMES_SHOWN = 20


def selected(
    rows: Iterable[Row],
    groups: Callable[[Row], Sequence[str]],
    only: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
) -> list[Row]:
    """Rows in the order of the file.

    Args:
        groups: that a row is counted with.
        only: groups that a row has to be in, all of them.
        limit: so many are drawn with the seed, the same ones every time; None: all.

    Raises:
        EvaluationError: there are none, no row is in such a group, or two have one id.
    """
    every = list(rows)
    if not every:
        raise EvaluationError("the benchmark's file has no rows")
    times = Counter(row.row_id for row in every)
    if len(times) < len(every):
        raise EvaluationError(f"{max(times, key=times.__getitem__)!r} is the id of several rows")
    if only:
        wanted = set(only)
        known = {name for row in every for name in groups(row)}
        if missing := wanted - known:
            names = ", ".join(sorted(known)[:_NAMES_SHOWN]) or "none"
            raise EvaluationError(
                f"no row is in the group {min(missing)!r}; those that its file tells: {names}"
            )
        every = [row for row in every if wanted <= set(groups(row))]
        if not every:
            raise EvaluationError(f"no row is in all of the groups {', '.join(only)}")
    if limit is None or limit >= len(every):
        return every
    return [every[k] for k in sorted(random.Random(seed).sample(range(len(every)), limit))]


def check_truth(rows: Iterable[Row], truth: Scenes, *, with_poses: bool) -> None:
    """Before hours of work.

    Args:
        with_poses: who answers is told where the questioner stands as a pose.

    Raises:
        EvaluationError: a scene, a target or an alignment is missing.
    """
    posed: set[str] = set()
    for row in rows:
        if isinstance(row, ReferringExpression):
            truth.get_target(row.scene_id, row.target_id)
        elif with_poses and row.pose is not None and row.scene_id not in posed:
            posed.add(row.scene_id)
            truth.get_viewpoint(row.scene_id, row.pose)


def has_poses(rows: Iterable[Row]) -> bool:
    """Whether any question tells where the questioner stands as a pose."""
    return any(isinstance(row, Question) and row.pose is not None for row in rows)
