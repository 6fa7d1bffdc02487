"""Expressions grounded on the room of `scene.py`, and on people's expressions for real rooms."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.geometry import Pose
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import GroundReply
from scenemind.reasoning.symbolic import SymbolicReasoner
from scenemind.reasoning.symbolic.expressions import find_match, ground_expression
from scenemind.reasoning.symbolic.scene import Scene
from tests.tables import read_table
from tests.unit.language.test_referring import WORDS
from tests.unit.reasoning.scene import SmallMemory, query, room_memory, snapshot_of, thing

TABLE = read_table(__file__, "expressions")
MEMORY = room_memory()
SCENE = Scene(MEMORY.snapshot())


def found(text: str, **more: object) -> GroundReply:
    return ground_expression(query(text, **more), SCENE)


@pytest.mark.parametrize(("text", "object_id"), TABLE["expressions"].items())
def test_best_object_is_the_target(text: str, object_id: int) -> None:
    assert found(text).objects[0].object_id == object_id


def test_confidences_are_shares_and_ties_are_told() -> None:
    reply = found("one of the cups")
    assert [o.object_id for o in reply.objects] == [2, 10]
    assert reply.confidences[0] == reply.confidences[1]
    assert sum(reply.confidences) == pytest.approx(0.9 * 0.95, abs=0.04)  # they are there; trust
    assert "2 objects fit equally well" in reply.steps


def test_unused_words_are_reported() -> None:
    steps = found("a comfortable black chair. it has armrests and is near the table.").steps
    assert steps[0].startswith("read as: black comfortable chair with armrests, near a table")
    assert steps[1] == "not used: armrests"


def test_nothing_of_the_kind() -> None:
    with pytest.raises(ReasoningError, match="no bathtub") as error:
        found("this is a bathtub. it is next to the table.")
    assert error.value.failure.code == "not_found"


def test_a_chair_is_rather_called_so_than_an_office_chair() -> None:
    reply = found("one of the chairs")
    assert [o.object_id for o in reply.objects] == [4, 5, 6]
    assert reply.confidences[0] == reply.confidences[1] > reply.confidences[2]


@pytest.mark.parametrize(
    ("text", "desk"), [("the desk with two screens", 1), ("the desk with three screens", 2)]
)
def test_a_number_of_things_is_counted(text: str, desk: int) -> None:
    x_m = {3: -0.5, 4: 0.5, 5: 2.5, 6: 3.0, 7: 3.5}
    screens = [thing(k, "screen", (x, 0.0, 1.0), (0.4, 0.2, 0.4)) for k, x in x_m.items()]
    desks = [thing(k, "desk", (x, 0.0, 0.4), (1.6, 0.8, 0.8)) for k, x in ((1, 0.0), (2, 3.0))]
    reply = ground_expression(query(text), Scene(snapshot_of([*desks, *screens])))
    assert reply.objects[0].object_id == desk


def test_without_its_name_something_is_still_named_where_it_must_be() -> None:
    text = "this is a white dispenser. it is in the corner of the room, on the shelf."
    with pytest.raises(ReasoningError, match="no dispenser"):
        found(text)
    reply = found(text, policy="always_answer")
    assert reply.objects[0].object_id == 10  # the white cup
    assert "not so of the best one: dispenser" in reply.steps
    with pytest.raises(ReasoningError, match="no dispenser"):
        found("the dispenser", policy="always_answer")  # nothing else is said


@pytest.mark.parametrize("text", ["", ".", "it is", "the", "what is there"])
def test_empty_expression_is_an_error(text: str) -> None:
    with pytest.raises(ReasoningError):
        found(text)


def test_left_is_that_of_the_viewer() -> None:
    """Seen from the door, the chairs change sides; the camera looks towards the door."""
    from_door = Pose.from_matrix([[0, 1, 0, 0], [-1, 0, 0, 3], [0, 0, 1, 1], [0, 0, 0, 1]])
    text = "the chair by the table, on the left"
    assert found(text).objects[0].object_id == 4
    assert found(text, viewpoint=from_door).objects[0].object_id == 5


def test_the_method_reads_to_the_letter_first() -> None:
    reasoner = SymbolicReasoner(MEMORY, RelationConfig())
    exact = reasoner.ground(query("the black chair"), MEMORY.snapshot())
    assert exact.steps[0] == "looked for: the black chair"
    long = "this is a black chair. it is standing next to the dining table."
    assert reasoner.ground(query(long), MEMORY.snapshot()).objects[0].object_id == 4
    with pytest.raises(ReasoningError, match="I do not understand"):
        reasoner.ground(query(long, policy="strict"), MEMORY.snapshot())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join))
def test_any_text_names_objects_or_says_why_not(text: str) -> None:
    try:
        reply = found(text)
    except ReasoningError:
        return
    assert 0.0 < sum(reply.confidences) <= 1.0 + 1e-9
    assert list(reply.confidences) == sorted(reply.confidences, reverse=True)


def grounded(text: str, **more: object) -> GroundReply:
    return SymbolicReasoner(MEMORY, RelationConfig()).ground(query(text, **more), MEMORY.snapshot())


def test_the_likeliest_of_the_kind_is_named_with_what_does_not_fit() -> None:
    reply = grounded("the red cup next to the lamp")
    assert reply.objects[0].object_id == 2
    assert reply.steps[0].startswith("to the letter: There is no lamp in the memory.")
    assert reply.steps[-1] == "not used: lamp"
    assert reply.confidence < grounded("the red cup").confidence


@pytest.mark.parametrize(
    "text",
    ["the second chair from the window", "the cup closest to the lamp", "the chair by the window"],
)
def test_an_unknown_thing_that_chooses_is_a_failure(text: str) -> None:
    """Without it several objects fit equally well; one that must be named is named unsurely."""
    with pytest.raises(ReasoningError, match=r"no (window|lamp)") as error:
        grounded(text)
    assert error.value.failure.code == "not_found"
    assert grounded(text, policy="always_answer").confidence <= 0.5


def test_a_singular_anchor_is_the_one_that_is_called_so() -> None:
    """The lamp by the only chair, though another one is nearer to an office chair."""
    things = [
        thing(1, "chair", (0, 0, 0.5), (0.5, 0.5, 1)),
        *(thing(k, "office chair", (4, k, 0.5), (0.5, 0.5, 1)) for k in (2, 3)),
        thing(4, "lamp", (1.0, 0, 0.5), (0.3, 0.3, 1)),
        thing(5, "lamp", (4.6, 2, 0.5), (0.3, 0.3, 1)),
    ]
    scene = Scene(snapshot_of(things))
    meant = [find_match(query(f"the lamp near {of}"), scene) for of in ("the chair", "chairs")]
    assert [match.reply.objects[0].object_id for match in meant] == [4, 5]


@pytest.mark.parametrize("policy", ["balanced", "always_answer"])
def test_an_unknown_thing_leaves_half_of_the_confidence(policy: str) -> None:
    """A laptop by a lamp may be another one than the only laptop of the map, which has none."""
    assert grounded("the laptop next to the lamp", policy=policy).confidence == 0.5
    chairs = [
        thing(1, "chair", (0, 0, 0.5), (0.5, 0.5, 1)),
        thing(2, "office chair", (3, 0, 0.5), (0.5, 0.5, 1)),
    ]
    memory = SmallMemory(snapshot_of(chairs))
    reply = SymbolicReasoner(memory, RelationConfig()).ground(
        query("the chair next to the lamp", policy=policy),
        memory.snapshot(),
    )
    assert reply.confidence <= 0.5


def test_it_is_what_is_described() -> None:
    assert grounded("the table with a laptop standing on it").objects[0].object_id == 1


@pytest.mark.parametrize(("text", "why"), TABLE["unlikely"].items())
def test_unlikely_object_is_refused(text: str, why: str) -> None:
    with pytest.raises(ReasoningError, match=why) as error:
        grounded(text)
    assert error.value.failure.code == "not_found"


def test_an_unknown_anchor_chooses_also_among_things_that_the_map_is_not_equally_sure_of() -> None:
    chairs = [
        thing(k, "chair", (x, 0.0, 0.5), (0.5, 0.5, 1.0), sure)
        for k, x, sure in ((1, 0.0, 0.9), (2, 2.0, 0.6))
    ]
    with pytest.raises(ReasoningError, match="no door"):
        ground_expression(query("the second chair from the door"), Scene(snapshot_of(chairs)))


def test_a_strict_query_is_taken_to_the_letter() -> None:
    with pytest.raises(ReasoningError, match="no lamp"):
        grounded("the red cup next to the lamp", policy="strict")


def test_something_is_always_named_where_that_is_wanted() -> None:
    reply = grounded("the green sofa", policy="always_answer")
    assert reply.objects[0].object_id == 8
    assert "none is green: the nearest was taken" in reply.steps
    assert reply.confidence <= 0.7


@pytest.mark.parametrize(
    ("text", "object_id"),
    [
        ("when facing the window, the chair on the left", 1),
        ("when facing the window, the chair on the right", 2),
        ("with your back to the window, the chair on the left", 2),
        ("looking from the window, the chair on the left", 2),
        ("when you enter the room, the chair on the left", 1),
    ],
)
def test_sides_are_those_of_the_viewpoint_that_is_named(text: str, object_id: int) -> None:
    """A window in the east, a door in the west; chairs in the north (1) and in the south (2)."""
    scene = Scene(
        snapshot_of(
            [
                thing(1, "chair", (1, 2, 0.5), (0.5, 0.5, 1.0)),
                thing(2, "chair", (1, -2, 0.5), (0.5, 0.5, 1.0)),
                thing(3, "window", (4, 0, 1.5), (0.1, 1.0, 1.0)),
                thing(4, "door", (-4, 0, 1.0), (0.1, 1.0, 2.0)),
                thing(5, "shelf", (-3, 3, 1.0), (0.4, 1.0, 2.0)),
            ],
            camera=None,
        )
    )
    reply = ground_expression(query(text, policy="always_answer"), scene)
    assert reply.objects[0].object_id == object_id


def test_what_is_not_so_limits_the_confidence() -> None:
    """A colour, which depends on light, less than a thing that holds nothing."""
    sofa = thing(1, "sofa", (0, 0, 0.5), (1, 1, 1), color="blue")
    cup = thing(2, "cup", (5, 0, 0.5), (0.1, 0.1, 0.1))
    scene = Scene(snapshot_of([sofa, cup]))

    def always(text: str) -> GroundReply:
        return ground_expression(query(text, policy="always_answer"), scene)

    assert always("the blue sofa").confidence > 0.8
    wrong = always("the yellow sofa")
    assert wrong.confidence <= 0.7
    assert "none is yellow: the nearest was taken" in wrong.steps
    assert always("the sofa with a cup on it").confidence <= 0.5


def test_a_relation_of_the_outer_noun_counts_half() -> None:
    """ "Next to the sofa" is about the table first, then about the cup."""
    things = [
        thing(1, "sofa", (0, 0, 0.4), (1, 1, 0.8)),
        thing(2, "table", (1.2, 0, 0.4), (1, 1, 0.8)),
        thing(3, "table", (6, 0, 0.4), (1, 1, 0.8)),
        thing(4, "cup", (1.2, 0, 0.85), (0.1, 0.1, 0.1)),
        thing(5, "cup", (6, 0, 0.85), (0.1, 0.1, 0.1)),
    ]
    scene = Scene(snapshot_of(things))
    text = "the cup on the table next to the sofa"
    reply = ground_expression(query(text), scene)
    assert reply.objects[0].object_id == 4
    assert reply.confidences[0] > 0.8


def test_a_thing_that_nothing_joins_is_near() -> None:
    chairs = [thing(k, "chair", (k, 0, 0.5), (0.5, 0.5, 0.9)) for k in range(4)]
    sofa = thing(10, "sofa", (2.0, 1.0, 0.4), (0.8, 0.8, 0.8))
    scene = Scene(snapshot_of([*chairs, sofa], camera=None))
    for text in ("this is a chair. the sofa is blue.", "a chair. covering the sofa"):
        assert ground_expression(query(text), scene).objects[0].object_id == 2


def test_a_near_miss_lowers_the_confidence_and_is_told() -> None:
    things = [
        thing(1, "fridge", (0, 0, 0.9), (0.7, 0.7, 1.8)),
        thing(2, "picture", (0.9, 0, 2.0), (0.5, 0.05, 0.5)),
        thing(3, "lamp", (4, 0, 0.5), (0.3, 0.3, 1.0)),
    ]
    scene = Scene(snapshot_of(things))
    reply = ground_expression(query("the picture above the fridge"), scene)
    assert reply.objects[0].object_id == 2
    assert reply.confidence == 0.7
    assert "none is above a fridge: the nearest was taken" in reply.steps
    over = Scene(snapshot_of([*things[:1], thing(2, "picture", (0, 0, 2.2), (0.5, 0.05, 0.5))]))
    reply = ground_expression(query("the picture above the fridge"), over)
    assert reply.confidence > 0.7
    assert not any("none is" in step for step in reply.steps)


def test_what_nothing_fits_is_refused_with_the_nearest() -> None:
    things = [
        thing(1, "fridge", (0, 0, 0.9), (0.7, 0.7, 1.8)),
        thing(2, "lamp", (4, 0, 0.5), (0.3, 0.3, 1.0)),
        thing(3, "picture", (2, 0, 1.0), (0.5, 0.05, 0.5)),
    ]
    reasoner = SymbolicReasoner(SmallMemory(snapshot_of(things)), RelationConfig())
    text = "the picture above the fridge and on the lamp"
    with pytest.raises(ReasoningError, match=r"The nearest is the picture .* on a lamp"):
        reasoner.ground(query(text), snapshot_of(things))
