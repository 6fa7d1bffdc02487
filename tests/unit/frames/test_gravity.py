"""Turning worlds: what was down points to -z, and nothing else is done to them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.frames import FrameError
from scenemind.frames.gravity import z_up_rotation

_COORDINATE = st.floats(-10.0, 10.0)


@given(st.tuples(_COORDINATE, _COORDINATE, _COORDINATE).filter(lambda d: np.linalg.norm(d) > 1e-3))
def test_down_becomes_minus_z_by_a_proper_rotation(down: tuple[float, float, float]) -> None:
    turn = z_up_rotation(down).rotation
    assert np.allclose(turn @ (np.array(down) / np.linalg.norm(down)), (0, 0, -1), atol=1e-6)
    assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-6)
    assert np.linalg.det(turn) == pytest.approx(1.0, abs=1e-6)


def test_a_world_that_is_z_up_stays() -> None:
    assert np.array_equal(z_up_rotation((0, 0, -9.81)).rotation, np.eye(3))


def test_y_up_keeps_x() -> None:
    turn = z_up_rotation((0, -1, 0))
    assert np.allclose(turn.transform(np.array([1.0, 2.0, 3.0])), (1.0, -3.0, 2.0))


@pytest.mark.parametrize("down", [(0, 0, 0), (1, 2), (np.nan, 0, 1)])
def test_no_direction(down: tuple[float, ...]) -> None:
    with pytest.raises(FrameError, match="three numbers"):
        z_up_rotation(down)
