"""Whether stretches of the way saw one thing or two."""

from __future__ import annotations

import numpy as np

from scenemind.memory.objects.object_record import Stretch
from scenemind.memory.objects.stretches import never_seen_apart


def stretch(first: int, last: int, seen: int) -> Stretch:
    nothing = np.zeros(0, np.float32)
    return Stretch(
        frames=(first, last),
        votes={"cup": float(seen)},
        observation_count=seen,
        whole_count=seen,
        first_seen_ns=first,
        last_seen_ns=last,
        track_ids=(),
        colors=nothing,
        appearance=None,
        noise=np.zeros((1, 2)),
        cell_m=0.03,
        keys=np.zeros(0, np.int64),
        points=np.zeros((0, 3), np.float32),
        hits=nothing,
        weights=nothing,
        shown=np.zeros((0, 4), np.uint16),
        view_frames=(),
    )


def test_two_things_in_view_are_seen_twice_a_frame() -> None:
    one, other = [stretch(0, 29, 28)], [stretch(0, 29, 27)]
    assert not never_seen_apart(one, other)


def test_one_thing_under_two_names_takes_turns() -> None:
    assert never_seen_apart([stretch(0, 29, 18)], [stretch(5, 29, 11)])


def test_what_was_seen_at_other_times_may_be_one() -> None:
    assert never_seen_apart([stretch(0, 29, 30)], [stretch(300, 329, 30)])
    assert not never_seen_apart([], [stretch(300, 329, 30)])
