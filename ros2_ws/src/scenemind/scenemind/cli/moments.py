"""Moments as people type them: the number of a visit, seconds from the start, a date."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from scenemind.cli.errors import CommandError
from scenemind.memory.history import TimeSpan, Visit
from scenemind.memory.history.stamps import show_stamp

_NS_PER_S = 1_000_000_000
_SECONDS = re.compile(r"\+\d{1,9}(\.\d*)?")
_LONGEST_SHOWN = 30


def read_moment(text: str, visits: Sequence[Visit]) -> TimeSpan:
    """The stretch of time that ends at a moment: a visit, or all before it.

    Raises:
        CommandError: it cannot be read, or names no visit.
    """
    visit = _visit(text, visits)
    return visit or TimeSpan(visits[0].span.first_ns, _stamp_ns(text, visits))


def read_moment_after(text: str, before: TimeSpan, visits: Sequence[Visit]) -> TimeSpan:
    """The stretch of time that ends at a later moment: a visit, or all since the earlier one.

    Raises:
        CommandError: it cannot be read, or names no visit.
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
        raise CommandError(f"there is no visit {number}: there are 1 to {len(visits)}")
    return visits[number - 1].span


def _stamp_ns(text: str, visits: Sequence[Visit]) -> int:
    if _SECONDS.fullmatch(text):
        return visits[0].span.first_ns + round(float(text[1:]) * _NS_PER_S)
    try:
        return round(datetime.fromisoformat(text).timestamp() * _NS_PER_S)
    except (ValueError, OverflowError) as error:
        raise CommandError(
            f"{text[:_LONGEST_SHOWN]!r} is no moment: say the number of a visit (2), seconds since"
            " the first frame (+90), or a date (2026-05-04T09:30)"
        ) from error
