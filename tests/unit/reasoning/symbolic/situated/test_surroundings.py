"""Bearings and distances against trigonometry."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.situated.places import side
from scenemind.reasoning.symbolic.situated.surroundings import Surroundings
from scenemind.reasoning.symbolic.situated.tree import Place
from tests.unit.reasoning.scene import snapshot_of, thing


def around(bearing_deg: float, distance_m: float, heading_deg: float = 30.0) -> Surroundings:
    """A small box so far away at a bearing from a viewer at (1, 2)."""
    angle = math.radians(heading_deg - bearing_deg)
    center = (1.0 + distance_m * math.cos(angle), 2.0 + distance_m * math.sin(angle), 1.0)
    heading = math.radians(heading_deg)
    viewpoint = Viewpoint(
        np.array((1.0, 2.0, 1.2)), np.array((math.cos(heading), math.sin(heading))), "a test"
    )
    return Surroundings(Scene(snapshot_of([thing(1, "cup", center, (0.1, 0.1, 0.1))])), viewpoint)


@settings(deadline=None)
@given(st.floats(-179.0, 179.0), st.floats(0.5, 8.0), st.floats(-180.0, 180.0))
def test_bearings_are_clockwise_from_ahead(bearing: float, distance: float, heading: float) -> None:
    seen = around(bearing, distance, heading)
    assert math.degrees(seen.bearing_rad[0]) == pytest.approx(bearing, abs=1e-6)
    assert seen.gap_m[0] == pytest.approx(distance, abs=0.08)


@pytest.mark.parametrize(
    ("bearing_deg", "name"), [(0.0, "front"), (85.0, "right"), (-95.0, "left"), (175.0, "back")]
)
def test_each_side_holds_what_lies_there_and_not_what_lies_opposite(
    bearing_deg: float, name: str
) -> None:
    opposite = {"front": "back", "back": "front", "left": "right", "right": "left"}[name]
    seen = around(bearing_deg, 2.0)
    assert seen.scores(side(name))[0] == 1.0
    assert seen.scores(side(opposite))[0] == 0.0


def test_near_things_are_at_hand() -> None:
    at_hand = Place(None)
    assert around(0.0, 0.3).scores(at_hand)[0] > 0.5 > around(0.0, 3.0).scores(at_hand)[0]


def test_the_chair_one_sits_on_is_on_no_side() -> None:
    seen = around(0.0, 0.0)
    assert seen.holds_viewer[0]
    assert seen.scores(side("front"))[0] == 0.0
