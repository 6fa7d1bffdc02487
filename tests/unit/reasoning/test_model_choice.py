"""Which model's method a question is for."""

from __future__ import annotations

import pytest

from scenemind.reasoning import Query, Router
from scenemind.reasoning.method import MethodReply
from scenemind.reasoning.model_choice import choose_model

from .scene import ROOM, query, room_memory
from .scripted_method import ScriptedMethod

LABELS = {thing.label for thing in ROOM}
BOTH = ("ensemble", "llm_tpc", "memtree", "vadar")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("How many chairs could be pushed under the table?", "it counts things of the map"),
        ("how far apart are the two cups?", "it measures things of the map"),
        ("is the sofa wide enough for two?", "it measures things of the map"),
        ("what distance is it from the cup over to the sofa", "it measures things of the map"),
        ("Which of the cups would be nearest for who sits on the sofa?", "it compares things"),
        ("Is the sofa bigger or smaller than the table?", "it compares things"),
        ("is the shelf about in line with the sofa and the door?", "it relates things"),
        ("What would I see if I turn around?", "it depends on where one stands"),
        ("What would I see if I turned around?", "it depends on where one stands"),
        ("What is at my 4 o'clock?", "it depends on where one stands"),
    ],
)
def test_what_is_reckoned_from_the_map_is_for_programs(text: str, reason: str) -> None:
    choice = choose_model(Query(text), LABELS, BOTH)
    assert choice is not None
    assert (choice.method, choice.reason[: len(reason)]) == ("llm_tpc", reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("What material is the sofa?", 'only pictures show "material"'),
        ("Is the door open?", 'only pictures show "open"'),
        ("How many of the cups are dirty?", 'only pictures show "dirty"'),
        ("What is written on the door?", 'only pictures show "written"'),
        ("How many books are on the table?", 'no object of the map is called "books"'),
        (
            "Is the stapler closer to the door or to the sofa?",
            'no object of the map is called "stapler"',
        ),
        ("What is between the sofa and the shelf?", "it counts, measures and compares nothing"),
        ("What can I use to water my plants?", "it counts, measures and compares nothing"),
    ],
)
def test_what_only_pictures_show_is_for_frames(text: str, reason: str) -> None:
    choice = choose_model(Query(text), LABELS, BOTH)
    assert choice is not None
    assert (choice.method, choice.reason[: len(reason)]) == ("memtree", reason)


@pytest.mark.parametrize(
    ("text", "method"),
    [("What is behind me?", "llm_tpc"), ("Is the lamp behind me turned on?", "memtree")],
)
def test_a_situation_in_words_is_for_programs_unless_it_has_to_be_seen(
    text: str, method: str
) -> None:
    choice = choose_model(Query(text, "I am sitting on the sofa."), LABELS, BOTH)
    assert choice is not None
    assert choice.method == method


def test_what_is_not_configured_is_not_chosen() -> None:
    count = Query("How many chairs are there?")
    assert choose_model(count, LABELS, ()) is None
    assert choose_model(count, LABELS, ("vadar", "ensemble")) is None
    only = choose_model(count, LABELS, ("memtree",))
    assert only is not None
    assert (only.method, only.reason) == ("memtree", "")


def test_the_steps_say_why_and_only_where_auto_chose() -> None:
    class Programs(ScriptedMethod):
        name = "llm_tpc"

    reply = MethodReply("Two.", 0.7, (), (), ("wrote a program",))
    frames, programs = ScriptedMethod(reply), Programs(reply)
    router = Router(room_memory(), None, {"memtree": frames, "llm_tpc": programs})
    asked = query("How many chairs could be pushed under the table?")
    by_choice = router.ask(asked)
    assert by_choice.method == "llm_tpc"
    assert by_choice.steps == ("asked llm_tpc: it counts things of the map", "wrote a program")
    assert router.ask(asked, "llm_tpc").steps == ("wrote a program",)
    assert router.ask(query("Is the door open?")).method == "memtree"
    assert (len(frames.asked), len(programs.asked)) == (1, 2)
