"""Places about the one who asks."""

from __future__ import annotations

import math

import pytest

from scenemind.reasoning.symbolic.situated.places import Places
from scenemind.reasoning.symbolic.situated.spelling import spelled


@pytest.mark.parametrize(
    ("words", "bearing_deg"),
    [
        ("the chair on my left", -90.0),
        ("the chair to the right of me", 90.0),
        ("the chair to my immediate right side", 90.0),
        ("the chair behind me", 180.0),
        ("the chair directly in front of me", 0.0),
        ("the chair that I am facing", 0.0),
        ("what is there when I turn around", 180.0),
        ("what do I hit if I walk backwards", 180.0),
        ("the chair at my 3 o'clock", 90.0),
        ("the chair in my seven o'clock direction", -150.0),
        ("the chair on my 12 o clock", 0.0),
        ("the chair to my back left", -135.0),
        ("the chair to my front right", 45.0),
    ],
)
def test_a_place_has_a_bearing(words: str, bearing_deg: float) -> None:
    places = Places(spelled(words))
    (place,) = places.of(places.text)
    assert place.bearing_rad is not None
    off = math.remainder(place.bearing_rad - math.radians(bearing_deg), 2.0 * math.pi)
    assert off == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "words", ["the chair next to me", "the table I am sitting at", "a cup within arm's reach"]
)
def test_what_is_at_hand_has_no_side(words: str) -> None:
    places = Places(spelled(words))
    (place,) = places.of(places.text)
    assert place.bearing_rad is None


@pytest.mark.parametrize(
    "words", ["the chair to the left of the table", "the chair at 7 o'clock of the table"]
)
def test_a_side_of_something_else_is_no_place_about_me(words: str) -> None:
    places = Places(spelled(words))
    assert places.of(places.text) == ()


def test_directly_is_narrower() -> None:
    wide, narrow = Places("on my left"), Places("on my direct left")
    assert narrow.of("@0")[0].half_width_rad < wide.of("@0")[0].half_width_rad


def test_marks_that_were_typed_are_no_places() -> None:
    assert Places(spelled("what is @7 on my left")).of("@0")
    assert "@7" not in spelled("what is @7 on my left")


def test_two_places_hold_together() -> None:
    places = Places("behind me and on my left")
    assert len(places.of(places.text)) == 2
