"""Scores of attributes, relations and superlatives, in closed form on boxes made by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from scenemind.geometry import Box3D
from scenemind.language.trees import HasAttribute, NounPhrase, Related
from scenemind.memory import Relation
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning import Router
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic.attribute_scores import (
    attribute_scores,
    description_score,
)
from scenemind.reasoning.symbolic.label_scores import label_scores
from scenemind.reasoning.symbolic.relation_scores import Anchor, gaps_to, relations_of
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scene
from tests.unit.reasoning.scene import SmallMemory, query, said_by_model, snapshot_of, thing

NORTH = Viewpoint(np.array((0.0, -9.0, 1.2)), np.array((0.0, 1.0)), "a test")


def coloured(*colors: str) -> Scene:
    things = [
        thing(i, "box", (float(i), 0, 0.5), (0.2, 0.2, 0.2), color=color)
        for i, color in enumerate(colors)
    ]
    return Scene(snapshot_of(things))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("grey", [0.9, 1.0, 0.0, 0.9 * 0.8]),
        ("dark grey", [1.0, 0.9, 0.0, 0.8]),
        ("red", [0.0, 0.0, 1.0, 0.8]),
        ("dark grey and red", [0.0, 0.0, 0.0, 1.0]),
        ("grey and red", [0.0, 0.0, 0.0, 0.9]),
    ],
)
def test_colours_fit_by_shade_and_by_share(wanted: str, expected: list[float]) -> None:
    scene = coloured("dark grey", "gray", "red", "dark grey and red")
    scores = attribute_scores(scene, np.ones(4), HasAttribute("color", wanted))
    assert scores == pytest.approx(expected)


def test_only_candidates_get_scores() -> None:
    scene = coloured("red", "red", "")
    scores = attribute_scores(scene, np.array([0.0, 0.5, 1.0]), HasAttribute("color", "red"))
    assert scores.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("attributes", "key", "wanted", "score"),
    [
        ({"material": "wooden"}, "material", "wooden", 1.0),
        ({"material": "oak wood"}, "material", "wooden", 0.9),
        ({"texture": "wooden grain"}, "material", "wooden", 0.8),
        ({"caption": "a wooden chair"}, "material", "wooden", 0.0),
        ({"affordance": "sit on it"}, "affordance", "sit on", 0.9),
        ({"state": "sit"}, "affordance", "sit", 0.0),
        ({"material": "not wood"}, "material", "wooden", 0.0),
    ],
)
def test_descriptions_fit_by_their_words(
    attributes: dict[str, str], key: str, wanted: str, score: float
) -> None:
    chair = said_by_model(thing(1, "chair", (0, 0, 0.5), (0.5, 0.5, 1)), **attributes)
    assert description_score(chair, key, wanted) == score


def test_words_before_a_noun_narrow_it_where_they_are_attributes() -> None:
    things = [
        said_by_model(thing(1, "chair", (0, 0, 0.5), (0.5, 0.5, 1)), material="wood"),
        thing(2, "chair", (2, 0, 0.5), (0.5, 0.5, 1)),
        thing(3, "cup", (4, 0, 0.5), (0.1, 0.1, 0.1)),
    ]
    scene = Scene(snapshot_of(things))
    assert label_scores(scene, "wooden chair")[0].tolist() == [1.0, 0.0, 0.0]
    plastic, _ = label_scores(scene, "plastic chair")
    assert plastic[0] == plastic[1] > plastic[2] == 0.0
    assert label_scores(scene, "wooden thing")[0].tolist() == [1.0, 0.0, 0.0]
    assert label_scores(scene, "plastic thing")[0].tolist() == [0.0, 0.0, 0.0]


POST = (0.1, 0.1, 1.0)


def test_directions_halve_over_four_metres() -> None:
    """Cubes straight to the left of a post, with gaps of 1, 3 and 5 m."""
    posts = [
        thing(i, "post", (x, 0, 0.5), POST) for i, x in enumerate((0.0, -1.1, -3.1, -5.1, 2.0))
    ]
    scene = Scene(snapshot_of(posts))
    anchors = [Anchor.of_row(scene, 0)]
    scores = relations_of(scene).to_the_letter("left of", anchors, np.ones(5), NORTH)
    assert scores[0] == scores[4] == 0.0
    assert scores[2] / scores[1] == pytest.approx(0.5**0.5)
    assert scores[3] / scores[1] == pytest.approx(0.5)


def test_scores_of_an_anchor_scale_those_of_its_relations() -> None:
    posts = [thing(i, "post", (x, 0, 0.5), POST) for i, x in enumerate((0.0, -1.1))]
    scene = Scene(snapshot_of(posts))
    sure, unsure = (
        relations_of(scene).to_the_letter(
            "left of", [Anchor.of_row(scene, 0, score)], np.ones(2), NORTH
        )
        for score in (1.0, 0.25)
    )
    assert unsure[1] == pytest.approx(0.25 * sure[1])


def kept(*relations: tuple[int, str, int, float]) -> Scene:
    """Posts far apart, with kept relations between them."""
    posts = {i: thing(i, "post", (5.0 * i, 0, 0.5), POST, confidence=1.0) for i in range(3)}
    stated = tuple(Relation(a, name, b, confidence=c) for a, name, b, c in relations)
    return Scene(replace(snapshot_of(list(posts.values())), relations=stated))


@pytest.mark.parametrize(
    ("predicate", "kept_as", "score"),
    [
        ("on", (1, "on", 0, 0.6), 0.6),
        ("on", (1, "hanging on", 0, 0.6), 0.6),
        ("on", (1, "inside", 0, 0.6), 0.6 * 0.7),
        ("inside", (1, "on", 0, 0.6), 0.6 * 0.7),
        ("inside", (1, "embedded in", 0, 0.6), 0.6),
        ("supports", (0, "on", 1, 0.6), 0.6),
        ("supports", (0, "inside", 1, 0.6), 0.6 * 0.7),
        ("contains", (0, "on", 1, 0.6), 0.6 * 0.7),
        ("below", (0, "on", 1, 0.6), 0.6),
        ("next to", (0, "next to", 1, 0.6), 0.6),
    ],
)
def test_kept_relations_count_with_their_confidence(
    predicate: str, kept_as: tuple[int, str, int, float], score: float
) -> None:
    scene = kept(kept_as)
    anchor = Anchor.of_row(scene, 0)
    scores = relations_of(scene).to_the_letter(predicate, [anchor], np.ones(3), NORTH)
    assert scores[1] == pytest.approx(score)
    assert scores[2] == 0.0


def denied(scene: Scene, *said: tuple[int, str, int]) -> Scene:
    relations = tuple(Relation(*statement, source="user") for statement in said)
    return Scene(replace(scene.snapshot, denied=relations))


def test_a_denied_relation_counts_to_no_anchor_but_others() -> None:
    """What is inside a thing counts as on it; somebody denies that of the first of two things."""
    scene = kept((1, "inside", 0, 0.6), (1, "inside", 2, 0.5))
    anchors = [Anchor.of_row(scene, 0), Anchor.of_row(scene, 2)]
    for said, score in ((), 0.6 * 0.7), (((1, "on", 0),), 0.5 * 0.7):
        relations = relations_of(denied(scene, *said))
        found = relations.to_the_letter("on", anchors, np.ones(3), NORTH)
        assert found[1] == pytest.approx(score)


def test_the_closest_thing_is_one_that_nobody_denies_to_be_near() -> None:
    posts = [thing(i, "post", (x, 0, 0.5), POST) for i, x in ((1, 1.5), (2, 2.0))]
    scene = Scene(snapshot_of([thing(0, "pillar", (0, 0, 0.5), POST), *posts]))
    near_it = Related("near", (NounPhrase("pillar", definite=True),))
    post = NounPhrase("post", definite=True, conditions=(near_it,))
    assert Resolver(scene, query("")).single(post) == 1
    assert Resolver(denied(scene, (1, "near", 0), (0, "near", 1)), query("")).single(post) == 2


def test_between_excludes_its_ends_and_scales_with_both() -> None:
    posts = [thing(i, "post", (x, 0, 0.5), POST) for i, x in enumerate((0.0, 1.0, 2.0))]
    scene = Scene(snapshot_of(posts))
    first, second = Anchor.of_row(scene, 0, 0.5), Anchor.of_row(scene, 2, 0.5)
    between = relations_of(scene).lies_between
    whole = between([(Anchor.of_row(scene, 0), Anchor.of_row(scene, 2))], np.arange(3))
    assert whole[0] == whole[2] == 0.0 < whole[1]
    assert between([(first, second)], np.arange(3))[1] == pytest.approx(0.25 * whole[1])


def test_distances_of_a_viewer_are_from_a_point() -> None:
    scene = Scene(snapshot_of([thing(1, "post", (3, 0, 0.5), POST)]))
    viewer = Anchor(Box3D((0, 0, 0.5), (0.4, 0.4, 1.7)), None, 1.0)
    assert gaps_to(scene, viewer)[0] == pytest.approx(2.95)


@pytest.mark.parametrize(
    ("phrase", "order"),
    [
        ("the closest post to the cup", [0]),
        ("the second closest post to the cup", [2]),
        ("the farthest post from the cup", [1]),
        ("the two closest posts to the cup", [0, 2]),
        ("the third closest post to the cup", [1]),
    ],
)
def test_superlatives_take_as_many_as_are_said(phrase: str, order: list[int]) -> None:
    posts = [thing(i, "post", (x, 0, 0.5), POST) for i, x in enumerate((0.5, 3.0, 1.0))]
    cup = thing(50, "cup", (0.0, 0.0, 0.5), (0.1, 0.1, 0.1))
    found = Router(SmallMemory(snapshot_of([*posts, cup]))).ground(query(phrase, policy="strict"))
    assert [obj.object_id for obj in found.objects] == order


def test_touching_things_are_ordered_by_their_centres() -> None:
    wide = thing(1, "box", (1.55, 0, 0.5), (3.0, 0.1, 1.0))
    narrow = thing(2, "box", (-0.1, 0, 0.5), (0.1, 0.1, 1.0))
    cup = thing(50, "cup", (0.0, 0.0, 0.5), (0.1, 0.1, 0.1))
    found = Router(SmallMemory(snapshot_of([wide, narrow, cup]))).ground(
        query("the closest box to the cup", policy="strict")
    )
    assert [obj.object_id for obj in found.objects] == [2]


def test_an_impossible_relation_to_the_viewer_is_refused() -> None:
    scene = Scene(snapshot_of([thing(1, "post", (3, 0, 0.5), POST)]))
    viewer = Anchor(NORTH.box, None, 1.0)
    with pytest.raises(ReasoningError) as error:
        relations_of(scene).to_the_letter("inside", [viewer], np.ones(1), NORTH)
    assert error.value.failure.code == "invalid_request"


@pytest.mark.parametrize(
    ("gap_m", "fits"), [(2.9, True), (3.1, False)], ids=["within 3 m", "beyond 3 m"]
)
def test_near_takes_the_closest_within_three_metres(gap_m: float, fits: bool) -> None:
    posts = [thing(1, "post", (0, 0, 0.5), POST), thing(2, "cup", (0.1 + gap_m, 0, 0.5), POST)]
    found = Router(SmallMemory(snapshot_of(posts))).ground(query("the cup near the post"))
    assert bool(found.objects) is fits


def test_the_landmark_is_near_long_enough_and_named_by_contact() -> None:
    """At a touching landmark, else so far from it; none beyond 3 m, and none that is small."""
    lamp = thing(1, "lamp", (0, 0, 0.5), (0.4, 0.4, 1.0))
    for gap_m, size_m, where in (
        (0.0, (1.0, 1.0, 1.0), "at the box (object 2), "),
        (0.5, (1.0, 1.0, 1.0), "0.50 m from the box (object 2), "),
        (3.1, (1.0, 1.0, 1.0), ""),
        (0.5, (0.7, 0.7, 0.7), ""),
    ):
        box = thing(2, "box", (0.2 + gap_m + size_m[0] / 2, 0, 0.5), size_m)
        snapshot = replace(snapshot_of([lamp, box]), relations=())
        answer = Router(SmallMemory(snapshot)).ask(query("where is the lamp?"))
        place = "at x 0.0, y 0.0, 0.5 m above the floor."
        assert answer.text == f"The lamp (object 1) is {where}{place}"


def test_distances_between_centres_and_surfaces() -> None:
    a = thing(1, "cup", (0, 0, 0.5), (0.2, 0.2, 0.2))
    b = thing(2, "lamp", (3, 4, 0.5), (0.4, 0.4, 0.4))
    answer = Router(SmallMemory(snapshot_of([a, b]))).ask(
        query("how far is the cup from the lamp?")
    )
    gap = math.hypot(2.7, 3.7)
    assert answer.text == (
        f"The cup (object 1) is {gap:.2f} m from the lamp (object 2), 5.00 m between centres."
    )
    assert answer.confidence == pytest.approx(0.81)


def test_a_claim_is_checked_to_the_letter_even_of_a_near_match() -> None:
    """The orange chair is the best "red chair"; that it is like yellow makes it no yellow one."""
    orange = thing(1, "chair", (1, 0, 0.5), (0.5, 0.5, 1), color="orange")
    answer = Router(SmallMemory(snapshot_of([orange]))).ask(query("is the red chair yellow?"))
    assert answer.text == (
        "I know no red chair; the nearest that I know is the chair (object 1), orange."
        " No, the chair (object 1) is orange, not yellow."
    )
