"""Places of objects on surfaces."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.geometry import Box3D, gap_m
from scenemind.simulation.furniture import bottle, cup
from scenemind.simulation.layout import places_beside, random_places

# A shelf board: turned, 30 cm free above it.
SPACE = Box3D((1.0, -2.0, 0.85), (1.0, 0.4, 0.3), yaw=0.5)


def test_things_stay_over_their_surface() -> None:
    places = list(random_places(SPACE, cup("red"), np.random.default_rng(1)))
    assert len(places) > 5
    for item in places:
        assert SPACE.contains(item.box.corners(), 1e-6).all()
        assert item.box.bottom_z == pytest.approx(0.7)
    spread = np.array([item.box.center[:2] for item in places]).std(axis=0)
    assert (spread > 0.03).all()


def test_thing_that_is_too_high_has_no_place() -> None:
    low = Box3D(SPACE.center, (1.0, 0.4, 0.2), yaw=0.5)
    assert list(random_places(low, bottle("blue"), np.random.default_rng(1))) == []


def test_neighbours_keep_their_gap() -> None:
    other = Box3D((1.0, -2.0, 0.8), (0.1, 0.1, 0.2))
    places = list(places_beside(SPACE, bottle("blue"), other, 0.05, np.random.default_rng(1)))
    assert len(places) > 5
    for item in places:
        assert SPACE.contains(item.box.corners(), 1e-6).all()
        assert gap_m(item.box, other) == pytest.approx(0.05, abs=0.02)
