"""Answers in a word, in a room that can be checked by eye (see `scene.py`).

The one who asks stands at (0, -3) and looks along +y, unless a test says otherwise.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.geometry import Pose
from scenemind.memory import MapObject
from scenemind.reasoning import Answer, Query, Router
from scenemind.reasoning.query import POLICIES
from scenemind.reasoning.symbolic.place_answers import side_of
from tests.tables import read_table
from tests.unit.reasoning.scene import ROOM, SmallMemory, room_memory, snapshot_of, thing

TABLE = read_table(__file__, "situated")
# This situation has no place, so the camera's counts.
FACING = "I am facing the door and the dining table is behind me."
HERE = "I have just come in."


def brief(question: str, router: Router | None = None) -> str:
    query = Query(question, HERE, policy="always_answer")
    answer = (router or Router(room_memory())).ask(query, "symbolic")
    assert answer.failure is None
    return answer.brief


@pytest.mark.parametrize(("question", "expected"), TABLE["answers"].items())
def test_answers_of_the_room(question: str, expected: str) -> None:
    assert brief(question) == expected


@pytest.mark.parametrize(("question", "expected"), TABLE["sentences"].items())
def test_sentences_name_the_things(question: str, expected: str) -> None:
    query = Query(question, HERE, policy="always_answer")
    assert Router(room_memory()).ask(query, "symbolic").text == expected


def test_an_answer_names_the_objects_that_it_rests_on() -> None:
    query = Query("What color is the cup on the table?", HERE, policy="always_answer")
    answer = Router(room_memory()).ask(query, "symbolic")
    assert [obj.object_id for obj in answer.objects] == [2]
    assert any("a cup (object 2)" in step for step in answer.steps)


def test_what_is_usual_is_said_to_be_so() -> None:
    usual = Router(room_memory()).ask(
        Query("Is the door open or closed?", HERE, policy="always_answer"), "symbolic"
    )
    assert usual.text == "I cannot see that; usually closed."
    assert usual.brief == "closed"


def test_an_answer_without_objects_is_marked() -> None:
    router = Router(room_memory())
    guess = router.ask(Query("Is the lamp on or off?", HERE, policy="always_answer"), "symbolic")
    assert any("nothing seen answers it" in step for step in guess.steps)
    assert guess.objects == ()
    assert 0.0 < guess.confidence < 1.0


@pytest.mark.parametrize(
    ("question", "situation", "is_answered"),
    [
        ("Is the sofa, forsooth, on my left or on my right?", FACING, True),
        ("Is the sofa tidy or messy?", FACING, True),  # it says that this is only usual
        ("Is the sofa tidy or messy?", "", False),
        ("Is the room a kitchen or an office?", "", True),  # by the office chair
        ("What color is the submarine?", FACING, False),
        ("this is blue, isn't it?", "", False),
        ("is the chair the same colour as the sofa?", "", False),  # which one is asked back
        ("Is the sofa quite gorgeous or rather ghastly, would you say?", "", False),
    ],
)
def test_balanced_answers_what_is_likely(question: str, situation: str, is_answered: bool) -> None:
    answers = {
        policy: Router(room_memory()).ask(Query(question, situation, policy=policy), "symbolic")
        for policy in POLICIES
    }
    assert answers["always_answer"].failure is None
    assert answers["strict"].failure is not None
    assert (answers["balanced"].failure is None) is is_answered
    if is_answered:
        assert answers["balanced"].brief == answers["always_answer"].brief


def test_certain_answer_of_the_grammar_is_no_guess() -> None:
    query = Query("how many cups are there?", policy="always_answer")
    answer = Router(room_memory()).ask(query, "symbolic")
    assert answer.confidence > 0.5
    assert "2 cups" in answer.text


def test_stated_attributes_count_more_than_usual_ones() -> None:
    chair = thing(1, "chair", (0, 0, 0.45), (0.5, 0.5, 0.9), color="light grey")
    said = replace(chair, attribute_sources={"color": "user"})
    question = "What color is the chair?"
    assert brief(question, Router(SmallMemory(snapshot_of([chair])))) == "white"
    assert brief(question, Router(SmallMemory(snapshot_of([said])))) == "grey"


def test_sides_change_with_the_words_of_the_situation() -> None:
    router = Router(SmallMemory(snapshot_of(ROOM, camera=None)))
    question = "Is the sofa on my left or on my right?"
    for situation, expected in (
        ("I am facing the door and the dining table is behind me", "left"),
        ("I am facing the dining table and the door is behind me", "right"),
    ):
        answer = router.ask(Query(question, situation, policy="always_answer"), "symbolic")
        assert answer.brief == expected


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=60).filter(lambda text: text.strip()), st.text(max_size=60))
def test_there_is_always_an_answer(text: str, situation: str) -> None:
    query = Query(text, situation, policy="always_answer")
    answer = Router(room_memory()).ask(query, "symbolic")
    if answer.failure is None:
        assert answer.text.strip()
        assert 0.0 < answer.confidence <= 1.0
    else:
        assert answer.failure.code == "invalid_request"


@pytest.mark.parametrize(
    ("bearing_deg", "direction"),
    [
        *((0.0, "forward"), (19.0, "forward"), (-19.0, "forward"), (21.0, "right")),
        *((-21.0, "left"), (134.0, "right"), (-134.0, "left"), (136.0, "backward")),
        *((-136.0, "backward"), (180.0, "backward")),
    ],
)
def test_directions_by_bearing(bearing_deg: float, direction: str) -> None:
    assert side_of(math.radians(bearing_deg)) == direction


def ask_at_origin(question: str, *things: MapObject) -> str:
    """Asked by somebody at the origin who looks along +x."""
    router = Router(SmallMemory(snapshot_of(things, camera=None)))
    here = Pose.from_quaternion((0.0, 0.0, 1.2), (0.0, 0.0, 0.0, 1.0))
    asked = Query(question, HERE, viewpoint=here, policy="always_answer")
    return brief_of(router.ask(asked, "symbolic"))


def brief_of(answer: Answer) -> str:
    assert answer.failure is None
    return answer.brief


CUP = thing(1, "cup", (1.0, 0.0, 0.5), (0.1, 0.1, 0.1))
DOOR = thing(9, "door", (0.0, 5.0, 1.0), (0.9, 0.1, 2.0))


@pytest.mark.parametrize(
    ("center", "size_m", "answer"),
    [
        ((0.6, 0.0, 0.4), (0.4, 0.4, 0.8), "no"),  # 0.4 m ahead
        ((1.1, 0.0, 0.4), (0.4, 0.4, 0.8), "yes"),  # 0.9 m ahead
        ((0.6, 0.0, 0.15), (0.4, 0.4, 0.3), "yes"),  # below the knee
        ((0.6, 0.0, 1.5), (0.4, 0.4, 0.4), "yes"),  # over the head
        ((-0.6, 0.0, 0.4), (0.4, 0.4, 0.8), "yes"),  # behind
    ],
)
def test_things_within_two_steps_block_the_way_ahead(
    center: tuple[float, float, float], size_m: tuple[float, float, float], answer: str
) -> None:
    floor = thing(8, "floor", (0.0, 0.0, -0.05), (9.0, 9.0, 0.1))
    assert (
        ask_at_origin("Can I walk forward?", DOOR, floor, thing(1, "box", center, size_m)) == answer
    )


@pytest.mark.parametrize(("x", "answer"), [(1.0, "yes"), (1.2, "no")])
def test_reach_ends_at_a_metre(x: float, answer: str) -> None:
    cup = thing(1, "cup", (x + 0.05, 0.0, 1.0), (0.1, 0.1, 0.1))
    assert ask_at_origin("Can I reach the cup?", cup, DOOR) == answer


@pytest.mark.parametrize(
    ("bearing_deg", "visible", "turned"),
    [(0.0, "yes", "no"), (80.0, "yes", "no"), (-100.0, "no", "yes"), (180.0, "no", "yes")],
)
def test_a_half_plane_is_visible(bearing_deg: float, visible: str, turned: str) -> None:
    angle = math.radians(-bearing_deg)
    cup = thing(1, "cup", (3 * math.cos(angle), 3 * math.sin(angle), 1.0), (0.1, 0.1, 0.1))
    assert ask_at_origin("Can I see the cup?", cup, DOOR) == visible
    assert ask_at_origin("Can I see the cup if I turn around?", cup, DOOR) == turned


def test_the_side_with_more_of_them() -> None:
    chairs = [
        thing(i, "chair", (0.0, y, 0.45), (0.5, 0.5, 0.9)) for i, y in enumerate((2.0, 3.0, -2.0))
    ]
    question = "Are there more chairs on my left or right?"
    assert ask_at_origin(question, *chairs) == "left"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is nearer to me, the box or the sofa?", "box"),
        ("What is farther from me, the box or the sofa?", "sofa"),
        ("Which is bigger between the box and the sofa?", "sofa"),
        ("Which is smaller between the box and the sofa?", "box"),
        ("Which is taller between the box and the sofa?", "sofa"),
        ("Is the number of boxes even?", "no"),
        ("Can the number of boxes be divided by three?", "yes"),
        ("Can the number of sofas be divided by three?", "no"),
        ("Is the box the same color as the sofa?", "no"),
        ("Is the box the same color as the lamp?", "yes"),
        ("Is the sofa to my left or behind me?", "left"),
    ],
)
def test_comparisons(question: str, answer: str) -> None:
    """Three boxes ahead, a sofa on the left, a lamp behind."""
    boxes = [thing(i, "box", (1.0 + i, 0, 0.2), (0.4, 0.4, 0.4), color="red") for i in (1, 2, 3)]
    sofa = thing(4, "sofa", (0, 3, 0.5), (1.0, 2.0, 1.0), color="blue")
    lamp = thing(5, "lamp", (-3, 0, 0.3), (0.2, 0.2, 0.6), color="red")
    assert ask_at_origin(question, *boxes, sofa, lamp) == answer


def test_the_confidence_falls_with_that_the_objects_exist() -> None:
    sure, unsure = (
        Router(SmallMemory(snapshot_of([replace(CUP, confidence=exists), DOOR])))
        .ask(Query("How many cups?", HERE, policy="always_answer"), "symbolic")
        .confidence
        for exists in (1.0, 0.6)
    )
    assert unsure == pytest.approx(0.6 * sure)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which is closer to the door, the cup or the sofa?", "cup"),
        ("Which is closer to me, the cup on my left or the cup behind me?", "cup"),
        ("Which room is brighter, the kitchen or the room I am in?", "kitchen"),
        ("Is the sofa on my left or at my 3 o'clock?", "3 o'clock"),
        ("What is the cup next to?", "sofa"),
        ("The cup is to the left of what?", "sofa"),
        ("What is the cup on?", "sofa"),
    ],
)
def test_answers_have_no_marks_and_do_not_repeat_the_question(question: str, answer: str) -> None:
    sofa = thing(4, "sofa", (1.0, -0.5, 0.2), (0.9, 0.9, 0.4))
    assert ask_at_origin(question, CUP, sofa, DOOR) == answer


def test_kinds_of_rooms_by_their_objects() -> None:
    kitchen = [
        thing(i, label, (float(i), 0, 0.5), (0.5, 0.5, 1.0))
        for i, label in enumerate(("stove", "refrigerator", "sink", "oven"))
    ]
    assert ask_at_origin("What room am I in?", *kitchen) == "kitchen"
    assert ask_at_origin("Am I in the kitchen?", *kitchen) == "yes"
    assert ask_at_origin("Am I in the bedroom?", *kitchen) == "no"
    assert ask_at_origin("Is this room a bedroom or a kitchen?", *kitchen) == "kitchen"
