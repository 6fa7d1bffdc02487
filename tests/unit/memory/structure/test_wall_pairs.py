"""How two stretches stand to each other, in numbers that can be read off a sketch."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.memory.structure.wall_faces import WallFace
from scenemind.memory.structure.wall_pairs import pairs_of


def face(yaw_deg: float, offset_m: float, start_m: float, end_m: float) -> WallFace:
    nothing = np.zeros(0, np.intp)
    along_m = (start_m, end_m)
    return WallFace(np.deg2rad(yaw_deg), offset_m, along_m, end_m - start_m, (0.0, 2.4), nothing)


def test_a_front_before_a_wall():
    wall, front = face(0.0, -2.0, -3.0, 3.0), face(5.0, -1.4, 1.0, 2.0)
    pairs = pairs_of([wall, front])
    assert pairs.parallel.all()
    x, y = front.middle
    assert pairs.before_m[1, 0] == pytest.approx(x + 2.0)
    assert pairs.overlap_m[1, 0] == pytest.approx(1.0)
    assert pairs.overlap_m[0, 1] == pytest.approx(1.0)
    assert pairs.before_m[0, 0] == pytest.approx(0.0)
    assert (x, y) == pytest.approx((-1.4 * np.cos(0.0873) - 1.5 * np.sin(0.0873), 1.372), abs=0.01)


def test_a_gap_is_below_zero_and_opposite_faces_are_not_parallel():
    left, right, opposite = (
        face(90.0, 1.0, -5.0, -1.0),
        face(90.0, 1.0, 0.5, 3.0),
        face(-90.0, -1.0, -3.0, 3.0),
    )
    pairs = pairs_of([left, right, opposite])
    assert pairs.overlap_m[0, 1] == pairs.overlap_m[1, 0] == pytest.approx(-1.5)
    assert pairs.parallel.tolist() == [
        [True, True, False],
        [True, True, False],
        [False, False, True],
    ]
    # A face and the one on the other side of the same plane share it.
    assert pairs.before_m[0, 2] == pytest.approx(0.0)
