"""Looks of things against words on them."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.perception.color_names import COLOR_NAMES
from scenemind.reasoning.symbolic.referring.looks import _COLOURS, look_scores
from scenemind.reasoning.symbolic.referring.space import Space

from ...scene import thing

THINGS = (
    thing(1, "box", (0, 0, 0.5), (1, 1, 1), color="black"),
    thing(2, "box", (3, 0, 0.25), (0.5, 0.5, 0.5), color="light grey"),
    thing(3, "box", (6, 0, 1), (0.2, 2, 2), color="dark brown"),
    thing(4, "box", (9, 0, 0.5), (1, 0.9, 1)),
)
SPACE = Space(
    np.array([o.box.extent()[:3] for o in THINGS]), np.array([o.box.extent()[3:] for o in THINGS])
)


@pytest.mark.parametrize(
    ("trait", "best"),
    [
        ("black", 1), ("white", 2), ("brown", 3), ("light", 2), ("smaller", 2), ("largest", 1),
        ("tallest", 3), ("narrow", 3), ("round", 1), ("rectangular", 3),
    ],
)  # fmt: skip
def test_the_thing_that_looks_so_fits_best(trait: str, best: int) -> None:
    scores = look_scores(trait, THINGS, SPACE, np.ones(4))
    assert scores is not None
    assert THINGS[int(np.argmax(scores))].object_id == best


def test_what_boxes_and_colours_do_not_tell_is_not_judged() -> None:
    assert look_scores("comfortable", THINGS, SPACE, np.ones(4)) is None


def test_sizes_are_compared_among_what_is_spoken_of() -> None:
    scores = look_scores("largest", THINGS, SPACE, np.array([0.0, 1.0, 0.0, 1.0]))
    assert scores is not None
    assert scores[3] == 1.0 > scores[1]


def test_the_table_of_colours_knows_the_names_of_cameras() -> None:
    assert {seen for fits in _COLOURS.values() for seen in fits} <= set(COLOR_NAMES)
    assert all(max(fits.values()) == 1.0 for fits in _COLOURS.values())
