"""Looks of things against words on them."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.language.referring.reader import read
from scenemind.language.trees import HasAttribute, Rank
from scenemind.perception.colors import COLOR_NAMES
from scenemind.reasoning.symbolic.attribute_scores import _COLOURS, graded_attribute_scores
from scenemind.reasoning.symbolic.label_scores import graded_label_scores
from scenemind.reasoning.symbolic.scene import Scene
from tests.unit.reasoning.scene import snapshot_of, thing

THINGS = (
    thing(1, "box", (0, 0, 0.5), (1, 1, 1), color="black"),
    thing(2, "box", (3, 0, 0.25), (0.5, 0.5, 0.5), color="light grey"),
    thing(3, "box", (6, 0, 1), (0.2, 2, 2), color="dark brown"),
    thing(4, "box", (9, 0, 0.5), (1, 0.9, 1)),
)
SCENE = Scene(snapshot_of(THINGS))


def look(trait: str) -> HasAttribute | Rank:
    """The condition or the rank that the reader makes of a word."""
    phrase = read(f"the {trait} thing").phrase
    (said,) = phrase.conditions + phrase.ranks
    assert isinstance(said, HasAttribute | Rank)
    return said


@pytest.mark.parametrize(
    ("trait", "best"),
    [
        ("black", 1), ("white", 2), ("brown", 3), ("light", 2), ("smaller", 2), ("largest", 1),
        ("second largest", 4), ("third largest", 3),
        ("tallest", 3), ("narrow", 3), ("round", 1), ("rectangular", 3),
    ],
)  # fmt: skip
def test_the_thing_that_looks_so_fits_best(trait: str, best: int) -> None:
    scores = graded_attribute_scores(look(trait), SCENE, np.ones(4))
    assert scores is not None
    assert THINGS[int(np.argmax(scores))].object_id == best


def test_properties_unknown_from_boxes_and_colours_are_not_judged() -> None:
    assert graded_attribute_scores(HasAttribute("texture", "soft"), SCENE, np.ones(4)) is None


def test_sizes_are_compared_among_the_candidates() -> None:
    scores = graded_attribute_scores(look("largest"), SCENE, np.array([0.0, 1.0, 0.0, 1.0]))
    assert scores is not None
    assert scores[3] == 1.0 > scores[1]


def test_the_table_of_colours_knows_the_names_of_cameras() -> None:
    assert {seen for fits in _COLOURS.values() for seen in fits} <= set(COLOR_NAMES)
    assert all(max(fits.values()) == 1.0 for fits in _COLOURS.values())


def scores_of(trait: str, like: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)) -> list[float]:
    scores = graded_attribute_scores(look(trait), SCENE, np.array(like))
    assert scores is not None
    found: list[float] = scores.tolist()
    return found


def test_an_unknown_colour_is_likelier_than_a_wrong_one() -> None:
    right, _, wrong, unknown = scores_of("black")
    assert (right, unknown) == (1.0, 0.3)
    assert scores_of("yellow")[0] == 0.03 < unknown
    assert wrong < right
    assert scores_of("gold") == scores_of("yellow")


def test_shades_are_symmetric_and_graded() -> None:
    """Black, light grey, dark brown and no colour: darker words are for the darker."""
    dark, light = scores_of("dark"), scores_of("light")
    assert dark == pytest.approx([1.0 - score for score in light])
    assert dark[0] > dark[2] > dark[3] == 0.5 > dark[1]
    assert dark[2] == pytest.approx(1.0 - dark[1])
    assert scores_of("darkest")[0] > dark[0]
    white = thing(5, "box", (0, 0, 0.5), (1, 1, 1), color="white")
    shades = graded_attribute_scores(
        look("dark"), Scene(snapshot_of((THINGS[0], white))), np.ones(2)
    )
    assert shades is not None
    assert shades.sum() == pytest.approx(1.0)


def test_sizes_fall_with_the_logarithm_of_the_ratio() -> None:
    """The third is twice as tall as the first, the second half as tall."""
    tall = scores_of("tall")
    assert tall[2] == 1.0
    assert tall[0] == pytest.approx(0.5 ** (1 / 0.6))
    assert scores_of("tallest")[0] == pytest.approx(tall[0] ** 2)
    assert scores_of("short")[1] == 1.0 > scores_of("short")[0]
    assert scores_of("wide")[0] == pytest.approx(0.5 ** (1 / 0.6))
    best = {
        trait: scores_of(trait).index(1.0) for trait in ("long", "thin", "high", "low", "small")
    }
    assert best == {"long": 2, "thin": 2, "high": 2, "low": 1, "small": 1}
    assert scores_of("big")[0] == 1.0


def test_forms_by_the_ratio_of_the_sides() -> None:
    square, _, oblong, nearly = scores_of("round")
    assert (square, nearly) == (1.0, pytest.approx(np.exp(-0.1 / 0.27)))
    assert oblong == pytest.approx(np.exp(-0.9 / 0.27))
    assert scores_of("rectangular")[2] == pytest.approx(1.0 - 0.9 * oblong)
    assert scores_of("rectangular")[0] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("noun", "labels", "expected"),
    [
        ("chair", ("chair", "office chair", "cup"), [1.0, 0.6 * 0.95, 0.0]),
        ("chairs", ("chair", "chairs"), [0.8, 1.0]),
        ("office chair", ("office chair", "chair"), [1.0, 0.0]),
        ("mug", ("mug", "cup"), [1.0, 0.0]),
        ("mug", ("cup", "chair"), [0.7, 0.0]),
        ("", ("mug", "cup"), [1.0, 1.0]),
        ("submarine", ("mug", "cup"), [0.0, 0.0]),
        ("chair pulled", ("chair", "cup"), [1.0, 0.0]),
        ("book case", ("bookcase", "cup"), [0.8, 0.0]),
    ],
)
def test_nouns_fit_labels_by_number_and_kind(
    noun: str, labels: tuple[str, ...], expected: list[float]
) -> None:
    things = [thing(i, label, (i, 0, 0.5), (0.5, 0.5, 1)) for i, label in enumerate(labels)]
    scores = graded_label_scores(Scene(snapshot_of(things)), noun)
    assert scores == pytest.approx(expected)
