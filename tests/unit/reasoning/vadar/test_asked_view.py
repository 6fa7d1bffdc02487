"""Questions about a picture that is in no memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.config import VadarConfig
from scenemind.models import Allowance
from scenemind.reasoning import Query
from scenemind.reasoning.detecting import SharedDetector
from scenemind.reasoning.memtree_qa.selectors.objects import ObjectSelector
from scenemind.reasoning.method import Asking
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vadar import Vadar
from scenemind.reasoning.vadar.asked_view import AskedView, ask_about_view
from scenemind.reasoning.vadar.photograph import view_of_photograph
from tests.chat_server import ChatServer, Step, fail, say
from tests.unit.reasoning.learned_methods.talk import fenced
from tests.unit.reasoning.memtree_qa.talk import chat_with

from .eyes import RED_BOX, RedDetector, red_thing_on_a_desk

FIND = fenced("final_result = loc(image, 'red thing') + loc(image, 'unicorn')")


def asked(
    sandbox: Sandbox, folder: Path, says: Step, text: str = "what is red?", seconds: float = 20.0
) -> AskedView:
    view = view_of_photograph(red_thing_on_a_desk(folder / "desk.png"), SharedDetector(RedDetector))
    with chat_with(ChatServer(says)) as chat:
        vadar = Vadar(chat, chat, ObjectSelector(), sandbox, VadarConfig(learns=False))
        return ask_about_view(vadar, Query(text), view, Asking(Allowance(seconds)))


def test_the_answer_names_what_was_found_and_where(sandbox: Sandbox, tmp_path: Path) -> None:
    found = asked(sandbox, tmp_path, say(FIND))
    assert found.answer.text == found.answer.brief == "red thing at (40, 30, 80, 90)"
    assert found.answer.failure is None
    assert found.answer.usage.calls == 1
    assert found.boxes_px == (RED_BOX,)
    assert found.found == {"red thing": (RED_BOX,), "unicorn": ()}


@pytest.mark.parametrize(
    ("says", "text", "code"),
    [
        (fail(401, "who are you?"), "what is red?", "model_failed"),
        (say(fenced("final_result = None")), "what is red?", "not_found"),
        (say(FIND), "  ", "invalid_request"),
        (say(FIND), "why " * 200, "invalid_request"),
    ],
)
def test_what_fails_is_told_and_not_raised(
    sandbox: Sandbox, tmp_path: Path, says: Step, text: str, code: str
) -> None:
    failed = asked(sandbox, tmp_path, says, text)
    assert failed.answer.failure is not None
    assert failed.answer.failure.code == code
    assert failed.answer.text == failed.answer.failure.text
    assert (failed.answer.confidence, failed.boxes_px) == (0.0, ())


def test_a_failure_shows_what_was_tried(sandbox: Sandbox, tmp_path: Path) -> None:
    failed = asked(sandbox, tmp_path, say(fenced("loc(image, 'red thing')[7]")))
    assert any("IndexError" in step for step in failed.answer.steps)
