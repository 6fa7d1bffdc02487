"""Calls of programs on a picture: right ones, wrong ones, and attempts around the prelude."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scenemind.reasoning.sandbox import Outcome, Sandbox
from scenemind.reasoning.vadar.views import BoxPx, View
from scenemind.reasoning.vadar.vision_api import VisionApi

CUPS: tuple[BoxPx, ...] = ((10.0, 20.0, 50.0, 60.0), (300.0, 100.0, 340.0, 180.0))


class Eyes:
    """Two cups; what is asked of them is remembered."""

    name = "eyes"

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self.boxes: list[BoxPx | None] = []

    def locate(self, prompt: str) -> Sequence[BoxPx]:
        self.prompts.append(prompt)
        return CUPS if prompt == "cup" else ()

    def find_depth_m(self, box_px: BoxPx) -> float | None:
        self.boxes.append(box_px)
        return 1.0

    def look(self, view: View, question: str, box_px: BoxPx | None) -> str:
        del view, question
        self.boxes.append(box_px)
        return "red"


@pytest.fixture
def eyes() -> Eyes:
    return Eyes()


@pytest.fixture
def api(eyes: Eyes) -> VisionApi:
    return VisionApi([View("a picture", 640, 480, b"", eyes, eyes)], eyes.look, 30)


def ran(sandbox: Sandbox, api: VisionApi, program: str) -> Outcome:
    return sandbox.run(program, api.of_sandbox())


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("_loc(99, 'cup')", "call loc(image, object_prompt)"),
        ("_loc(-1, 'cup')", "call loc(image, object_prompt)"),
        ("_loc(image, 'cup')", "call loc(image, object_prompt)"),
        ("_loc(0, 5)", "characters of text"),
        ("_loc(0, ' ')", "characters of text"),
        ("loc(image, 'cup ' * 200)", "characters of text"),
        ("_vqa(0, None, None)", "characters of text"),
        ("_vqa('a', 'what is it?', None)", "call vqa(image, question, bbox)"),
        ("_depth(0, 'abcd')", "bbox must be"),
        ("_depth(0, [1, 2, 3])", "bbox must be"),
        ("_depth(0, [[1], 2, 3, 4])", "bbox must be"),
        ("_depth(True, [1, 2, 3, 4])", "call depth(image, bbox)"),
        ("depth(image, [float('nan'), 2, 30, 40])", "bbox must be"),
        ("depth(image, [700, 2, 900, 40])", "bbox must be"),
    ],
)
def test_a_wrong_call_is_the_programs_mistake(
    sandbox: Sandbox, api: VisionApi, call: str, told: str
) -> None:
    outcome = ran(sandbox, api, call)
    assert outcome.error is not None
    assert told in outcome.error.text


@pytest.mark.parametrize(
    ("box", "within"),
    [
        ("[-5, -7.5, 20, 30]", (0.0, 0.0, 20.0, 30.0)),
        ("[float('-inf'), 1, float('inf'), 2]", (0.0, 1.0, 640.0, 2.0)),
        ("[-1e300, -1e300, 1e300, 1e300]", (0.0, 0.0, 640.0, 480.0)),
    ],
)
def test_a_box_is_clipped_to_the_picture(
    sandbox: Sandbox, api: VisionApi, eyes: Eyes, box: str, within: BoxPx
) -> None:
    outcome = ran(sandbox, api, f"depth(image, {box})\nvqa(image, 'what is it?', {box})")
    assert (outcome.error, outcome.value) == (None, "red")
    assert eyes.boxes == [within, within]


def test_things_are_looked_for_once_and_told_each_time(
    sandbox: Sandbox, api: VisionApi, eyes: Eyes
) -> None:
    many = "for _ in range(5):\n    boxes = loc(image, 'cup')\n    boxes.clear()\nloc(image, 'cup')"
    outcome = ran(sandbox, api, many)
    assert outcome.value == [list(box) for box in CUPS]
    assert eyes.prompts == ["cup"]
    assert len(api.take_calls()) == 6


def test_a_box_is_called_by_the_words_by_which_it_was_found(
    sandbox: Sandbox, api: VisionApi
) -> None:
    ran(sandbox, api, "loc(image, 'plate'), loc(image, 'cup')")
    assert api.name_of((11.0, 20.0, 51.0, 60.0)) == "cup at (11, 20, 51, 60)"
    assert api.name_of((200.0, 20.0, 251.5, 60.0)) == "(200, 20, 252, 60)"


def test_of_very_many_things_the_steps_tell_some(sandbox: Sandbox) -> None:
    class Crowd(Eyes):
        def locate(self, prompt: str) -> Sequence[BoxPx]:
            del prompt
            return [(float(x), 0.0, x + 5.0, 5.0) for x in range(40)]

    crowd = Crowd()
    api = VisionApi([View("a crowd", 640, 480, b"", crowd, crowd)], crowd.look, 30)
    outcome = ran(
        sandbox, api, "for i in range(100):\n    loc(image, f'ant {i}')\nlen(loc(image, 'ant'))"
    )
    assert outcome.value == 40
    calls = api.take_calls()
    assert calls[0].startswith('loc("ant 0") -> 40 boxes [0, 0, 5, 5], [1, 0, 6, 5]')
    assert calls[0].endswith("[9, 0, 14, 5], ...")
    assert calls[-1] == "... and 41 more calls"
