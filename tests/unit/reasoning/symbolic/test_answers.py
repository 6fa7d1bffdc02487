"""Questions on the room of `scene.py`, whose right answers can be read off its drawing."""

from __future__ import annotations

from typing import Any

import pytest

from scenemind.geometry import Pose
from scenemind.memory import Relation
from scenemind.reasoning import Answer, Router
from tests.tables import read_table

from ..scene import ROOM, SmallMemory, looking, query, room_memory, snapshot_of, thing

TABLE = read_table(__file__, "room")


def ask(text: str, **more: object) -> Answer:
    return Router(room_memory()).ask(query(text, **more))


def ids_of(answer: Answer) -> list[int]:
    return [obj.object_id for obj in answer.objects]


@pytest.mark.parametrize(("text", "row"), TABLE["answers"].items())
def test_answers(text: str, row: dict[str, Any]) -> None:
    answer = ask(text)
    assert answer.failure is None
    assert row["answer"] in answer.text
    assert sorted(ids_of(answer)) == sorted(row["objects"])
    assert 0.0 < answer.confidence <= 1.0
    assert bool(answer.key_frames) == bool(row["objects"])


def test_what_is_listed_in_an_order_stands_in_it() -> None:
    assert ids_of(ask("name the chairs from left to right")) == [4, 5, 6]
    assert ids_of(ask("what is on the dining table, from the biggest to the smallest?")) == [3, 2]


def test_nothing_else_is_the_smallest_thing_where_there_is_none() -> None:
    answer = ask("what is the smallest object on the sofa?")
    assert answer.failure is not None
    assert ids_of(answer) == []


TABLES = (
    thing(1, "table", (0, 0, 0.4), (2.4, 0.8, 0.8)),
    thing(2, "table", (5, 0, 0.4), (0.9, 0.9, 0.8)),
    thing(3, "cup", (0, 0, 0.85), (0.1, 0.1, 0.1)),
    thing(4, "bowl", (5, 0, 0.85), (0.2, 0.2, 0.1)),
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("what is on the long table?", [3]),
        ("what is on the large table?", [3]),
        ("what is on the small table?", [4]),
        ("what is on the round table?", [4]),
        ("what is on the small square table?", [4]),
    ],
)
def test_of_several_things_the_one_that_stands_out_is_meant(text: str, found: list[int]) -> None:
    router = Router(SmallMemory(snapshot_of(TABLES)))
    assert ids_of(router.ask(query(text))) == found
    assert router.align(query("the long table is red"), "anna").failure is not None


def test_of_much_in_front_of_a_thing_what_is_near_it_is_told() -> None:
    desk = thing(1, "desk", (0, 3, 0.4), (1.2, 0.6, 0.8))
    near = thing(2, "stool", (0, 2.2, 0.25), (0.4, 0.4, 0.5))
    far = [thing(3 + at, "chair", (0.4 * at - 1.8, -1, 0.4), (0.3, 0.3, 0.8)) for at in range(9)]
    answer = Router(SmallMemory(snapshot_of((desk, near, *far)))).ask(
        query("what is in front of the desk?")
    )
    assert ids_of(answer) == [2]
    assert "; 9 more are farther away" in answer.text


@pytest.mark.parametrize(("phrase", "best"), TABLE["phrases"].items())
def test_phrases_mean_one_object(phrase: str, best: int) -> None:
    grounding = Router(room_memory()).ground(query(phrase))
    assert grounding.failure is None
    assert grounding.objects[0].object_id == best
    assert len(grounding.confidences) == len(grounding.objects)
    assert grounding.reasoning


@pytest.mark.parametrize(("phrase", "ids"), TABLE["sets"].items())
def test_phrases_mean_a_set_of_objects(phrase: str, ids: list[int]) -> None:
    grounding = Router(room_memory()).ground(query(phrase))
    assert sorted(thing.object_id for thing in grounding.objects) == ids


def test_that_one_of_several_things_is_not_there_is_said() -> None:
    grounding = Router(room_memory()).ground(query("the sofa and the lamp"))
    assert "There is no lamp" in grounding.reasoning
    assert max(grounding.confidences) <= 0.5
    assert Router(room_memory()).ground(query("the mirror and the lamp")).failure is not None


def test_a_number_in_a_phrase_bounds_what_is_found_and_is_doubted_where_it_does_not_fit() -> None:
    router = Router(room_memory())
    assert len(router.ground(query("the two chairs on my left")).objects) <= 2
    fewer = router.ground(query("the two red cups"))
    assert [thing.object_id for thing in fewer.objects] == [2] or fewer.failure is not None
    assert max(fewer.confidences, default=0.0) <= 0.5


@pytest.mark.parametrize(("text", "row"), TABLE["failures"].items())
def test_failures_help_on(text: str, row: dict[str, Any]) -> None:
    answer = ask(text)
    assert answer.failure is not None
    assert answer.failure.code == row["code"]
    assert all(said in answer.text for said in row["answer"])
    assert answer.objects == ()


@pytest.mark.parametrize(("text", "remark"), TABLE["unread remarks"].items())
@pytest.mark.parametrize("policy", ["strict", "balanced", "always_answer"])
def test_a_step_says_which_remark_was_not_read(text: str, remark: str, policy: str) -> None:
    answer = Router(room_memory()).ask(query(text, policy=policy))
    assert ids_of(answer) == [8]
    said = [step for step in answer.steps if step.startswith("not read: ")]
    assert said == ([f'not read: "{remark}"'] if remark else [])


def test_none_of_those_that_were_asked_about_is_the_closest() -> None:
    pair = [thing(i, "stool", (x, 0, 0.3), (0.4, 0.4, 0.6)) for i, x in ((1, 0.0), (2, 0.5))]
    router = Router(SmallMemory(snapshot_of([*pair, thing(3, "bin", (3, 0, 0.2), (0.4,) * 3)])))
    assert "the closest object is the bin" in router.ask(query("what is on the stools?")).text


@pytest.mark.parametrize(
    "text", ["what rooms are there?", "how many rooms are there?", "where is the room?"]
)
def test_rooms_are_not_told_apart(text: str) -> None:
    assert ask(text).text.startswith("Rooms are not known: ")


def test_a_thing_that_is_named_after_a_room_is_a_thing() -> None:
    found = ask("where is the kitchen counter?").text
    assert found.startswith("There is no kitchen counter in the memory.")


def test_still_is_no_part_of_a_name() -> None:
    can = thing(11, "soda can", (0.0, 0.2, 0.8), (0.07, 0.07, 0.12))
    router = Router(SmallMemory(snapshot_of([*ROOM, can])))
    assert router.ask(query("is the soda can still there?")).text.startswith("Yes")
    assert router.align(query("the soda can is still on the table"), "anna").failure is None


def test_a_marked_object_is_this() -> None:
    assert ids_of(ask("what is this?", marked_object_ids=(8,))) == [8]
    assert ask("is it black?", marked_object_ids=(4,)).text.startswith("Yes")
    gone = ask("what is this?", marked_object_ids=(99,))
    assert gone.failure is not None
    assert gone.failure.code == "not_found"


def test_left_becomes_right_on_the_other_side() -> None:
    """The directions follow the viewer, and start at the anchor (not at the map's origin)."""
    far_side = looking((0, 2.5, 1.2), (0, 0, 1.2))
    answer = Router(room_memory(camera=far_side)).ask(query("what is left of the table?"))
    assert 5 in ids_of(answer)
    assert 4 not in ids_of(answer)


def test_the_viewpoint_of_the_question_counts_more_than_the_camera() -> None:
    facing_south = Pose.from_quaternion((0, 2.5, 1.2), (0, 0, -(0.5**0.5), 0.5**0.5))
    answer = ask("what is left of the table?", viewpoint=facing_south)
    assert 5 in ids_of(answer)
    assert 4 not in ids_of(answer)
    assert any("the given viewpoint at x 0.0, y 2.5" in step for step in answer.steps)


def test_in_front_of_me_is_where_i_look() -> None:
    away = looking((0, -3, 1.2), (0, -9, 1.2))
    assert 1 in ids_of(ask("what is in front of me?"))
    assert ids_of(Router(room_memory(camera=away)).ask(query("what is in front of me?"))) == []
    assert 1 in ids_of(Router(room_memory(camera=away)).ask(query("what is behind me?")))


def test_without_a_viewpoint_left_is_not_guessed() -> None:
    answer = Router(SmallMemory(snapshot_of(ROOM, camera=None))).ask(query("what is left of me?"))
    assert answer.failure is not None
    assert "neither a viewpoint was given" in answer.text


def test_stated_direction_holds_from_every_viewpoint() -> None:
    said = Relation(9, "left of", 1, source="user")
    answer = Router(room_memory(extra=[said])).ask(query("what is left of the table?"))
    assert 9 in ids_of(answer)


def test_the_outer_noun_is_tried_where_the_inner_reading_fits_nothing() -> None:
    """The laptop is on the table, not next to it: that must be said of the chair."""
    grounding = Router(room_memory()).ground(query("the chair near the laptop next to the table"))
    assert {obj.object_id for obj in grounding.objects} <= {4, 5}
    assert "read as" in grounding.reasoning


def test_a_similar_colour_serves_for_what_is_said_to_exist_only() -> None:
    router = Router(SmallMemory(snapshot_of([thing(1, "chair", (1, 0, 0.5), (0.5, 0.5, 1))])))
    assert router.ask(query("is there a red chair")).text.startswith("No")
    orange = thing(1, "chair", (1, 0, 0.5), (0.5, 0.5, 1), color="orange")
    router = Router(SmallMemory(snapshot_of([orange])))
    assert router.ask(query("is there a red chair")).text.startswith("No")
    grounding = router.ground(query("the red chair"))
    assert [obj.object_id for obj in grounding.objects] == [1]


def test_strict_policy_takes_no_approximate_match() -> None:
    orange = thing(1, "chair", (1, 0, 0.5), (0.5, 0.5, 1), color="orange")
    router = Router(SmallMemory(snapshot_of([orange])))
    assert router.ground(query("the red chair")).objects == (orange,)
    failure = router.ground(query("the red chair", policy="strict")).failure
    assert failure is not None
    assert failure.text == 'Nothing in the memory fits "red chair" (1 chair is known).'


def test_a_thing_of_two_colours_is_of_each_of_them() -> None:
    both = thing(1, "chair", (1, 0, 0.5), (0.5, 0.5, 1), color="black and red")
    router = Router(SmallMemory(snapshot_of([both])))
    assert router.ask(query("is the chair red?")).text.startswith("Yes")
    assert router.ask(query("is the chair black and red?")).text.startswith("Yes")
    assert router.ask(query("is the chair red and blue?")).text.startswith("No")
    assert router.ask(query("what colour is the chair?")).text.endswith("is black and red.")
    red = thing(2, "chair", (3, 0, 0.5), (0.5, 0.5, 1), color="red")
    router = Router(SmallMemory(snapshot_of([both, red])))
    assert router.ground(query("the red chair")).objects[0].object_id == 2
    grounding = router.ground(query("the black and red chair"))
    assert [o.object_id for o in grounding.objects] == [1]


def test_size_words_compare_with_the_others_where_all_are_of_one_class() -> None:
    tables = [
        thing(1, "table", (0, 0, 0.4), (1.2, 0.8, 0.8), size="large"),
        thing(2, "table", (5, 0, 0.4), (2.4, 0.8, 0.8), size="large"),
    ]
    grounding = Router(SmallMemory(snapshot_of(tables))).ground(query("the small table"))
    assert [obj.object_id for obj in grounding.objects] == [1]


def test_near_means_the_closest_where_none_is_near() -> None:
    """The phrase "the chair near the sofa" implies that there is one."""
    router = Router(room_memory())
    grounding = router.ground(query("the chair near the sofa"))
    assert grounding.objects[0].object_id == 4
    assert router.ask(query("is there a chair near the sofa?")).text.startswith("No")


def test_a_word_before_the_noun_may_be_an_attribute_that_a_person_gave() -> None:
    memory = room_memory()
    router = Router(memory)
    router.align(query("chair 5 is wooden"), "anna")
    grounding = router.ground(query("the wooden chair"))
    assert [obj.object_id for obj in grounding.objects] == [5]


@pytest.mark.parametrize(("text", "ids"), TABLE["computed relations"].items())
def test_relations_that_are_computed_when_asked(text: str, ids: list[int]) -> None:
    assert sorted(ids_of(ask(text))) == sorted(ids)


@pytest.mark.parametrize(("text", "brief"), TABLE["brief answers"].items())
def test_an_answer_comes_in_a_word_or_few_too(text: str, brief: str) -> None:
    assert ask(text).brief == brief


def test_where_a_thing_is_names_a_place_unless_somebody_stands_somewhere() -> None:
    memory = SmallMemory(snapshot_of(ROOM, camera=None))
    guessed = Router(memory).ask(query("where would the laptop be?", policy="always_answer"))
    assert guessed.brief == "on the dining table"


def test_negative_answer_from_the_map_is_no_guess() -> None:
    answer = ask("is the red cup on the shelf?", policy="always_answer")
    said = "No, the cup (object 2) is not on the shelf; it is on the dining table (object 1)."
    assert (answer.brief, answer.text) == ("no", said)


def test_the_floor_is_no_landmark() -> None:
    """Objects files hold floors, which touch whatever stands on them."""
    floor = thing(1, "floor", (0.0, 0.0, -0.05), (6.0, 6.0, 0.1))
    lamp = thing(2, "lamp", (1.0, 1.0, 0.5), (0.3, 0.3, 1.0))
    answer = Router(SmallMemory(snapshot_of((floor, lamp)))).ask(query("where is the lamp?"))
    assert answer.text == "The lamp (object 2) is at x 1.0, y 1.0, 0.5 m above the floor."
    assert answer.brief == ""


@pytest.mark.parametrize("noun", ["laptop", "sofa", "cup", "door"])
@pytest.mark.parametrize(
    ("asked", "of"),
    [
        ("is the {} hot?", "temperatures"),
        ("how much does the {} weigh?", "weights"),
        ("is the {} leaking?", "tap"),
        ("which is heavier, the {} or the chair?", "weights"),
        ("is the {} cosy?", "comfort"),
    ],
)
def test_what_no_camera_tells_is_never_answered(noun: str, asked: str, of: str) -> None:
    answer = ask(asked.format(noun))
    assert answer.failure is not None
    assert of in answer.failure.text


@pytest.mark.parametrize("stuff", ["water", "milk", "coffee", "dust"])
@pytest.mark.parametrize("asked", ["is there {} in the cup?", "is there any {} on the table?"])
def test_that_no_stuff_is_known_is_no_answer(stuff: str, asked: str) -> None:
    assert ask(asked.format(stuff)).failure is not None


@pytest.mark.parametrize("colour", ["purple", "pink", "green"])
@pytest.mark.parametrize("asked", ["is the {} chair at the table?", "where is the {} chair?"])
def test_a_thing_of_another_colour_is_named_as_such(colour: str, asked: str) -> None:
    answer = ask(asked.format(colour))
    is_refused = answer.failure is not None
    assert is_refused or f"{colour} chair" in answer.text
    assert is_refused or answer.confidence <= 0.7


@pytest.mark.parametrize("question", ["where is the cup", "how many chairs are there"])
@pytest.mark.parametrize("remark", ["My arm hurts.", "It is hot today!", "Nice place."])
def test_a_remark_changes_no_answer(question: str, remark: str) -> None:
    alone = ask(f"{question}?")
    assert ask(f"{remark} {question}?").text == alone.text


@pytest.mark.parametrize("condition", ["on the dining table", "near the door"])
def test_tags_and_clauses_ask_like_questions(condition: str) -> None:
    asked = ask(f"is there a cup {condition}?")
    for said in (
        f"there is a cup {condition}, isn't there?",
        f"there's no cup {condition}, is there?",
        f"tell me if there is a cup {condition}",
        f"is there a cup {condition}",
    ):
        assert ask(said).text == asked.text


def test_it_is_about_the_question_that_was_taken_for_what_was_said_before() -> None:
    before = "I can't for the life of me find the laptop"
    assert ids_of(ask("is it black?", before=before)) == [3]


def test_no_part_of_an_unknown_name_stands_for_all() -> None:
    memory = SmallMemory(snapshot_of([*ROOM, thing(11, "trash can", (3, 1, 0.3), (0.3, 0.3, 0.6))]))
    assert Router(memory).ground(query("the can opener")).failure is not None
    assert Router(memory).ground(query("the can")).objects[0].object_id == 11
