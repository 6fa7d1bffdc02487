"""The decoupled box filter against the textbook one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.perception.kalman import BoxStates


def textbook(boxes: np.ndarray) -> np.ndarray:
    """BoT-SORT's filter as eight-dimensional matrices: the final centre, size and velocities."""
    position, velocity = 1 / 20, 1 / 160
    measured = np.column_stack(
        ((boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2,
         boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
    )  # fmt: skip
    mean = np.concatenate((measured[0], np.zeros(4)))
    scale = np.tile(mean[2:4], 2)
    covariance = np.diag(np.concatenate((2 * position * scale, 10 * velocity * scale)) ** 2)
    step = np.eye(8) + np.eye(8, k=4)
    see = np.eye(4, 8)
    for z in measured[1:]:
        scale = np.tile(mean[2:4], 2)
        noise = np.diag(np.concatenate((position * scale, velocity * scale)) ** 2)
        mean, covariance = step @ mean, step @ covariance @ step.T + noise
        scale = np.tile(mean[2:4], 2)
        spread = see @ covariance @ see.T + np.diag((position * scale) ** 2)
        gain = covariance @ see.T @ np.linalg.inv(spread)
        mean = mean + gain @ (z - see @ mean)
        covariance = covariance - gain @ spread @ gain.T
    return mean


@given(st.integers(0, 2**16), st.integers(2, 12))
def test_filter_equals_the_eight_dimensional_one(seed: int, frames: int) -> None:
    random = np.random.default_rng(seed)
    low = random.uniform(0, 300, 2)
    size = random.uniform(40, 200, 2)
    boxes = np.concatenate((low, low + size)) + random.normal(0, 3, (frames, 4))

    states = BoxStates.starting_at(boxes[:1])
    for box in boxes[1:]:
        states = states.predicted().updated(box[None])

    found = np.concatenate((states.position[0], states.velocity[0]))
    np.testing.assert_allclose(found, textbook(boxes), rtol=1e-9, atol=1e-9)


def test_constant_motion_is_learned() -> None:
    box, step = np.array([100.0, 100, 160, 220]), np.array([5.0, -2, 5, -2])
    states = BoxStates.starting_at(box[None])
    for k in range(1, 40):
        states = states.predicted().updated((box + k * step)[None])
    np.testing.assert_allclose(states.velocity[0], (5, -2, 0, 0), atol=0.05)
    np.testing.assert_allclose(states.predicted().boxes_px()[0], box + 40 * step, atol=0.5)


def test_another_axis_may_start_anew() -> None:
    """The right border cuts the box: its width is not measured, its height is."""
    box, step = np.array([500.0, 100, 640, 220]), np.array([0.0, -2, 0, -2])
    states = BoxStates.starting_at(box[None])
    for k in range(1, 20):
        states = states.predicted().updated((box + k * step)[None])
    wider = np.array([[560.0, 60, 640, 180]])

    restarted = states.restarted(wider, np.array([[True, False, True, False]]))

    np.testing.assert_allclose(restarted.position[0, [0, 2]], (600.0, 80.0))
    np.testing.assert_allclose(restarted.velocity[0, [0, 2]], 0.0)
    np.testing.assert_array_equal(restarted.moments[:, 0, [1, 3]], states.moments[:, 0, [1, 3]])


def test_half_the_distance_doubles_size_and_uncertainty() -> None:
    states = BoxStates.starting_at(np.array([[100.0, 100, 160, 220]])).predicted()
    moved = states.moved(np.array([[300.0, 200.0]]), np.array([2.0]))
    np.testing.assert_allclose(moved.boxes_px()[0], (240, 80, 360, 320))
    np.testing.assert_allclose(moved.moments[2:], 4.0 * states.moments[2:])
