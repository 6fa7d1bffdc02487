"""Left, right, front and behind about an anchor, in closed form and under motion of the scene."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scenemind.geometry import Box3D
from scenemind.memory import SceneMemoryError
from scenemind.memory.graph.directions import HOLDS, between_scores, direction_scores


def box(x: float, y: float, side: float = 0.2, yaw: float = 0.0) -> Box3D:
    return Box3D((x, y, 0.5), (side, side, side), yaw)


def left_of(target: Box3D, anchor: Box3D, viewer: tuple[float, float]) -> float:
    return float(direction_scores([target], anchor, viewer).left[0])


def test_left_is_about_the_anchor_and_not_about_the_origin() -> None:
    """Peers that forget the anchor's place call this target right of the anchor."""
    anchor, viewer = box(3.0, 1.0), (3.0, -2.0)  # looking along +y
    target = box(2.0, 1.0)
    assert left_of(target, anchor, viewer) == 1.0
    assert direction_scores([target], anchor, viewer).right[0] == 0.0


def test_each_of_the_four_directions() -> None:
    anchor, viewer = box(0.0, 0.0), (-5.0, 0.0)  # looking along +x
    assert left_of(box(0.0, 1.0), anchor, viewer) == 1.0
    assert direction_scores([box(0.0, -1.0)], anchor, viewer).right[0] == 1.0
    assert direction_scores([box(-1.0, 0.0)], anchor, viewer).front[0] == 1.0
    assert direction_scores([box(1.0, 0.0)], anchor, viewer).behind[0] == 1.0


def test_on_the_diagonal_two_directions_hold_equally() -> None:
    anchor = Box3D((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    scores = direction_scores([box(1.0, 1.0)], anchor, (0.0, -4.0))
    assert scores.right[0] == pytest.approx(HOLDS)
    assert scores.behind[0] == pytest.approx(HOLDS)


def test_beside_the_end_of_a_long_table_is_left_of_it() -> None:
    table = Box3D((0.0, 0.0, 0.4), (1.0, 4.0, 0.8))
    chair = box(-1.0, 1.8)  # far from the centre, but straight beside the table
    assert left_of(chair, table, (0.0, -6.0)) == 1.0


def test_a_turned_anchor_has_its_own_footprint() -> None:
    table = Box3D((0.0, 0.0, 0.4), (4.0, 1.0, 0.8), yaw=np.pi / 2)
    assert left_of(box(-1.0, 1.8), table, (0.0, -6.0)) == pytest.approx(1.0)


def test_a_cup_on_the_left_half_of_a_table_is_left() -> None:
    table = Box3D((0.0, 0.0, 0.4), (2.0, 1.0, 0.8))
    assert left_of(box(-0.6, 0.0), table, (0.0, -6.0)) == pytest.approx(1.0)


def test_a_viewer_on_the_anchor_has_no_directions() -> None:
    with pytest.raises(SceneMemoryError, match="stands on the anchor"):
        left_of(box(1.0, 0.0), box(0.0, 0.0), (0.0, 0.0))


def test_no_targets_no_scores() -> None:
    assert direction_scores([], box(0.0, 0.0), (1.0, 0.0)).left.shape == (0,)


numbers = st.floats(-5.0, 5.0)
points = st.tuples(numbers, numbers)


@given(points, points, st.floats(-3.1, 3.1))
def test_from_the_other_side_left_is_right(
    target: tuple[float, float], viewer: tuple[float, float], turn: float
) -> None:
    anchor = Box3D((0.3, -0.2, 0.5), (0.6, 1.4, 1.0), turn)
    across = (2 * anchor.center[0] - viewer[0], 2 * anchor.center[1] - viewer[1])
    assume(np.hypot(viewer[0] - 0.3, viewer[1] + 0.2) > 0.01)
    here = direction_scores([box(*target)], anchor, viewer)
    there = direction_scores([box(*target)], anchor, across)
    assert here.left[0] == pytest.approx(there.right[0], abs=1e-6)
    assert here.front[0] == pytest.approx(there.behind[0], abs=1e-6)


@given(points, points, st.floats(-3.1, 3.1))
def test_moving_and_turning_everything_changes_nothing(
    target: tuple[float, float], move: tuple[float, float], turn: float
) -> None:
    # Over the anchor's centre or on its very edge, rounding decides.
    assume(np.hypot(*target) > 1e-6)
    assume(abs(abs(target[0]) - 0.5) > 1e-6 and abs(abs(target[1]) - 0.2) > 1e-6)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])

    def moved(x: float, y: float) -> np.ndarray:
        return rotation @ (x, y) + move

    anchor = Box3D((0.0, 0.0, 0.5), (1.0, 0.4, 1.0))
    turned = Box3D((*moved(0.0, 0.0).tolist(), 0.5), (1.0, 0.4, 1.0), turn)
    before = direction_scores([box(*target)], anchor, (0.0, -4.0))
    after = direction_scores([box(*moved(*target).tolist())], turned, moved(0.0, -4.0))
    for name in ("left", "right", "front", "behind"):
        assert getattr(before, name)[0] == pytest.approx(getattr(after, name)[0], abs=1e-5)


def test_between_holds_on_the_line_and_not_beside_its_ends() -> None:
    a, b = box(0.0, 0.0, 0.4), box(4.0, 0.0, 0.4)
    scores = between_scores([box(2.0, 0.0), box(2.0, 0.3), box(2.0, 2.0), box(5.0, 0.0)], a, b)
    np.testing.assert_allclose(scores, [1.0, 0.5, 0.0, 0.0], atol=1e-9)


def test_nothing_is_between_a_thing_and_itself() -> None:
    assert between_scores([box(0.0, 0.0)], box(0.0, 0.0), box(0.0, 0.0)).tolist() == [0.0]
