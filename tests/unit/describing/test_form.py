"""From what a model wrote to attributes."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from scenemind.describing.form import DescriptionForm, attributes_of
from tests.unit.describing.conftest import answer


def attributes(measured: dict[str, str] | None = None, **summary: str) -> dict[str, str]:
    return attributes_of(DescriptionForm.model_validate_json(answer(**summary)), measured or {})


def test_words_are_lower_case_and_the_caption_is_a_sentence() -> None:
    said = attributes(material="Oak Wood.", caption="A low chair.")
    assert said["material"] == "oak wood"
    assert said["caption"] == "A low chair."


def test_what_is_not_known_is_left_out() -> None:
    said = attributes(material="Unknown", texture="", state="n/a.", affordance=" - ")
    assert said.keys() == {"color", "shape", "caption"}


def test_measured_colour_and_shape_count() -> None:
    assert "color" not in attributes({"color": "red", "size": "small"})
    assert attributes({"color": "red"})["shape"] == "spiral"
    assert attributes({"material": "nothing measures this"})["material"] == "wood"


@given(st.text(max_size=400))
def test_texts_stay_one_bounded_line_whatever_is_written(text: str) -> None:
    for name, value in attributes(material=text, caption=text).items():
        assert 0 < len(value) <= (200 if name == "caption" else 60)
        assert not any(unicodedata.category(c)[0] == "C" for c in value)
        assert value == " ".join(value.split())
