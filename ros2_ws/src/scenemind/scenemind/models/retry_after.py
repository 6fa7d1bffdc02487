"""How long a server wants to be left alone."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """From `retry-after-ms` and `Retry-After` (RFC 9110, 10.2.3: seconds or a date), by lower-case
    name; never negative. None: it does not say, or nothing that can be read.

    A date is measured from the server's own `Date`: the clock of a robot may be wrong.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1e3
    said = headers.get("retry-after", "")
    seconds = _number(said)
    if seconds is not None:
        return seconds
    until_s = _unix_s(said)
    if until_s is None:
        return None
    now_s = _unix_s(headers.get("date", ""))
    return max(0.0, until_s - (time.time() if now_s is None else now_s))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _unix_s(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None
