"""VADAR on stored frames and on any picture."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from scenemind.config import VadarConfig
from scenemind.memory import FrameIndex, KeyFrame
from scenemind.models import Allowance, ModelError
from scenemind.reasoning import Query, ReasoningError
from scenemind.reasoning.memtree_qa.baseline_selectors import ObjectSelector
from scenemind.reasoning.method import Asking, MethodReply, Progress
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.shared_models import SharedDetector
from scenemind.reasoning.vadar import Vadar
from scenemind.reasoning.vadar.vadar import AskedView, ask_about_view
from scenemind.reasoning.vadar.views import view_of_photograph
from tests.chat_exchange import Request
from tests.chat_server import FAULTS, ChatServer, Step, choose, fail, say
from tests.unit.reasoning.learned_methods.talk import RED, fenced, sees
from tests.unit.reasoning.memtree_qa.talk import Heard, chat_with
from tests.unit.reasoning.scene import ROOM, SmallMemory, snapshot_of
from tests.unit.reasoning.stored_room import index_of
from tests.unit.reasoning.vadar.eyes import RED_BOX, RedDetector, red_thing_on_a_desk
from tests.unit.reasoning.vadar.room import BOXES, FRAME, PhotographedRoom, photographed_room

QUESTION = Query("Which chair or cup is nearest to the left edge?")
LEFTMOST = """boxes = loc(image, "chair") + loc(image, "cup")
near = [box for box in boxes if depth(image, box) < 4]
final_result = min(near, key=lambda box: box[0] + 0 * depth(image, box))"""


@contextmanager
def vadar(
    sandbox: Sandbox, writes: Step, looks: Step, **settings: int
) -> Iterator[tuple[Vadar, ChatServer]]:
    """One server plays both models."""
    server = ChatServer(choose(lambda request: looks if request.pictures else writes))
    with chat_with(server) as chat:
        config = VadarConfig(learns=False, **settings)
        yield Vadar(chat, chat, ObjectSelector(), sandbox, config=config), server


def asked(
    sandbox: Sandbox,
    *programs: str,
    looks: Step = RED,
    query: Query = QUESTION,
    memory: SmallMemory | None = None,
    **settings: int,
) -> tuple[MethodReply, list[Request]]:
    """The reply, and what was asked of models that write these programs in turn."""
    left = iter(programs)
    writes = say(lambda _: fenced(next(left)))
    room = memory or photographed_room()
    with vadar(sandbox, writes, looks, **settings) as (method, server):
        return method.ask(query, room, Asking(Allowance(20.0))), server.requests


@dataclass
class RoomWithStools(PhotographedRoom):
    """Its picture shows stools that are not mapped."""

    stools: int = 0

    def frame_index(self) -> FrameIndex:
        boxes = [(60.0 * n, 0.0, 60.0 * n + 50.0, 50.0) for n in range(self.stools)]
        index = index_of([[("stool", 0, box) for box in boxes]])
        return replace(index, frame_numbers=np.array([FRAME.frame_number], np.int32))


HOW_MANY_CHAIRS = Query("How many chairs are there?")


def test_detections_that_are_not_mapped_are_found_as_well(sandbox: Sandbox) -> None:
    room = RoomWithStools(snapshot_of(ROOM), stools=2)
    count = "final_result = len(loc(image, 'stool'))"
    reply, _ = asked(sandbox, count, query=Query("How many chairs or stools?"), memory=room)
    assert (reply.text, reply.confidence) == ("2", 0.6)


def test_a_count_in_one_picture_is_doubted_where_the_map_has_more(sandbox: Sandbox) -> None:
    count = "final_result = len(loc(image, 'chair')[:1])"
    reply, _ = asked(sandbox, count, query=HOW_MANY_CHAIRS)
    assert reply.text == '1 in frame 7; the map has 2 "chair"'
    assert (reply.brief, reply.confidence) == ("1", 0.3)


def test_time_that_is_over_is_told_to_nobody_as_a_mistake(sandbox: Sandbox) -> None:
    """A slow model is no fault of the program."""
    endless = say(lambda _: fenced("while True:\n    pass"))
    with vadar(sandbox, endless, RED) as (method, server):
        with pytest.raises(ModelError) as error:
            method.ask(QUESTION, photographed_room(), Asking(Allowance(0.5)))
        assert error.value.kind == "too_late"
        assert len(server.requests) == 1


def shown_frame(reply: MethodReply) -> KeyFrame:
    assert reply.key_frames is not None
    (frame,) = reply.key_frames
    return frame


def test_a_program_answers_from_the_maps_objects_in_a_key_frame(sandbox: Sandbox) -> None:
    reply, requests = asked(sandbox, LEFTMOST)
    assert reply.text == reply.brief == "chair 4"
    assert [thing.object_id for thing in reply.objects] == [4]
    assert shown_frame(reply).boxes_px == {4: BOXES[4]}
    assert len(requests) == 1
    assert reply.steps[:2] == (
        "objects chose the frame",
        "the question names 5 objects: chair, cup, office chair",
    )
    assert f"program:\n{LEFTMOST}" in reply.steps
    told = [step.rpartition("-> ")[2] for step in reply.steps if step.startswith("depth(")]
    assert set(told) == {"3.00 m", "5.00 m"}  # of the chairs and a cup, and of the other cup


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("final_result = len(loc(image, 'chair')) > 0", "yes"),
        ("final_result = loc(image, 'unicorn')", None),
        ("final_result = len(loc(image, 'unicorn'))", "0"),
        ("final_result = 2.0", "2"),
        ("final_result = 0.12345", "0.123"),
        ("final_result = vqa(image, 'what color is it?', loc(image, 'chair')[0])", "red"),
        ("box = loc(image, 'chair')[0]\nfinal_result = same_object(image, box, box)", "yes"),
        ("w, h = get_2D_object_size(image, [1, 2, 4, 10])\nfinal_result = [w, h]", "3, 8"),
        ("final_result = None", None),
        ("final_result = ['near', loc(image, 'black chair')[0], 3.5]", "near, chair 4, 3.5"),
        ("final_result = [2 * [box] for box in loc(image, 'black chair')]", "chair 4"),
        ("final_result = [1, 2, 30, 40]", "(1, 2, 30, 40)"),
    ],
)
def test_last_value_of_a_program_is_the_answer(
    sandbox: Sandbox,
    code: str,
    text: str | None,
) -> None:
    if text is None:
        with pytest.raises(ReasoningError, match="found no answer in frame") as error:
            asked(sandbox, code)
        assert error.value.failure.code == "not_found"
    else:
        assert asked(sandbox, code)[0].text == text


def test_the_vision_model_sees_the_thing_in_a_red_box_and_is_asked_once(sandbox: Sandbox) -> None:
    code = """box = loc(image, "chair")[0]
one, two = vqa(image, "what color?", box), vqa(image, "what color?", box)
final_result = one + " and " + two"""
    reply, requests = asked(sandbox, code)
    assert reply.text == "red and red"
    (_, looked) = requests
    assert '"what color?"' in looked.text
    assert "red box" in looked.text
    (url,) = looked.pictures
    picture = _decoded(url)
    x0, y0, _, _ = shown_frame(reply).boxes_px[reply.objects[0].object_id]
    blue, green, red = picture[round(y0) + 20, round(x0)].astype(int)
    assert red > 150 > max(green, blue)


def _decoded(url: str) -> np.ndarray:
    data = base64.b64decode(url.partition(",")[2])
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("final_result = depth(image, loc(image, 'chair'))", "bbox must be one box"),
        ("final_result = depth(image, [5, 5, 1, 9])", "x0 < x1"),
        ("final_result = loc('chair')", "object_prompt"),
        ("answer = 3", "name 'final_result' is not defined"),
        ("import numpy", "numpy cannot be imported"),
        ("final_result = max([], key=len)", "empty"),
        ("final_result = image", "final_result must be a number"),
        ("final_result = {'a': 1}", "final_result must be a number"),
        ("b = loc(image, 'chair')\nb.sort(key=lambda x: depth(image, x))", "boxes = sorted(boxes"),
        ("final_result = (", "SyntaxError"),
        ("final_result = _depth(7, [1, 2, 3, 4])", "call depth(image, bbox)"),
        ("final_result = 7 ** 7000", "last line is too large"),
        ("final_result = 7 ** 30", "no number of a usual size"),
        ("", "no program in the reply"),
    ],
)
def test_a_program_that_fails_is_shown_with_its_error(
    sandbox: Sandbox,
    wrong: str,
    told: str,
) -> None:
    reply, requests = asked(sandbox, wrong, LEFTMOST)
    said = requests[1].body["messages"][-1]["content"]
    assert told in said
    assert "write the whole program again" in said
    assert reply.text.startswith("chair ")
    assert reply.confidence < asked(sandbox, LEFTMOST)[0].confidence


@pytest.mark.parametrize(
    "words", [fenced("1 / 0"), "hm", "", "\x1b[2J" * 50, fenced("while 1:\n  loc(image, 'x')")]
)
def test_one_that_never_succeeds_costs_six_calls(
    sandbox: Sandbox,
    words: str,
) -> None:
    with vadar(sandbox, say(words), RED) as (method, server):
        with pytest.raises(ModelError) as error:
            method.ask(QUESTION, photographed_room(), Asking(Allowance(30.0)))
        assert len(server.requests) <= 6
    assert error.value.kind == "bad_reply"


def test_a_program_cannot_ask_the_vision_model_without_end(sandbox: Sandbox) -> None:
    code = "for i in range(100):\n    vqa(image, f'is there a {i}?')\nfinal_result = 1"
    reply, requests = asked(sandbox, code, "final_result = 2", looks=sees("no"))
    assert reply.text == "2"
    assert sum(bool(request.pictures) for request in requests) == 30


def test_the_policy_decides_the_meaning_of_none(sandbox: Sandbox) -> None:
    always = Query(QUESTION.text, policy="always_answer")
    reply, requests = asked(sandbox, "final_result = None", "final_result = 'left'", query=always)
    assert reply.text == "left"
    assert "best guess" in requests[1].body["messages"][-1]["content"]


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"busy"}))
@pytest.mark.parametrize("role", ["language", "vision"])
def test_a_failing_server_is_the_models_failure(
    sandbox: Sandbox,
    fault: str,
    role: str,
) -> None:
    code = fenced("final_result = vqa(image, 'what is it?')")
    writes, looks = (FAULTS[fault], RED) if role == "language" else (say(code), FAULTS[fault])
    with vadar(sandbox, writes, looks, program_retries=1) as (method, server):
        allowance = Allowance(0.5)
        with pytest.raises(ModelError):
            method.ask(QUESTION, photographed_room(), Asking(allowance))
        assert len(server.requests) <= 4


def test_an_answer_without_a_look_is_hardly_trusted(sandbox: Sandbox) -> None:
    made_up, _ = asked(sandbox, "final_result = 'yes'")
    seen, _ = asked(sandbox, LEFTMOST)
    assert made_up.confidence < 0.5 < seen.confidence
    assert made_up.objects == ()


def test_a_failure_keeps_how_far_it_came(sandbox: Sandbox) -> None:
    asking = Asking(Allowance(20.0))
    with (
        vadar(sandbox, say(fenced("final_result = None")), RED) as (method, _),
        pytest.raises(ReasoningError),
    ):
        method.ask(QUESTION, photographed_room(), asking)
    assert "program:\nfinal_result = None" in asking.progress.steps
    assert [frame.frame_number for frame in asking.progress.key_frames] == [7]


def test_progress_names_the_steps(sandbox: Sandbox) -> None:
    heard = Heard()
    left = iter(["1 / 0", LEFTMOST])
    with vadar(sandbox, say(lambda _: fenced(next(left))), RED) as (method, _):
        method.ask(QUESTION, photographed_room(), Asking(Allowance(20.0), Progress(heard)))
    assert heard.stages == ["select", "look", "program", "run", "rectify", "program", "run"]


def test_the_first_message_is_the_same_for_every_question(sandbox: Sandbox) -> None:
    """A provider then caches the common beginning of all prompts."""
    one, two = (
        asked(sandbox, LEFTMOST, query=Query(text))[1][0].body["messages"]
        for text in ("Which chair is near?", "How many chairs?")
    )
    assert one[0] == two[0]
    assert "def loc(image: Image" in one[0]["content"]
    assert '"How many chairs?"' in two[1]["content"]


def test_marked_object_is_in_the_prompt(sandbox: Sandbox) -> None:
    query = Query("How far is this chair?", marked_object_ids=(2,))
    code = "final_result = 1"
    _, requests = asked(sandbox, code, query=query)
    assert "The person points at what is in [" in requests[0].text


FIND = fenced("final_result = loc(image, 'red thing') + loc(image, 'unicorn')")


def asked_view(
    sandbox: Sandbox, folder: Path, says: Step, text: str = "what is red?", seconds: float = 20.0
) -> AskedView:
    view = view_of_photograph(red_thing_on_a_desk(folder / "desk.png"), SharedDetector(RedDetector))
    with chat_with(ChatServer(says)) as chat:
        vadar = Vadar(chat, chat, ObjectSelector(), sandbox, config=VadarConfig(learns=False))
        return ask_about_view(vadar, Query(text), view, Asking(Allowance(seconds)))


def test_the_answer_names_found_things_and_their_boxes(sandbox: Sandbox, tmp_path: Path) -> None:
    found = asked_view(sandbox, tmp_path, say(FIND))
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
def test_errors_of_calls_are_reported_and_not_raised(
    sandbox: Sandbox, tmp_path: Path, says: Step, text: str, code: str
) -> None:
    failed = asked_view(sandbox, tmp_path, says, text)
    assert failed.answer.failure is not None
    assert failed.answer.failure.code == code
    assert failed.answer.text == failed.answer.failure.text
    assert (failed.answer.confidence, failed.boxes_px) == (0.0, ())


def test_a_failure_shows_the_programs(sandbox: Sandbox, tmp_path: Path) -> None:
    failed = asked_view(sandbox, tmp_path, say(fenced("loc(image, 'red thing')[7]")))
    assert any("IndexError" in step for step in failed.answer.steps)
