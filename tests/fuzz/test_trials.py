"""Some trials of each target that needs no ROS; `make fuzz` runs more, and those of the nodes."""

from __future__ import annotations

import random
from functools import partial

import pytest

from tests.fuzz import recordings, replies

TARGETS = {
    "replies": (replies.opened, 20),
    **{name: (partial(recordings.opened, name), 4) for name in recordings.FORMATS},
}


@pytest.mark.parametrize("name", TARGETS)
def test_changed_input_is_read_or_refused_in_a_sentence(name: str) -> None:
    opened, count = TARGETS[name]
    with opened() as trial:
        for seed in range(count):
            trial(random.Random(seed))
