"""Places of views in voxels, as numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from scenemind.memory.objects.sampled_views import MOST_PLACE, decoded, encoded, turned

PART = 1.2 / 32  # of a voxel


@given(st.tuples(*[st.floats(-0.59, 0.59)] * 3))
def test_places_come_back_within_half_a_part(place: tuple[float, float, float]) -> None:
    number = encoded(np.array(place, np.float32))
    assert 1 <= number <= MOST_PLACE
    np.testing.assert_allclose(decoded(number), place, atol=PART / 2 + 1e-5)


def test_what_is_farther_away_is_put_at_the_border() -> None:
    np.testing.assert_allclose(
        decoded(encoded(np.array([(2.0, -2.0, 0.0)], np.float32))),
        [(0.6 - PART / 2, -0.6 + PART / 2, PART / 2)],
        atol=1e-5,
    )


def test_places_turn_and_what_was_not_shown_stays_so() -> None:
    places = np.array([(0.3, 0.1, -0.2), (-0.4, 0.2, 0.3), (0.0, 0.4, 0.0)], np.float32)
    numbers = encoded(places)
    numbers[2] = 0
    turn = Rotation.from_euler("z", 60.0, degrees=True).as_matrix()
    found = turned(numbers, turn)
    assert found[2] == 0
    np.testing.assert_allclose(decoded(found[:2]), places[:2] @ turn.T, atol=1.5 * PART)
    np.testing.assert_array_equal(turned(numbers, np.eye(3)), numbers)
