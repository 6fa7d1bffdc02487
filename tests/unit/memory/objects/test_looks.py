"""The colours of one object over many views."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.config import ObjectMapConfig
from scenemind.memory.objects.looks import Looks
from scenemind.memory.objects.map_entry import MapEntry
from tests.unit.memory.things import observe

RED, BLUE = (200.0, 30.0, 30.0), (30.0, 30.0, 200.0)


def looks(*views: tuple[tuple[float, float, float], int]) -> Looks:
    """Of views of one colour each, with so many pixels."""
    seen = Looks()
    for rgb, pixels in views:
        seen.add(replace(observe((0, 0, 0), rgb=rgb), pixel_count=pixels))
    return seen


def test_pixels_are_counted_by_the_name_of_their_colour() -> None:
    assert looks((RED, 300), (BLUE, 100), (RED, 100)).color_counts() == {"red": 400, "blue": 100}


def test_a_duplicate_brings_its_pixels() -> None:
    both = looks((RED, 300))
    both.absorb(looks((BLUE, 100)))
    at_once = looks((RED, 300), (BLUE, 100))
    assert both.color_counts() == at_once.color_counts()
    assert at_once.appearance is not None
    assert both.likeness(at_once.appearance) == pytest.approx(1.0, abs=1e-6)


def test_the_histogram_is_the_mean_over_all_pixels() -> None:
    red, blue = looks((RED, 1)), looks((BLUE, 1))
    assert red.appearance is not None
    assert blue.appearance is not None
    mixed = looks((RED, 300), (BLUE, 100)).appearance
    np.testing.assert_allclose(mixed, 0.75 * red.appearance + 0.25 * blue.appearance, atol=1e-6)


def test_nothing_seen_looks_like_nothing() -> None:
    red = looks((RED, 1)).appearance
    assert red is not None
    assert Looks().likeness(red) == 0.0
    assert Looks().color_counts() == {}


def test_a_record_brings_everything_back() -> None:
    entry = MapEntry(1, ObjectMapConfig(), 0)
    entry.add(observe((0, 0, 0), rgb=BLUE), 0, np.array([0.0, -2.0, 1.0]))
    again = Looks.restored(entry.to_record())
    assert again.color_counts() == entry.looks.color_counts() == {"blue": 1000}
    np.testing.assert_array_equal(again.appearance, entry.looks.appearance)
