"""Questions about what somebody did while the robot looked elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scenemind.simulation.changes import Change
from scenemind.simulation.question import Question


def make_change_questions(changes: Sequence[Change], since: str = "") -> Iterator[Question]:
    """What was moved, and what was taken away; nothing where nothing was.

    Args:
        since: a moment before all changes, in words ("since 10:05"); empty: the last visit.
    """
    for kind in ("moved", "removed"):
        labels = tuple(sorted({c.before.label for c in changes if c.kind == kind}))
        ids = tuple(sorted(c.instance_id for c in changes if c.kind == kind))
        if labels:
            yield Question(f"What was {kind}{since and ' '}{since}?", "changed", labels, ids)
