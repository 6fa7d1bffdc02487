"""The turns of a conversation with LLM-TPC, and the examples in its prompt."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import Pose
from scenemind.memory import MapObject
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.llm_tpc.turns import (
    GiveAnswer,
    Unreadable,
    WriteProgram,
    model_part,
    read_turn,
)
from scenemind.reasoning.programs import SceneApi, run_program
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.sandbox import Sandbox
from tests.unit.reasoning.scene import snapshot_of, thing

PROGRAM = "chairs = filter(scene(), 'chair')\nprint(len(chairs))"


@pytest.mark.parametrize(
    "text",
    [
        f"Thought: count\nAction: Program\nAction Input:\n```python\n{PROGRAM}\n```",
        f"Thought: count\nAction: Program\nAction Input:\n```Python\n{PROGRAM}\n```\nThat is all.",
        f"**Thought**: count\n**Action**: Program\n**Action Input**:\n```\n{PROGRAM}\n```",
        f"Thought: count\nAction: Program\n```python\n{PROGRAM}\n```",
        f"Thought: count\nAction: Program\nAction Input:\n{PROGRAM}",
        f"Thought: count\nAction: Program\nAction Input:\n```python\n{PROGRAM}",
        f"count\n```python\n{PROGRAM}\n```",
        f"Thought: count\nAction: Run a program\nAction Input: ```{PROGRAM}```",
        f"<think>Action: Final Answer</think>Thought: count\nAction: program\n```\n{PROGRAM}\n```",
    ],
)
def test_a_program_is_found(text: str) -> None:
    assert read_turn(text) == WriteProgram("count", PROGRAM)


@pytest.mark.parametrize(
    ("text", "answer", "objects"),
    [
        ("Thought: so\nAction: Final Answer\nAction Input: left", "left", ()),
        ("Thought: so\nAction: Final Answer\nAction Input: Left.\nBecause of it.", "Left", ()),
        ("Thought: so\nAction: Final Answer: two chairs", "two chairs", ()),
        ("Thought: so\nAction: Final Answer: A TV program", "A TV program", ()),
        ("Thought: so\n**Final Answer:** two chairs", "two chairs", ()),
        ("Thought: so\nAction: Final Answer\nAction Input:\n```\nno\n```", "no", ()),
        (
            "Thought: so\nAction: Final Answer\nAction Input: yes\n**Objects:** chair 4, *table 7*",
            "yes",
            ("chair 4", "table 7"),
        ),
    ],
)
def test_an_answer_is_found(text: str, answer: str, objects: tuple[str, ...]) -> None:
    assert read_turn(text) == GiveAnswer("so", answer, objects)


def test_invented_observation_after_a_program_is_ignored() -> None:
    text = (
        f"Thought: count\nAction: Program\nAction Input:\n```python\n{PROGRAM}\n```\n"
        "Observation: 12\nThought: twelve\nAction: Final Answer\nAction Input: twelve"
    )
    assert read_turn(text) == WriteProgram("count", PROGRAM)
    assert read_turn(text.replace("Observation: 12\n", "")) == WriteProgram("count", PROGRAM)


def test_a_program_may_hold_words_of_the_form() -> None:
    program = "# Observation: none yet\n# Action: count\nprint('Action: Program')"
    text = (
        f"Thought: count\nAction: Program\nAction Input:\n```python\n{program}\n```\nObservation: 3"
    )
    assert read_turn(text) == WriteProgram("count", program)
    without_action = f"count\n```python\n{program}\n```\nObservation: 3"
    assert read_turn(without_action) == WriteProgram("count", program)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "says nothing"),
        ("<think>hm</think>", "says nothing"),
        ("<think>hm\nAction: Final Answer\nAction Input: a draft", "says nothing"),
        ('{"action": "Final Answer", "action_input": "two"}', "JSON"),
        ("The answer is left.", "no line that begins with Action"),
        ("Action: Search\nAction Input: chairs", 'no action "search"'),
        ("Action: Program\nAction Input:\n```python\n```", "no program"),
        ("Action: Final Answer\nAction Input:", "no answer"),
        ("Thought: hm\nObservation: 3\nAction: Final Answer\nAction Input: 3", "no line"),
        ("```\nx\n```\nAction: Search\nObservation: 3\nAction: Program", 'action "search"'),
    ],
)
def test_reply_that_is_neither_is_an_error(text: str, complaint: str) -> None:
    turn = read_turn(text)
    assert isinstance(turn, Unreadable)
    assert complaint in turn.complaint


@given(st.text(max_size=300))
def test_anything_can_be_read(noise: str) -> None:
    for text in (
        noise,
        f"Action: Program\n{noise}",
        f"Action: Final Answer\nAction Input: {noise}",
    ):
        turn = read_turn(text)
        if isinstance(turn, GiveAnswer):
            assert turn.answer.strip()
            assert "\n" not in turn.answer


@pytest.mark.parametrize(
    "part", ["` ", "``` ", "```\n", "<think>", "Observation:\n", "thought\n", "!"]
)
@pytest.mark.parametrize("end", ["", "x"])
def test_a_model_that_stutters_is_read_in_no_time(part: str, end: str) -> None:
    """Patterns that look back and forth would take minutes, with the interpreter's lock held."""
    assert read_turn(f"```{part * 100_000}{end}") != GiveAnswer("", "")
    assert isinstance(read_turn(f"```{' ' * 300_000}{end}"), Unreadable)


def test_invented_observation_is_not_repeated_to_the_model() -> None:
    text = f"<think>hm</think>Action: Program\n```\n{PROGRAM}\n```\nObservation: 12"
    assert model_part(text) == f"Action: Program\n```\n{PROGRAM}\n```\n"


# The viewer stands at the origin and looks along +x; left is +y.
AT_ORIGIN = Viewpoint.of_body(Pose.identity())
_CHAIR = (0.5, 0.5, 0.9)
SCENES: dict[str, tuple[MapObject, ...]] = {
    "1": (
        thing(1, "bed", (0, 0, 0.3), (1.4, 2, 0.6)),
        thing(2, "chair", (0, 1.6, 0.45), _CHAIR),
        thing(3, "chair", (2.5, 0, 0.45), _CHAIR),
        thing(4, "chair", (0.2, 2.8, 0.45), _CHAIR),
        thing(5, "desk", (3.2, 0, 0.4), (0.8, 1.6, 0.8)),
        thing(6, "lamp", (0, -2, 0.7), (0.3, 0.3, 1.4)),
    ),
    "2": (
        thing(1, "couch", (-1, 0, 0.4), (0.8, 1.8, 0.8)),
        thing(2, "coffee table", (1.2, 0, 0.2), (0.6, 1.0, 0.4)),
        thing(3, "door", (0, 3, 1), (0.9, 0.1, 2)),
        thing(4, "trash can", (0, -1.5, 0.2), (0.3, 0.3, 0.4)),
    ),
}
_EXAMPLES = dict(
    re.findall(
        r"^Example (\d)\n(.*?)\n(?=^Example|^Here)",
        read_prompt("scenemind.reasoning.llm_tpc", "examples"),
        re.DOTALL | re.MULTILINE,
    )
)


@pytest.mark.parametrize("number", sorted(SCENES))
def test_an_example_is_true(sandbox: Sandbox, number: str) -> None:
    api = SceneApi(snapshot_of(SCENES[number], None), AT_ORIGIN)
    listed = ", ".join(f'{count} "{name}"' for name, count in sorted(api.categories.items()))
    intro, *turns = re.split(r"^(?=Thought:)", _EXAMPLES[number], flags=re.MULTILINE)
    assert sorted(re.findall(r'\d "[^"]*"', intro)) == sorted(listed.split(", "))
    for text in turns[:-1]:
        told = text.partition("Observation: ")[2].strip()
        turn = read_turn(text)
        assert isinstance(turn, WriteProgram)
        observed = run_program(sandbox, api, turn.program)
        printed = "\n".join((observed.text, *observed.notes))
        assert told.removeprefix("The program did not run to its end.\n") == printed
    last = read_turn(turns[-1])
    assert isinstance(last, GiveAnswer)
    known = [f"{t.label} {t.object_id}" for t in SCENES[number]]
    assert set(last.objects) <= set(known)


def test_there_is_an_example_for_each_scene() -> None:
    assert sorted(_EXAMPLES) == sorted(SCENES)
