"""What of a picture reaches a model."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.models import ModelError
from scenemind.models.pictures import fitted


def picture(width: int, height: int, kind: str = ".jpg") -> bytes:
    """Dark on the left, bright on the right."""
    grey = np.tile(np.linspace(0, 255, width).astype(np.uint8), (height, 1))
    return cv2.imencode(kind, grey)[1].tobytes()


def decoded(jpeg: bytes) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)


@given(st.integers(1, 300), st.integers(1, 300), st.integers(64, 128))
def test_no_side_is_longer_and_the_shape_stays(width: int, height: int, longest: int) -> None:
    jpeg = picture(width, height)
    small = fitted(jpeg, longest, 85)
    new_height, new_width = decoded(small).shape[:2]
    if max(width, height) <= longest:
        assert small is jpeg
    else:
        assert max(new_width, new_height) == longest
        assert abs(new_width * height - new_height * width) <= max(width, height)


def test_the_smaller_one_shows_the_same() -> None:
    small = decoded(fitted(picture(640, 480), 64, 95))
    expected = np.linspace(0, 255, 64)
    assert np.abs(small.mean((0, 2)) - expected).max() < 6.0


def test_quality_is_a_matter_of_size() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (480, 640, 3), np.uint8)
    jpeg = cv2.imencode(".jpg", noise)[1].tobytes()
    assert len(fitted(jpeg, 320, 40)) < len(fitted(jpeg, 320, 90)) < len(jpeg)


@pytest.mark.parametrize("file", [b"", b"one", picture(8, 8, ".png"), picture(8, 8)[:40]])
def test_what_is_no_jpeg_is_refused_with_the_way_out(file: bytes) -> None:
    with pytest.raises(ModelError, match=r"no JPEG file .*imencode") as raised:
        fitted(file, 64, 85)
    assert raised.value.kind == "rejected"
