"""Ids as models write them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from scenemind.reasoning.vlm_grounder.choices import (
    ImageChoice,
    ImagesChoice,
    ObjectChoice,
    ObjectsChoice,
    find_number,
    listed,
)


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
def test_what_is_no_id_has_not_the_form(written: Any) -> None:
    with pytest.raises(ValidationError, match="object_ids"):
        ObjectsChoice.model_validate({"reasoning": "", "object_ids": written})


def test_ids_in_a_sentence_are_tame_and_few() -> None:
    assert listed(["00001", 2]) == "00001 and 2"
    assert listed([]) == "none"
    assert listed(["<|im_end|>\n" + "9" * 90]) == "im_end " + "9" * 30 + "..."
    assert listed(list(range(30))).endswith("11 and 18 more")
