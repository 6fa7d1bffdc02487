"""Moments as people type them: a visit, seconds from the start, or a date."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter

from scenemind.errors import UsageError
from scenemind.memory.history import SceneChanges, TimeSpan, Visit
from scenemind.memory.history.timeline import show_stamp

_NS_PER_S = 1_000_000_000
_SECONDS = re.compile(r"\+\d{1,9}(\.\d*)?")
_LONGEST_SHOWN = 30


def read_moment(text: str, visits: Sequence[Visit]) -> TimeSpan:
    """The time span that ends at a moment: a visit, or all time before the moment.

    Raises:
        UsageError: it cannot be read, or names no visit.
    """
    visit = _visit(text, visits)
    return visit or TimeSpan(visits[0].span.first_ns, _stamp_ns(text, visits))


def read_moment_after(text: str, before: TimeSpan, visits: Sequence[Visit]) -> TimeSpan:
    """The time span that ends at a later moment: a visit, or all time since the earlier moment.

    Raises:
        UsageError: it cannot be read, or names no visit.
    """
    visit = _visit(text, visits)
    if visit is not None:
        return visit
    stamp_ns = _stamp_ns(text, visits)
    return TimeSpan(min(before.last_ns + 1, stamp_ns), stamp_ns)


def show_visit(visit: Visit) -> str:
    """ "visit 2: 12.0 s to 40.0 s, frames 360 to 1200"."""
    first, last = (show_stamp(stamp) for stamp in (visit.span.first_ns, visit.span.last_ns))
    frames = " to ".join(map(str, visit.frame_numbers))
    return f"visit {visit.number}: {first} to {last}, frames {frames}"


def _visit(text: str, visits: Sequence[Visit]) -> TimeSpan | None:
    if not (text.isascii() and text.isdigit()):
        return None
    number = int(text[:9])
    if not 1 <= number <= len(visits):
        raise UsageError(f"there is no visit {number}: there are 1 to {len(visits)}")
    return visits[number - 1].span


def _stamp_ns(text: str, visits: Sequence[Visit]) -> int:
    if _SECONDS.fullmatch(text):
        return visits[0].span.first_ns + round(float(text[1:]) * _NS_PER_S)
    try:
        return round(datetime.fromisoformat(text).timestamp() * _NS_PER_S)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{text[:_LONGEST_SHOWN]!r} is no moment: give the number of a visit (2), seconds since"
            " the first frame (+90), or a date (2026-05-04T09:30)"
        ) from error


@dataclass(frozen=True, slots=True)
class Comparison:
    """Changes between the ends of two time spans of a memory.

    Attributes:
        visits: all visits of the memory, oldest first.
        before: None on a first visit, with which nothing can be compared yet.
        unseen: labels by id of the objects whose places were not in view.
    """

    visits: tuple[Visit, ...]
    before: TimeSpan | None
    after: TimeSpan
    changes: SceneChanges
    unseen: Mapping[int, str]


# Serialization between processes.
COMPARISON = TypeAdapter(Comparison)


def compared_spans(
    visits: Sequence[Visit], between: tuple[str, str] | None, since: str | None
) -> tuple[TimeSpan | None, TimeSpan]:
    """The time spans that end at two typed moments; without any, the last two visits. The first one
    is None where there is one visit only.

    Raises:
        UsageError: a moment cannot be read, or there is none to compare with.
    """
    if not visits:
        raise UsageError("this memory has no frames yet: map something into it first")
    if between is not None:
        before = read_moment(between[0], visits)
        return before, read_moment_after(between[1], before, visits)
    if since is not None:
        before = read_moment(since, visits)
        if before.last_ns >= visits[-1].span.last_ns:
            raise UsageError(
                f"nothing was mapped after {since}: the last frame is of"
                f" {show_stamp(visits[-1].span.last_ns)} ({show_visit(visits[-1])})"
            )
        return before, TimeSpan(before.last_ns + 1, visits[-1].span.last_ns)
    if len(visits) < 2:
        return None, visits[0].span
    return visits[-2].span, visits[-1].span
