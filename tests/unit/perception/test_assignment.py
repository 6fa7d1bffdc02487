"""Assignment against trying every permutation."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.perception.assignment import assign


@given(st.integers(0, 2**16), st.integers(0, 5), st.integers(0, 5))
def test_the_sum_of_allowed_pairs_is_the_highest(seed: int, rows: int, columns: int) -> None:
    random = np.random.default_rng(seed)
    value = random.uniform(size=(rows, columns))
    allowed = random.uniform(size=(rows, columns)) < 0.6

    row, column = assign(value, allowed)

    assert len(set(row)) == len(row)
    assert len(set(column)) == len(column)
    assert allowed[row, column].all()
    gain = np.where(allowed, value, 0.0)
    gain = gain if rows <= columns else gain.T
    best = max(
        sum(gain[i, j] for i, j in enumerate(order))
        for order in permutations(range(gain.shape[1]), gain.shape[0])
    )
    np.testing.assert_allclose(value[row, column].sum(), best)
