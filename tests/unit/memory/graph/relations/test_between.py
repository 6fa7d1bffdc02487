"""Between two anchors, in closed form."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory.graph.relations.between import between
from tests.unit.memory.graph.relations.columns import at, column


def test_it_holds_on_the_line_and_not_beside_its_ends() -> None:
    targets = np.vstack((at(2.0, 0.0), at(2.0, 0.3), at(2.0, 2.0), at(5.0, 0.0)))
    a, b = np.repeat(at(0.0, 0.0, 0.4), 4, axis=0), np.repeat(at(4.0, 0.0, 0.4), 4, axis=0)
    np.testing.assert_allclose(between(targets, a, b), [1.0, 0.5, 0.0, 0.0], atol=1e-9)


def test_nothing_is_between_a_thing_and_itself() -> None:
    assert between(at(0.0, 0.0), at(0.0, 0.0), at(0.0, 0.0)).tolist() == [0.0]


def test_no_targets_no_scores() -> None:
    assert between(column(), column(), column()).shape == (0,)


numbers = st.floats(-5.0, 5.0)


@given(numbers, numbers, numbers, numbers)
def test_the_order_of_the_anchors_is_no_matter(x: float, y: float, u: float, v: float) -> None:
    one = between(at(x, y), at(0.0, 0.0, 1.0), at(u, v, 0.5))
    other = between(at(x, y), at(u, v, 0.5), at(0.0, 0.0, 1.0))
    close = abs(one - other) < 1e-6
    on_the_limit = (np.maximum(one, other) < 0.5 + 1e-6) | (np.hypot(u, v) < 1e-6)
    assert (close | on_the_limit).all() or min(abs(x), abs(x - u)) < 1e-6
