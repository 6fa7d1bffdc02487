"""Two moments of one memory, and what is different at the later one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from scenemind.cli.errors import CommandError
from scenemind.cli.moments import read_moment, read_moment_after, show_visit
from scenemind.memory.history import SceneChanges, TimeSpan, Visit
from scenemind.memory.history.stamps import show_stamp


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is different at the end of one stretch of time from the end of an earlier one.

    Attributes:
        visits: all of this memory, oldest first.
        unseen: labels of the objects of which nobody looked whether they are there.
    """

    visits: tuple[Visit, ...]
    before: TimeSpan
    after: TimeSpan
    changes: SceneChanges
    unseen: Mapping[int, str]


# How it travels from the process that speaks ROS.
COMPARISON = TypeAdapter(Comparison)


def compared_spans(
    visits: Sequence[Visit], between: tuple[str, str] | None, since: str | None
) -> tuple[TimeSpan, TimeSpan]:
    """The stretches of time that end at the two moments that were typed; else the last two visits.

    Raises:
        CommandError: a moment cannot be read, or there is none to compare with.
    """
    if not visits:
        raise CommandError("this memory has no frames yet: map something into it first")
    if between is not None:
        before = read_moment(between[0], visits)
        return before, read_moment_after(between[1], before, visits)
    if since is not None:
        before = read_moment(since, visits)
        if before.last_ns >= visits[-1].span.last_ns:
            raise CommandError(
                f"nothing was mapped after {since}: the last frame is of"
                f" {show_stamp(visits[-1].span.last_ns)} ({show_visit(visits[-1])})"
            )
        return before, TimeSpan(before.last_ns + 1, visits[-1].span.last_ns)
    if len(visits) < 2:
        raise CommandError(
            f"this memory has one visit ({show_visit(visits[0])}): say --since +10 to see what"
            " changed from 10 s after its first frame on, name a second memory, or say a --pause"
            " that is shorter than its breaks"
        )
    return visits[-2].span, visits[-1].span
