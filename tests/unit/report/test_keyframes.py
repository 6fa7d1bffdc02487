"""Boxes on key frames, drawn at the requested objects."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from scenemind.report.keyframes import draw_key_frame
from tests.unit.report.made import make_key_frame

BOX = (100.0, 200.0, 300.0, 400.0)
COLORS = {"cup": "#ff0000", "chair": "#0000ff"}


def drawn(labels: dict[int, str], width: int = 640) -> np.ndarray:
    """The picture as RGB, with cup 1 at BOX."""
    jpeg = draw_key_frame(make_key_frame({1: BOX}), labels, COLORS, width)
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)[..., ::-1].astype(int)


def redness(image: np.ndarray) -> np.ndarray:
    return image[..., 0] - image[..., 1:].max(axis=-1)


def test_the_box_is_drawn_where_the_object_was_detected() -> None:
    rows, columns = np.nonzero(redness(drawn({1: "cup"})) > 100)
    assert columns.min() == pytest.approx(BOX[0], abs=3)
    assert columns.max() == pytest.approx(BOX[2], abs=3)
    assert rows.max() == pytest.approx(BOX[3], abs=3)
    assert rows.min() < BOX[1]  # the label stands above


def test_boxes_shrink_with_the_picture() -> None:
    image = drawn({1: "cup"}, width=320)
    assert image.shape == (240, 320, 3)
    rows, columns = np.nonzero(redness(image) > 100)
    assert (columns.max(), rows.max()) == pytest.approx((BOX[2] / 2, BOX[3] / 2), abs=3)


def test_other_objects_are_left_out() -> None:
    assert (redness(drawn({2: "chair"})) < 20).all()


@pytest.mark.parametrize("box", [(0.0, 0.0, 30.0, 20.0), (600.0, 0.0, 640.0, 480.0)])
def test_a_label_at_the_border_stays_in_the_picture(box: tuple[float, ...]) -> None:
    frame = make_key_frame({1: box}, shade=20)  # type: ignore[dict-item]
    jpeg = draw_key_frame(frame, {1: "cup"}, COLORS)
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    # Only the label's text is white.
    assert (image.min(axis=-1) > 150).sum() > 10


def test_a_damaged_image_is_an_error() -> None:
    frame = make_key_frame({})
    object.__setattr__(frame, "jpeg", b"no picture")
    with pytest.raises(ValueError, match="frame 5"):
        draw_key_frame(frame, {}, {})


def test_a_cue_has_a_thin_line() -> None:
    frame = make_key_frame({1: BOX})
    colored = []
    for cues in ((), (1,)):
        jpeg = draw_key_frame(frame, {1: "cup"}, COLORS, 640, cues)
        image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)[..., ::-1].astype(int)
        colored.append(int((redness(image)[250:350] > 60).sum()))
    assert 0 < colored[1] < colored[0]


def test_labels_of_boxes_that_lie_together_cover_no_other_one() -> None:
    boxes = {1: (100.0, 100.0, 300.0, 300.0), 2: (102.0, 101.0, 290.0, 280.0)}
    frame = make_key_frame(boxes, shade=20)
    jpeg = draw_key_frame(frame, {1: "cup", 2: "chair"}, COLORS, 640)
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)[..., ::-1].astype(int)
    written = image.min(axis=-1) > 150  # text alone is white
    above_red = written & np.roll(redness(image) > 60, 4, axis=0)
    above_blue = written & np.roll(image[..., 2] - image[..., :2].max(axis=-1) > 60, 4, axis=0)
    assert above_red.sum() > 10
    assert above_blue.sum() > 10
