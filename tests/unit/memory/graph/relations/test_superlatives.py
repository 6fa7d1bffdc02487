"""Superlatives within sets of boxes whose order is evident."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory import SceneMemoryError
from scenemind.memory.graph.relations.superlatives import (
    OF_A_VIEWER,
    Superlative,
    superlative_values,
)
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from tests.unit.memory.graph.relations.columns import column

# For a viewer who looks along +y: a low wide bench on the left, a tall lamp in the middle, a cup
# on a shelf on the right; the lamp is nearest.
BENCH, LAMP, CUP = 0, 1, 2
SET = column(
    ((-2.0, 3.0, 0.2), (2.0, 0.5, 0.4)),
    ((0.5, 1.0, 0.9), (0.3, 0.3, 1.8)),
    ((2.0, 2.0, 1.5), (0.1, 0.1, 0.1)),
)
SUPERLATIVES = get_args(Superlative)
VIEWER = Viewpoint(np.array((0.0, -1.0, 1.5)), np.array((0.0, 1.0)), "a test")


def superlative_order(targets, name, viewpoint=None):
    """Rows of the targets, the most extreme one first."""
    return np.argsort(superlative_values(targets, name, viewpoint), kind="stable")


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("largest", BENCH),
        ("smallest", CUP),
        ("tallest", LAMP),
        ("shortest", CUP),
        ("widest", BENCH),
        ("longest", BENCH),
        ("narrowest", CUP),
        ("deepest", BENCH),
        ("thickest", BENCH),
        ("thinnest", CUP),
        ("highest", CUP),
        ("lowest", BENCH),
        ("topmost", CUP),
        ("bottommost", BENCH),
        ("leftmost", BENCH),
        ("rightmost", CUP),
        ("frontmost", LAMP),
        ("rearmost", BENCH),
        ("middle", LAMP),
    ],
)
def test_the_most_extreme_comes_first(name: Superlative, first: int) -> None:
    assert superlative_order(SET, name, VIEWER)[0] == first


def test_all_superlatives_are_tried_above() -> None:
    assert len(SUPERLATIVES) == 19


def test_the_middle_of_a_row_needs_no_viewer() -> None:
    row = column(*(((x, 0.1 * x, 0.5), (0.2,) * 3) for x in (4.0, 0.0, 3.0, 1.0, 2.0)))
    assert superlative_order(row, "middle")[0] == 4


@pytest.mark.parametrize("name", sorted(OF_A_VIEWER))
def test_sides_need_a_viewer(name: Superlative) -> None:
    with pytest.raises(SceneMemoryError, match="depends on the viewer"):
        superlative_order(SET, name)


@pytest.mark.parametrize("name", SUPERLATIVES)
def test_empty_set_has_no_extreme(name: Superlative) -> None:
    assert superlative_order(column(), name, VIEWER).tolist() == []


@given(st.permutations(range(3)), st.sampled_from(SUPERLATIVES))
def test_the_order_of_the_set_is_no_matter(order: list[int], name: Superlative) -> None:
    shuffled = [order[row] for row in superlative_order(SET[order], name, VIEWER)]
    if name == "middle":  # both ends are as far from it
        assert shuffled[0] == LAMP
    else:
        assert shuffled[0] == superlative_order(SET, name, VIEWER)[0]


def test_flat_things_are_compared_by_their_face() -> None:
    window, door = ((0.0, 0.0, 1.5), (1.4, 0.1, 1.1)), ((2.0, 0.0, 1.0), (1.0, 0.04, 2.0))
    pair = column(window, door)
    assert list(superlative_order(pair, "largest")) == [1, 0]
    assert list(superlative_order(pair, "smallest")) == [0, 1]
