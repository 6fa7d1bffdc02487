"""Frames that cannot be used are left out and counted; a recording of nothing else is refused."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.frames import FrameError
from scenemind.frames.unusable_frames import UnusableFrame, UnusableFrames

PATH = Path("kitchen")
BAD = UnusableFrame("depth_invalid", "7.png is no image")


@given(st.lists(st.sampled_from([0, 1, BAD]), max_size=40))
def test_what_is_usable_stays_in_order(frames: list[int | UnusableFrame]) -> None:
    usable = [frame for frame in frames if frame is not BAD]
    unusable = UnusableFrames()
    assert list(unusable.sort_out(PATH, frames, has_some=True)) == usable
    assert unusable.counts.total() == len(frames) - len(usable)


def test_some_damage_at_the_start_is_no_reason_to_end() -> None:
    frames = [*[BAD] * 29, 1, *[BAD] * 99, 2]
    assert list(UnusableFrames().sort_out(PATH, frames)) == [1, 2]


def test_the_first_thirty_are_as_many_as_are_read() -> None:
    frames = iter([BAD] * 100)
    with pytest.raises(FrameError, match=r"kitchen: none of the first 30 .*7\.png is no image"):
        next(UnusableFrames().sort_out(PATH, frames))
    assert len(list(frames)) == 70


def test_no_frames_at_all_are_no_error() -> None:
    """Such as where nothing is left to convert."""
    assert list(UnusableFrames().sort_out(PATH, [])) == []


def test_each_cause_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    unusable = UnusableFrames()
    other = UnusableFrame("color_missing", "8.png is not there")
    for _ in range(2):
        list(islice(unusable.sort_out(PATH, [1, BAD, other, BAD, 1]), 2))
        assert unusable.counts == {"depth_invalid": 2, "color_missing": 1}
    assert [record.getMessage() for record in caplog.records] == [
        "kitchen: a frame is left out (depth_invalid): 7.png is no image",
        "kitchen: a frame is left out (color_missing): 8.png is not there",
    ]
