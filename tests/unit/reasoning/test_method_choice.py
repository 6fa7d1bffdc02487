"""Choice of the method for a question, and of the model for a method."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from scenemind.language.english import read_table
from scenemind.memory import FrameIndex, KeyFrame, MemoryAccess, SceneMemoryError
from scenemind.models import Allowance, FailureKind, ModelError, Usage
from scenemind.perception import PerceptionError
from scenemind.reasoning import Answer, Asking, Progress, Query, ReasoningError, Router
from scenemind.reasoning.method import GroundReply, MethodReply
from scenemind.reasoning.method_cases import Action, case_of
from scenemind.reasoning.query import METHODS, Picture
from tests.unit.reasoning.scene import ROOM, SmallMemory, query, room_memory, snapshot_of
from tests.unit.reasoning.scripted_method import ScriptedMethod

SOFA = ROOM[7]
KNOWN = "where is the sofa?"
ABSENT = "is there a stapler?"  # "no" rests on not having seen one
UNREADABLE = "why is the room so untidy?"
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


def methods_of(text: str, action: Action = "ask", situation: str = "") -> tuple[str, ...]:
    return case_of(Query(text, situation), room_memory(), action).methods


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ("How many chairs could be pushed under the table?", "count", "it counts things of the"),
        ("how far apart are the two cups?", "measure", "it measures things of the map"),
        ("is the sofa wide enough for two?", "measure", "it measures things of the map"),
        ("what distance is it from the cup over to the sofa", "measure", "it measures things of"),
        ("Which of the cups would be nearest for who sits on the sofa?", "comparison", "it comp"),
        ("Is the sofa bigger or smaller than the table?", "comparison", "it compares things"),
        ("is the shelf about in line with the sofa and the door?", "relation", "it relates things"),
        ("What would I see if I turn around?", "situated", "it depends on where one stands"),
        ("What would I see if I turned around?", "situated", "it depends on where one stands"),
        ("What is at my 4 o'clock?", "situated", "it depends on where one stands"),
    ],
)
def test_questions_about_measures_go_to_programs(text: str, name: str, reason: str) -> None:
    case = case_of(Query(text), room_memory(), "ask")
    assert (case.name, case.reason[: len(reason)]) == (name, reason)
    assert case.methods == ("llm_tpc", "memtree")


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ("What material is the sofa?", "looks", 'only pictures show "material"'),
        ("Is the door open?", "state", 'only pictures show "open"'),
        ("Is the tv on?", "state", 'only pictures show "on"'),
        ("Is the bin full?", "state", 'only pictures show "full"'),
        ("How many of the cups are dirty?", "state", 'only pictures show "dirty"'),
        ("What is written on the door?", "writing", 'only pictures show "written"'),
        ("What does the sign say?", "writing", 'only pictures show "say"'),
        ("How many books are on the table?", "unknown count", 'no object of the map is called "b'),
        ("How high is the lamp post?", "unknown measure", "no object of the map is called"),
        (
            "Is the stapler closer to the door or to the sofa?",
            "unknown comparison",
            'no object of the map is called "stapler"',
        ),
        ("What is between the sofa and the shelf?", "otherwise", "it counts, measures and"),
        ("What can I use to water my plants?", "otherwise", "it counts, measures and compares"),
    ],
)
def test_questions_about_appearance_go_to_frames(text: str, name: str, reason: str) -> None:
    case = case_of(Query(text), room_memory(), "ask")
    assert (case.name, case.reason[: len(reason)]) == (name, reason)
    assert case.methods[0] == "memtree"
    assert not case.is_first


@pytest.mark.parametrize("text", ["Which table is the cup on?", "Is the cup on the table?"])
def test_what_a_thing_stands_on_is_no_state(text: str) -> None:
    assert case_of(Query(text), room_memory(), "ask").name != "state"


@pytest.mark.parametrize(
    ("text", "method"),
    [("What is behind me?", "llm_tpc"), ("Is the lamp behind me turned on?", "memtree")],
)
def test_a_situation_in_words_is_for_programs_unless_it_has_to_be_seen(
    text: str, method: str
) -> None:
    assert methods_of(text, situation="I am sitting on the sofa.")[0] == method


def test_phrases_are_looked_for_in_pictures_unless_they_measure() -> None:
    finders = ("vlm_grounder", "memtree", "llm_tpc")
    for text in ("something to lie on", "the open door", "the chair beside the sofa", "a stapler"):
        assert methods_of(text, "ground") == finders
    for text in ("the largest of the cups", "the chair to my left"):
        assert methods_of(text, "ground")[0] == "llm_tpc"


class Detecting(SmallMemory):
    """Chairs were detected nine times, `unmapped` of them on no object."""

    unmapped = 0

    def frame_index(self) -> FrameIndex:
        objects = np.where(np.arange(9) < self.unmapped, 0, 4).astype(np.int32)
        labels = np.zeros(9, np.int32)
        return replace(
            FrameIndex.empty(),
            labels=("chair",),
            detection_labels=labels,
            detection_objects=objects,
        )


class Doubtful(Detecting):
    unmapped = 4


def test_a_doubtful_count_is_made_in_pictures_though_the_grammar_is_sure() -> None:
    asked, frames = query("How many chairs are there?"), ScriptedMethod(SAID)
    known, doubtful = Detecting(snapshot_of(ROOM)), Doubtful(snapshot_of(ROOM))
    well = Router(known, methods={"memtree": frames}).ask(asked)
    assert (well.method, frames.asked) == ("symbolic", [])
    badly = Router(doubtful, methods={"memtree": frames}).ask(asked)
    assert (badly.method, badly.text) == ("memtree", SAID.text)
    assert "on no object of the map" in case_of(asked, doubtful, "ask").reason
    # Without a model, or where it fails, the map's count is given.
    assert Router(doubtful).ask(asked).method == "symbolic"
    failed = Router(doubtful, methods={"memtree": ScriptedMethod(DOWN)}).ask(asked)
    assert (failed.method, failed.fallback) == ("symbolic", FALLEN_BACK)


def test_every_case_of_the_table_has_its_reason_and_known_methods() -> None:
    table = read_table("scenemind.reasoning", "method_cases.yaml")
    names = [case["name"] for case in table["cases"]]
    assert len(set(names)) == len(names)
    assert set(table["finders"]) <= set(METHODS)
    for case in table["cases"]:
        assert len(case["why"].split()) > 5
        assert set(case["ask"]) | set(case.get("ground", ())) <= set(METHODS)
        assert case.get("asks", "counts") in table["kinds"]
        asked = {"asks", "situated", "known", "doubtful", "related", "open"} & case.keys()
        assert asked or case is table["cases"][-1]  # the last one holds always


class Programs(ScriptedMethod):
    name = "llm_tpc"


class Finder(ScriptedMethod):
    name = "vlm_grounder"


def test_auto_finds_by_looking_and_then_by_the_next_best() -> None:
    finder, frames = Finder(SAID), ScriptedMethod(SAID)
    router = Router(room_memory(), None, {"memtree": frames, "vlm_grounder": finder})
    assert router.ground(query("something soft to lie on")).method == "vlm_grounder"
    finder.outcome = PerceptionError("no weights")
    found = router.ground(query("something soft to lie on"))
    assert (found.method, found.fallback) == ("memtree", "vlm_grounder failed: no weights")
    assert [thing.object_id for thing in found.objects] == [8]


def test_what_a_program_does_not_find_on_the_map_is_looked_for_in_pictures() -> None:
    programs, finder = Programs(ReasoningError("not_found", "no stapler is known")), Finder(SAID)
    methods = {"vlm_grounder": finder, "llm_tpc": programs, "memtree": ScriptedMethod(SAID)}
    found = Router(room_memory(), None, methods).ground(query("the stapler to my left"))
    assert (found.method, found.fallback) == ("vlm_grounder", "no stapler is known")
    finder.outcome = ReasoningError("not_found", "no picture shows it")
    found = Router(room_memory(), None, methods).ground(query("the stapler to my left"))
    assert found.failure is not None
    assert found.failure.code == "not_found"


def test_where_a_model_fails_the_next_best_method_answers_and_says_so() -> None:
    methods = {"memtree": ScriptedMethod(DOWN), "llm_tpc": Programs(SAID)}
    answer = Router(room_memory(), None, methods).ask(query(UNREADABLE))
    assert (answer.method, answer.fallback) == ("llm_tpc", FALLEN_BACK)
    methods["llm_tpc"] = Programs(ModelError("bad_reply", "nonsense"))
    last = Router(room_memory(), None, methods).ask(query(ABSENT))
    assert last.method == "symbolic"
    assert last.fallback.startswith(f"{FALLEN_BACK}. llm_tpc has no answer either: llm_tpc failed")
    # One server that does not answer is said once.
    resting = ModelError("resting", f"http://nowhere failed 5 times; the last time: {DOWN}")
    methods["llm_tpc"] = Programs(resting)
    last = Router(room_memory(), None, methods).ask(query(UNREADABLE))
    assert last.text == (
        f"{FALLEN_BACK}; llm_tpc failed likewise; and without a model this question cannot be"
        " answered."
    )
    # A method that was named is not replaced by another model's.
    assert Router(room_memory(), None, methods).ask(query(KNOWN), "memtree").method == "symbolic"


def test_no_other_model_is_asked_where_time_is_over() -> None:
    programs = Programs(SAID)
    methods = {"memtree": ScriptedMethod(ModelError("too_late", "over")), "llm_tpc": programs}
    asking = Asking(Allowance(0.0))
    assert Router(room_memory(), None, methods).ask(query(ABSENT), asking=asking).method == (
        "symbolic"
    )
    assert programs.asked == []


def test_the_steps_say_why_and_only_where_auto_chose() -> None:
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
