"""Choice of the method for a question, and of the model for a method."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import get_args

import pytest

from scenemind.memory import KeyFrame, MemoryAccess, SceneMemoryError
from scenemind.models import Allowance, FailureKind, ModelError, Usage
from scenemind.perception import PerceptionError
from scenemind.reasoning import Answer, Asking, Progress, Query, ReasoningError, Router
from scenemind.reasoning.method import GroundReply, MethodReply
from scenemind.reasoning.method_choice import choose_model
from scenemind.reasoning.query import Picture
from tests.unit.reasoning.scene import ROOM, SmallMemory, query, room_memory, snapshot_of
from tests.unit.reasoning.scripted_method import ScriptedMethod

SOFA = ROOM[7]
KNOWN = "where is the sofa?"
ABSENT = "is there a stapler?"  # "no" rests on not having seen one
UNREADABLE = "what would a child play with here?"
SAID = MethodReply("Under the table.", 0.7, (SOFA,), (), ("looked at 3 frames",))
DOWN = ModelError("unreachable", "any at http://nowhere cannot be reached")
FALLEN_BACK = "memtree failed: any at http://nowhere cannot be reached"


def router(outcome: MethodReply | Exception, *, falls_back: bool = True) -> Router:
    return Router(room_memory(), None, {"memtree": ScriptedMethod(outcome)}, falls_back)


def code_of(answer: Answer) -> str:
    assert answer.failure is not None
    return answer.failure.code


def test_auto_asks_no_model_where_the_grammar_is_sure() -> None:
    method = ScriptedMethod(SAID)
    answer = Router(room_memory(), methods={"memtree": method}).ask(query(KNOWN))
    assert (answer.method, answer.fallback, method.asked) == ("symbolic", "", [])


@pytest.mark.parametrize("text", [UNREADABLE, "where is the stapler?", ABSENT])
def test_auto_asks_the_model_where_the_grammar_fails_or_saw_nothing(text: str) -> None:
    answer = router(SAID).ask(query(text))
    assert (answer.text, answer.method, answer.confidence) == ("Under the table.", "memtree", 0.7)
    assert answer.steps == ("looked at 3 frames",)
    assert answer.failure is None
    assert answer.fallback == ""


def test_auto_gives_a_situation_in_words_to_the_model_which_can_read_it() -> None:
    asked = query(KNOWN, situation="I sit on the office chair")
    assert router(SAID).ask(asked).method == "memtree"
    with_pose = query(KNOWN, situation="I sit", viewpoint=room_memory().snapshot().world_T_camera)
    assert router(SAID).ask(with_pose).method == "symbolic"


def test_a_method_that_is_named_is_asked() -> None:
    assert router(SAID).ask(query(KNOWN), "memtree").text == "Under the table."
    assert router(SAID).ask(query(UNREADABLE), "symbolic").method == "symbolic"


@pytest.mark.parametrize("kind", sorted(set(get_args(FailureKind)) - {"cancelled", "not_recorded"}))
@pytest.mark.parametrize("method", ["memtree", "auto"])
def test_the_grammar_answers_where_a_model_fails_and_says_so(
    kind: FailureKind, method: str
) -> None:
    asked = query(KNOWN if method == "memtree" else ABSENT)
    answer = router(ModelError(kind, "as scripted")).ask(asked, method)
    assert answer.failure is None
    assert answer.text == Router(room_memory()).ask(asked).text
    assert (answer.method, answer.fallback) == ("symbolic", "memtree failed: as scripted")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DOWN, "model_failed"),
        (ModelError("too_late", "the 3 s are over"), "timeout"),
        (ModelError("over_budget", "9 tokens"), "budget_exceeded"),
        (PerceptionError("no weights"), "model_failed"),
        (SceneMemoryError("image 7 is damaged"), "memory_refused"),
    ],
)
@pytest.mark.parametrize("method", ["memtree", "auto"])
def test_where_neither_can_both_reasons_are_given(error: Exception, code: str, method: str) -> None:
    answer = router(error).ask(query("where is the stapler?"), method)
    assert code_of(answer) == code
    assert answer.text.startswith(f"memtree failed: {error}. symbolic has no answer either: There")
    assert "no stapler" in answer.text
    assert (answer.method, answer.fallback, answer.confidence) == ("memtree", "", 0.0)


@pytest.mark.parametrize("kind", ["cancelled", "not_recorded"])
def test_no_fallback_for_cancelled_questions_and_wrong_replays(
    kind: FailureKind,
) -> None:
    answer = router(ModelError(kind, "as scripted")).ask(query(KNOWN), "memtree")
    assert code_of(answer) == {"cancelled": "cancelled"}.get(kind, "model_failed")
    said = {"cancelled": "It was cancelled, and nothing was changed."}
    assert answer.text == said.get(kind, "memtree failed: as scripted")


def test_no_fallback_where_the_question_is_cancelled_while_a_model_fails() -> None:
    asking = Asking(Allowance(9.0))
    asking.allowance.cancel()
    assert code_of(router(DOWN).ask(query(KNOWN), "memtree", asking)) == "cancelled"


def test_a_router_that_does_not_fall_back_reports_the_failure() -> None:
    for method, text in (("memtree", KNOWN), ("auto", ABSENT)):
        answer = router(DOWN, falls_back=False).ask(query(text), method)
        assert (code_of(answer), answer.text) == ("model_failed", FALLEN_BACK)


def test_negative_answer_of_a_search_stands() -> None:
    """A strict question: that the map has no such thing is no better an answer."""
    unseen = ReasoningError("not_found", "Not seen in the 3 frames.")
    answer = router(unseen).ask(query(ABSENT, policy="strict"))
    assert (code_of(answer), answer.text) == ("not_found", "Not seen in the 3 frames.")
    assert answer.method == "memtree"


@pytest.mark.parametrize("policy", ["balanced", "always_answer"])
def test_without_frames_the_grammar_may_still_answer(policy: str) -> None:
    unseen = ReasoningError("not_found", "No image is stored any more.")
    answer = router(unseen).ask(query(ABSENT, policy=policy))
    assert answer.text == Router(room_memory()).ask(query(ABSENT, policy=policy)).text
    assert (answer.method, answer.fallback) == ("symbolic", "No image is stored any more.")
    for other in (query(UNREADABLE), query(ABSENT, policy="strict")):
        assert code_of(router(unseen).ask(other)) == "not_found"
    assert code_of(router(unseen, falls_back=False).ask(query(ABSENT))) == "not_found"


def test_without_frames_the_map_answers() -> None:
    blind = ReasoningError("empty_memory", "no frame is stored yet")
    answer = router(blind).ask(query(KNOWN), "memtree")
    assert (answer.failure, answer.fallback) == (None, "no frame is stored yet")
    neither = router(blind).ask(query("where is the stapler?"), "memtree")
    assert code_of(neither) == "not_found"
    assert "no frame is stored yet. symbolic has no answer either: There is no" in neither.text


def test_a_map_without_objects_may_have_frames() -> None:
    empty = SmallMemory(snapshot_of([]))
    answer = Router(empty, methods={"memtree": ScriptedMethod(SAID)}).ask(query(UNREADABLE))
    assert answer.text == "Under the table."


def test_a_bug_in_a_method_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        router(ZeroDivisionError()).ask(query(KNOWN), "memtree")


def test_a_phrase_is_grounded_by_asking_which_object_is_meant() -> None:
    method = ScriptedMethod(SAID)
    grounded = Router(room_memory(), methods={"memtree": method})
    found = grounded.ground(query("something soft to lie on", marked_object_ids=(4,)))
    assert [obj.object_id for obj in found.objects] == [8]
    assert (found.confidences, found.method) == ((0.7,), "memtree")
    assert found.reasoning == "Under the table.; looked at 3 frames"
    (asked,) = method.asked
    assert asked.text.startswith("Which object is meant? As objects give it alone")
    assert asked.text.endswith(": something soft to lie on")
    assert asked.marked_object_ids == (4,)


def test_a_method_that_grounds_phrases_is_not_asked() -> None:
    class Grounder(ScriptedMethod):
        def ground(self, query: Query, memory: MemoryAccess, asking: Asking) -> GroundReply:
            del query, asking
            sofa = memory.snapshot().objects[8]
            return GroundReply((sofa,), (0.7,), ("looked",), (), (Picture("A sheet", b""),))

    method = Grounder(MethodReply("The sofa.", 0.9))
    found = Router(room_memory(), methods={"memtree": method}).ground(query("it"), "memtree")
    assert [thing.object_id for thing in found.objects] == [8]
    assert [picture.title for picture in found.pictures] == ["A sheet"]
    assert (found.steps, found.reasoning) == (("looked",), "looked")
    assert not method.asked


def test_an_answer_without_objects_grounds_nothing() -> None:
    found = router(MethodReply("A rainbow.", 0.9)).ground(query("something far away"))
    assert found.failure is not None
    assert found.failure.code == "not_found"
    assert found.failure.text == "That is no object of the map. A rainbow."


def test_a_phrase_falls_back_too() -> None:
    found = router(DOWN).ground(query("the sofa"), "memtree")
    assert [obj.object_id for obj in found.objects] == [8]
    assert (found.method, found.fallback) == ("symbolic", FALLEN_BACK)


def test_evidence_is_the_method_s_own_or_is_looked_up() -> None:
    assert router(SAID).ask(query(UNREADABLE)).key_frames == ()
    looked_up = router(MethodReply("That.", 0.7, (SOFA,))).ask(query(UNREADABLE))
    assert [set(frame.boxes_px) for frame in looked_up.key_frames] == [{8}] * 3


def test_an_answer_has_the_usage_of_models_that_failed() -> None:
    used = Usage(2, 90, 40, 10, 0.5)
    for outcome in (SAID, DOWN):
        asking = Asking(Allowance(9.0))
        asking.allowance.spend(used)
        assert router(outcome).ask(query(UNREADABLE), "memtree", asking).usage == used
        assert router(outcome).ground(query("the sofa"), "memtree", asking).usage == used


def test_progress_says_that_another_answers_and_why() -> None:
    heard = []

    def report(stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        assert not key_frames
        heard.append((stage, text))

    for text, method in ((KNOWN, "memtree"), (ABSENT, "auto")):
        heard.clear()
        router(DOWN).ask(query(text), method, Asking(progress=Progress(report)))
        assert heard == [("look", "at nothing"), ("fallback", FALLEN_BACK)]


def test_a_fallback_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)  # of nodes; commands say it themselves
    router(DOWN).ask(query(KNOWN), "memtree")
    assert f"symbolic answers instead: {FALLEN_BACK}" in caplog.text


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
def test_questions_about_measures_go_to_programs(text: str, reason: str) -> None:
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
def test_questions_about_appearance_go_to_frames(text: str, reason: str) -> None:
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


def test_unconfigured_method_is_not_chosen() -> None:
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
