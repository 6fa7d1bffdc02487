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
    find_number,
    listed,
    marked_picture,
)
from scenemind.reasoning.vlm_grounder.targets import BoxPx


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
    image = ImageChoice(reasoning="", target_image_id=none, reference_image_ids=[])
    images = ImagesChoice(reasoning="", target_image_ids=[none], reference_image_ids=[])
    assert image.targets == images.targets == []
    assert ObjectChoice(reasoning="", object_id=none).chosen == []
    assert ObjectsChoice(reasoning="", object_ids=[none, 0]).chosen == [0]


def test_each_is_named_once() -> None:
    assert ObjectsChoice(reasoning="", object_ids=[2, 0, 2]).chosen == [2, 0]


@pytest.mark.parametrize(
    ("written", "read"), [(1, [1]), ("00001", ["00001"]), ("", []), ([1], [1])]
)
def test_one_id_is_a_list_of_one(written: Any, read: list[int | str]) -> None:
    said = {"reasoning": "", "object_ids": written}
    assert ObjectsChoice.model_validate(said).chosen == read
    images = {"reasoning": "", "target_image_ids": written, "reference_image_ids": written}
    assert ImagesChoice.model_validate(images).targets == read
    assert ObjectsChoice.model_json_schema()["properties"]["object_ids"]["type"] == "array"


@pytest.mark.parametrize("written", [None, {"id": 1}, [[1]], 1.5])
def test_invalid_ids_are_refused(written: Any) -> None:
    with pytest.raises(ValidationError, match="object_ids"):
        ObjectsChoice.model_validate({"reasoning": "", "object_ids": written})


def test_ids_in_a_sentence_are_tame_and_few() -> None:
    assert listed(["00001", 2]) == "00001 and 2"
    assert listed([]) == "none"
    assert listed(["<|im_end|>\n" + "9" * 90]) == "im_end " + "9" * 30 + "..."
    assert listed(list(range(30))).endswith("11 and 18 more")


GREY = 140


def picture(width: int = 640, height: int = 480) -> bytes:
    return cv2.imencode(".jpg", np.full((height, width, 3), GREY, np.uint8))[1].tobytes()


def marked(boxes: list[BoxPx], longest_px: int = 2048, **size: int) -> NDArray[np.uint8]:
    jpeg = marked_picture(picture(**size), boxes, longest_px)
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)


def marks(image: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Black rectangles: x, y, width, height of each, from left to right."""
    black = cv2.morphologyEx(
        (image < 90).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8)
    )
    _, _, stats, _ = cv2.connectedComponentsWithStats(black)
    found = stats[1:, :4]
    return found[np.argsort(found[:, 0])]


def test_a_number_stands_at_the_centre_of_its_box_in_white_on_black() -> None:
    image = marked([(100, 100, 200, 200), (400, 250, 500, 350)])
    assert len(marks(image)) == 2
    for (x, y, width, height), center in zip(marks(image), ((150, 150), (450, 300)), strict=True):
        assert (x + width / 2, y + height / 2) == pytest.approx(center, abs=2)
        inside = image[y : y + height, x : x + width]
        assert inside.min() < 40
        assert inside.max() > 215
        assert height >= 20
    away = image[380:470, 20:380]
    assert abs(away.astype(int) - GREY).max() < 20


def test_numbers_differ_and_are_legible() -> None:
    """By the best of all templates, at the size at which a model sees them."""
    boxes = [(60.0 * n, 100.0, 60.0 * n + 50, 150.0) for n in range(10)]
    found = [
        cv2.resize(image_of, (40, 48)).astype(np.float32)
        for image_of in _patches(marked(boxes, longest_px=640))
    ]
    known = [_template(n) for n in range(10)]
    read = [max(range(10), key=lambda n: _alike(patch, known[n])) for patch in found]
    assert read == list(range(10))


def _patches(image: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    return [image[y : y + h, x : x + w] for x, y, w, h in marks(image)]


def _template(number: int) -> NDArray[np.float32]:
    canvas = np.zeros((120, 100), np.uint8)
    cv2.putText(canvas, str(number), (18, 100), cv2.FONT_HERSHEY_SIMPLEX, 3.2, 255, 8, cv2.LINE_AA)
    return cv2.resize(canvas, (40, 48)).astype(np.float32)


def _alike(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    return float(
        cv2.matchTemplate(cv2.copyMakeBorder(a, 6, 6, 6, 6, 0), b, cv2.TM_CCOEFF_NORMED).max()
    )


def test_marks_with_one_centre_do_not_hide_each_other() -> None:
    image = marked([(100, 100, 300, 300), (150, 150, 250, 250), (180, 180, 220, 220)])
    black = image < 60
    one = marked([(100, 100, 300, 300)]) < 60
    assert black.sum() > 2.4 * one.sum()


def test_a_large_picture_is_made_smaller_with_its_marks() -> None:
    image = marked([(2000, 1000, 2400, 1400)], 1000, width=4000, height=2000)
    assert image.shape == (500, 1000)
    ((x, y, width, height),) = marks(image)
    assert (x + width / 2, y + height / 2) == pytest.approx((550, 300), abs=2)


@settings(max_examples=25)
@given(st.lists(st.tuples(*[st.floats(-50.0, 250.0)] * 4), max_size=40))
def test_any_boxes_can_be_marked(boxes: list[BoxPx]) -> None:
    assert marked(boxes, width=200, height=150).shape == (150, 200)


@pytest.mark.parametrize("data", [b"", b"GIF89a", picture()[:20]])
def test_a_damaged_image_is_an_error(data: bytes) -> None:
    with pytest.raises(FrameError):
        marked_picture(data, [], 640)
