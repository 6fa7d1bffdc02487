"""Objects about a viewer: bearings against trigonometry, scores and ranks in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.geometry import Pose
from scenemind.language.relation_names import RELATION_NAMES
from scenemind.language.trees import HasAttribute, NounPhrase, Rank, Related, Viewer
from scenemind.memory import MapObject
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.query import Query
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.viewpoint import Surroundings
from tests.unit.reasoning.scene import snapshot_of, thing


def lying(predicate: str) -> Related:
    """A relation to the viewer."""
    return Related(predicate, (Viewer(),))


def around(bearing_deg: float, distance_m: float, heading_deg: float = 30.0) -> Surroundings:
    """A small box so far away at a bearing from a viewer at (1, 2)."""
    angle = math.radians(heading_deg - bearing_deg)
    center = (1.0 + distance_m * math.cos(angle), 2.0 + distance_m * math.sin(angle), 1.0)
    heading = math.radians(heading_deg)
    viewpoint = Viewpoint(
        np.array((1.0, 2.0, 1.2)), np.array((math.cos(heading), math.sin(heading))), "a test"
    )
    return Surroundings(Scene(snapshot_of([thing(1, "cup", center, (0.1, 0.1, 0.1))])), viewpoint)


@settings(deadline=None)
@given(st.floats(-179.0, 179.0), st.floats(0.5, 8.0), st.floats(-180.0, 180.0))
def test_bearings_are_clockwise_from_ahead(bearing: float, distance: float, heading: float) -> None:
    seen = around(bearing, distance, heading)
    assert math.degrees(seen.bearing_rad[0]) == pytest.approx(bearing, abs=1e-6)
    assert seen.gap_m[0] == pytest.approx(distance, abs=0.08)


@pytest.mark.parametrize(
    ("bearing_deg", "name"),
    [(0.0, "in front of"), (85.0, "right of"), (-95.0, "left of"), (175.0, "behind")],
)
def test_each_side_holds_what_lies_there_and_not_what_lies_opposite(
    bearing_deg: float, name: str
) -> None:
    opposite = RELATION_NAMES[name].inverse
    assert opposite is not None
    seen = around(bearing_deg, 2.0)
    assert seen.scores(lying(name))[0] == 1.0
    assert seen.scores(lying(opposite))[0] == 0.0


def test_near_things_are_at_hand() -> None:
    at_hand = lying("near")
    assert around(0.0, 0.3).scores(at_hand)[0] > 0.5 > around(0.0, 3.0).scores(at_hand)[0]


def test_the_chair_one_sits_on_is_on_no_side() -> None:
    seen = around(0.0, 0.0)
    assert seen.holds_viewer[0]
    assert seen.scores(lying("in front of"))[0] == 0.0


def view(*things: MapObject) -> Resolver:
    """A viewer at the origin, who looks along +y."""
    facing_y = Pose.from_quaternion((0.0, 0.0, 1.2), (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))
    asked = Query("what is there", viewpoint=facing_y)
    return Resolver(Scene(snapshot_of(things)), asked, weighs=True)


def test_a_place_fades_beyond_its_width() -> None:
    """Full within the half-width, half at 15 degrees beyond it, none at 30 degrees."""
    for beyond_deg, expected in ((-5.0, 1.0), (15.0, 0.5), (30.0, 0.0)):
        seen = around(50.0 + beyond_deg, 5.0)
        assert seen.scores(lying("in front of"))[0] == pytest.approx(expected, abs=0.03)


def test_an_object_counts_by_the_part_of_it_that_lies_there() -> None:
    """A wide shelf to the right reaches to the front; its nearest point decides."""
    shelf = view(thing(1, "shelf", (3.0, 2.0, 0.5), (6.0, 0.4, 1.0)))
    assert shelf.around.scores(lying("in front of"))[0] == 1.0


def test_within_reach_falls_with_the_square_of_the_gap() -> None:
    for gap, expected in ((0.5, 0.5), (1.5, 0.1)):
        cup = view(thing(1, "cup", (0.0, gap + 0.05, 1.0), (0.1, 0.1, 0.1)))
        assert cup.around.scores(lying("near"))[0] == pytest.approx(expected)


def test_only_small_objects_surround_the_viewer() -> None:
    rug = view(thing(1, "rug", (0.0, 0.0, 0.0), (1.3, 1.3, 0.02)))
    chair = view(thing(1, "chair", (0.0, 0.0, 0.5), (1.2, 0.6, 1.0)))
    assert (rug.around.holds_viewer[0], chair.around.holds_viewer[0]) == (False, True)


def fit(at: Resolver, related: Related) -> list[float]:
    """How well all things are in a relation."""
    found = at.graded.relation_fit(related, np.ones(len(at.scene), bool))
    assert found is not None
    return list(found)


DESK = thing(1, "desk", (0.0, 3.0, 0.4), (1.0, 1.0, 0.8))


def test_toward_is_between_the_viewer_and_the_thing() -> None:
    nearer = thing(2, "cup", (0.0, 1.0, 0.8), (0.1, 0.1, 0.1))
    beyond = thing(3, "cup", (0.0, 5.0, 0.8), (0.1, 0.1, 0.1))
    aside = thing(4, "cup", (2.0, 0.5, 0.8), (0.1, 0.1, 0.1))
    at = view(DESK, nearer, beyond, aside)
    between = Related("between", (Viewer(), NounPhrase("desk")))
    assert fit(at, between) == [0.0, 1.0, 0.0, 0.0]


CHAIRS = (
    thing(1, "chair", (0.0, 1.5, 0.45), (0.5, 0.5, 0.9), color="red"),
    thing(2, "chair", (0.0, 3.5, 0.5), (0.6, 0.6, 1.0), color="brown"),
    thing(3, "chair", (0.0, -2.5, 0.6), (0.4, 0.4, 1.2), color="red"),
)


@pytest.mark.parametrize(
    ("wanted", "object_id"),
    [
        (NounPhrase("chair"), 1),  # the nearest
        (NounPhrase("chair", conditions=(lying("behind"),)), 3),
        (NounPhrase("chair", conditions=(HasAttribute("color", "brown"),)), 2),
        (NounPhrase("chair", ranks=(Rank("closest"),)), 1),
        (NounPhrase("chair", ranks=(Rank("farthest"),)), 2),
        (NounPhrase("chair", ranks=(Rank("farthest", 2),)), 3),
        (NounPhrase("chair", ranks=(Rank("tallest"),)), 3),
        (NounPhrase("chair", ranks=(Rank("largest"),)), 2),
        (NounPhrase("chair", ranks=(Rank("smallest"),)), 3),
        (NounPhrase("chair", conditions=(lying("in front of"),), ranks=(Rank("farthest"),)), 2),
    ],
)
def test_the_best_one(wanted: NounPhrase, object_id: int) -> None:
    at = view(*CHAIRS)
    assert at.scene.objects[at.single(wanted)].object_id == object_id


def test_a_name_that_nothing_has_hints_at_a_purpose_but_is_not_known() -> None:
    """What must be told of it is told of the most prominent thing."""
    at, wanted = view(*CHAIRS), NounPhrase("submarine", conditions=(lying("behind"),))
    assert at.find_single(wanted) is None
    assert at.find_best(wanted) == 2
    assert at.find_best(NounPhrase("sitting")) == 0


def test_all_that_fit_well_are_counted() -> None:
    at = view(*CHAIRS)
    assert at.rows(NounPhrase("chairs")).rows.tolist() == [0, 1, 2]
    before = NounPhrase("chairs", conditions=(lying("in front of"),))
    assert at.rows(before).rows.tolist() == [0, 1]
    assert at.rows(NounPhrase("", conditions=(lying("behind"),))).rows.tolist() == [2]


def test_the_best_is_taken_from_elsewhere_only_where_none_is_there() -> None:
    at = view(*CHAIRS)
    assert at.find_best(NounPhrase("chair", conditions=(lying("behind"),))) == 2
    assert at.find_best(NounPhrase("chair", conditions=(lying("left of"),))) == 0
    assert at.find_single(NounPhrase("submarine")) is None


def test_unnamed_things_beside_an_anchor_are_rather_of_another_class() -> None:
    cup = thing(4, "cup", (0.0, 2.0, 0.05), (0.1, 0.1, 0.1))
    at = view(*CHAIRS[:2], cup)
    best = at.find_best(NounPhrase("", conditions=(Related("near", (NounPhrase("chair"),)),)))
    assert best == 2


def test_things_in_a_room_are_near_what_such_rooms_have() -> None:
    stove = thing(1, "stove", (0.0, 2.0, 0.5), (0.6, 0.6, 0.9))
    chairs = [thing(i, "chair", (0.0, y, 0.5), (0.5, 0.5, 1.0)) for i, y in ((2, 4.0), (3, 8.0))]
    in_kitchen = NounPhrase("chairs", conditions=(Related("inside", (NounPhrase("kitchen"),)),))
    assert view(stove, *chairs).rows(in_kitchen).rows.tolist() == [1]
    assert view(*chairs).rows(in_kitchen).rows.tolist() == [0, 1]


def test_two_tables_and_a_pool_table_are_two_tables() -> None:
    tables = [
        thing(i, label, (float(i), 2.0, 0.4), (0.8, 0.8, 0.8))
        for i, label in enumerate(("table", "table", "pool table"))
    ]
    assert view(*tables).rows(NounPhrase("tables")).rows.tolist() == [0, 1]
    assert view(tables[2]).rows(NounPhrase("tables")).rows.tolist() == [0]


@pytest.mark.parametrize(("relation", "label"), [("supports", "desk"), ("contains", "desk")])
def test_what_a_thing_rests_on(relation: str, label: str) -> None:
    cup = thing(2, "cup", (0.0, 3.0, 0.85), (0.1, 0.1, 0.1))
    lamp = thing(3, "lamp", (1.0, 3.0, 0.85), (0.1, 0.1, 0.1))
    at = view(DESK, cup, lamp)
    carrier = NounPhrase("", conditions=(Related(relation, (NounPhrase("cup"),)),))
    best = at.find_best(carrier)
    assert best is not None
    assert at.scene.objects[best].label == label


def test_large_and_near_things_are_prominent() -> None:
    """Half at one metre; nothing above 1.5 m on a side is more prominent."""
    near = thing(1, "sofa", (0.0, 1.5, 0.5), (2.0, 1.0, 1.0))
    far = thing(2, "sofa", (0.0, 3.5, 0.5), (2.0, 1.0, 1.0))
    at = view(near, far)
    first, second = at.scores(NounPhrase(""))
    gaps = at.around.gap_m
    assert first / second == pytest.approx((1.0 + gaps[1]) / (1.0 + gaps[0]))
    small, large, huge = view(
        *(thing(i, "box", (0.0, 3.0, 0.5), (s, 0.0, s)) for i, s in ((1, 1.0), (2, 1.5), (3, 3.0)))
    ).scores(NounPhrase(""))
    assert small / large == pytest.approx(1.0 / 1.5)
    assert large == pytest.approx(huge)


def test_a_small_thing_on_the_anchor_comes_before_a_large_one_beside_it() -> None:
    pillow = thing(2, "pillow", (0.0, 3.0, 0.85), (0.3, 0.3, 0.1))
    window = thing(3, "window", (0.0, 3.6, 1.5), (2.0, 0.1, 1.5))
    on_desk = NounPhrase("", conditions=(Related("on", (NounPhrase("desk"),)),))
    assert view(DESK, pillow, window).find_best(on_desk) == 1
