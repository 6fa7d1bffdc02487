"""Reading of replies, results and sources of any content."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.reasoning.learned_methods.method_api import Signature
from scenemind.reasoning.learned_methods.source import (
    find_source_fault,
    private_calls,
    reserved_names,
)
from scenemind.reasoning.prompts import find_code
from scenemind.reasoning.vadar.picture_methods import picture_methods
from scenemind.reasoning.vadar.program_agent import read_result
from tests.unit.reasoning.learned_methods.talk import method

API = picture_methods()
CODE = "boxes = loc(image, 'chair')\nfinal_result = len(boxes)"
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        f"```python\n{CODE}\n```",
        f"I count.\n```\n{CODE}\n```\nThat is all.",
        f"```python\nfinal_result = 1\n```\nNo, better:\n```python\n{CODE}\n```",
        f"```python\n{CODE}",
    ],
)
def test_the_last_code_of_a_reply_counts(text: str) -> None:
    assert find_code(text) == CODE


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    find_code(text)
    find_code(f"```{text}")
    private_calls(text)
    find_source_fault(text, Signature.model_validate(method("_x", image="Image")), API)


@given(values)
def test_any_value_is_an_answer_or_has_a_complaint_or_is_none(value: object) -> None:
    result = read_result(value)
    assert "\n" not in result.text
    assert len(result.text) <= 200
    if isinstance(value, float) and not math.isfinite(value):
        assert result.complaint
    if isinstance(value, dict):
        assert result.complaint.startswith("final_result must be")
    if isinstance(value, bool):
        assert result.text == ("yes" if value else "no")


@pytest.mark.parametrize(
    ("value", "text", "boxes"),
    [
        ([1, 2, 3, 4], "(1, 2, 3, 4)", 1),
        ([[1, 2, 3, 4], [0, 0, 9.6, 9]], "(1, 2, 3, 4), (0, 0, 9.6, 9)", 2),
        ([1.25, 2.0, 3.4, 4.125], "(1.25, 2, 3.4, 4.12)", 1),  # or four depths; nothing is lost
        ([4, 3, 2, 1], "4, 3, 2, 1", 0),  # no rectangle
        (["red", "blue"], "red, blue", 0),
        ("  \x1b[2J two\nlines ", "2J two lines", 0),
        ("Unknown.", "", 0),
        ([], "", 0),
    ],
)
def test_boxes_are_told_from_other_lists(value: object, text: str, boxes: int) -> None:
    result = read_result(value)
    assert (result.text, len(result.boxes_px), result.complaint) == (text, boxes, "")


def test_a_signature_reads_as_python_whatever_its_description_says() -> None:
    form = {**method("_x", "Box", image="Image"), "description": 'a """ b\n\\'}
    declaration = Signature.model_validate(form).declaration
    compile(f"{declaration}\n    pass", "declaration", "exec")


@pytest.mark.parametrize("name", sorted(reserved_names(API)))
def test_predefined_names_cannot_be_taken(name: str) -> None:
    signature = Signature.model_validate(method(name, image="Image"))
    assert signature.find_fault(API, reserved_names(API)) is not None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (3.0, "3"),
        (0.12345, "0.123"),
        (1234.5, "1234"),
        (-98765.4321, "-98765"),
        (10**14, "100000000000000"),
    ],
)
def test_numbers_are_written_as_people_do(value: float, text: str) -> None:
    assert read_result(value).text == text


@pytest.mark.parametrize("value", [10**400, -(10**16), 1e300, math.nan, [1, 2, 10**400, 10**400]])
def test_no_answer_is_a_number_without_end(value: object) -> None:
    assert read_result(value).complaint == "final_result is no number of a usual size"


def test_boxes_are_named_by_their_objects_and_other_values_stay() -> None:
    def name_of(box: tuple[float, ...]) -> str:
        return "cup 2" if box[0] < 100 else "chair 4"

    value = [[1, 2, 3, 4], 3.25, [2, 2, 3, 4], [100, 2, 103, 4], "red", "red"]
    result = read_result(value, name_of)
    assert result.text == "cup 2, 3.25, chair 4, red, red"
    assert len(result.boxes_px) == 3
