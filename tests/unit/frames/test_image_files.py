"""Images in files."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from scenemind.frames import FrameError
from scenemind.frames.image_files import read_color, read_depth


def test_colour_is_rgb(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "red.png"), np.array([[(0, 0, 255)]], np.uint8))  # OpenCV's BGR
    assert read_color(tmp_path / "red.png").tolist() == [[[255, 0, 0]]]


def test_depth_is_metres_with_holes_at_zero(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "d.png"), np.array([[0, 65535, 2500]], np.uint16))
    depth_m = read_depth(tmp_path / "d.png", 5000.0)
    assert depth_m.dtype == np.float32
    assert depth_m.tolist() == [[0.0, 0.0, 0.5]]


def test_a_file_that_is_missing_or_damaged(tmp_path: Path) -> None:
    (tmp_path / "cut.png").write_bytes(b"\x89PNG")
    with pytest.raises(FrameError, match=r"cut\.png is no image"):
        read_color(tmp_path / "cut.png")
    with pytest.raises(FrameError, match=r"gone\.png is not there"):
        read_depth(tmp_path / "gone.png", 1000.0)


def test_a_colour_image_is_no_depth(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "c.png"), np.zeros((2, 2, 3), np.uint8))
    with pytest.raises(FrameError, match="one channel of 16 bits"):
        read_depth(tmp_path / "c.png", 1000.0)
