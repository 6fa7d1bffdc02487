"""How long a server wants to be left alone, in each way of saying so."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from scenemind.models.retry_after import retry_after_s

DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
LATER = "Sun, 06 Nov 1994 08:50:07 GMT"  # 30 s


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1.0),
        ({"retry-after": LATER, "date": DATE}, 30.0),
        ({"retry-after": DATE, "date": LATER}, 0.0),
        ({"retry-after": DATE}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Sun, 99 Nov 1994 08:49:37 GMT", "date": DATE}, None),
    ],
)
def test_seconds_milliseconds_and_dates(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


def test_without_the_servers_clock_ours_counts() -> None:
    wait_s = retry_after_s({"retry-after": formatdate(time.time() + 1000.0, usegmt=True)})
    assert wait_s is not None
    assert 900.0 < wait_s <= 1000.0
