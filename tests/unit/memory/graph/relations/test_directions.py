"""Left, right, front, behind and the clock about an anchor."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.relation_profiles import PROFILES
from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory.graph.relations.directions import (
    DIRECTIONS,
    HOLDS,
    Direction,
    clock,
    direction,
    hours,
)
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from tests.unit.memory.graph.relations.columns import at, column

CONFIG = RelationConfig()
LLM_TPC, SR3D = PROFILES["llm_tpc"], PROFILES["sr3d"]


def viewer(x: float, y: float, ahead: tuple[float, float] = (0.0, 1.0)) -> Viewpoint:
    return Viewpoint(np.array((x, y, 1.5)), np.array(ahead), "a test")


def cube(x: float, y: float, side: float = 0.2, yaw: float = 0.0) -> Box3D:
    return Box3D((x, y, 0.5), (side, side, side), yaw)


def score(
    target: NDArray[np.float64],
    anchor: Box3D,
    seen_from: Viewpoint,
    name: Direction,
    config: RelationConfig = CONFIG,
) -> float:
    return float(direction(target, anchor, seen_from, name, config)[0])


@pytest.mark.parametrize("profile", PROFILES)
def test_left_is_about_the_anchor_and_not_about_the_origin(profile: str) -> None:
    """LLM-TPC's code forgets the anchor's place and calls this target right of the anchor."""
    anchor, south, config = cube(3.0, 1.0), viewer(3.0, -2.0), PROFILES[profile]
    assert score(at(2.0, 1.0), anchor, south, "left of", config) == 1.0
    assert score(at(2.0, 1.0), anchor, south, "right of", config) == 0.0


@pytest.mark.parametrize("profile", PROFILES)
def test_each_of_the_four_directions(profile: str) -> None:
    west, config = viewer(-5.0, 0.0, (1.0, 0.0)), PROFILES[profile]
    targets = {
        "left of": at(0.0, 1.0),
        "right of": at(0.0, -1.0),
        "in front of": at(-1.0, 0.0),
        "behind": at(1.0, 0.0),
    }
    for name in DIRECTIONS:
        found = {n: score(t, cube(0.0, 0.0), west, name, config) for n, t in targets.items()}
        assert {n for n, s in found.items() if s > 0.0} == {name}


def test_in_front_of_the_viewer_is_the_direction_of_its_view() -> None:
    me = viewer(0.0, 0.0)
    assert direction(at(0.0, 2.0), me.body, me, "in front of", CONFIG, is_self=True)[0] == 1.0
    assert direction(at(0.0, -2.0), me.body, me, "behind", CONFIG, is_self=True)[0] == 1.0
    assert direction(at(-2.0, 0.0), me.body, me, "left of", CONFIG, is_self=True)[0] == 1.0


def test_on_the_diagonal_two_directions_hold_equally() -> None:
    anchor = Box3D((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for name in ("right of", "behind"):
        assert score(at(1.0, 1.0), anchor, viewer(0.0, -4.0), name) == pytest.approx(HOLDS)


@pytest.mark.parametrize("yaw", [0.0, np.pi / 2])
def test_beside_the_end_of_a_long_table_is_left_of_it(yaw: float) -> None:
    size = (1.0, 4.0, 0.8) if yaw == 0.0 else (4.0, 1.0, 0.8)
    table = Box3D((0.0, 0.0, 0.4), size, yaw)
    assert score(at(-1.0, 1.8), table, viewer(0.0, -6.0), "left of") == pytest.approx(1.0)


def test_a_cup_on_the_left_half_of_a_table_is_left() -> None:
    table = Box3D((0.0, 0.0, 0.4), (2.0, 1.0, 0.8))
    assert score(at(-0.6, 0.0), table, viewer(0.0, -6.0), "left of") == pytest.approx(1.0)


def test_long_whiteboard_is_in_front_of_a_viewer_at_its_end() -> None:
    """Its middle is 2 m aside and 1 m ahead; still one faces it."""
    me, board = viewer(0.0, 0.0), column(((2.0, 1.0, 1.2), (4.4, 0.1, 1.2)))
    assert direction(board, me.body, me, "in front of", CONFIG, is_self=True)[0] > HOLDS
    assert clock(board, me.body, me, 12, CONFIG)[0] == 0.0  # an hour is more exact than that
    ends_here = column(((2.0, 0.0, 1.2), (3.6, 0.1, 1.2)))
    assert direction(ends_here, me.body, me, "right of", CONFIG, is_self=True)[0] == 1.0


def test_viewer_on_the_anchor_uses_its_heading() -> None:
    anchor, here = cube(1.0, 1.0), viewer(1.0, 1.0, (1.0, 0.0))
    assert score(at(1.0, 3.0), anchor, here, "left of") == 1.0


def test_axes_may_be_the_viewers_own() -> None:
    """Looking north past an anchor in the east: left of it is west of it for LLM-TPC's agent."""
    anchor, me = cube(4.0, 0.0), viewer(0.0, 0.0)
    by_heading = CONFIG.model_copy(update={"direction_axes": "heading"})
    assert score(at(3.0, 0.0), anchor, me, "left of", by_heading) == 1.0
    assert score(at(3.0, 0.0), anchor, me, "in front of") == 1.0


def test_no_targets_no_scores() -> None:
    for config in (CONFIG, LLM_TPC):
        found = direction(column(), cube(0.0, 0.0), viewer(1.0, 0.0), "left of", config)
        assert found.shape == (0,)


class TestRegion:
    """LLM-TPC's trapezoids, 5 degrees open: the share of the target's footprint decides."""

    def test_a_target_half_out_of_the_region_is_judged_by_its_centre(self) -> None:
        anchor, south = cube(0.0, 0.0, 1.0), viewer(0.0, -5.0)
        within, half_out = at(-2.0, 0.0, 0.4), at(-2.0, 0.75, 0.4)
        assert score(within, anchor, south, "left of", LLM_TPC) == 1.0
        assert HOLDS <= score(half_out, anchor, south, "left of", LLM_TPC) < 0.75

    def test_the_share_is_that_of_the_area(self) -> None:
        """The trapezoid's edge at y = 0.6 + d tan(5 deg) cuts 10 or 40 % off the target."""
        anchor, south = cube(0.0, 0.0, 1.0), viewer(0.0, -5.0)
        edge = 0.6 + 1.5 * np.tan(np.radians(5.0))
        for cut, holds in ((0.1, True), (0.4, False)):
            target = at(-2.0, edge - 0.2 + 0.4 * cut, 0.4)
            found = score(target, anchor, south, "left of", LLM_TPC)
            assert (found >= 0.75) == holds
            if holds:
                assert found == pytest.approx(0.75 + 0.25 * (1.0 - cut), abs=0.01)

    def test_sr3d_ends_after_4_m(self) -> None:
        anchor, south = cube(0.0, 0.0, 1.0), viewer(0.0, -5.0)
        assert score(at(-4.0, 0.0), anchor, south, "left of", SR3D) == 1.0
        assert score(at(-6.0, 0.0), anchor, south, "left of", SR3D) <= 0.75
        assert score(at(-6.0, 0.0), anchor, south, "left of", LLM_TPC) == 1.0

    def test_target_on_the_anchor_is_judged_by_its_centre(self) -> None:
        table = Box3D((0.0, 0.0, 0.4), (2.0, 1.0, 0.8))
        assert score(at(-0.6, 0.0), table, viewer(0.0, -6.0), "left of", LLM_TPC) == 0.75


class TestClock:
    @pytest.mark.parametrize("hour", range(1, 13))
    def test_every_hour_has_its_place(self, hour: int) -> None:
        """Peers accept "three o'clock" and never find anything there."""
        turn = np.radians(30.0 * hour)
        target = at(2.0 + 3.0 * np.sin(turn), 1.0 + 3.0 * np.cos(turn), side=0.0)
        anchor, south = Box3D((2.0, 1.0, 0.5), (0.0, 0.0, 0.0)), viewer(2.0, -4.0)
        assert clock(target, anchor, south, hour, CONFIG)[0] == pytest.approx(1.0)
        assert clock(target, anchor, south, (hour + 5) % 12 + 1, CONFIG)[0] == 0.0
        assert hours(target, anchor, south, CONFIG).tolist() == [hour]

    def test_an_hour_reaches_as_far_as_set(self) -> None:
        turn = np.radians(90.0 - 40.0)
        target = at(3.0 * np.sin(turn), 3.0 * np.cos(turn))
        here = viewer(0.0, 0.0)
        point = Box3D((0.0, 0.0, 0.5), (0.0, 0.0, 0.0))
        assert clock(target, point, here, 3, CONFIG)[0] == 0.0
        assert clock(target, point, here, 3, LLM_TPC)[0] > HOLDS  # within one hour and a half

    def test_target_at_the_centre_is_at_no_hour(self) -> None:
        here = viewer(0.0, 0.0)
        assert [clock(at(0.0, 0.0), here.body, here, h, CONFIG)[0] for h in range(1, 13)] == [
            0
        ] * 12


numbers = st.floats(-5.0, 5.0)
points = st.tuples(numbers, numbers)


@given(points, points, st.floats(-3.1, 3.1))
def test_from_the_other_side_left_is_right(
    target: tuple[float, float], eye: tuple[float, float], turn: float
) -> None:
    anchor = Box3D((0.3, -0.2, 0.5), (0.6, 1.4, 1.0), turn)
    across = (2 * anchor.center[0] - eye[0], 2 * anchor.center[1] - eye[1])
    assume(np.hypot(eye[0] - 0.3, eye[1] + 0.2) > 0.01)
    for name, opposite in (("left of", "right of"), ("in front of", "behind")):
        here = score(at(*target), anchor, viewer(*eye), name)
        there = score(at(*target), anchor, viewer(*across), opposite)
        assume(abs(here - HOLDS) > 1e-6)  # at the very limit rounding decides
        assert here == pytest.approx(there, abs=1e-6)


@given(points, points, st.floats(-3.1, 3.1))
def test_moving_and_turning_everything_changes_nothing(
    target: tuple[float, float], move: tuple[float, float], turn: float
) -> None:
    # Over the anchor's centre, on its very edge or at the limit, rounding decides.
    assume(np.hypot(*target) > 1e-6)
    assume(abs(abs(target[0]) - 0.5) > 1e-6 and abs(abs(target[1]) - 0.2) > 1e-6)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])

    def moved(x: float, y: float) -> list[float]:
        return (rotation @ (x, y) + move).tolist()

    def point(x: float, y: float) -> NDArray[np.float64]:
        return at(x, y, side=0.0)  # an axis-aligned box of anything else does not turn along

    anchor = Box3D((0.0, 0.0, 0.5), (1.0, 0.4, 1.0))
    turned = Box3D((*moved(0.0, 0.0), 0.5), (1.0, 0.4, 1.0), turn)
    for name in DIRECTIONS:
        before = score(point(*target), anchor, viewer(0.0, -4.0), name)
        assume(before == 0.0 or before - HOLDS > 1e-6)
        after = score(point(*moved(*target)), turned, viewer(*moved(0.0, -4.0)), name)
        assert before == pytest.approx(after, abs=1e-5) or after == pytest.approx(HOLDS, abs=1e-5)
