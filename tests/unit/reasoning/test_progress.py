"""The log of a question: shown with a failure, and empty again for the next question."""

from __future__ import annotations

from scenemind.memory import MemoryAccess
from scenemind.reasoning import Asking, Progress, Query, ReasoningError, Router
from scenemind.reasoning.method import GroundReply, MethodReply
from scenemind.reasoning.query import Picture
from tests.unit.reasoning.memtree_qa.talk import Heard
from tests.unit.reasoning.scene import room_memory
from tests.unit.report.made import make_key_frame

FRAME = make_key_frame({})
SHEET = Picture("A sheet", FRAME.jpeg)


class Failing:
    """A `GroundMethod` that finds nothing, after some steps."""

    name = "vlm_grounder"

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        self.ground(query, memory, asking)
        raise AssertionError

    def ground(self, query: Query, memory: MemoryAccess, asking: Asking) -> GroundReply:
        del query, memory
        asking.progress.note("chose", "looked")
        asking.progress.key_frames.insert(0, FRAME)
        asking.progress.pictures.append(SHEET)
        asking.progress.note_repair("no JSON")
        raise ReasoningError("not_found", "no cat")


def router() -> Router:
    return Router(room_memory(), methods={"vlm_grounder": Failing()})


def test_a_failure_shows_the_log_of_its_question_alone() -> None:
    asking, asked = Asking(), router()
    for _ in range(2):
        found = asked.ground(Query("the cat"), "vlm_grounder", asking)
        assert found.steps == ("chose", "looked", "asked again: no JSON")
        assert (found.key_frames, found.pictures) == ((FRAME,), (SHEET,))
    assert asked.ask(Query("where is the cat?"), "vlm_grounder", asking).steps == found.steps
    assert asking.progress.steps == []


def test_a_listener_hears_reports_of_every_question() -> None:
    heard = Heard()
    asking = Asking(progress=Progress(heard))
    for _ in range(2):
        router().ground(Query("the cat"), "vlm_grounder", asking)
    assert heard.reports == [("repair", "no JSON", [])] * 2


def test_text_is_streamed_only_to_a_listener() -> None:
    heard = Heard()
    hear = Progress(heard).hears_text("think")
    assert hear is not None
    hear("so far")
    assert heard.reports == [("think", "so far", [])]
    assert Progress().hears_text("think") is None
