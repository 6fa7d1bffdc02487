"""Questions on the room of `scene.py`, whose right answers can be read off its drawing."""

from __future__ import annotations

import pytest

from scenemind.geometry import Pose
from scenemind.memory import Relation
from scenemind.reasoning import Answer, Router
from scenemind.reasoning.symbolic import shapes
from scenemind.reasoning.symbolic.commands import parse_command
from scenemind.reasoning.symbolic.grammar import parse_question

from ..scene import ROOM, SmallMemory, looking, query, room_memory, snapshot_of, thing


def ask(text: str, **more: object) -> Answer:
    return Router(room_memory()).ask(query(text, **more))


def ids_of(answer: Answer) -> list[int]:
    return [obj.object_id for obj in answer.objects]


@pytest.mark.parametrize(
    ("text", "ids", "said"),
    [
        ("is there a sofa?", [8], "Yes, there is a sofa: object 8."),
        ("is there a couch?", [8], "Yes, there is a sofa: object 8."),
        ("do you see a red chair?", [], "No, I know of no red chair (3 chairs are known, none"),
        ("is there a bathtub?", [], "No, I know of no bathtub."),
        ("is there a mug?", [2, 10], "Not for sure: I know of no mug, but of a cup (object 2)"),
        ("are there 4 chairs?", [4, 5, 6], "No, there are 3 chairs"),
        ("is there anything on the shelf?", [10], "Yes, there is a cup: object 10."),
        ("how many chairs are there?", [4, 5, 6], "There are 3 chairs: "),
        ("are both chairs the same colour?", [4, 5], "No, the chair (object 4) is black and the"),
        ("are the sofa and the shelf of the same color?", [8, 7], "No, the sofa (object 8) is"),
        ("do the laptop and the chair 4 have the same colour?", [3, 4], "Yes, the laptop"),
        ("is the laptop the same colour as chair 5?", [3, 5], "No, the laptop (object 3) is"),
        ("what is the item above the shelf?", [10], "The object above the shelf is a cup"),
        ("how many chairs are black?", [4, 6], "2 chairs are black: "),
        ("how many cups are on the table?", [2], "1 cup is on the table: a cup (object 2)."),
        ("how many cups are on the sofa?", [], "No cups are on the sofa"),
        ("where is the laptop?", [3], "is on the dining table (object 1), at x 0.3, y 0.0, 0.8 m"),
        ("where is the cup?", [2, 10], "object 2 on the dining table (object 1) and object 10 on"),
        ("what colour is the couch?", [8], "The sofa (object 8) is dark grey."),
        ("what colour are the cups?", [2, 10], "object 2 is red and object 10 is white"),
        ("is the sofa black?", [8], "No, the sofa (object 8) is dark grey, not black."),
        ("is the sofa grey?", [8], "Yes, the sofa (object 8) is grey."),
        ("is the cup on the shelf?", [10], "Yes, 1 of 2 cups is on the shelf: a cup (object 10)"),
        ("are the chairs black?", [4, 6], "Not all, 2 of 3 chairs are black"),
        ("is the red cup on the shelf?", [2], "No, the cup (object 2) is not on the shelf."),
        ("is object 8 a couch?", [8], "Yes, the sofa (object 8) is a couch."),
        ("is the sofa a chair?", [8], "No, the sofa (object 8) is a sofa, not a chair."),
        ("what is on the table?", [2, 3], "A cup (object 2) and a laptop (object 3) are on the"),
        ("what is under the laptop?", [1], "A dining table (object 1) is below the laptop."),
        ("what is on the sofa?", [], "the closest object is the door (object 9), 0.85 m away"),
        # The laptop touches the table; of two chairs that are meant, neither is the closest.
        ("what is on the laptop?", [], "the closest object is the chair (object 5), 0.47 m away"),
        ("what is on the chairs?", [], "the closest object is the dining table (object 1), 0.15"),
        ("what is left of the table?", [4], "A chair (object 4) is left of the table."),
        ("which chairs are black?", [4, 6], "are black."),
        ("what is in the room?", list(range(1, 11)), "I know of 10 objects: 2 chairs, 2 cups"),
        ("which chair is closest to the sofa?", [4], "is a chair (object 4), black."),
        ("which of the chairs is closest to the sofa?", [4], "The closest chair to the sofa is a"),
        ("what is the farthest chair from the sofa?", [6], "is an office chair (object 6), black."),
        ("what is the black object on the table?", [3], "is a laptop (object 3)."),
        ("the second largest chair", [4], "The chair (object 4) is next to"),
        ('ask "the second largest chair"', [4], "The chair (object 4) is next to"),
        ("is the laptop still there?", [3], "Yes, there is a laptop: object 3."),
        ("is the red cup still on the table?", [2], "Yes, the cup (object 2) is on the table."),
        ("what is the red cup on?", [1, 2], "The cup (object 2) is on the dining table (object 1)"),
        ("what is the red cup in?", [2], "The cup (object 2) is not in anything that I know."),
        ("which table is the white cup on?", [10], "The cup (object 10) is not on a table."),
        ("where did you last see the laptop?", [3], "is on the dining table (object 1), at x"),
        ("what is object 9?", [9], "Object 9 is a door (object 9)."),
        ("how far is the laptop from the door?", [3, 9], "2.83 m from the door"),
        ("how far away is the door?", [9], "5.95 m from the camera's latest position."),
        ("how big is the table?", [1], "1.60 m long, 0.90 m wide and 0.75 m high."),
        ("how tall is the door?", [9], "The door (object 9) is 2.00 m high."),
        ("the chair right of the table", [5, 6], "There are 2 chairs: object 5 next to the dining"),
    ],
)
def test_answers(text: str, ids: list[int], said: str) -> None:
    answer = ask(text)
    assert answer.failure is None
    assert said in answer.text
    assert sorted(ids_of(answer)) == sorted(ids)
    assert 0.0 < answer.confidence <= 1.0
    assert bool(answer.key_frames) == bool(ids)


@pytest.mark.parametrize(
    ("phrase", "best"),
    [
        ("the red cup", 2),
        ("the cup on the shelf", 10),
        ("the black chair next to the table", 4),
        ("the brown chair", 5),
        ("the chair closest to the door", 4),
        ("the second chair from the left", 5),
        ("the rightmost chair", 6),
        ("the largest chair", 6),
        ("the chair between the sofa and the laptop", 4),
        ("the chair that is not black", 5),
        ("the table with a laptop on it", 1),
        ("the highest cup", 10),
        ("the object closest to me", 1),
        ("the office chiar", 6),
        ("which chair is closest to the shelf?", 5),
    ],
)
def test_phrases_mean_one_object(phrase: str, best: int) -> None:
    grounding = Router(room_memory()).ground(query(phrase))
    assert grounding.failure is None
    assert grounding.objects[0].object_id == best
    assert len(grounding.confidences) == len(grounding.objects)
    assert grounding.reasoning


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("where is the whiteboard?", "not_found", "There is no whiteboard in the memory. Known"),
        ("what is on the desk top?", "not_found", "There is no desk top in the memory."),
        ("what is left of the window?", "not_found", "There is no window in the memory."),
        ("the green chair", "not_found", '"green chair" (3 chairs are known)'),
        ("object 77", "not_found", "There is no object 77"),
        ("chair 8", "not_found", "Object 8 is a sofa, not a chair."),
        ("what is this?", "not_found", "No object is marked"),
        ("what material is the door?", "not_found", "The material of the door (object 9) is not"),
        ("how big is the chair?", "ambiguous", "object 6, an office chair at x 3.0, y -2.0"),
        ("will it rain soon?", "not_understood", 'I do not understand "will it rain soon?"'),
        ("why is the sky blue?", "not_understood", 'I do not understand "why is the sky blue?"'),
        ("why is the sky blue?", "not_understood", "are for a language model"),
    ],
)
def test_failures_help_on(text: str, code: str, said: str) -> None:
    answer = ask(text)
    assert answer.failure is not None
    assert answer.failure.code == code
    assert said in answer.text
    assert answer.objects == ()


def test_none_of_those_that_were_asked_about_is_the_closest() -> None:
    pair = [thing(i, "stool", (x, 0, 0.3), (0.4, 0.4, 0.6)) for i, x in ((1, 0.0), (2, 0.5))]
    router = Router(SmallMemory(snapshot_of([*pair, thing(3, "bin", (3, 0, 0.2), (0.4,) * 3)])))
    assert "the closest object is the bin" in router.ask(query("what is on the stools?")).text


@pytest.mark.parametrize(
    "text", ["what rooms are there?", "how many rooms are there?", "where is the room?"]
)
def test_rooms_are_not_told_apart(text: str) -> None:
    assert ask(text).text.startswith("Rooms are not known: ")


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


def test_what_a_person_said_about_directions_holds_from_everywhere() -> None:
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
    assert grounding.confidences[0] == pytest.approx(0.45)


def test_strict_takes_nothing_that_only_comes_near() -> None:
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
    """Who speaks of the chair near the sofa knows that there is one."""
    router = Router(room_memory())
    grounding = router.ground(query("the chair near the sofa"))
    assert [obj.object_id for obj in grounding.objects] == [4]
    assert grounding.confidences[0] == pytest.approx(0.45)
    assert router.ask(query("is there a chair near the sofa?")).text.startswith("No")


def test_a_word_before_the_noun_may_be_an_attribute_that_a_person_gave() -> None:
    memory = room_memory()
    router = Router(memory)
    router.align(query("chair 5 is wooden"), "anna")
    grounding = router.ground(query("the wooden chair"))
    assert [obj.object_id for obj in grounding.objects] == [5]


@pytest.mark.parametrize("example", [*shapes.QUESTIONS, *shapes.COMMANDS])
def test_what_is_offered_as_an_example_is_understood(example: str) -> None:
    (parse_question if example in shapes.QUESTIONS else parse_command)(example)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("what is within reach of the table?", [2, 3, 4, 5]),
        # The office chair is 35 degrees off.
        ("what is at 3 o'clock of the table?", [5]),
        # All but the office chair are within 30 degrees of straight ahead.
        ("what is at my twelve o'clock?", [1, 2, 3, 4, 5, 7, 8, 9, 10]),
        # The middles of the other chairs and of the sofa are hardly higher.
        ("what is higher than the table?", [2, 3, 6, 7, 9, 10]),
        ("what is far from the office chair?", [1, 2, 3, 4, 5, 7, 8, 9, 10]),
        ("is the chair beside the table?", [4, 5]),
        ("what is in the shelf?", [10]),
    ],
)
def test_relations_that_are_computed_when_asked(text: str, ids: list[int]) -> None:
    assert sorted(ids_of(ask(text))) == sorted(ids)


@pytest.mark.parametrize(
    ("text", "brief"),
    [
        ("is there a sofa?", "yes"),
        ("is there a bathtub?", "no"),
        ("are the chairs black?", "no"),
        ("is the cup on the shelf?", "yes"),
        ("how many chairs are black?", "two"),
        ("how many cups are on the sofa?", "zero"),
        ("where is the laptop?", "on the dining table"),
        ("what colour is the couch?", "dark grey"),
        ("what is on the table?", "cup"),
        ("which chair is closest to the sofa?", "chair"),
        ("what is the red cup on?", "dining table"),
        ("what is the red cup in?", "nothing"),
        ("are the sofa and the shelf of the same color?", "no"),
    ],
)
def test_an_answer_comes_in_a_word_or_few_too(text: str, brief: str) -> None:
    assert ask(text).brief == brief


def test_where_a_thing_is_names_a_place_unless_somebody_stands_somewhere() -> None:
    memory = SmallMemory(snapshot_of(ROOM, camera=None))
    guessed = Router(memory).ask(query("where would the laptop be?", policy="always_answer"))
    assert guessed.brief == "on the dining table"


def test_what_is_seen_not_to_be_so_is_no_guess() -> None:
    answer = ask("is the red cup on the shelf?", policy="always_answer")
    assert (answer.brief, answer.text) == ("no", "No, the cup (object 2) is not on the shelf.")


def test_the_floor_is_no_landmark() -> None:
    """Objects files hold floors, which touch whatever stands on them."""
    floor = thing(1, "floor", (0.0, 0.0, -0.05), (6.0, 6.0, 0.1))
    lamp = thing(2, "lamp", (1.0, 1.0, 0.5), (0.3, 0.3, 1.0))
    answer = Router(SmallMemory(snapshot_of((floor, lamp)))).ask(query("where is the lamp?"))
    assert answer.text == "The lamp (object 2) is at x 1.0, y 1.0, 0.5 m above the floor."
    assert answer.brief == ""
