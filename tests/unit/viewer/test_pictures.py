"""Words and pictures for the page."""

from __future__ import annotations

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.viewer.pictures import picture_address, plain, with_boxes


@given(st.text())
def test_words_have_no_tags_and_no_line_ends(text: str) -> None:
    assert not set(plain(text)) & set("<>\n\r\u202e")
    assert len(plain(text)) <= 24


def test_a_picture_is_named_by_its_frame_and_objects() -> None:
    assert picture_address(7, [3, 4]) == "/scenemind/picture?frame=7&object=3&object=4"


def test_boxes_are_drawn_around_what_is_shown() -> None:
    grey = np.full((120, 160, 3), 90, np.uint8)
    picture = with_boxes(grey, [(20.0, 30.0, 60.0, 80.0)])
    is_line = (picture != grey).any(axis=2)
    rows, columns = np.nonzero(is_line)
    assert abs(rows.min() - 30) <= 1
    assert abs(columns.max() - 60) <= 1
    assert not is_line[40:70, 30:50].any()
    assert cv2.countNonZero(is_line.astype(np.uint8)) > 100
