"""The pictures that the model gets, and the ids to choose from."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pydantic import ValidationError

from scenemind.frames import FrameError
from scenemind.reasoning.vlm_grounder.album import (
    ImageChoice,
    ImagesChoice,
    ObjectChoice,
    ObjectsChoice,
    find_box_px,
    find_number,
    is_at,
    listed,
    marked_picture,
)
from scenemind.reasoning.vlm_grounder.targets import BoxPx
from tests.unit.reasoning.vlm_grounder.film import CAMERA


@pytest.mark.parametrize(
    ("written", "number"),
    [
        *(("00003", 3), ("3", 3), (3, 3), (" 00003.jpg ", 3), ("image 00012", 12), ("[4]", 4)),
        *(("", None), ("the sofa", None), (-1, None), ("-1", None), ("3 or 4", None), ("", None)),
        *(("9" * 30, None), ("x" * 900 + "1", None)),
    ],
)
def test_the_number_of_an_id(written: int | str, number: int | None) -> None:
    assert find_number(written) == number


@pytest.mark.parametrize("none", ["", " ", -1, "-1", "None", "null", "n/a"])
def test_a_model_may_name_none(none: int | str) -> None:
    image = ImageChoice(reasoning="", target_image_id=none, target_place=[], reference_image_ids=[])
    images = ImagesChoice(reasoning="", target_image_ids=[none], reference_image_ids=[])
    assert image.targets == images.targets == []
    assert ObjectChoice(reasoning="", object_id=none, box=[]).chosen == []
    assert ObjectsChoice(reasoning="", object_ids=[none, 0], boxes=[]).chosen == [0]


def test_each_is_named_once() -> None:
    assert ObjectsChoice(reasoning="", object_ids=[2, 0, 2], boxes=[]).chosen == [2, 0]


@pytest.mark.parametrize(
    ("written", "read"), [(1, [1]), ("00001", ["00001"]), ("", []), ([1], [1])]
)
def test_one_id_is_a_list_of_one(written: Any, read: list[int | str]) -> None:
    said = {"reasoning": "", "object_ids": written, "boxes": []}
    assert ObjectsChoice.model_validate(said).chosen == read
    images = {"reasoning": "", "target_image_ids": written, "reference_image_ids": written}
    assert ImagesChoice.model_validate(images).targets == read
    assert ObjectsChoice.model_json_schema()["properties"]["object_ids"]["type"] == "array"


@pytest.mark.parametrize("written", [None, {"id": 1}, [[1]], 1.5])
def test_invalid_ids_are_refused(written: Any) -> None:
    with pytest.raises(ValidationError, match="object_ids"):
        ObjectsChoice.model_validate({"reasoning": "", "object_ids": written, "boxes": []})


def test_ids_in_a_sentence_are_tame_and_few() -> None:
    assert listed(["00001", 2]) == "00001 and 2"
    assert listed([]) == "none"
    assert listed(["<|im_end|>\n" + "9" * 90]) == "im_end " + "9" * 30 + "..."
    assert listed(list(range(30))).endswith("11 and 18 more")


@pytest.mark.parametrize("absent", [None, [], ""])
def test_a_model_may_leave_a_box_out(absent: Any) -> None:
    choice = ObjectChoice.model_validate({"reasoning": "", "object_id": -1, "box": absent})
    assert choice.drawn == []
    assert ObjectChoice(reasoning="", object_id=1, box=[1, 2, 3, 4]).drawn == []


@pytest.mark.parametrize(
    ("written", "box_px"),
    [
        ([0, 0, 1000, 1000], (0, 0, 160, 120)),
        ([250, 500, 500, 750], (40, 60, 80, 90)),
        ([-10, 0, 500, 1010], (0, 0, 80, 120)),  # a little beyond the image
        ([0, 0, 2000, 1000], None),
        ([500, 0, 250, 900], None),
        ([500, 0, 501, 900], None),
        ([1, 2, 3], None),
        ([float("nan"), 0, 10, 10], None),
    ],
)
def test_a_drawn_box_in_pixels(written: list[float], box_px: BoxPx | None) -> None:
    assert find_box_px(written, CAMERA) == box_px


def test_a_place_read_off_a_small_image_is_near_enough() -> None:
    box_px = (40.0, 60.0, 80.0, 90.0)
    assert is_at([375, 625], box_px, CAMERA)
    assert is_at([240, 625], box_px, CAMERA)
    assert not is_at([200, 625], box_px, CAMERA)
    assert not is_at([375], box_px, CAMERA)


def picture(width: int = 640, height: int = 480) -> bytes:
    return cv2.imencode(".jpg", np.full((height, width, 3), 200, np.uint8))[1].tobytes()


def marked(boxes: list[BoxPx], longest_px: int = 2048, **size: int) -> NDArray[np.uint8]:
    """The marked image without its rulers."""
    jpeg = marked_picture(picture(**size), boxes, longest_px)
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    bare = cv2.imdecode(np.frombuffer(picture(**size), np.uint8), cv2.IMREAD_COLOR)
    scale = min(1.0, longest_px / max(bare.shape))
    height, width = round(scale * bare.shape[0]), round(scale * bare.shape[1])
    return image[image.shape[0] - height :, image.shape[1] - width :]


def changed(image: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return abs(image.astype(int) - 200).max(axis=2) > 25


def test_marks_stand_beside_what_they_mark() -> None:
    boxes = [(100.0, 100.0, 200.0, 200.0), (400.0, 250.0, 500.0, 350.0)]
    marks = changed(marked(boxes))
    for x0, y0, x1, y1 in boxes:
        inside = marks[int(y0) + 6 : int(y1) - 6, int(x0) + 6 : int(x1) - 6]
        assert not inside.any()
        around = marks[int(y0) - 4 : int(y1) + 4, int(x0) - 4 : int(x1) + 4]
        assert around[:, 50].any()  # a line above
        assert marks[int(y0) - 24 : int(y0) - 4, int(x0) : int(x0) + 20].mean() > 0.5  # a number
    assert marks.mean() < 0.02


def test_a_number_is_inside_only_where_there_is_no_room() -> None:
    marks = changed(marked([(0.0, 0.0, 640.0, 480.0)]))
    assert marks[:24, :24].mean() > 0.1
    assert not marks[60:-60, 60:-60].any()


def test_numbers_and_other_objects_are_not_hidden() -> None:
    """Each number finds a corner of its own, also of boxes in one another."""
    boxes = [(100, 100, 300, 300), (110, 90, 250, 250), (100, 60, 300, 99), (90, 80, 310, 310)]
    apart = [changed(marked([box])).sum() for box in boxes]
    assert changed(marked(boxes)).sum() > 0.8 * sum(apart)


def test_rulers_stand_outside_of_the_image() -> None:
    jpeg = marked_picture(picture(), [], 2048)
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    top, left = image.shape[0] - 480, image.shape[1] - 640
    assert 10 < top < 50
    assert 10 < left < 80
    assert abs(image[top + 2 :, left + 2 :].astype(int) - 200).max() < 10
    ticks = np.flatnonzero(image[top - 3, left:] < 90)
    assert len(ticks) == pytest.approx(11, abs=2)
    assert ticks[0] == 0
    assert ticks[-1] == 639


def test_a_large_picture_is_made_smaller_with_its_marks() -> None:
    image = marked([(2000, 1000, 2400, 1400)], 1000, width=4000, height=2000)
    assert image.shape == (500, 1000, 3)
    rows, columns = np.nonzero(changed(image))
    assert (columns.min(), columns.max()) == pytest.approx((500, 600), abs=4)
    assert rows.max() == pytest.approx(350, abs=4)


@settings(max_examples=25)
@given(st.lists(st.tuples(*[st.floats(-50.0, 250.0)] * 4), max_size=40))
def test_any_boxes_can_be_marked(boxes: list[BoxPx]) -> None:
    assert marked(boxes, width=200, height=150).shape == (150, 200, 3)


@pytest.mark.parametrize("data", [b"", b"GIF89a", picture()[:20]])
def test_a_damaged_image_is_an_error(data: bytes) -> None:
    with pytest.raises(FrameError):
        marked_picture(data, [], 640)
