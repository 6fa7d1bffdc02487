"""Stamps for people: recordings count from 0, live cameras from 1970."""

from __future__ import annotations

from datetime import datetime

_NS_PER_S = 1_000_000_000
_IS_A_DATE_FROM_S, _IS_A_DATE_TO_S = 1e9, 1e10  # the years 2001 to 2286


def is_date(stamp_ns: int) -> bool:
    """Whether a stamp may tell the time of day."""
    return _IS_A_DATE_FROM_S <= stamp_ns / _NS_PER_S <= _IS_A_DATE_TO_S


def show_stamp(stamp_ns: int) -> str:
    """A stamp as a local date, if it may be one, else in seconds."""
    seconds = stamp_ns / _NS_PER_S
    if not is_date(stamp_ns):
        return f"{seconds:.1f} s"
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")
